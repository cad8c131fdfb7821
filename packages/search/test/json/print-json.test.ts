// Printing responses that hold JSON text as it is stored, against printing the same with the text parsed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainJson, printJson, RawJson } from '../../src/json/print-json.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\u007f', 'raw-0', '\u007fraw-', '"', '\\'));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', '0', 'é', '\u007f'), tie('json'), { maxKeys: 4 }),
  ),
}));

/** Some of the objects and lists of a value as JSON text. */
function withText(value: unknown, isText: () => boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isText()) return new RawJson(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((each) => withText(each, isText));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withText(each, isText)]));
}

test('JSON text goes into a response as it is, wherever it is and how ever often, and the response stays as it was', () => {
  fc.assert(
    fc.property(json, fc.array(fc.boolean(), { maxLength: 20 }), (value, choices) => {
      let at = 0;
      const mixed = withText(value, () => choices[at++] === true);
      const wanted = JSON.stringify(value);
      for (let again = 0; again < 2; again++) assert.equal(printJson(mixed, false), wanted);
      // By what is printed: whole numbers beyond 2^53 are kept as text.
      assert.equal(JSON.stringify(plainJson([mixed, mixed])), `[${wanted},${wanted}]`);
    }),
    { numRuns: 1000 },
  );
});

test('a document without a source is an empty object, thousands of them as well as one', () => {
  assert.equal(printJson(new RawJson(''), false), '{}');
  const many = Array.from({ length: 3000 }, (_, at) => ({ _source: new RawJson(at % 2 === 0 ? '' : `{"n":${at}}`) }));
  const wanted = many.map((_, at) => ({ _source: at % 2 === 0 ? {} : { n: at } }));
  assert.deepEqual(JSON.parse(printJson({ hits: many }, false)), { hits: wanted });
  assert.deepEqual(JSON.parse(printJson({ hits: many }, true)), { hits: wanted });
});
