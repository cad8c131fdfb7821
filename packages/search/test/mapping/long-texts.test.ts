// Long texts of clients are read in linear time. By a reader that is not linear, none of these tests ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJavaDouble } from '../../src/json/java-values.ts';
import { dateFormat } from '../../src/mapping/date-format.ts';
import { parseDistance } from '../../src/mapping/geo.ts';
import { startRest } from '../rest/harness.ts';

/** So many characters that their square is too much. */
const MANY = 3_000_000;
const digits = '1'.repeat(MANY);

test('a text of many digits that is no number is refused as a number, in documents and in queries', async () => {
  assert.equal(readJavaDouble(`${digits}x`), undefined);
  assert.equal(readJavaDouble(`0x${digits}`), undefined);
  assert.equal(readJavaDouble(digits), Infinity);
  assert.equal(readJavaDouble(`0x${'0'.repeat(MANY)}.8p1`), 1);
  const ask = await startRest();
  const types = ['double', 'float', 'integer', 'long', 'short', 'scaled_float', 'half_float'];
  const properties = Object.fromEntries(
    types.map((type) => [type, { type, ...(type === 'scaled_float' ? { scaling_factor: 10 } : {}) }]),
  );
  await ask('PUT /t', {
    mappings: { properties: { ...properties, lenient: { type: 'double', ignore_malformed: true } } },
  });
  const text = `${digits.slice(0, MANY / 30)}x`;
  for (const type of types) {
    assert.equal((await ask('PUT /t/_doc/1', { [type]: text })).status, 400, type);
    assert.equal((await ask('POST /t/_search', { query: { term: { [type]: text } } })).status, 400, type);
  }
  assert.equal((await ask('PUT /t/_doc/1', { lenient: text })).status, 201);
});

test('names of special numbers are read in the case that Java writes them', () => {
  assert.equal(readJavaDouble('-Infinity'), -Infinity);
  assert.ok(Number.isNaN(readJavaDouble('NaN')));
  assert.equal(readJavaDouble('1E3F'), 1000);
  for (const text of ['nan', 'infinity', '-INFINITY']) assert.equal(readJavaDouble(text), undefined);
});

test('a distance with many spaces is refused', () => {
  assert.throws(() => parseDistance(`1${' '.repeat(MANY)}!`), /^ProductError: For input string: "1 +!"$/);
  assert.equal(parseDistance(' 1 km'), 1000);
  // As in Elasticsearch, nothing may follow the unit.
  assert.throws(() => parseDistance('1 km '), /For input string: "1 km "/);
});

test('a document with a name of many dots is refused', async () => {
  const ask = await startRest();
  const name = `a${'.'.repeat(MANY / 16)}b`;
  assert.equal((await ask('PUT /u/_doc/1', { [name]: 1 })).status, 400);
});

test('token filters read words of any length', async () => {
  const ask = await startRest();
  const analyze = async (filter: readonly unknown[], text: string): Promise<readonly { readonly token: string }[]> =>
    (await ask('POST /_analyze', { tokenizer: 'keyword', filter, text })).json.tokens;
  const [quoted] = await analyze(['apostrophe'], `a${"'".repeat(200_000)}\nb`);
  assert.equal(quoted?.token, 'a');
  const payload = { type: 'delimited_payload', encoding: 'float' };
  const text = `a|${digits.slice(0, 200_000)}x`;
  assert.equal((await ask('POST /_analyze', { tokenizer: 'keyword', filter: [payload], text })).status, 400);
});

test('a text is read by a date pattern in one pass, whatever its letters and sections are', () => {
  const read = (pattern: string, text: string): number | undefined => dateFormat(pattern).parse(text);
  assert.equal(read('zVzVzVzV'.repeat(20), `${'a'.repeat(MANY / 100)}!`), undefined);
  assert.equal(read('[S]'.repeat(200), `${'1'.repeat(4000)}!`), undefined);
  assert.equal(read('SdSdSd'.repeat(160), `${'1'.repeat(4000)}!`), undefined);
  const nested = 490;
  assert.equal(read(`${'['.repeat(nested)}yyyy${']'.repeat(nested)}`, '2020'), Date.UTC(2020, 0));
  assert.equal(read('[yyyy'.repeat(200), '2020x'), undefined);
  assert.throws(() => read('S'.repeat(1001), '2020'), /a \[format\] has at most \[1000\] characters, not \[1001\]/);
});

test('a piece of a date pattern gives nothing back, and a section that does not fit is skipped', () => {
  const read = (pattern: string, text: string): string | undefined => {
    const found = dateFormat(pattern).parse(text);
    return found === undefined ? undefined : new Date(found).toISOString();
  };
  assert.equal(read('yyyy-MM-dd[ HH:mm[:ss]]', '2020-02-03 04:05'), '2020-02-03T04:05:00.000Z');
  assert.equal(read('yyyy-MM-dd[ HH:mm[:ss]]', '2020-02-03'), '2020-02-03T00:00:00.000Z');
  assert.equal(read('[yyyy/MM/dd][dd.MM.yyyy]', '03.02.2020'), '2020-02-03T00:00:00.000Z');
  assert.equal(read('yMMdd', '20200203'), '2020-02-03T00:00:00.000Z');
  assert.equal(read('ssSSSyyyy', '071232020'), '2020-01-01T00:00:07.123Z');
  assert.equal(read('VV-yyyy', 'America/Port-au-Prince-2020'), '2020-01-01T05:00:00.000Z');
  assert.equal(read('d[d]', '12'), '1970-01-12T00:00:00.000Z');
});
