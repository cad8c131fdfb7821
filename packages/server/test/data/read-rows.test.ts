import { deepEqual, equal, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

import { openRows, type RawRow } from '../../src/data/read-rows.ts';
import { splitJson } from '../../src/data/split-json.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function read(context: TestContext, name: string, content: string | Uint8Array): Promise<RawRow[]> {
  const folder = temporaryFolder(context, { [name]: content });
  const rows = [];
  for await (const row of (await openRows(join(folder, name))).rows()) rows.push(row);
  return rows;
}

const row = (line: number, value: Record<string, unknown>): RawRow => ({ kind: 'row', line, value });

test('NDJSON gives one row per line; bad lines are reported and skipped', async (context) => {
  deepEqual(await read(context, 'a.ndjson', '{"a":1}\n\n{"a":\n[1]\r\n{"a":"é"}'), [
    row(1, { a: 1 }),
    { kind: 'bad', line: 3, reason: 'not JSON: Unexpected end of JSON input' },
    { kind: 'bad', line: 4, reason: 'not an object' },
    row(5, { a: 'é' }),
  ]);
});

test('a JSON array gives its elements, however it is formatted', async (context) => {
  deepEqual(await read(context, 'a.json', '\uFEFF[\n {"a": "],{\\"["},\n {"a":\n [1, {"b": 2}]} , 3,\n{"c":}]\n'), [
    row(2, { a: '],{"[' }),
    row(3, { a: [1, { b: 2 }] }),
    { kind: 'bad', line: 4, reason: 'not an object' },
    { kind: 'bad', line: 5, reason: `not JSON: Unexpected token '}', "{"c":}" is not valid JSON` },
  ]);
  deepEqual(await read(context, 'a.json', ' [ ] '), []);
});

test('a .json file that holds a value a line is read as such', async (context) => {
  deepEqual(await read(context, 'a.json', '{"a":1}\n{"a":2}\n'), [row(1, { a: 1 }), row(2, { a: 2 })]);
});

test('CSV gives strings by the names in its first line', async (context) => {
  deepEqual(await read(context, 'a.csv', '\uFEFFname,note\nAda,"two\nlines, and ""quotes"""\nBob\n'), [
    row(3, { name: 'Ada', note: 'two\nlines, and "quotes"' }),
    { kind: 'bad', line: 4, reason: '1 values, but the first line names 2 columns' },
  ]);
  deepEqual(await read(context, 'a.tsv', 'a\tb\n1,5\t2\n'), [row(2, { a: '1,5', b: '2' })]);
});

test('a packed file is unpacked, by content and not by name', async (context) => {
  deepEqual(await read(context, 'a.csv.gz', gzipSync('a\n1\n')), [row(2, { a: '1' })]);
  deepEqual(await read(context, 'rows', gzipSync('[{"a":1}]')), [row(1, { a: 1 })]);
});

test('a file that cannot be read at all says why', async (context) => {
  const refused = (name: string, content: string | Uint8Array, reason: RegExp): Promise<void> =>
    rejects(read(context, name, content), { code: 'SERVER_IMPORT_UNREADABLE', message: reason });
  await refused('a.json', '[{"a":1}', /cut off/);
  await refused('a.json', '[] x', /text after the end/);
  await refused('a.json', '', /empty/);
  await refused('a.json', '3', /must begin with/);
  await refused('a.csv', 'a,a\n1,2\n', /"a" is named twice/);
  await refused('a.csv', Buffer.from([0x61, 0x0a, 0xff, 0xfe]), /not UTF-8/);
  await refused('a.ndjson.gz', gzipSync('{"a":1}\n'.repeat(9999)).subarray(0, 60), /gzip/);
  await rejects(openRows('/no/such/file'), { code: 'SERVER_IMPORT_UNREADABLE', message: /no such file/ });
});

test('an array is cut alike wherever the chunks of the stream end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.nat(3),
      fc.integer({ min: 1, max: 7 }),
      async (values, indent, size) => {
        const text = JSON.stringify(values, undefined, indent);
        async function* chunks(): AsyncGenerator<string> {
          for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
        }
        const pieces = [];
        for await (const piece of splitJson(chunks(), 'array')) pieces.push(JSON.parse(piece.text));
        equal(JSON.stringify(pieces), JSON.stringify(values));
      },
    ),
    { numRuns: 200 },
  );
});
