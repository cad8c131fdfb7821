import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import type { IndexedDocument } from '../../src/index/indexed-document.ts';
import { dateFormat, printIso } from '../../src/mapping/date-format.ts';
import { parseDateMath } from '../../src/mapping/date-math.ts';
import { ipToTerm, networkToTerms, termToIp } from '../../src/mapping/ip.ts';
import { Mapping } from '../../src/mapping/mapping.ts';
import { timeZone } from '../../src/mapping/time-zone.ts';

const parse = (mapping: Mapping, source: unknown): IndexedDocument =>
  mapping.parse('1', new TextEncoder().encode(JSON.stringify(source)));

/** The values of a document by field. */
function values(document: IndexedDocument): Record<string, unknown> {
  return Object.fromEntries(
    document.fields.map((field) => {
      if (field.kind === 'geo') return [field.field, field.points];
      const standard = standardAnalysis.analyzer('standard')!;
      if (field.kind === 'plain_text')
        return [field.field, field.values.flatMap((value) => standard.analyze(value).terms)];
      if (field.kind !== 'text') return [field.field, field.values];
      const found: string[] = [];
      field.analyze({
        add: (term) => void found.push(term),
        addRow: ({ bytes, bounds, count }) => {
          for (let i = 0; i < count; i++) {
            found.push(Buffer.from(bytes.slice(bounds[2 * i], bounds[2 * i + 1])).toString());
          }
        },
      });
      return [field.field, found];
    }),
  );
}

test('unknown fields are mapped by their values, strings as text with a keyword beside', () => {
  const mapping = new Mapping(undefined, standardAnalysis);
  const document = parse(mapping, { title: 'Hello World', n: 3, f: 1.5, ok: true, at: '2020-01-02', o: { deep: 'x' } });
  deepEqual(values(document), {
    title: ['hello', 'world'],
    'title.keyword': ['Hello World'],
    n: [3],
    f: [1.5],
    ok: [1],
    at: [Date.UTC(2020, 0, 2)],
    'o.deep': ['x'],
    'o.deep.keyword': ['x'],
  });
  equal((mapping.toJSON()['properties'] as Record<string, { type?: string }>)['f']!.type, 'float');
});

test('a mapping printed and read again maps the same', () => {
  const mapping = new Mapping(undefined, standardAnalysis);
  parse(mapping, { a: { b: [{ c: 'x' }] }, d: 1 });
  deepEqual(new Mapping(mapping.toJSON(), standardAnalysis).toJSON(), mapping.toJSON());
});

test('dotted names, copy_to, null_value and ignore_above do what they say', () => {
  const mapping = new Mapping(
    {
      properties: {
        'a.b': { type: 'keyword', copy_to: 'all', null_value: 'none', ignore_above: 5 },
        all: { type: 'text' },
      },
    },
    standardAnalysis,
  );
  deepEqual(values(parse(mapping, { 'a.b': 'Cat' })), { all: ['cat'], 'a.b': ['Cat'] });
  deepEqual(values(parse(mapping, { a: { b: null } })), { 'a.b': ['none'] });
  deepEqual(values(parse(mapping, { a: { b: 'too long' } }))['a.b'], undefined);
});

test('elements of a nested field become documents of their own', () => {
  const mapping = new Mapping(
    { properties: { c: { type: 'nested', properties: { who: { type: 'keyword' } } } } },
    standardAnalysis,
  );
  const document = parse(mapping, { c: [{ who: 'a' }, { who: 'b' }] });
  deepEqual(
    document.nested!.map((each) => [
      each.path,
      each.offset,
      each.fields[0]!.kind === 'keyword' ? each.fields[0]!.values : [],
    ]),
    [
      ['c', 0, ['a']],
      ['c', 1, ['b']],
    ],
  );
});

test('a value that does not fit its type is refused with field, type, id and preview', () => {
  const mapping = new Mapping({ properties: { n: { type: 'integer' } } }, standardAnalysis);
  throws(
    () => parse(mapping, { n: 'abc' }),
    /failed to parse field \[n\] of type \[integer\] in document with id '1'.*'abc'/,
  );
  throws(() => parse(mapping, { n: 3_000_000_000 }), /failed to parse field \[n\]/);
});

test('a field cannot change its type, and a refused change leaves the mapping as it was', () => {
  const mapping = new Mapping({ properties: { n: { type: 'long' } } }, standardAnalysis);
  const before = JSON.stringify(mapping.toJSON());
  throws(
    () => mapping.merge({ properties: { m: { type: 'text' }, n: { type: 'text' } } }),
    /mapper \[n\] cannot be changed from type \[long\] to \[text\]/,
  );
  equal(JSON.stringify(mapping.toJSON()), before);
});

test('strict mappings refuse new fields, dynamic false ignores them', () => {
  const mapping = new Mapping(
    { dynamic: 'strict', properties: { loose: { type: 'object', dynamic: false } } },
    standardAnalysis,
  );
  throws(() => parse(mapping, { x: 1 }), /mapping set to strict, dynamic introduction of \[x\]/);
  deepEqual(values(parse(mapping, { loose: { y: 1 } })), {});
});

test('dates of the default format print what they read', () => {
  const format = dateFormat('strict_date_optional_time');
  fc.assert(
    fc.property(fc.integer({ min: -62_000_000_000_000, max: 253_402_300_799_999 }), (instant) => {
      equal(format.parse(printIso(instant)), instant);
    }),
  );
});

test('date math adds, rounds down for lower bounds and up for upper ones', () => {
  const format = dateFormat('strict_date_optional_time||epoch_millis');
  const now = Date.UTC(2020, 1, 29, 12, 30);
  equal(parseDateMath('now-1d/d', format, { now }), Date.UTC(2020, 1, 28));
  equal(parseDateMath('now/M', format, { now, roundUp: true }), Date.UTC(2020, 2, 1) - 1);
  equal(parseDateMath('2020-01-31||+1M', format, { now }), Date.UTC(2020, 1, 29));
  // Elasticsearch fills in the first month and day, and the end of that day.
  equal(parseDateMath('2020', format, { now, roundUp: true }), Date.UTC(2020, 0, 2) - 1);
  equal(parseDateMath('2020-03', format, { now, roundUp: true }), Date.UTC(2020, 2, 2) - 1);
});

test('local days in a zone with summer time have 23 and 25 hours', () => {
  const zone = timeZone('Europe/Berlin');
  equal(zone.toUtc(Date.UTC(2020, 2, 30)) - zone.toUtc(Date.UTC(2020, 2, 29)), 23 * 3_600_000);
  equal(zone.toUtc(Date.UTC(2020, 9, 26)) - zone.toUtc(Date.UTC(2020, 9, 25)), 25 * 3_600_000);
});

test('addresses print as they were read, and networks span their addresses', () => {
  fc.assert(fc.property(fc.ipV4(), (address) => equal(termToIp(ipToTerm(address)!), address)));
  deepEqual(networkToTerms('10.0.0.0/8')!.map(termToIp), ['10.0.0.0', '10.255.255.255']);
  equal(termToIp(ipToTerm('2001:db8::1')!), '2001:db8::1');
});

test('parameters that would change answers and do nothing here are refused by name', () => {
  const mapped = (definition: object): Mapping => new Mapping({ properties: { f: definition } }, standardAnalysis);
  throws(() => mapped({ type: 'text', boost: 2 }), /\[boost\] of field \[f\] is not supported/);
  throws(() => mapped({ type: 'text', index_options: 'docs' }), /\[index_options\] \[docs\]/);
  throws(() => mapped({ type: 'text', fielddata_frequency_filter: { min: 1 } }), /\[fielddata_frequency_filter\]/);
  throws(
    () => mapped({ type: 'integer', scaling_factor: 2 }),
    /unknown parameter \[scaling_factor\] on mapper \[f\] of type \[integer\]/,
  );
  throws(() => mapped({ type: 'completion', preserve_separators: false }), /\[preserve_separators\] \[false\]/);
  throws(() => new Mapping({ _size: { enabled: true } }, standardAnalysis), /_size/);
  for (const definition of [
    { type: 'text', boost: 1, index_options: 'freqs' },
    { type: 'scaled_float', scaling_factor: 10 },
    { type: 'date', locale: 'en_US' },
    { type: 'date', locale: 'de' },
    { type: 'completion', preserve_separators: true },
  ])
    equal(mapped(definition).field('f')?.type, definition.type);
});
