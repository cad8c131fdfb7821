// Asks every endpoint with each of its parameters, and with each mistake that it can be asked with: another method, an unknown parameter,
// a value of another kind, a body that is none, cut off, or longer than it should be, and another media type.
import { createRandom } from '@lockstitch/search/requests';
import { bodyOf, fill, SAMPLES } from '../../packages/search/test/compatibility/sample-requests.ts';
import { ENDPOINTS } from '../../packages/search/src/rest/endpoints.ts';
import type { ParamKind, Params } from '../../packages/search/src/rest/request/endpoint.ts';
import { askHttp, lines, type Answer, type Step, step } from './ask.ts';
import { Comparison, type DifferOptions, type Outcome } from './comparison.ts';
import { normalizeStep } from './normalize-step.ts';
import { startOurs } from './ours.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'];

/** Values that are not of a kind. */
const WRONG: Readonly<Record<ParamKind, readonly string[]>> = {
  flag: ['x', '1', 'True', ''],
  float: ['x', ''],
  indexFlag: ['x', ''],
  integer: ['x', '', '1.5', '99999999999', '-2'],
  text: [''],
  time: ['x', '5', '', '-5s', '1.5h', '1y'],
  wildcards: ['x', '', 'open,x', 'none'],
};

const BODIES = [
  '',
  ' ',
  '{}',
  '[]',
  '{',
  '[',
  'x',
  '"a"',
  '1',
  'null',
  'true',
  '{"foo":1}',
  '{"foo":{}}',
  '{}{}',
  '{} x',
];
const TYPES = [
  undefined,
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'json',
  'application/json; charset=utf-8',
];

/** Values that are of a kind. */
const RIGHT: Readonly<Record<ParamKind, readonly string[]>> = {
  flag: ['true', 'false', ''],
  float: ['0.5'],
  indexFlag: ['true', 'false'],
  integer: ['1'],
  text: [],
  time: ['1s'],
  wildcards: ['open', 'closed', 'hidden', 'none', 'all', 'open,closed'],
};

/** Values of texts by the names of their parameters, the last ones wrong. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  _source: ['true', 'false', 't', 't,k', 'x*'],
  _source_excludes: ['t', '*'],
  _source_includes: ['t', 'x*'],
  bytes: ['b', 'kb', 'nope'],
  conflicts: ['proceed', 'abort', 'nope'],
  default_operator: ['AND', 'or', 'nope'],
  df: ['t'],
  docvalue_fields: ['k', 'absent'],
  fields: ['t', '*', 'absent'],
  filter_path: ['_shards', '-took', '**.t', 'nothing'],
  format: ['json', 'yaml', 'text'],
  group_by: ['none', 'parents', 'nodes', 'nope'],
  groups: ['_all', 'nope'],
  h: ['index', 'nope', '*'],
  health: ['green', 'yellow', 'nope'],
  if_primary_term: ['1'],
  if_seq_no: ['0', '9'],
  level: ['cluster', 'indices', 'shards', 'node', 'nope'],
  metric: ['_all', 'docs', 'metadata', 'nope'],
  op_type: ['create', 'index', 'nope'],
  preference: ['_local', 'mine', '_shards:0', '_only_local', '_primary'],
  q: ['t:fox', 'fox', 't:('],
  refresh: ['true', 'false', '', 'nope'],
  routing: ['r'],
  s: ['index', 'index:desc', 'nope'],
  search_type: ['dfs_query_then_fetch', 'query_then_fetch', 'nope'],
  slices: ['1', 'auto', '0'],
  sort: ['k', 'k:desc', '_score', 'absent'],
  status: ['all', 'green', 'nope'],
  stored_fields: ['t', '_none_', '_source', 'absent'],
  suggest_field: ['t'],
  time: ['ms', 's', 'nope'],
  track_total_hits: ['true', 'false', '1', '-2'],
  ts: ['true', 'false'],
  typed_keys: ['true', 'false', 'nope'],
  types: ['_all', 'nope'],
  v: ['true', 'false'],
  version: ['1', '2', '-1'],
  version_type: ['external', 'external_gte', 'internal', 'force'],
  wait_for_active_shards: ['1', '0', 'nope'],
  wait_for_events: ['languid', 'nope'],
  wait_for_nodes: ['1', '>=1', 'ge(1)', 'nope'],
  wait_for_status: ['yellow', 'nope'],
};

/** Answers of the machine, and those to requests that wait for what does not come. */
const NOT_EQUAL =
  /_cat\/(?!aliases|templates)|_nodes|_cluster\/(?!health|settings)|_stats|_recovery|_shard_stores|include_defaults=(?!false)|_segments|_upgrade|_search_shards|_termvectors|GET \/\?/;

interface Case {
  readonly step: Step;
  readonly changes: boolean;
  /** Whether an answer is compared that is no refusal. */
  readonly whole?: boolean;
}

/** Compares. @param url of the other engine */
export async function compareMistakes(url: string, options: DifferOptions): Promise<Outcome> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  const comparison = new Comparison(theirs, ours.ask, options);
  const prepare = async (): Promise<void> => {
    for (const [target, body] of SAMPLES) await comparison.both(step(target, body));
  };
  try {
    await prepare();
    const random = createRandom(options.seed);
    const cases = casesOf().map((each) => [random.int(1 << 30), each] as const);
    for (const [, each] of cases.toSorted(([a], [b]) => a - b)) {
      if (comparison.isDone) break;
      const told = await comparison.ask(each.step, each.whole === true ? normalizeWhole : normalize);
      if (told !== 'refused' && each.changes) await prepare();
    }
  } finally {
    await ours.close();
  }
  return comparison.outcome;
}

/** An answer with its mistake; what is answered where there is none is compared elsewhere. */
function normalize({ status, body, allow = '' }: Answer, target: string): string {
  if (status < 400 || target.startsWith('HEAD')) return String(status);
  // A set, in whatever order.
  return `${status} ${allow.split(',').toSorted().join()} ${typesOf(body)}`;
}

/** As `normalize`, with what is answered to a request without a mistake. */
function normalizeWhole(answer: Answer, target: string): string {
  return answer.status < 400 && !NOT_EQUAL.test(target) ? normalizeStep(answer, target) : normalize(answer, target);
}

function typesOf(body: string): string {
  // What Java could not close after a failure.
  const shown = body.replace(/"suppressed" ?: ?\[\{.*?\}\}\]/s, '');
  return Array.from(shown.matchAll(/"type" ?: ?"([^"]*)"/g), ([, type]) => type).join(' ');
}

/**
 * Tasks are random, what waits for them holds both engines up, and 7.10.2 never answers term vectors of nothing. Of what is not here each
 * request that would make it is refused.
 */
const LEFT_OUT =
  /\{index\}(?:\/\{type\})?\/_termvectors$|_mtermvectors|_tasks|_rethrottle|scroll|point_in_time|_pit|_flush\/synced|PUT .*_cluster\/settings|_snapshot|_scripts?|_ingest|_rank_eval|_render|search\/template/;

function casesOf(): readonly Case[] {
  const methods = new Map<string, Set<string>>();
  const cases: Case[] = [];
  for (const endpoint of ENDPOINTS) {
    // All mistakes are made on one path, and only unknown parameters on its other ones.
    const main = endpoint.paths.find((path) => path.startsWith('/{index}')) ?? endpoint.paths[0];
    for (const path of endpoint.paths) {
      const known = methods.get(path) ?? new Set();
      methods.set(path, known);
      for (const method of endpoint.methods) {
        known.add(method);
        if (LEFT_OUT.test(`${method} ${path}`)) continue;
        const changes = endpoint.effect === 'changes';
        const all = mistakesOf(method, path, endpoint.params);
        for (const each of path === main ? all : all.take(2)) cases.push({ step: each, changes });
        if (path === main || path === endpoint.paths[0])
          for (const each of paramsOf(method, path, endpoint.params)) cases.push({ step: each, changes, whole: true });
      }
    }
  }
  for (const [path, known] of methods)
    for (const method of METHODS)
      if (!known.has(method) && !LEFT_OUT.test(path))
        cases.push({ step: { target: `${method} ${fill('GET', path)}` }, changes: false });
  return cases;
}

/** A request for each value of each parameter. */
function* paramsOf(method: string, path: string, params: Params): Generator<Step> {
  const { target, ...sent } = sampleOf(method, path);
  yield { target, ...sent };
  for (const [name, kind] of Object.entries({ ...params, filter_path: 'text', format: 'text' } satisfies Params))
    for (const value of TEXTS[name] ?? RIGHT[kind])
      // A sort by a column that there is not is one mistake, whatever the table; 500 there.
      if (name !== 's' || value !== 'nope' || path === '/_cat/indices')
        yield { target: `${target}?${name}=${encodeURIComponent(value)}`, ...sent };
}

/** A request without a mistake. */
function sampleOf(method: string, path: string): Step {
  const target = `${method} ${fill(method, path)}`;
  const given = bodyOf(method, path);
  if (given === undefined) return { target };
  const body = Array.isArray(given) ? lines('', given).body! : JSON.stringify(given);
  return { target, body, type: 'application/json' };
}

function* mistakesOf(method: string, path: string, params: Params): Generator<Step> {
  const { target, body } = sampleOf(method, path);
  const type = 'application/json';
  const sent = body === undefined ? {} : { body, type };
  yield { target, ...sent };
  for (const name of ['foo', 'prety']) yield { target: `${target}?${name}=1`, ...sent };
  for (const [name, kind] of Object.entries(params))
    for (const value of WRONG[kind]) yield { target: `${target}?${name}=${value}`, ...sent };
  if (method === 'HEAD') return;
  for (const each of BODIES) yield { target, body: each, type };
  if (body !== undefined) {
    for (const more of ['x', ' {}', '}', '\n']) yield { target, body: body + more, type };
    for (const cut of [1, Math.ceil(body.length / 2)]) yield { target, body: body.slice(0, -cut), type };
    yield { target: `${target}?foo=1`, body: body.slice(0, -2), type };
  }
  for (const each of TYPES) yield { target, body: body ?? '{}', ...(each === undefined ? {} : { type: each }) };
}
