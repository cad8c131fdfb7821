// Requests of a random history that make, change and read indices, aliases, templates, settings and mappings.
import { step } from './ask.ts';
import { ALIASES, type HistoryWords, INDICES, joined, type MakeStep } from './history-words.ts';

const BAD_NAMES = [
  'UPPER',
  '_bad',
  '-bad',
  '+bad',
  'a*b',
  'a b',
  'a,b',
  'a"b',
  '..',
  'a#b',
  'a:b',
  '.hid',
  '_all',
  'a\\b',
  'a?b',
];

const TIMES = { timeout: ['30s', '1'], master_timeout: ['1m', 'x'] };

const SETTINGS: readonly (readonly [string, readonly unknown[]])[] = [
  ['number_of_replicas', [0, 1, '0', -1, 'x', null]],
  ['refresh_interval', ['5s', '-1', -1, 'wrong', null]],
  ['max_result_window', [100, 10_000, 0, '50', null]],
  ['max_terms_count', [5, null]],
  ['number_of_shards', [1, 2, 0]],
  ['blocks.write', [true, false, null, 'x']],
  ['blocks.read_only', [false, null]],
  ['codec', ['default', 'best_compression', 'wrong']],
  ['hidden', [true, false]],
  ['priority', [1, -1]],
  ['auto_expand_replicas', ['false', '0-1', 'x']],
  ['translog.durability', ['async', 'request', 'x']],
  ['mapping.total_fields.limit', [1000, 'x']],
  ['analysis.analyzer.own.type', ['standard', 'keyword']],
  ['analysis.analyzer.own.tokenizer', ['standard', 'nothing']],
  ['sort.field', ['n']],
  ['query.default_field', ['text', ['text', 'tag']]],
  ['max_ngram_diff', [1, 3]],
  ['unknown_thing', [1]],
  ['routing.allocation.enable', ['all', 'none']],
  ['search.idle.after', ['30s']],
  ['uuid', ['x']],
  ['version.created', [1]],
  ['number_of_routing_shards', [4]],
  ['gc_deletes', ['60s']],
  ['default_pipeline', ['_none', null]],
];

function settings(w: HistoryWords): Readonly<Record<string, unknown>> {
  const { random } = w;
  const flat = Object.fromEntries(
    Array.from({ length: 1 + random.int(2) }, () => {
      const [name, values] = random.pick(SETTINGS);
      return [random.once(2) ? name : `index.${name}`, random.pick(values)];
    }),
  );
  return random.once(3)
    ? { index: Object.fromEntries(Object.entries(flat).map(([key, value]) => [key.replace(/^index\./, ''), value])) }
    : flat;
}

const PROPERTIES: readonly object[] = [
  { n: { type: 'long' }, tag: { type: 'keyword' }, text: { type: 'text' }, parts: { type: 'nested' } },
  { n: { type: 'integer' }, tag: { type: 'keyword' }, when: { type: 'date' } },
  {
    tag: { type: 'text', fields: { raw: { type: 'keyword' } } },
    parts: { type: 'nested', properties: { k: { type: 'keyword' } } },
  },
  { n: { type: 'long', store: true }, tag: { type: 'keyword' } },
];

function mappings(w: HistoryWords): object {
  const { random } = w;
  return {
    properties: random.pick(PROPERTIES),
    ...(random.once(9)
      ? random.pick([
          { dynamic: 'strict' },
          { dynamic: false },
          { _routing: { required: true } },
          { _source: { enabled: false } },
          { wrong: 1 },
          { _source: { excludes: ['n'] } },
        ])
      : {}),
  };
}

function aliasBody(w: HistoryWords): Readonly<Record<string, unknown>> {
  const { random } = w;
  return random.pick<() => Record<string, unknown>>([
    () => ({}),
    () => ({}),
    () => ({ filter: { term: { tag: 'x' } } }),
    () => ({ routing: 'r1' }),
    () => ({ index_routing: 'r1', search_routing: 'r1,r2' }),
    () => ({ is_write_index: random.once(2) }),
    () => ({ is_hidden: true }),
    () => ({ filter: { wrong: {} } }),
    () => ({ wrong: 1 }),
    () => ({ filter: { term: { absent_field: 1 } } }),
    () => ({ index_routing: 'r1,r2' }),
  ])();
}

/** What an index is made with: as quiet as it can be, so that equal histories find equal documents. */
const QUIET = { refresh_interval: '-1', number_of_replicas: 0 };

function createBody(w: HistoryWords): unknown {
  const { random } = w;
  return random.pick<() => unknown>([
    () => ({ settings: QUIET, mappings: mappings(w) }),
    () => ({ settings: QUIET, mappings: mappings(w), aliases: { [w.alias()]: aliasBody(w) } }),
    () => ({ settings: { index: QUIET, ...settings(w) } }),
    () => ({ settings: QUIET }),
    () => ({ settings: QUIET, aliases: Object.fromEntries(ALIASES.map((name) => [name, {}])) }),
    () => ({ settings: QUIET, mapping: {} }),
    () => ({ mappings: { _doc: mappings(w) }, settings: QUIET }),
    () => ({ ...QUIET }),
  ])();
}

const create = (index: string, w: HistoryWords): ReturnType<MakeStep> =>
  step(
    `PUT /${encodeURIComponent(index)}${w.some(15, { wait_for_active_shards: [0, 1, 'x'], include_type_name: ['true', 'false'], ...TIMES })}`,
    createBody(w),
  );

const legacyTemplate = (w: HistoryWords): Readonly<Record<string, unknown>> => {
  const { random } = w;
  return {
    index_patterns: random.pick<unknown>([['logs-*'], 'people', ['n*', 'p*'], ['*']]),
    ...(random.once(2) ? { order: random.int(3) } : {}),
    ...(random.once(2) ? { settings: { ...QUIET, ...(random.once(3) ? settings(w) : {}) } } : {}),
    ...(random.once(2) ? { mappings: mappings(w) } : {}),
    ...(random.once(3) ? { aliases: { [w.alias()]: aliasBody(w) } } : {}),
    ...(random.once(3) ? { version: random.int(9) } : {}),
    ...(random.once(20) ? { wrong: 1 } : {}),
  };
};

const templatePart = (w: HistoryWords): object => {
  const { random } = w;
  return {
    ...(random.once(2) ? { settings: { ...QUIET, ...(random.once(3) ? settings(w) : {}) } } : {}),
    ...(random.once(2) ? { mappings: mappings(w) } : {}),
    ...(random.once(3) ? { aliases: { [w.alias()]: aliasBody(w) } } : {}),
  };
};

const composable = (w: HistoryWords): Readonly<Record<string, unknown>> => {
  const { random } = w;
  return {
    index_patterns: random.pick<unknown>([['logs-*'], 'people', ['n*', 'p*'], ['x*']]),
    ...(random.once(2) ? { priority: random.int(9) } : {}),
    ...(random.once(4) ? {} : { template: templatePart(w) }),
    ...(random.once(3) ? { composed_of: random.pick([['part1'], ['part1', 'part2'], ['absent']]) } : {}),
    ...(random.once(4) ? { version: random.int(9) } : {}),
    ...(random.once(5) ? { _meta: { who: 'me' } } : {}),
    ...(random.once(25) ? { wrong: 1 } : {}),
    ...(random.once(25) ? { data_stream: {} } : {}),
  };
};

const READ_INDEX = (w: HistoryWords): string =>
  joined(
    w.some(9, {
      flat_settings: ['true'],
      include_defaults: ['false'],
      local: ['true'],
      include_type_name: ['true'],
      format: ['yaml', 'json'],
      ...TIMES,
    }),
    w.expanding(),
  );

const aliasAction = (w: HistoryWords): object => {
  const { random } = w;
  const index = random.pick<unknown>([w.index(), w.names(), [w.index(), w.index()]]);
  const indexed = random.once(3)
    ? { indices: Array.isArray(index) ? index : [index] }
    : { index: Array.isArray(index) ? index[0] : index };
  const named = random.once(5)
    ? { aliases: [w.alias(), w.alias()] }
    : { alias: random.pick([w.alias(), w.alias(), 'm*', 'UPPER', 'a b', '']) };
  return random.pick<() => object>([
    () => ({ add: { ...indexed, ...named, ...aliasBody(w) } }),
    () => ({ add: { ...indexed, ...named, ...aliasBody(w) } }),
    () => ({ add: { ...indexed, ...named, ...aliasBody(w) } }),
    () => ({ remove: { ...indexed, ...named } }),
    () => ({ remove_index: indexed }),
    () => ({ [random.pick(['add', 'remove'])]: indexed }),
    () => ({ add: named }),
    () => ({ wrong: {} }),
  ])();
};

/** Each as often as its weight says. */
export const INDEX_STEPS: readonly (readonly [weight: number, MakeStep])[] = [
  [5, (w) => create(w.index(), w)],
  [1, (w) => create(w.random.pick(BAD_NAMES), w)],
  [1, (w) => create(w.random.pick(ALIASES), w)],
  [
    1,
    (w) =>
      step(
        `PUT /${encodeURIComponent(w.random.pick(['<logs-{now/d}>', '<made-{now/y{yyyy}}>', '<x-{now', '<x-{now/q}>', '<a-{now+1d/d{yyyy|+02:00}}>']))}`,
      ),
  ],
  [2, (w) => step(`DELETE /${w.random.pick([w.index(), w.index(), w.names(), w.alias()])}${w.expanding()}`)],
  [3, (w) => step(`GET /${w.names()}${READ_INDEX(w)}`)],
  [2, (w) => step(`HEAD /${w.names()}${READ_INDEX(w)}`)],
  [
    3,
    (w) =>
      step(
        `GET /${w.names()}/_settings${w.random.once(4) ? `/${w.random.pick(['index.number_of_shards', 'index.number*', 'number*', '_all', 'absent'])}` : ''}${READ_INDEX(w)}`,
      ),
  ],
  [
    5,
    (w) =>
      step(
        `PUT /${w.names()}/_settings${joined(w.some(6, { preserve_existing: ['true'], flat_settings: ['true'], ...TIMES }), w.expanding())}`,
        settings(w),
      ),
  ],
  [
    2,
    (w) => {
      const index = w.index();
      return [
        step(`POST /${index}/_close`),
        step(`PUT /${index}/_settings`, settings(w)),
        step(`POST /${index}/_open`),
      ];
    },
  ],
  [2, (w) => step(`GET /${w.names()}/_mapping${READ_INDEX(w)}`)],
  [
    1,
    (w) =>
      step(
        `GET /${w.names()}/_mapping/field/${w.random.pick(['n', '*', 'tag,text', 'absent', 'more.*', 't*'])}${joined(w.some(9, { include_defaults: ['true'], include_type_name: ['true'] }), w.expanding())}`,
      ),
  ],
  [
    3,
    (w) =>
      step(
        `PUT /${w.names()}/_mapping${w.expanding()}`,
        w.random.pick([
          mappings(w),
          { properties: { extra: { type: 'keyword' } } },
          { properties: { tag: { type: 'keyword', ignore_above: 5 } } },
          {},
        ]),
      ),
  ],
  [
    3,
    (w) =>
      step(
        `PUT /${w.names()}/_alias/${w.random.pick([w.alias(), w.alias(), 'UPPER', 'notes', 'a*'])}`,
        w.random.once(3) ? undefined : aliasBody(w),
      ),
  ],
  [
    2,
    (w) =>
      step(
        `DELETE /${w.names()}/_alias/${w.random.pick([w.alias(), '*', 'c*', '_all', 'current,mine', 'no-alias'])}${w.some(8, TIMES)}`,
      ),
  ],
  [1, (w) => step(`DELETE /${w.names()}/_alias/${w.alias()}?ignore_unavailable=true`)],
  [
    3,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD'])} /${w.names()}/_alias${w.random.once(2) ? `/${w.random.pick([w.alias(), '*', 'c*', 'current,no-alias', '_all', '*,-mine', 'no*'])}` : ''}${w.expanding()}`,
      ),
  ],
  [
    2,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD'])} /_alias/${w.random.pick([w.alias(), '*', 'c*', 'current,no-alias', 'no-alias'])}`,
      ),
  ],
  [1, () => step('GET /_alias')],
  [1, () => step('GET /_aliases')],
  [
    6,
    (w) =>
      step('POST /_aliases', {
        actions: Array.from({ length: w.random.once(20) ? 0 : 1 + w.random.int(3) }, () => aliasAction(w)),
      }),
  ],
  [
    2,
    (w) =>
      step(
        `PUT /_template/${w.random.pick(['t1', 't2'])}${w.some(6, { create: ['true', 'false'], order: [1], include_type_name: ['true'], ...TIMES })}`,
        legacyTemplate(w),
      ),
  ],
  [
    2,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD', 'DELETE'])} /_template/${w.random.pick(['t1', 't2', 't*', '*', 'absent', 't1,absent'])}${w.some(9, { flat_settings: ['true'], local: ['true'] })}`,
      ),
  ],
  [
    2,
    (w) =>
      step(`PUT /_component_template/${w.random.pick(['part1', 'part2'])}${w.some(9, { create: ['true'] })}`, {
        template: templatePart(w),
        ...(w.random.once(5) ? { version: 3, _meta: { a: 1 } } : {}),
      }),
  ],
  [
    1,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD', 'DELETE'])} /_component_template/${w.random.pick(['part1', 'part2', 'part*', '*', 'absent'])}`,
      ),
  ],
  [
    3,
    (w) => step(`PUT /_index_template/${w.random.pick(['i1', 'i2'])}${w.some(9, { create: ['true'] })}`, composable(w)),
  ],
  [
    2,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD', 'DELETE'])} /_index_template/${w.random.pick(['i1', 'i2', 'i*', '*', 'absent'])}`,
      ),
  ],
  [1, (w) => step(`POST /_index_template/_simulate_index/${w.random.pick(INDICES)}`)],
  [
    1,
    (w) =>
      step(
        `POST /_index_template/_simulate${w.random.once(2) ? '/i1' : ''}`,
        w.random.once(2) ? composable(w) : undefined,
      ),
  ],
  [
    2,
    (w) =>
      step(
        `POST /${w.names()}/_close${joined(w.expanding(), w.some(9, { wait_for_active_shards: [0, 1], ...TIMES }))}`,
      ),
  ],
  [
    3,
    (w) =>
      step(`POST /${w.names()}/_open${joined(w.expanding(), w.some(9, { wait_for_active_shards: [0, 1], ...TIMES }))}`),
  ],
  [
    1,
    (w) => step(`PUT /${w.names()}/_block/${w.random.pick(['write', 'read', 'read_only', 'wrong'])}${w.expanding()}`),
  ],
  [
    3,
    (w) =>
      step(
        `POST /${w.random.pick([w.alias(), w.alias(), w.index()])}/_rollover${w.random.once(3) ? `/${w.random.pick(['rolled', 'logs-2', 'UPPER'])}` : ''}${w.some(8, { dry_run: ['true'], wait_for_active_shards: [0], include_type_name: ['false'] })}`,
        w.random.pick<unknown>([
          undefined,
          {},
          { conditions: { max_docs: 1 } },
          { conditions: { max_docs: 100, max_age: '7d', max_size: '5gb' } },
          { conditions: { wrong: 1 } },
          { settings: QUIET, aliases: { mine: {} } },
          { wrong: 1 },
        ]),
      ),
  ],
  [
    3,
    (w) => {
      const index = w.index();
      const kind = w.random.pick(['_clone', '_clone', '_shrink', '_split']);
      return [
        ...(w.random.once(3) ? [] : [step(`PUT /${index}/_settings`, { 'index.blocks.write': true })]),
        step(
          `${w.random.pick(['PUT', 'POST'])} /${index}/${kind}/${w.random.pick(['resized', 'resized', 'notes', 'UPPER'])}${w.some(9, { wait_for_active_shards: [0], copy_settings: ['true', 'false'] })}`,
          w.random.pick<unknown>([
            undefined,
            {},
            { settings: { 'index.number_of_replicas': 0 } },
            { settings: { 'index.blocks.write': null } },
            { settings: { 'index.number_of_shards': 2 } },
            { aliases: { mine: {} } },
            { wrong: 1 },
          ]),
        ),
        ...(w.random.once(3) ? [] : [step(`PUT /${index}/_settings`, { 'index.blocks.write': null })]),
      ];
    },
  ],
  [
    2,
    (w) =>
      step(
        `POST /${w.names()}/${w.random.pick(['_refresh', '_flush', '_forcemerge', '_cache/clear', '_flush?force=true', '_forcemerge?max_num_segments=1', '_forcemerge?only_expunge_deletes=true', '_flush/synced', '_flush?wait_if_ongoing=false', '_forcemerge?wrong=1'])}`,
      ),
  ],
  [
    1,
    (w) =>
      step(`GET /_resolve/index/${w.names()}${w.some(4, { expand_wildcards: ['open', 'all', 'none', 'closed'] })}`),
  ],
];
