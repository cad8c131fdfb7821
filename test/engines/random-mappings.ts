// Random mappings: fields of every kind in objects, nested objects and multi-fields, aliases, templates of dynamic fields, and what a
// mapping says of the whole document.
import type { Random } from '@lockstitch/search/requests';
import { ANALYZERS, type Json, randomField, type Slip } from './random-fields.ts';

const SLIPS: readonly Slip[] = ['value', 'value', 'parameter', 'type', 'shape'];

/** A mapping. @param isWrong whether to make a mistake in it */
export function randomMapping(random: Random, isWrong: boolean): Json {
  // The mistake is in a field, in the root, or in both.
  const wrongField = isWrong && !random.once(4) ? random.int(5) : -1;
  const wrongRoot = isWrong && wrongField < 0;
  const properties: Record<string, unknown> = {};
  const count = isWrong ? 1 + random.int(4) : 3 + random.int(6);
  for (let at = 0; at < count; at++)
    properties[`f${at}`] = randomField(random, at === wrongField % count ? random.pick(SLIPS) : 'none');
  if (random.once(2)) properties['obj'] = randomObject(random);
  if (random.once(2)) properties['parts'] = randomNested(random);
  if (random.once(4))
    properties['label'] = {
      type: 'alias',
      path: random.pick(['f0', 'f0', 'f1', 'obj.a', 'absent', 'parts', 'parts.a', 'label', '']),
    };
  if (random.once(8))
    properties[random.pick(['dot.ted', 'dot.ted.deep', 'ünï', 'with space', 'x-y', '@at', '_under'])] =
      randomField(random);
  if (wrongRoot && random.once(6))
    properties[random.pick(['', ' ', '.', 'a.', '.a', 'a..b', '_id', '_source', '_type'])] = randomField(random);
  return { ...randomRoot(random, wrongRoot), properties };
}

function randomObject(random: Random): Json {
  return {
    ...(random.once(3) ? { type: 'object' } : {}),
    ...(random.once(4) ? { dynamic: random.pick<unknown>([true, false, 'strict', 'true', 'false']) } : {}),
    ...(random.once(9) ? { enabled: random.once(2) } : {}),
    properties: {
      a: randomField(random),
      ...(random.once(2) ? { b: randomField(random) } : {}),
      ...(random.once(4) ? { deep: { properties: { c: randomField(random) } } } : {}),
    },
  };
}

function randomNested(random: Random): Json {
  return {
    type: 'nested',
    ...(random.once(4) ? { dynamic: random.pick<unknown>([true, false, 'strict']) } : {}),
    ...(random.once(3) ? { include_in_parent: random.once(2) } : {}),
    ...(random.once(3) ? { include_in_root: random.once(2) } : {}),
    properties: {
      a: randomField(random),
      ...(random.once(2) ? { b: randomField(random) } : {}),
      ...(random.once(4) ? { inner: { type: 'nested', properties: { c: randomField(random) } } } : {}),
    },
  };
}

type Make = (random: Random) => unknown;

const ROOT: Readonly<Record<string, Make>> = {
  dynamic: (random) => random.pick<unknown>([true, false, 'strict', 'true', 'false']),
  date_detection: (random) => random.pick<unknown>([true, false, 'true']),
  numeric_detection: (random) => random.pick<unknown>([true, false, 'true']),
  dynamic_date_formats: (random) =>
    random.pick<unknown>([['MM/dd/yyyy'], ['yyyy-MM-dd', 'dd.MM.yyyy'], ['strict_date_optional_time'], [], 'yyyy']),
  dynamic_templates: (random) =>
    Array.from({ length: 1 + random.int(3) }, (_, at) => ({ [`t${at}`]: randomTemplate(random) })),
  _source: (random) =>
    random.pick<unknown>([
      { enabled: true },
      { includes: ['f*', 'obj.a'] },
      { excludes: ['f1', 'obj'] },
      { includes: ['obj.*'], excludes: ['*.b'] },
      { enabled: false },
      {},
    ]),
  _routing: (random) => random.pick<unknown>([{ required: true }, { required: false }, {}, { required: 'true' }]),
  _meta: (random) => random.pick<unknown>([{ who: 'me' }, {}, { a: { b: [1, 2] } }]),
  _field_names: (random) => random.pick<unknown>([{ enabled: true }, { enabled: false }, {}]),
};

const WRONG_ROOT: Readonly<Record<string, readonly unknown[]>> = {
  dynamic: ['wrong', null, 1, [], 'runtime'],
  date_detection: ['x', null, 1],
  numeric_detection: ['x', null],
  dynamic_date_formats: ['wrong', [1], [null], null, {}],
  dynamic_templates: [
    {},
    [{}],
    ['x'],
    null,
    [{ a: 1 }],
    [{ a: {} }],
    [{ a: { mapping: {} } }],
    [{ a: { match: 'x' } }],
    [{ a: { match: 'x', mapping: { type: 'wrong' } } }],
    [{ a: { match: 'x', mappings: {} } }],
    [{ a: { match: '[', match_pattern: 'regex', mapping: {} } }],
    [{ a: { match: 'x', match_pattern: 'glob', mapping: {} } }],
    [{ a: { match_mapping_type: 'text', mapping: {} } }],
    [{ a: { match_mapping_type: 'long', mapping: { type: 'text', wrong: 1 } } }],
    [{ a: { match: 'x', mapping: { type: 'text', analyzer: 'absent' } }, b: {} }],
  ],
  _source: [{ enabled: 'x' }, { wrong: 1 }, { includes: 'f*' }, null, [], { compress: true }],
  _routing: [{ required: 'x' }, { path: 'f0' }, null],
  _meta: [null, 1, []],
  _field_names: [{ enabled: 'x' }, { wrong: 1 }],
  _all: [{ enabled: false }],
  _id: [{ path: 'f0' }, {}],
  _type: [{}],
  _timestamp: [{ enabled: true }],
  _parent: [{ type: 'x' }],
  _size: [{ enabled: true }],
  _index: [{}],
  _ignored: [{}],
  propertys: [{}],
  runtime: [{}],
  include_in_all: [true],
};

function randomRoot(random: Random, isWrong: boolean): Json {
  const root: Record<string, unknown> = {};
  for (const [name, make] of Object.entries(ROOT))
    if (random.once(name === 'dynamic_templates' ? 4 : 8)) root[name] = make(random);
  if (isWrong) {
    const name = random.pick(Object.keys(WRONG_ROOT));
    root[name] = random.pick(WRONG_ROOT[name]!);
  }
  return root;
}

function randomTemplate(random: Random): Json {
  const kinds = ['string', 'long', 'double', 'boolean', 'date', 'object', '*'];
  const conditions: Record<string, unknown> = {};
  if (random.once(2)) conditions['match_mapping_type'] = random.pick(kinds);
  if (random.once(2)) conditions['match'] = random.pick<unknown>(['new*', '*_text', 'n*1', 'new1', ['new1', 'new2']]);
  if (random.once(4)) conditions['unmatch'] = random.pick(['*2', 'new_*']);
  if (random.once(5)) conditions['path_match'] = random.pick(['newobj.*', 'obj.*', '*.in*', 'newobj.in1']);
  if (random.once(7)) conditions['path_unmatch'] = random.pick(['*.in2', 'obj.new*']);
  if (random.once(9))
    Object.assign(conditions, { match_pattern: 'regex', match: random.pick(['^new.*$', 'new\\d+', '.*']) });
  if (Object.keys(conditions).length === 0) conditions['match'] = '*';
  return {
    ...conditions,
    mapping: random.pick<Make>([
      () => randomField(random, 'none', true),
      () => randomField(random),
      () => ({ type: '{dynamic_type}', doc_values: false }),
      () => ({ type: '{dynamic_type}' }),
      () => ({ type: 'text', analyzer: random.pick(ANALYZERS), fields: { raw: { type: 'keyword', ignore_above: 8 } } }),
      () => ({ type: 'keyword' }),
      () => ({ index: false }),
      () => ({ type: 'text', copy_to: '{name}_copy' }),
      () => ({ type: 'text', analyzer: '{name}' }),
      () => ({}),
      () => ({ enabled: false }),
      () => ({ type: 'nested' }),
      () => ({ type: 'object', dynamic: random.pick(['strict', 'false']) }),
      () => ({ type: '{dynamicType}', store: true }),
    ])(random),
  };
}
