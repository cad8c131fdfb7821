// The table of a segment's file, read in pieces.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { runToEnd } from '../../src/tasks/scheduler.ts';
import { parseTable } from '../../src/index/parse-table.ts';

/** Names full of brackets and quotes. */
const name = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom('"fields":[', '"]},"sections":[', '\\', '\\"', '\\\\"', ']}', '{[,', '\u2028é'),
);
const record = fc.dictionary(name, fc.oneof(name, fc.integer(), fc.boolean(), fc.array(fc.array(name))), {
  maxKeys: 4,
});
const lists = { fields: fc.array(record), sections: fc.array(record) };

test('a table is what JSON.parse makes of it, wherever its lists stand and whatever its names hold', () => {
  fc.assert(
    fc.property(
      fc.record(lists),
      fc.record({ name, nestedPaths: fc.array(name) }),
      fc.boolean(),
      (made, rest, first) => {
        const { fields, sections } = made;
        const { name, nestedPaths } = rest;
        const meta = first ? { name, fields, nestedPaths } : { name, nestedPaths, fields };
        const text = JSON.stringify({ meta, sections });
        deepEqual(runToEnd(parseTable(Buffer.from(text))), JSON.parse(text));
      },
    ),
  );
});

test('a long table is read in many pieces', () => {
  const sections = Array.from({ length: 10_000 }, (_, at) => ({ name: `${at}/terms`, length: at }));
  const steps = parseTable(Buffer.from(JSON.stringify({ meta: { fields: [] }, sections })));
  let pieces = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pieces++;
  equal(pieces > 10, true);
  deepEqual(step.value.sections, sections);
});
