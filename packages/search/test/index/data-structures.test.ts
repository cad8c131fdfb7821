// The small structures under a segment, each against its definition.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { orderReversed } from '../../src/index/reversed-terms.ts';
import { bitsFor, packBits, unpackDocs, unpackFrequencies } from '../../src/index/bit-packing.ts';
import { countBits, emptyBits, fullBits, hasBit, nextBit, setBit } from '../../src/index/bits.ts';
import { BufferIds } from '../../src/index/buffer-ids.ts';
import { buildIdTable, encodeId, IdEncoder, IdReader } from '../../src/index/ids.ts';
import { chooseMerge } from '../../src/index/merge-policy.ts';
import { decodedLength, encodeLength } from '../../src/index/small-float.ts';
import { ByteList, IntList } from '../../src/index/shared.ts';
import { sortTerms } from '../../src/index/sort-terms.ts';
import { StoredReader, StoredWriter } from '../../src/index/stored.ts';
import { TermTable } from '../../src/index/term-table.ts';
import type { IndexedField } from '../../src/index/indexed-document.ts';
import type { TermsContent } from '../../src/index/terms-buffer.ts';
import { WriteBuffer } from '../../src/index/write-buffer.ts';
import { runTask } from '../../src/tasks/scheduler.ts';

test('packed gaps and frequencies decode to what was packed, at every width and count', () => {
  for (let width = 0; width <= 31; width++) {
    for (const count of [1, 2, 31, 32, 33, 127, 128]) {
      const most = width === 0 ? 0 : 2 ** width - 1;
      // Kept low enough that document numbers stay below 2^31.
      const values = Int32Array.from({ length: 128 }, (_, i) =>
        i === 1 ? most : Math.floor((most * ((i * 7) % 11)) / (width > 20 ? 4096 * 11 : 11)),
      );
      const bits = Math.max(...values.subarray(0, count).values().map(bitsFor));
      const words = new Int32Array(260);
      const end = packBits(values, count, bits, words, 3);
      assert.equal(end, 3 + Math.ceil((count * bits) / 32));
      const docs = new Int32Array(129);
      unpackDocs(words, 3, bits, count, -1, docs);
      let doc = -1;
      for (let i = 0; i < count; i++) {
        doc += values[i]! + 1;
        assert.equal(docs[i], doc | 0);
      }
      const frequencies = new Int32Array(128);
      unpackFrequencies(words, 3, bits, count, frequencies);
      for (let i = 0; i < count; i++) assert.equal(frequencies[i], (values[i]! + 1) | 0);
    }
  }
});

test('lengths are exact below 40 and never rounded up beyond', () => {
  for (let length = 0; length < 40; length++) assert.equal(decodedLength[encodeLength(length)], length);
  fc.assert(
    fc.property(fc.integer({ min: 40, max: 2 ** 31 - 1 }), (length) => {
      const byte = encodeLength(length);
      assert.ok(byte <= 255 && decodedLength[byte]! <= length);
      assert.ok(byte === 255 || decodedLength[byte + 1]! > length);
    }),
  );
  // SmallFloat.intToByte4: 24 plus four significant bits of the rest.
  assert.deepEqual([40, 41, 42, 100, 1000, 100_000].map(encodeLength), [40, 40, 41, 57, 87, 140]);
});

test('a set of bits answers as a set of numbers', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(fc.nat(199)), (count, members) => {
      const bits = emptyBits(count);
      const set = new Set(members.filter((member) => member < count));
      for (const member of set) setBit(bits, member);
      assert.equal(countBits(bits), set.size);
      const walked: number[] = [];
      for (let at = nextBit(bits, 0); at >= 0; at = nextBit(bits, at + 1)) walked.push(at);
      assert.deepEqual(
        walked,
        [...set].sort((a, b) => a - b),
      );
      assert.equal(countBits(fullBits(count)), count);
      assert.ok([...set].every((member) => hasBit(bits, member)));
    }),
  );
});

/** Terms are read with what stands behind them. */
const padded = (bytes: Uint8Array): Uint8Array => Buffer.concat([bytes, Buffer.alloc(12)]);

test('a term table numbers equal terms equally and sorts them by their bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: codePoint, maxLength: 8 }), { maxLength: 400 }), async (terms) => {
      const table = new TermTable();
      const numbers = new Map<string, number>();
      for (const [i, term] of terms.entries()) {
        const bytes = Buffer.from(term);
        // By turns amid zeros and amid other bytes.
        const around =
          i % 2 === 0 ? padded(Buffer.concat([Buffer.from('xy'), bytes])) : Buffer.from(`xy${term}${term}abcdefghijkl`);
        const number = table.add(around, 2, 2 + bytes.length);
        const key = bytes.toString('hex');
        assert.equal(number, numbers.get(key) ?? numbers.size);
        numbers.set(key, number);
      }
      const sorted = await runTask(sortTerms(table, table.size));
      const bytesOf = (number: number): string =>
        Buffer.from(table.pool.subarray(table.start(number), table.ends[number])).toString('hex');
      assert.deepEqual(Array.from(sorted, bytesOf), [...numbers.keys()].sort());
      // Cleared, it knows none of them. In a row they get the numbers that they get one by one.
      table.clear();
      const parts = terms.map((term) => Buffer.from(term));
      const bounds = new Int32Array(terms.length * 2);
      let end = 0;
      for (const [i, { length }] of parts.entries()) bounds.set([end, (end += length)], 2 * i);
      const bytes = padded(Buffer.concat(parts));
      const found = new Int32Array(terms.length + 1);
      table.addRow(bytes, bounds, terms.length, found, 1);
      assert.deepEqual(
        [...found.subarray(1)],
        parts.map((part) => numbers.get(part.toString('hex'))),
      );
    }),
  );
});

test('many terms sort by their bytes, whether they differ in the first six or later', async () => {
  const table = new TermTable();
  const count = 70_000;
  for (let i = 0; i < count; i++) {
    const number = (i * 7919) % count;
    const prefix = number % 8 === 0 ? 'shared-prefix-' : number % 32 === 1 ? 'long'.repeat(60) : '';
    const bytes = Buffer.from(`${prefix}${number}`);
    table.add(padded(bytes), 0, bytes.length);
  }
  // Words of zeros: what a term lacks is not the same as a zero.
  for (let length = 0; length < 20; length++) table.add(padded(new Uint8Array(length)), 0, length);
  const sorted = await runTask(sortTerms(table, table.size));
  const texts = Array.from(sorted, (number) =>
    Buffer.from(table.pool.subarray(table.start(number), table.ends[number])).toString(),
  );
  assert.deepEqual(texts, texts.toSorted());
  assert.equal(new Set(texts).size, count + 20);
});

test('the order of terms read from the end is that of their reversed bytes', async () => {
  const term = fc
    .array(fc.constantFrom('a', 'b', '\0', 'é', '😀', 'ation'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(term, { maxLength: 60 }), async (terms) => {
      const encoded = terms.map((text) => Buffer.from(text)).sort((a, b) => Buffer.compare(a, b));
      let end = 0;
      const ends = Uint32Array.from(encoded, (bytes) => (end += bytes.length));
      const order = [...(await runTask(orderReversed({ bytes: Buffer.concat(encoded), ends })))];
      const reversed = encoded.map((bytes) => Buffer.from(bytes).reverse());
      const wanted = encoded.map((_, i) => i).sort((a, b) => Buffer.compare(reversed[a]!, reversed[b]!));
      assert.deepEqual(order, wanted);
    }),
  );
});

test('many terms with long equal endings come in the order of their reversed bytes', async () => {
  const texts = Array.from(
    { length: 4000 },
    (_, i) => `${(i * 7919) % 4000}@mail.example.com${i % 3 === 0 ? '/'.repeat(200) : ''}`,
  );
  const encoded = texts.map((text) => Buffer.from(text)).sort((a, b) => Buffer.compare(a, b));
  let end = 0;
  const ends = Uint32Array.from(encoded, (bytes) => (end += bytes.length));
  const order = [...(await runTask(orderReversed({ bytes: Buffer.concat(encoded), ends })))];
  const reversed = encoded.map((bytes) => Buffer.from(bytes).reverse());
  const wanted = encoded.map((_, i) => i).sort((a, b) => Buffer.compare(reversed[a]!, reversed[b]!));
  assert.deepEqual(order, wanted);
});

test('ids are found by text, the last of equal ones, and read by document', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 200 }),
      fc.string({ minLength: 1, maxLength: 5 }),
      (ids, other) => {
        const wellFormed = ids.map((id) => id.toWellFormed());
        const buffers = wellFormed.map((id) => Buffer.from(id));
        const bytes = Uint8Array.from(Buffer.concat(buffers));
        let end = 0;
        const ends = Uint32Array.from(buffers, (buffer) => (end += buffer.length));
        const { slots, prints } = buildIdTable(bytes, ends, Float64Array.from(ends.keys()));
        // Segments of before have no prints.
        for (const reader of [new IdReader(bytes, ends, slots, prints), new IdReader(bytes, ends, slots)]) {
          wellFormed.forEach((id, doc) => {
            assert.equal(reader.get(doc), id);
            assert.equal(reader.find(encodeId(id)), wellFormed.lastIndexOf(id));
          });
          assert.equal(reader.find(encodeId(other.toWellFormed())), wellFormed.lastIndexOf(other.toWellFormed()));
        }
      },
    ),
  );
});

test('the latest document of an id is found as in a map, whatever was replaced and taken out', () => {
  const encoder = new IdEncoder();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('set', 'set', 'remove'), fc.nat(400)), { maxLength: 700 }),
      (steps) => {
        const ids = new ByteList();
        const ends = new IntList();
        const table = new BufferIds(ids, ends);
        const expected = new Map<string, number>();
        for (const [what, number] of steps) {
          const id = `${number % 3 === 0 ? 'ü' : 'n'}${number}`;
          const encoded = encoder.encode(id);
          assert.equal(table.find(encoded), expected.get(id) ?? -1);
          if (what === 'set') {
            const doc = ends.length;
            ids.append(encoded.bytes, 0, encoded.length);
            ends.push(ids.length);
            table.set(encoded, doc);
            expected.set(id, doc);
          } else {
            assert.equal(table.remove(encoded), expected.get(id) ?? -1);
            expected.delete(id);
          }
        }
        for (let number = 0; number <= 400; number++) {
          const id = `${number % 3 === 0 ? 'ü' : 'n'}${number}`;
          assert.equal(table.find(encodeId(id)), expected.get(id) ?? -1);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('stored sources come back byte for byte from any block', () => {
  const sources = Array.from({ length: 300 }, (_, i) => Buffer.from(`${i}:`.repeat((i * 37) % 400)));
  const writer = new StoredWriter();
  for (const source of sources) writer.add(source);
  const { sections, readSources } = writer.finish();
  const reader = new StoredReader(
    sections['sourceFirstDocs'] as Int32Array,
    sections['sourceOffsets'] as Float64Array,
    readSources,
    'test',
  );
  for (const doc of [0, 299, 150, 3, 151, 298]) assert.deepEqual(Buffer.from(reader.get(doc)), sources[doc]);
  sources.forEach((source, doc) => assert.deepEqual(Buffer.from(reader.get(doc)), source));
});

test('a large source that stays large is read and checked in pieces, and refused where it is damaged', async () => {
  const large = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> (at % 24)));
  const writer = new StoredWriter();
  for (const source of [Buffer.from('before'), large, Buffer.from('behind')]) writer.add(source);
  const { sections, readSources } = writer.finish();
  const firstDocs = sections['sourceFirstDocs'] as Int32Array;
  const offsets = sections['sourceOffsets'] as Float64Array;
  assert.ok(offsets[1]! > 1_000_000, 'it is compressed');
  const reader = (read: typeof readSources) => new StoredReader(firstDocs, offsets, read, 'test');
  const read = async (from: StoredReader, doc: number): Promise<Buffer> => {
    const source = from.read(doc);
    return Buffer.from(source instanceof Uint8Array ? source : await source());
  };
  const whole = reader(readSources);
  for (const [doc, source] of ['before', large, 'behind'].entries())
    assert.ok((await read(whole, doc)).equals(Buffer.from(source as string)));
  const damaged = reader((position, length) => {
    const bytes = Uint8Array.from(readSources(position, length));
    if (position <= 900_000 && position + length > 900_000) bytes[900_000 - position]! ^= 1;
    return bytes;
  });
  await assert.rejects(read(damaged, 1), { code: 'SEARCH_DAMAGED' });
  await assert.rejects(
    read(
      reader((position, length) => readSources(position, length).subarray(0, -1)),
      1,
    ),
    {
      code: 'SEARCH_DAMAGED',
    },
  );
});

test('sources that lie side by side, large ones and thousands of empty ones come back as they were', () => {
  const piece = Uint8Array.from({ length: 50_000 }, (_, i) => (i * 31) % 251);
  const writer = new StoredWriter();
  const wanted: Uint8Array[] = [];
  const add = (start: number, end: number): void => {
    writer.add(piece, start, end);
    wanted.push(piece.subarray(start, end));
  };
  for (let at = 0; at < 9000; at += 100) add(at, at + 100);
  add(200, 300);
  add(0, 50_000);
  for (let i = 0; i < 10_000; i++) add(0, 0);
  add(300, 400);
  add(400, 401);
  const { sections, readSources } = writer.finish();
  const firstDocs = sections['sourceFirstDocs'] as Int32Array;
  const reader = new StoredReader(firstDocs, sections['sourceOffsets'] as Float64Array, readSources, 'test');
  wanted.forEach((source, doc) => assert.deepEqual(reader.get(doc), source));
});

test('merging leaves few segments, each document rewritten about once a power of ten', () => {
  let segments: { docCount: number; deleted: number; busy: boolean }[] = [];
  let rewritten = 0;
  const total = 100_000;
  for (let i = 0; i < total / 100; i++) {
    segments.push({ docCount: 100, deleted: 0, busy: false });
    for (let run = chooseMerge(segments); run !== undefined; run = chooseMerge(segments)) {
      const [from, to] = run;
      const docCount = segments.slice(from, to).reduce((sum, segment) => sum + segment.docCount, 0);
      rewritten += docCount;
      segments = [...segments.slice(0, from), { docCount, deleted: 0, busy: false }, ...segments.slice(to)];
    }
  }
  assert.ok(segments.length < 35, `${segments.length} segments`);
  assert.ok(rewritten < total * 4, `${rewritten / total} times`);
});

test('a segment of which a third is deleted is rewritten by itself, unless a merge has it already', () => {
  assert.deepEqual(chooseMerge([{ docCount: 100, deleted: 40, busy: false }]), [0, 1]);
  assert.equal(chooseMerge([{ docCount: 100, deleted: 40, busy: true }]), undefined);
  assert.equal(chooseMerge([{ docCount: 100, deleted: 10, busy: false }]), undefined);
});

test('a thousand fields of one short value each take little memory, and grow as far as they must', () => {
  const buffer = new WriteBuffer();
  const fields = Array.from({ length: 1000 }, (_, at): IndexedField =>
    at % 2 === 0
      ? { kind: 'keyword', field: `f${at}`, values: ['x'], docValues: true }
      : { kind: 'number', field: `f${at}`, values: [at] },
  );
  const source = new Uint8Array(2);
  buffer.add({ id: '1', source, routing: undefined, fields }, encodeId('1'), 1, 1);
  assert.ok(buffer.memory < 1_000_000, `${buffer.memory} bytes`);
  const many = Array.from({ length: 5000 }, (_, at) => `value ${at} of a long keyword`);
  const more: IndexedField = { kind: 'keyword', field: 'f0', values: many, docValues: true };
  buffer.add({ id: '2', source, routing: undefined, fields: [more] }, encodeId('2'), 1, 2);
  const content = buffer.content().fields.find(({ field }) => field === 'f0') as TermsContent;
  assert.equal(content.terms, 5001);
  assert.equal(content.tokensEnd, 5001);
  const { pool, ends } = content;
  const term = (at: number): string => Buffer.from(pool.subarray(at === 0 ? 0 : ends[at - 1], ends[at])).toString();
  assert.deepEqual(
    Array.from({ length: 5001 }, (_, at) => term(at)),
    ['x', ...many],
  );
});
