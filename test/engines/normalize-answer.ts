// What two engines may say differently of the same answer: times, names of nodes, words of errors. The rest must be equal.
import type { Answer } from './ask.ts';
import { shape } from './normalize-step.ts';

type Json = unknown;

const OWN = new Set([
  // Of settings: each engine has its own.
  'defaults',
  'took',
  'ingest_took',
  '_primary_term',
  '_scroll_id',
  'node',
  '_node',
  'nodes',
  'node_id',
  'index_uuid',
  'uuid',
  'creation_date',
  'profile',
  '_nodes',
  'cluster_uuid',
  'cluster_name',
  'name',
  'allocation_id',
]);

/** Where in a request something stands: Jackson counts as it reads. */
const PLACE = /(?: at )?\[\d+:\d+\] ?/g;

/** Where Java prints an object by its address. */
const OBJECT = /(?<=[A-Za-z])@[0-9a-f]{1,8}(?=[}\s\\])/g;

/** An index by name and identity, where Java prints it. */
const IDENTITY = /(?<=\[[^/[\]]+)\/[\w-]{22}(?=\])/g;

/** Elasticsearch prints the whole query whose boost is below 0. */
const NEGATIVE_BOOST = /(negative \[boost\] are not allowed in )\[.*?\](?=, use a value)/g;

/**
 * Lists that Lucene keeps in an order that each process has its own of: alternatives of intervals and of spans, queries of `terms_set`, and
 * words in the place of a prefix in a phrase.
 */
const UNORDERED =
  /(?<=\bor\(|spanOr\(\[|CoveringQuery\(queries=\[)(?:[^()[\]]|\([^()]*\))*(?=[)\]])|(?<=\\"[^"|(]*\()[^()|:"]+(?=\))/g;

/** The words of a printed query. Clauses that were joined, and fields of one query, have the order of a hash map of each process. */
function withoutOrder(text: string): string {
  return text
    .split(/[\s()|,[\]]+/)
    .toSorted()
    .join(' ');
}

/** What a machine did and has: columns and members are compared, numbers and the name of the node are not. */
const OF_MACHINE =
  /^GET \/(?:\?|$|_cat\/(?:allocation|indices|master|nodes|recovery|segments|shards|tasks|thread_pool)|(?:[^ ]*\/)?_(?:segments|stats|upgrade)|_cluster\/stats|_nodes)/;
const COUNTED = /(?<![\w.-])\d[\d.]*(?:[kmgt]?b|ms|s|m|h|d|%)?(?![\w-])/g;

/** What the threads of a process do, what it has loaded, and what it is built of. */
const OF_PROCESS = /\/hot_?threads|^GET \/_cat\/(?:fielddata|plugins)/;

/** Whether members of that name differ by nature. */
export function isOwn(name: string): boolean {
  return OWN.has(name.replace(/^index\./, ''));
}

/** An answer as a text that is equal where the answers are. */
export function normalize({ status, body }: Answer, target: string): string {
  if (status >= 400) return `${status} ${typesOf(body)}`;
  if (OF_PROCESS.test(target)) return `${status} ${body.slice(0, target.includes('threads') ? 4 : 0)}`;
  if (OF_MACHINE.test(target)) return `${status} ${ofMachine(body)}`;
  if (target.startsWith('GET /_cat')) return `${status} ${body.replaceAll(/[ \t]+$/gm, '')}`;
  // JSON here does not tell 1.0 from 1, and as YAML it shows.
  if (body.startsWith('---'))
    return `${status} ${body.replaceAll(/(?<=: -?\d+)\.0$/gm, '').replaceAll(/^( *)took: \d+$/gm, '')}`;
  try {
    return `${status} ${JSON.stringify(strip(withoutNumbers(JSON.parse(body) as Json, target)))
      .replaceAll(OBJECT, '')
      .replaceAll(PLACE, '')
      .replaceAll(IDENTITY, '')
      .replaceAll(NEGATIVE_BOOST, '$1')
      .replaceAll(UNORDERED, sorted)}`;
  } catch {
    return `${status} ${body}`;
  }
}

/** `_mtermvectors` numbers the documents that requests give, from the start of the node on, and shows it with their errors. */
function withoutNumbers(answer: Json, target: string): Json {
  const { docs } = (answer ?? {}) as { readonly docs?: readonly { readonly error?: Json; readonly _id?: Json }[] };
  if (!target.includes('_mtermvectors') || docs === undefined) return answer;
  return { docs: docs.map(({ _id, ...doc }) => (doc.error === undefined ? { _id, ...doc } : doc)) };
}

function ofMachine(body: string): string {
  try {
    return JSON.stringify(shape(JSON.parse(body, withoutLoaded) as Json));
  } catch {
    return body
      .replaceAll(COUNTED, '#')
      .replaceAll(/^cluster:monitor\/tasks\/lists\[n\]\n/gm, '')
      .replaceAll(/\b(?:true|false)\b/g, 'flag')
      .replaceAll(/\bdi?m\b/g, 'roles')
      .replaceAll(/\b(?:node-1|lockstitch)\b/g, 'node')
      .replaceAll(/ +/g, ' ');
  }
}

/** A member without the fields that were loaded for sorts, and without what Lucene says of the files of a segment. */
function withoutLoaded(this: unknown, key: string, value: unknown): unknown {
  if (key === 'attributes') return undefined;
  return key === 'fields' ? {} : value;
}

function sorted(list: string): string {
  return list.split(/, ?| /).toSorted().join();
}

/** An error by its types: its words are compared where clients read them. */
function typesOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { readonly error?: Failure };
    return toTypes(error);
  } catch {
    return '';
  }
}

interface Failure {
  readonly type?: string;
  readonly root_cause?: readonly { readonly type: string }[];
}

function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null && 'root_cause' in error;
}

function toTypes(error: Failure | undefined): string {
  return [error?.type, ...(error?.root_cause ?? []).map(({ type }) => type)].join(' ');
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  // One of several searches or documents that failed; that its status fits its type shows where it is asked alone.
  if ('error' in value && isFailure(value.error)) return toTypes(value.error);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isOwn(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, stripMember(key, inner, value)]),
  );
}

function stripMember(key: string, inner: Json, value: object): Json {
  if ((key === 'explanation' || key === 'description') && typeof inner === 'string') return withoutOrder(inner);
  return key === 'details' && isAnyOf(value) ? sortedDetails(inner) : strip(inner);
}

/** Whether an explanation is that of alternatives, which may be those of several fields. */
function isAnyOf(value: object): boolean {
  return 'description' in value && /^(?:max|sum) (?:of|plus )/.test(String(value.description));
}

function sortedDetails(details: Json): Json {
  if (!Array.isArray(details)) return details;
  return details
    .map(strip)
    .map((each) => JSON.stringify(each))
    .toSorted()
    .map((each) => JSON.parse(each) as Json);
}
