// What two engines may say differently of the same request of a history: times, sizes, names of nodes, ids they make up.
import type { Answer } from './ask.ts';

type Json = unknown;

/** Names of members that differ by nature. */
const OWN =
  /^(?:index\.)?(?:_primary_term|(?:ingest_)?took|_?node|node_id|nodes|index_uuid|uuid|creation_date|created|provided_name|throttled_millis|cluster_name|cluster_uuid|name|.*_in_millis|.*_in_bytes|.*_in_nanos|stack_trace|allocation_id|timestamp|size|version_map_memory|number_of_pending_tasks|task_max_waiting_in_queue_millis|max_unsafe_auto_id_timestamp)$/;
/** The id of an index behind its name. */
const UUID = /\/[\w-]{22}\]/g;
const MADE_ID = /^[\w-]{20}$/;

/** What we add to the words of Elasticsearch. */
const OUR_ADVICE = /,? did you mean .*$|;? known here: .*$/i;

/** A multi-field that refused a value: Elasticsearch tries them in an order that each process has its own of. */
const OF_MULTI_FIELD = /^failed to parse field \[[^\]]*\.sub(?=\d\])/;

/** Numbers of one machine: their names and kinds are compared. */
const SHAPES = /^\w+ \/_(?:nodes|cluster\/(?:stats|allocation))/;

export function normalizeStep({ status, body: text, allow }: Answer, target: string): string {
  if (target.startsWith('HEAD ')) return String(status);
  const allowed = allow === undefined ? '' : ` ${allow.split(/, ?/).toSorted().join()}`;
  const read = readJson(text);
  if (text.startsWith('---')) return `${status}${allowed} ${shownYaml(text)}`;
  if (read === undefined) return `${status}${allowed} ${target.includes('/_cat') ? shownTable(text, target) : text}`;
  if (status >= 400) return `${status}${allowed} ${JSON.stringify(shownError(read))}`;
  if (target.includes('/_cat') && Array.isArray(read)) {
    const rows = read.map((row) => JSON.stringify(strip(row)));
    return `${status}${allowed} ${JSON.stringify(isSorted(target) ? rows : rows.toSorted())}`;
  }
  return `${status}${allowed} ${JSON.stringify(SHAPES.test(target) ? shape(read) : strip(read))}`;
}

/** An answer as YAML. */
function shownYaml(text: string): string {
  const own = (line: string): boolean => OWN.test(/^[- ]*"?([^":]+)"?:/.exec(line)?.[1] ?? '');
  return (
    text
      .split('\n')
      .filter((line) => !own(line))
      // Members and rows stand in whatever order.
      .toSorted()
      .join('\n')
      .replaceAll(/(?<=\d)\.0$/gm, '')
  );
}

/** A table: rows that the request does not sort come in an order of the engine's own. */
function shownTable(text: string, target: string): string {
  const shown = text.replaceAll(/\b[\w-]{20,22}\b/g, 'id');
  const rows = isSorted(target) ? shown.split('\n') : shown.split('\n').toSorted();
  // How many segments an index has is its engine's business.
  return (target.includes('/_cat/segments') ? [...new Set(rows)] : rows).join('\n');
}

const isSorted = (target: string): boolean => /[?&]s=/.test(target);

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Errors by status, type and words. */
function shownError(read: Json): Json {
  if (isObject(read) && typeof read['error'] === 'string')
    return {
      ...read,
      error: read['error'].replace(/allowed: \[(.*)\]/, (_, list: string) => list.split(', ').toSorted().join()),
    };
  if (!isObject(read) || !isObject(read['error'])) return strip(read);
  const { error } = read;
  return { error: errorOf(error), status: read['status'] };
}

function errorOf(error: Readonly<Record<string, Json>>): Json {
  const [multi] = OF_MULTI_FIELD.exec(String(error['reason'])) ?? [];
  if (multi !== undefined) return multi;
  const causes = error['root_cause'];
  return {
    ...wordsOf(error),
    index: error['index'],
    ...(Array.isArray(causes) ? { root: causes.map((each) => (isObject(each) ? wordsOf(each) : each)) } : {}),
    ...(isObject(error['caused_by']) && error['type'] !== 'x_content_parse_exception'
      ? { caused: error['caused_by']['type'] }
      : {}),
  };
}

/** What a reader of JSON complains of in its own words is compared by its type. */
function wordsOf({ type, reason }: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  if (String(type).startsWith('json_')) return { type };
  return {
    type,
    reason:
      typeof reason === 'string'
        ? reason
            .replaceAll(UUID, '/id]')
            .replace(/(?<=document with id ')[\w-]{20}(?=')/, 'id')
            .replace(/^\[\d+:\d+\] /, '')
            .replaceAll(/\bsimulate_template_[\w-]{22}/g, 'simulate_template')
            // Names of indices that are kept in a set.
            .replace(/(?<=for open indices \[|associated with it \[)[^,\]]+(?:\]?, \[?[^,\]]+)+/, (list) =>
              list.replaceAll(/[[\]]/g, '').split(', ').toSorted().join(', '),
            )
            .replace(/(?<=^Field name \[)_\w+/, '_metadata')
            .replace(OUR_ADVICE, '')
        : reason,
  };
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return hasMadeIds(value) ? inOneOrder(value).map(strip) : value.map(strip);
  // A failure inside of an answer.
  if (isObject(value) && typeof value['type'] === 'string' && 'reason' in value) return errorOf(value);
  if (typeof value === 'string') return MADE_ID.test(value) ? 'id' : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !OWN.test(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, strip(inner)]),
  );
}

/** Whether they are hits that are sorted by ids which each engine makes up. */
function hasMadeIds(hits: readonly Json[]): boolean {
  return hits.some((hit) => isObject(hit) && 'sort' in hit && MADE_ID.test(String(hit['_id'])));
}

function inOneOrder(hits: readonly Json[]): readonly Json[] {
  const shown = hits.map((hit) => (isObject(hit) ? { ...hit, sort: [] } : hit));
  const orders = new Map(shown.map((hit) => [hit, JSON.stringify(strip(hit))]));
  return shown.toSorted((a, b) => (orders.get(a)! < orders.get(b)! ? -1 : 1));
}

/** The names of members, and the kinds of their values. */
export function shape(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (!isObject(value)) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner], at) => [isNodeId(key) ? `node ${at}` : key, shape(inner)]),
  );
}

const isNodeId = (key: string): boolean => key === 'lockstitch' || /^(?=.*[A-Z\d-])[\w-]{22}$/.test(key);

function isObject(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
