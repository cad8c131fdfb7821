// Requests of a random history that store pipelines, try them, and send documents through them.
import { lines, step } from './ask.ts';
import { type HistoryWords, joined, type MakeStep } from './history-words.ts';

const NAMES = ['p1', 'p2', 'p3'] as const;
const PATHS = ['n', 'tag', 'text', 'when', 'more.deep', 'more', 'made', 'made.in', 'tag.0', 'absent', 'parts'] as const;

const path = (w: HistoryWords): string => w.random.pick(PATHS);
const name = (w: HistoryWords): string => (w.random.once(9) ? 'absent' : w.random.pick(NAMES));

/** Members that many processors have. */
function common(w: HistoryWords): object {
  const { random } = w;
  return {
    ...(random.once(6) ? { ignore_failure: random.once(4) ? 'x' : true } : {}),
    ...(random.once(9) ? { tag: 't' } : {}),
    ...(random.once(8) ? { on_failure: random.once(4) ? [] : [processor(w)] } : {}),
    ...(random.once(40) ? { wrong: 1 } : {}),
  };
}

const target = (w: HistoryWords): object => ({
  ...(w.random.once(3) ? { target_field: path(w) } : {}),
  ...(w.random.once(3) ? { ignore_missing: w.random.once(2) } : {}),
});

const template = (w: HistoryWords): unknown =>
  w.random.pick<unknown>([1, 'x', '{{n}}', '{{tag}} {{{text}}}', ['a', '{{n}}'], { k: '{{n}}' }, true, '', 2.5]);

function processor(w: HistoryWords): object {
  const { random } = w;
  const field = random.once(25) ? undefined : path(w);
  const [type, body] = random.pick<() => readonly [string, object]>([
    () => ['set', { field, value: template(w), ...(random.once(4) ? { override: false } : {}) }],
    () => ['set', { field, value: template(w) }],
    () => ['set', { field: random.pick(['_routing', '_id', '_index']), value: random.pick(['people', '{{n}}']) }],
    () => ['append', { field, value: template(w) }],
    () => [
      'remove',
      { field: random.once(3) ? [path(w), path(w)] : field, ...(random.once(3) ? { ignore_missing: true } : {}) },
    ],
    () => ['rename', { field, target_field: path(w), ...(random.once(3) ? { ignore_missing: true } : {}) }],
    () => [
      random.pick(['lowercase', 'uppercase', 'trim', 'html_strip', 'bytes', 'urldecode']),
      { field, ...target(w) },
    ],
    () => ['split', { field, separator: random.pick([' ', ',', '\\s+', '']), ...target(w) }],
    () => ['join', { field, separator: '-', ...(random.once(3) ? { target_field: path(w) } : {}) }],
    () => [
      'convert',
      {
        field,
        type: random.pick(['integer', 'long', 'float', 'double', 'boolean', 'string', 'auto', 'x']),
        ...target(w),
      },
    ],
    () => [
      'gsub',
      {
        field,
        pattern: random.pick(['e', '[aeiou]', '(x)']),
        replacement: random.pick(['-', '<$0>', '']),
        ...target(w),
      },
    ],
    () => [
      'date',
      {
        field: 'when',
        formats: random.pick([['ISO8601'], ['yyyy-MM-dd', 'ISO8601'], ['UNIX']]),
        ...(random.once(3) ? { target_field: 'made' } : {}),
      },
    ],
    () => ['json', { field, ...(random.once(2) ? { target_field: path(w) } : {}) }],
    () => ['kv', { field: 'text', field_split: ' ', value_split: random.pick(['e', '=']), ...target(w) }],
    () => ['dissect', { field: 'text', pattern: random.pick(['%{made} %{more}', '%{made}', 'x%{made}', 'none']) }],
    () => ['sort', { field, ...(random.once(2) ? { order: random.pick(['asc', 'desc', 'x']) } : {}) }],
    () => ['pipeline', { name: name(w) }],
    () => ['drop', {}],
    () => ['fail', { message: 'no {{tag}}' }],
    () => ['dot_expander', { field: 'made.in' }],
    () => ['nothing', {}],
  ])();
  return { [type]: { ...body, ...common(w) } };
}

/** Not among what documents pass that are written: Elasticsearch never answers where it meets no list. */
const foreach = (w: HistoryWords): object => ({
  foreach: {
    field: w.random.pick(['tag', 'parts', 'n']),
    processor: w.random.once(2) ? { uppercase: { field: '_ingest._value' } } : processor(w),
    ...common(w),
  },
});

const pipeline = (w: HistoryWords, isTried = false): object => ({
  processors: Array.from({ length: w.random.int(4) }, () => (isTried && w.random.once(6) ? foreach(w) : processor(w))),
  ...(w.random.once(6) ? { on_failure: [{ set: { field: 'made', value: '{{_ingest.on_failure_message}}' } }] } : {}),
  ...(w.random.once(6) ? { description: 'd', version: w.random.int(5) } : {}),
  ...(w.random.once(40) ? { wrong: 1 } : {}),
});

const documents = (w: HistoryWords): readonly object[] =>
  Array.from({ length: 1 + w.random.int(2) }, () => ({
    _source: {
      ...w.document(),
      ...(w.random.once(15) ? w.random.pick([{ _routing: 'r' }, { _version: 3 }, { _if_seq_no: 1 }]) : {}),
    },
  }));

/** Each as often as its weight says. */
export const PIPELINE_STEPS: readonly (readonly [weight: number, MakeStep])[] = [
  [4, (w) => step(`PUT /_ingest/pipeline/${name(w)}`, pipeline(w))],
  [1, (w) => step(`GET /_ingest/pipeline${w.random.pick(['', '/p*', `/${name(w)}`, '/p1,p2', '/*'])}`)],
  [1, (w) => step(`DELETE /_ingest/pipeline/${w.random.pick([name(w), name(w), 'p*', 'x*'])}`)],
  [
    5,
    (w) =>
      step(`POST /_ingest/pipeline/_simulate${w.random.once(5) ? '?verbose=true' : ''}`, {
        pipeline: pipeline(w, true),
        docs: documents(w),
      }),
  ],
  [2, (w) => step(`POST /_ingest/pipeline/${name(w)}/_simulate`, { docs: documents(w) })],
  [
    4,
    (w) =>
      step(
        `PUT /${w.one()}/_doc/${w.encodedId()}${joined(`?pipeline=${name(w)}`, w.some(9, { refresh: ['true'] }))}`,
        w.document(),
      ),
  ],
  [
    2,
    (w) =>
      lines(
        `POST /${w.one()}/_bulk${w.some(2, { pipeline: [...NAMES, '_none'] })}`,
        Array.from({ length: 1 + w.random.int(4) }, () => [
          { index: { _id: w.id(), ...(w.random.once(3) ? { pipeline: name(w) } : {}) } },
          w.document(),
        ]).flat(),
      ),
  ],
  [
    1,
    (w) =>
      step(`PUT /${w.index()}/_settings`, {
        'index.default_pipeline': w.random.pick([name(w), name(w), null, '_none']),
      }),
  ],
  [
    1,
    (w) =>
      step(`POST /_reindex?refresh=true`, {
        source: { index: w.index() },
        dest: { index: 'copied', pipeline: name(w) },
      }),
  ],
];

/** A cluster that never had a pipeline answers otherwise than one that has none left. */
export const FIRST_PIPELINE = step('PUT /_ingest/pipeline/p1', { processors: [] });
