// Requests of a random history that write and read documents.
import { lines, step } from './ask.ts';
import { type HistoryWords, joined, type MakeStep } from './history-words.ts';

// Not `wait_for`: the indices refresh themselves never.
const REFRESH = ['true', 'false', '', 'wrong'];
const SEARCHED = { version: true, seq_no_primary_term: true, sort: [{ _id: { unmapped_type: 'keyword' } }], size: 50 };

const concurrency = (w: HistoryWords): string =>
  w.random.once(4)
    ? w.random.pick([
        `?if_seq_no=${w.random.int(6)}&if_primary_term=1`,
        `?if_seq_no=${w.random.int(6)}`,
        '?if_primary_term=1',
        `?if_seq_no=${w.random.int(6)}&if_primary_term=2`,
        `?version=${1 + w.random.int(4)}&version_type=external`,
        `?version=${1 + w.random.int(4)}&version_type=external_gte`,
        `?version=${1 + w.random.int(4)}`,
        `?version=${1 + w.random.int(4)}&version_type=internal`,
        '?version=x',
        '?version_type=wrong',
        '?if_seq_no=-1&if_primary_term=1',
        '?version=-1&version_type=external',
      ])
    : '';

const writing = (w: HistoryWords): string =>
  joined(
    concurrency(w),
    w.some(8, {
      refresh: REFRESH,
      routing: ['r1', 'r2'],
      timeout: ['1m', '1'],
      wait_for_active_shards: ['1', '0', 'wrong'],
      require_alias: ['true', 'false'],
    }),
  );

const sourced = (w: HistoryWords): string =>
  w.some(6, {
    _source: ['true', 'false', 'n', 'n,tag', 'mo*'],
    _source_includes: ['n', '*g', 'more.*'],
    _source_excludes: ['n', 'more.deep', 't*'],
  });

const updateBody = (w: HistoryWords): Readonly<Record<string, unknown>> => {
  const { random } = w;
  return {
    ...random.pick<() => object>([
      () => ({ doc: w.document() }),
      () => ({ doc: w.document() }),
      () => ({ doc: { n: random.int(2) } }),
      () => ({ doc: {} }),
      () => ({ doc: w.document(), doc_as_upsert: true }),
      () => ({ doc: w.document(), upsert: w.document() }),
      () => ({ upsert: w.document() }),
      () => ({ doc: { n: 1 }, detect_noop: false }),
      () => ({ doc: { more: { deep: null } }, detect_noop: true }),
      () => ({}),
      () => ({ doc: 7 }),
      () => ({ docs: {} }),
      () => ({ doc: { n: 1 }, _source: random.pick<unknown>([true, false, 'n', ['tag'], { includes: ['n'] }]) }),
      () => ({ doc: { n: 1 }, if_seq_no: random.int(4), if_primary_term: 1 }),
      () => ({ doc: { n: 1 }, doc_as_upsert: 'yes' }),
      () => ({ doc_as_upsert: true }),
    ])(),
  };
};

function bulkLines(w: HistoryWords): readonly unknown[] {
  const { random } = w;
  const all: unknown[] = [];
  for (let count = 1 + random.int(5); count > 0; count--) {
    const kind = random.pick(['index', 'index', 'create', 'update', 'delete']);
    const meta: Record<string, unknown> = {
      ...(random.once(8) ? {} : { _index: w.one() }),
      ...(kind === 'index' && random.once(9) ? {} : { _id: random.once(12) ? 7 : w.id() }),
      ...(random.once(9)
        ? random.pick<object>([
            { routing: 'r1' },
            { pipeline: null },
            { pipeline: '_none' },

            { _type: '_doc' },
            { _type: 'other' },
            { if_seq_no: random.int(5), if_primary_term: 1 },
            { version: 1 + random.int(4), version_type: 'external' },
            { version: 2 },
            { require_alias: true },
            { require_alias: false },
            { retry_on_conflict: 2 },
            { _routing: 'r1' },
            { op_type: 'create' },
            { wrong: 1 },
            { _source: true },
            { dynamic_templates: {} },
            { routing: 7 },
            { routing: null },
            { _index: null },
            { _id: null },
            { _id: '' },
            { _index: 'UPPER' },
          ])
        : {}),
    };
    const action: Record<string, unknown> = {
      [kind]: random.once(60) ? [] : meta,
      ...(random.once(30) ? { more: 1 } : {}),
    };
    all.push(action);
    if (kind === 'update') all.push(updateBody(w));
    else if (kind !== 'delete') all.push(random.once(40) ? ['no object'] : w.document());
  }
  return all;
}

const byQueryParams = (w: HistoryWords): string =>
  joined(
    '?refresh=true',
    w.some(8, {
      conflicts: ['proceed', 'abort', 'wrong'],
      max_docs: [1, 2, 0, -1, 'x'],
      slices: [1, 'auto', 2, 3, 0, 'x'],
      scroll_size: [1, 100, 0],
      q: ['tag:x', 'n:1'],
      routing: ['r1'],
      wait_for_active_shards: ['1'],
      requests_per_second: [-1, 0, 5000],
      size: [1],
    }),
    w.random.once(4) ? w.expanding() : '',
  );

const byQueryBody = (w: HistoryWords): unknown =>
  w.random.pick<unknown>([
    { query: w.query() },
    { query: w.query() },
    { query: w.query() },
    { query: w.query(), max_docs: 1 },
    { query: w.query(), max_docs: 0 },
    { query: w.query(), conflicts: 'proceed' },
    { query: w.query(), slice: { id: 0, max: 2 } },
    { query: w.query(), size: 1 },

    { queries: {} },
    {},
    undefined,
  ]);

const reindexBody = (w: HistoryWords): Readonly<Record<string, unknown>> => {
  const { random } = w;
  const source = {
    index: random.pick<unknown>([w.index(), w.one(), ['logs-1', 'notes'], 'logs-*']),
    ...(random.once(2) ? { query: w.query() } : {}),
    ...(random.once(6) ? { _source: random.pick<unknown>(['n', ['n', 'tag'], false]) } : {}),
    ...(random.once(8) ? { size: random.pick([1, 100, 0]) } : {}),
    ...(random.once(25) ? { wrong: 1 } : {}),
  };
  const dest = {
    index: random.pick([w.index(), w.one(), 'copied']),
    ...(random.once(3) ? { op_type: random.pick(['create', 'index', 'wrong']) } : {}),
    ...(random.once(4) ? { version_type: random.pick(['external', 'internal', 'external_gte']) } : {}),
    ...(random.once(6) ? { routing: random.pick(['keep', 'discard', '=r1', 'wrong']) } : {}),
    ...(random.once(12) ? { pipeline: '_none' } : {}),
    ...(random.once(25) ? { wrong: 1 } : {}),
  };
  return {
    ...(random.once(25) ? {} : { source }),
    ...(random.once(25) ? {} : { dest }),
    ...(random.once(4) ? { max_docs: random.pick([1, 2, 0]) } : {}),
    ...(random.once(3) ? { conflicts: random.pick(['proceed', 'proceed', 'abort', 'wrong']) } : {}),
    ...(random.once(25) ? { size: 1 } : {}),
    ...(random.once(25) ? { wrong: 1 } : {}),
  };
};

/** Each as often as its weight says. */
export const DOCUMENT_STEPS: readonly (readonly [weight: number, MakeStep])[] = [
  [8, (w) => step(`${w.random.pick(['PUT', 'POST'])} /${w.one()}/_doc/${w.encodedId()}${writing(w)}`, w.document())],
  [2, (w) => step(`PUT /${w.one()}/_doc/${w.encodedId()}${joined('?op_type=create', writing(w))}`, w.document())],
  [3, (w) => step(`${w.random.pick(['PUT', 'POST'])} /${w.one()}/_create/${w.encodedId()}${writing(w)}`, w.document())],
  [1, (w) => step(`POST /${w.one()}/_doc${writing(w)}`, w.document())],
  [4, (w) => step(`DELETE /${w.one()}/_doc/${w.encodedId()}${writing(w)}`)],
  [
    8,
    (w) =>
      step(
        `POST /${w.one()}/_update/${w.encodedId()}${joined(writing(w), sourced(w), w.some(12, { retry_on_conflict: [1, 3, 'x'] }))}`,
        updateBody(w),
      ),
  ],
  [
    8,
    (w) =>
      lines(
        `${w.random.pick(['POST', 'PUT'])} ${w.random.once(2) ? '' : `/${w.one()}`}/_bulk${w.some(8, {
          refresh: REFRESH,
          routing: ['r1'],
          pipeline: ['_none'],
          require_alias: ['true', 'false'],
          _source: ['true', 'n'],
          timeout: ['1m'],
          wait_for_active_shards: [1],
        })}`,
        bulkLines(w),
      ),
  ],
  [
    4,
    (w) =>
      step(
        `GET /${w.one()}/_doc/${w.encodedId()}${joined(
          sourced(w),
          w.some(8, {
            routing: ['r1'],
            realtime: ['true', 'false'],
            refresh: ['true', 'false'],
            version: [1, 2],
            version_type: ['external', 'external_gte', 'internal'],
            stored_fields: ['n', '_source', '_none_'],
            preference: ['_local'],
          }),
        )}`,
      ),
  ],
  [2, (w) => step(`HEAD /${w.one()}/_doc/${w.encodedId()}${w.some(6, { routing: ['r1'], realtime: ['false'] })}`)],
  [
    3,
    (w) =>
      step(
        `${w.random.pick(['GET', 'GET', 'HEAD'])} /${w.one()}/_source/${w.encodedId()}${joined(sourced(w), w.some(9, { routing: ['r1'], realtime: ['false'], version: [1], stored_fields: ['n'] }))}`,
      ),
  ],
  [
    4,
    (w) =>
      step(
        `${w.random.pick(['POST', 'GET'])} ${w.random.once(2) ? '' : `/${w.one()}`}/_mget${joined(sourced(w), w.some(9, { realtime: ['false'], refresh: ['true'], routing: ['r1'] }))}`,
        w.random.pick<unknown>([
          { ids: [w.id(), w.id()] },
          { docs: [{ _index: w.one(), _id: w.id() }, { _id: w.id() }] },
          {
            docs: [
              {
                _index: w.one(),
                _id: w.id(),
                _source: w.random.pick<unknown>([false, 'n', ['tag'], { exclude: 'n' }]),
              },
            ],
          },
          { docs: [{ _index: w.one(), _id: w.id(), stored_fields: ['n'] }] },
          { docs: [{ _index: w.one(), _id: w.id(), routing: 'r1' }] },
          { docs: [{ _index: w.one(), _id: w.id(), version: 1 }] },
          { docs: [{ _index: w.one(), _id: w.id(), version: 9, version_type: 'external' }] },
          { docs: [{ _index: w.one(), _type: '_doc', _id: w.id() }] },
          { docs: [{ _index: w.one() }] },
          { docs: [{ _index: w.one(), _id: w.id(), wrong: 1 }] },
          { docs: [] },
          { ids: [] },
          {},
          { documents: [] },
        ]),
      ),
  ],
  [4, (w) => step(`POST /${w.names()}/_update_by_query${byQueryParams(w)}`, byQueryBody(w))],
  [3, (w) => step(`POST /${w.names()}/_delete_by_query${byQueryParams(w)}`, byQueryBody(w))],
  [
    4,
    (w) =>
      step(
        `POST /_reindex${joined('?refresh=true', w.some(9, { slices: [1, 'x'], max_docs: [1], require_alias: ['true'], wait_for_active_shards: [1], requests_per_second: [-1], scroll: ['1m'] }))}`,
        reindexBody(w),
      ),
  ],
  [5, (w) => [step('POST /_refresh'), step(`GET /${w.names()}/_search${w.expanding()}`, SEARCHED)]],
  [
    2,
    (w) => [
      step('POST /_refresh'),
      step(`GET /${w.names()}/_count${joined(w.some(3, { q: ['tag:x'] }), w.expanding())}`),
    ],
  ],
  [1, (w) => step(`GET /${w.names()}/_explain/${w.encodedId()}`, { query: w.query() })],
];
