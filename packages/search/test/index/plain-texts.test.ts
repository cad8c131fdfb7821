import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { runToEnd } from '../../src/tasks/scheduler.ts';
import { flush } from '../../src/index/flush.ts';
import { BytePool } from '../../src/index/byte-pool.ts';
import { encodeId } from '../../src/index/ids.ts';
import type { PlainTextField, TextField } from '../../src/index/indexed-document.ts';
import type { SegmentData } from '../../src/index/segment-data.ts';
import { type BufferContent, WriteBuffer } from '../../src/index/write-buffer.ts';

const standard = standardAnalysis.analyzer('standard')!;

function plain(values: readonly string[], gap: number): PlainTextField {
  return { kind: 'plain_text', field: 'body', norms: true, positions: true, values, gap, maxLength: 255 };
}

/** The same field, its words found as it is added. */
function analysed(values: readonly string[], gap: number): TextField {
  return {
    kind: 'text',
    field: 'body',
    norms: true,
    positions: true,
    analyze(sink) {
      let position = 0;
      for (const value of values) position = standard.push(value, position, sink) + gap;
    },
  };
}

function add(buffer: WriteBuffer, number: number, field: PlainTextField | TextField): void {
  const id = String(number);
  buffer.add({ id, source: new Uint8Array(2), fields: [field] }, encodeId(id), 1, number);
}

/** What a segment holds of the field, as bytes. */
function partsOf(content: BufferContent): Record<string, unknown> {
  const { meta, sections }: SegmentData = runToEnd(flush(content, 's'));
  const parts = [...sections].map(([name, { buffer, byteOffset, byteLength }]): [string, string] => [
    name,
    Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  ]);
  return { fields: meta.fields, ...Object.fromEntries(parts) };
}

const words = fc.string({
  unit: fc.constantFrom(
    'a',
    'Z',
    '0',
    '9',
    '_',
    '.',
    "'",
    ' ',
    ' ',
    'é',
    'ß',
    'ー',
    '中',
    'İ',
    '\u0301',
    '👍',
    '\ud800',
  ),
  maxLength: 30,
});
const texts = fc.array(
  fc.record({
    values: fc.array(fc.oneof({ arbitrary: words, weight: 5 }, fc.constant('long '.repeat(5000))), { maxLength: 3 }),
    ahead: fc.nat(2),
  }),
  { minLength: 1, maxLength: 8 },
);

test('a segment is the same whether the words of its texts were found before, meanwhile or afterwards', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(0, 1, 100), (documents, gap) => {
      const before = new WriteBuffer();
      const there = new WriteBuffer();
      const here = new WriteBuffer();
      for (const [number, { values, ahead }] of documents.entries()) {
        add(before, number, analysed(values, gap));
        for (const buffer of [there, here]) {
          add(buffer, number, plain(values, gap));
          for (let i = 0; i < ahead; i++) buffer.readAhead();
        }
      }
      const expected = partsOf(before.content());
      deepEqual(partsOf(structuredClone(there.content())), expected);
      deepEqual(partsOf(here.content()), expected);
      // The thread was lost: what it changed where it lies must not matter.
      deepEqual(partsOf(here.content()), expected);
    }),
    { numRuns: 60 },
  );
});

test('a buffer takes texts beside words of the same field, and texts that are cut elsewhere', () => {
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.nat(3)), (documents, kinds) => {
      const expected = new WriteBuffer();
      const mixed = new WriteBuffer();
      for (const [number, { values }] of documents.entries()) {
        const kind = kinds.next().value as number;
        const gap = kind === 1 ? 7 : 100;
        add(expected, number, analysed(values, gap));
        add(mixed, number, kind === 0 ? analysed(values, gap) : plain(values, gap));
      }
      deepEqual(partsOf(mixed.content()), partsOf(expected.content()));
    }),
    { numRuns: 60 },
  );
});

test('a buffer that was emptied forgets what was read of its texts', () => {
  const buffer = new WriteBuffer();
  for (let number = 0; number < 300; number++)
    add(buffer, number, plain([`number ${number} of ${'many '.repeat(20)}`], 100));
  ok(buffer.readAhead());
  partsOf(buffer.content());
  equal(buffer.readAhead(), false, 'what a flush has taken is not read any more');
  buffer.clear();
  add(buffer, 0, plain(['one two'], 100));
  const fresh = new WriteBuffer();
  add(fresh, 0, plain(['one two'], 100));
  deepEqual(partsOf(buffer.content()), partsOf(fresh.content()));
});

test('a text that there is no memory for is refused, and those after it keep their numbers', () => {
  const pool = new BytePool(16, 1);
  pool.addText('one');
  // More than any array can have.
  throws(() => pool.add({ length: 2 ** 53 } as Uint8Array), RangeError);
  equal(pool.addText('a text longer than the piece'), 28);
  equal(new TextDecoder().decode(pool.get(1)), 'a text longer than the piece');
});
