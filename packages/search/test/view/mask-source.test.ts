// Masking a source equals parsing it, taking the parts out, and printing it again; only digits and spaces stay as they were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StoredReader, StoredWriter } from '../../src/index/stored.ts';
import { maskedText, maskSource } from '../../src/view/mask-source.ts';

const PATHS = ['a', 'b', 'a.b', 'c.a.b', '_policy'];

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('}', ',"a":', '\\', '"', '[{', 'é'),
    // Around the length from which on strings are searched at once.
    fc
      .tuple(fc.integer({ min: 18, max: 30 }), fc.array(fc.constantFrom('"', '\\', 'x', 'é')))
      .map(([length, end]) => 'x'.repeat(length) + end.join('')),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '_policy', 'a"b', 'a.b', 'c.a', 'ab', 'é'), tie('json'), {
      maxKeys: 4,
    }),
  ),
}));

function expected(value: unknown, path: string, hidden: readonly string[], nulls: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => expected(element, path, hidden, nulls));
  if (typeof value !== 'object' || value === null) return value;
  const within = (at: string, list: readonly string[]): boolean =>
    list.some((each) => at === each || at.startsWith(`${each}.`));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const at = path === '' ? name : `${path}.${name}`;
      if (within(at, hidden)) return [];
      return [[name, within(at, nulls) ? null : expected(member, at, hidden, nulls)]];
    }),
  );
}

/** Documents as a segment stores them. */
function stored(...sources: readonly Uint8Array[]): StoredReader {
  const writer = new StoredWriter();
  for (const source of sources) writer.add(source);
  const { sections, readSources } = writer.finish();
  const { sourceFirstDocs, sourceOffsets } = sections;
  return new StoredReader(sourceFirstDocs as Int32Array, sourceOffsets as Float64Array, readSources, 'test');
}

test('a masked source is the source without what is hidden, and with null for what is withheld', () => {
  const source = fc.dictionary(fc.constantFrom('a', 'b', 'c', '_policy', 'd', 'c.a', 'é', 'c\n'), json, { maxKeys: 5 });
  fc.assert(
    fc.property(source, fc.subarray(PATHS), fc.subarray(PATHS), fc.boolean(), (value, hidden, nulls, spaced) => {
      const mask = maskSource({ hidden, withheld: nulls.map((path) => ({ path, has: () => true })) });
      const text = JSON.stringify(value, undefined, spaced ? 1 : undefined);
      const sources = stored(Buffer.from(text));
      const shown = mask(sources, 0);
      // What was left out is remembered by document.
      assert.equal(mask(sources, 0), shown);
      // As a thread masks a large one.
      assert.equal(maskedText(text, { hidden, nulls }), shown);
      const wanted = expected(JSON.parse(text), '', hidden, nulls);
      assert.equal(
        JSON.stringify(JSON.parse(shown)),
        JSON.stringify(wanted),
        `${text} without ${hidden.join()} nulls ${nulls.join()}: ${shown}`,
      );
    }),
    { numRuns: 2000 },
  );
});

test('digits are kept as they were written', () => {
  const mask = maskSource({ hidden: ['b'], withheld: [] });
  const shown = mask(stored(Buffer.from('{"a":9007199254740993,"b":1,"c":1.50}')), 0);
  assert.equal(shown, '{"a":9007199254740993,"c":1.50}');
});

test('what one mask remembers of a document is no other mask’s, nor another document’s', () => {
  const text = '{"a":"one","b":"two","c":"three"}';
  const sources = stored(...Array.from({ length: 2000 }, () => Buffer.from(text)));
  const masks = Array.from({ length: 40 }, (_, at) => ({
    mask: maskSource({ hidden: ['abc'[at % 3]!], withheld: [] }),
    shown: text.replace([/"a":"one",/, /"b":"two",/, /,"c":"three"/][at % 3]!, ''),
  }));
  for (let round = 0; round < 2; round++) {
    for (let doc = 0; doc < 2000; doc++) {
      const { mask, shown } = masks[doc % 40]!;
      assert.equal(mask(sources, doc), shown);
      const other = masks[(doc + round + 1) % 40]!;
      assert.equal(other.mask(sources, doc), other.shown);
    }
    const short = maskSource({ hidden: ['a'], withheld: [{ path: 'b', has: (doc) => doc % 2 === 0 }] });
    for (let doc = 0; doc < 4; doc++) {
      for (let again = 0; again < 2; again++)
        assert.equal(short(sources, doc), doc % 2 === 0 ? '{"b":null,"c":"three"}' : '{"b":"two","c":"three"}');
    }
  }
});

test('a source that is no UTF-8, and an empty one, are masked alike each time', () => {
  const broken = Buffer.concat([Buffer.from('{"é":"'), Buffer.of(0xff, 0xf0, 0x9f), Buffer.from('","b":"€","c":1}')]);
  const sources = stored(Buffer.from('{"b":1,"c":2}'), Buffer.of(), broken, Buffer.from('{"a":"€","b":"é","c":"é"}\n'));
  const mask = maskSource({ hidden: ['b'], withheld: [] });
  for (let again = 0; again < 3; again++) {
    assert.deepEqual(
      [0, 1, 2, 3].map((doc) => mask(sources, doc)),
      ['{"c":2}', '', '{"é":"\ufffd\ufffd","c":1}', '{"a":"€","c":"é"}\n'],
    );
  }
});
