// The levels of a column: what a search leaves out by them is worse than what it looks for, whatever the values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../kernel/test/until.ts';
import { runToEnd } from '../../src/tasks/scheduler.ts';
import { valuesMeta } from '../../src/index/flush.ts';
import { fullBits, hasBit, setBit, emptyBits } from '../../src/index/bits.ts';
import { NumericSkipIndex } from '../../src/index/numeric-skip-index.ts';
import type { NumberColumn } from '../../src/index/segment.ts';
import type { SectionArray } from '../../src/index/shared.ts';
import { SegmentCore } from '../../src/index/segment-core.ts';

const column = (values: readonly (number | undefined)[]): NumberColumn => {
  const exists = emptyBits(values.length);
  values.forEach((value, doc) => value !== undefined && setBit(exists, doc));
  const all = values.every((value) => value !== undefined);
  return {
    kind: 'number',
    values: Float64Array.from(values, (value) => value ?? 0),
    starts: undefined,
    exists: all ? undefined : exists,
  };
};

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const values = fc
  .array(fc.oneof({ weight: 9, arbitrary: number }, { weight: 1, arbitrary: fc.constant(undefined) }), {
    minLength: 100,
    maxLength: 1500,
    size: 'max',
  })
  .map((list) => list.concat(list.map((value) => (value === undefined ? 1 : value / 2))));

test('a level chosen by a bound holds every document that is within it, one chosen by a share that share', () => {
  fc.assert(
    fc.property(values, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (list, descending, share) => {
      const levels = runToEnd(NumericSkipIndex.of(column(list), list.length, descending));
      const sign = descending ? -1 : 1;
      for (const bound of list.slice(0, 40)) {
        if (bound === undefined) continue;
        const level = levels.within(sign * bound, -1);
        if (level < 0) continue;
        list.forEach((value, doc) => {
          if (value !== undefined && sign * value <= sign * bound) assert.ok(hasBit(levels.set(level), doc));
          if (value === undefined) assert.ok(!hasBit(levels.set(level), doc));
        });
      }
      const chosen = levels.ofShare(share);
      if (chosen < 0) return;
      const members = list.filter((_, doc) => hasBit(levels.set(chosen), doc)).length;
      assert.ok(members / list.length >= share);
    }),
    { numRuns: 60 },
  );
});

test('a level of different values is about a fourth of the one before', () => {
  const list = Array.from({ length: 40_000 }, (_, doc) => (doc * 7919) % 40_009);
  const levels = runToEnd(NumericSkipIndex.of(column(list), list.length, true));
  const sizes = [0, 1, 2, 3].map((level) => list.filter((_, doc) => hasBit(levels.set(level), doc)).length);
  sizes.reduce((before, size) => {
    assert.ok(size > before / 6 && size < before / 3, String(sizes));
    return size;
  }, list.length);
  assert.ok(levels.ofShare(0.5) === -1 && levels.ofShare(0.1) === 0 && levels.ofShare(0.02) === 1);
});

test('the levels of a large segment are made between requests', async () => {
  const docCount = 600_000;
  const core = new SegmentCore(
    {
      meta: {
        name: 's',
        docCount,
        fields: [{ name: 'n', ...valuesMeta('number', docCount) }],
        nestedPaths: [],
        seqNoBase: 0,
        primaryTerm: 1,
      },
      sections: new Map<string, SectionArray>([
        ['0/values', Float64Array.from({ length: docCount }, (_, doc) => doc % 1000)],
        ['ids', new Uint8Array()],
        ['idEnds', new Uint32Array(docCount)],
        ['idSlots', new Uint32Array(1)],
        ['versions', new Uint8Array(docCount)],
        ['seqNos', new Uint8Array(docCount)],
        ['sourceFirstDocs', new Int32Array()],
        ['sourceOffsets', new Float64Array()],
      ]),
      readSources: () => new Uint8Array(),
    },
    '',
  );
  assert.equal(core.numericSkipIndex('n', true), undefined);
  let levels: NumericSkipIndex | undefined;
  await until(
    () => (levels = core.numericSkipIndex('n', true)),
    () => 'no skip index is made',
  );
  const best = levels!.set(levels!.within(-999, -1));
  assert.ok(hasBit(best, 999) && hasBit(best, 599_999) && !hasBit(best, 0));
  assert.ok(core.derived >= fullBits(docCount).byteLength);
  assert.equal(core.numericSkipIndex('absent', true), undefined);
});
