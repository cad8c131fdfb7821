// Worlds for the check of searches on a cluster: random documents of which a view shows some, in the embedded engine as the data that is
// visible, and on a cluster as all of it, with a history and shards of its own.
import { createEngine } from '@lockstitch/search';
import type { Engine } from '../../packages/search/src/engine/engine-api.ts';
import { clusterIndex, keyMembers, type ScoreMode } from '../../packages/search/src/cluster/cluster-index.ts';
import type { ClusterPlace } from '../../packages/search/src/cluster/compile-query.ts';
import type { Mapping } from '../../packages/search/src/mapping/mapping.ts';
import type { Json } from '../../packages/search/src/json/json.ts';
import { fieldsOf, type Random, type Surface } from '../../packages/search/src/requests/index.ts';
import type { IndexView } from '../../packages/search/src/view/index-view.ts';

/** Of an index of a schema: what its mapping can hold. */
const PROPERTIES = {
  title: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
  body: { type: 'text', analyzer: 'english', fields: { plain: { type: 'text' } } },
  note: { type: 'text', norms: false },
  tag: { type: 'keyword' },
  tags: { type: 'keyword' },
  stars: { type: 'long' },
  price: { type: 'double' },
  at: { type: 'date' },
  ok: { type: 'boolean' },
  ip: { type: 'ip' },
  place: { type: 'geo_point' },
  author: { properties: { name: { type: 'text', fields: { keyword: { type: 'keyword' } } }, age: { type: 'long' } } },
  _policy: { properties: { owner: { type: 'keyword' }, open: { type: 'keyword' } } },
} as const;

/** The title scored by the cluster's own similarity, for the requests that leak. */
export const NATIVE_FIELD = 'native';

export const MAPPINGS = { dynamic: 'strict', properties: PROPERTIES };

/** What the caller sees of the mapping. */
const { _policy, author, ...others } = PROPERTIES;
const VISIBLE_MAPPINGS = {
  dynamic: 'strict',
  properties: { ...others, author: { properties: { name: author.properties.name } } },
};

/** The caller sees their own documents, and notes and stars of open ones. */
export const VIEW: IndexView = {
  rows: { kind: 'terms', field: '_policy.owner', terms: ['ann', 'all'] },
  hidden: ['_policy', 'author.age'],
  guarded: [
    { path: 'note', when: { kind: 'term', field: '_policy.open', term: 't' } },
    { path: 'stars', when: { kind: 'term', field: '_policy.open', term: 't' } },
  ],
};

export interface WorldDocument {
  readonly id: string;
  readonly source: Json & { readonly _policy: { readonly owner: string; readonly open: string } };
}

const WORDS =
  'red fox fox fox the quick brown dog jumps over lazy river stone moon running runs rare amber amber glass'.split(' ');
const HIDDEN_WORDS = ['secret', 'foxy', 'rod', 'quicker', 'amb', 'reds'];

const SURFACE_WORDS = [...new Set([...WORDS, ...HIDDEN_WORDS])];

function isVisible({ source }: WorldDocument): boolean {
  return ['ann', 'all'].includes(source._policy.owner);
}

/** Makes a document. @param owner ann and all are visible */
function randomDocument(random: Random, id: string, owner: string): WorldDocument {
  const words = ['ann', 'all'].includes(owner) ? WORDS : [...WORDS, ...HIDDEN_WORDS];
  const text = (most: number): string =>
    Array.from({ length: random.int(most) }, () => random.pick(words)).join(random.once(9) ? ', ' : ' ');
  const some = <T>(value: T): T | undefined => (random.once(4) ? undefined : value);
  const source = {
    title: text(6),
    body: some(random.once(6) ? [text(20), text(60)] : text(80)),
    note: some(text(8)),
    tag: some(random.pick(words)),
    tags: some(Array.from({ length: random.int(4) }, () => random.pick(words))),
    stars: some(random.int(6)),
    price: some(random.int(60) / 8),
    at: some(`2026-0${1 + random.int(6)}-0${1 + random.int(9)}`),
    ok: some(random.once(3)),
    ip: some(`10.0.0.${random.int(4)}`),
    place: some({ lat: random.int(9) - 4, lon: random.int(9) - 4 }),
    author: some({ name: text(4), age: random.int(90) }),
    _policy: { owner, open: random.once(2) ? 't' : 'f' },
  };
  return { id, source };
}

/** Visible and hidden documents. @param hidden how many documents are hidden, and the seed of them by `randomHidden` */
export function randomDocuments(
  random: Random,
  visible: number,
  hidden: { readonly random: Random; readonly count: number },
): readonly WorldDocument[] {
  const shown = Array.from({ length: visible }, (_, at) =>
    randomDocument(random, `v${String(at).padStart(5, '0')}`, random.pick(['ann', 'ann', 'all'])),
  );
  const rest = Array.from({ length: hidden.count }, (_, at) =>
    randomDocument(hidden.random, `h${String(at).padStart(5, '0')}`, hidden.random.pick(['bob', 'eve'])),
  );
  // Among each other, as they come in life.
  return [...shown, ...rest].sort((a, b) => (a.id.slice(1) < b.id.slice(1) ? -1 : 1));
}

/** What the caller sees of a document. */
function cut({ source: { _policy: policy, author, note, stars, ...rest } }: WorldDocument): Json {
  const { age: _, ...name } = (author ?? {}) as Json;
  return {
    ...rest,
    ...(author === undefined ? {} : { author: name }),
    ...(policy.open === 't' ? { note, stars } : {}),
  };
}

export const surface: Surface = (() => {
  const { fields, others } = fieldsOf({ properties: PROPERTIES });
  const index = { name: 'world', aliases: [], type: '_doc', fields, others, ids: ['v00001', 'v00002', 'h00001'] };
  return { indexes: [index], words: SURFACE_WORDS, isReadOnly: true };
})();

export const place = (mode: ScoreMode, mapping: Mapping, view: IndexView = VIEW): ClusterPlace => ({
  fields: mapping,
  view,
  similarity: { k1: 1.2, b: 0.75, scaleByK1: true },
  mode,
});

/** The data that is visible, alone, in the embedded engine. */
export async function openVisible(documents: readonly WorldDocument[]): Promise<Engine> {
  const engine = await createEngine();
  const index = await engine.createIndex('world', { mappings: VISIBLE_MAPPINGS, settings: { refreshInterval: -1 } });
  const encoder = new TextEncoder();
  await index.apply(
    documents.filter(isVisible).map((document) => ({
      kind: 'index',
      id: document.id,
      source: encoder.encode(JSON.stringify(cut(document))),
    })),
  );
  await index.forceMerge();
  await index.refresh();
  return engine;
}

/** How the documents got into an index on a cluster. */
export interface WorldHistory {
  readonly shards: number;
  /** Documents that were there, and are deleted; their files are not merged away. */
  readonly deleted: number;
  /** Whether every document was written twice. */
  readonly rewritten: boolean;
  readonly merged: boolean;
}

/** Asks a cluster. @throws Error for an answer that is no success */
export async function ask(url: string, target: string, body?: unknown): Promise<Json> {
  const [method, path] = target.split(' ', 2) as [string, string];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: text }) });
  const answer = (await response.json()) as Json;
  if (!response.ok || answer['errors'] === true)
    throw new Error(`${target}: ${response.status} ${JSON.stringify(answer).slice(0, 2000)}`);
  return answer;
}

/** Writes all documents to an index of a cluster. */
export async function writeWorld(
  url: string,
  index: string,
  documents: readonly WorldDocument[],
  { deleted, merged, rewritten, shards }: WorldHistory,
  mode: ScoreMode,
): Promise<void> {
  await fetch(`${url}/${index}`, { method: 'DELETE' });
  const { title } = PROPERTIES;
  const properties = { ...PROPERTIES, title: { ...title, copy_to: NATIVE_FIELD } };
  await ask(
    url,
    `PUT /${index}`,
    clusterIndex({ mappings: { ...MAPPINGS, properties } }, mode, { shards, replicas: 0 }),
  );
  // Whose similarity is the cluster's own.
  await ask(url, `PUT /${index}/_mapping`, { properties: { [NATIVE_FIELD]: { type: 'text' } } });
  const put = ({ id, source }: WorldDocument): string =>
    `{"index":{"_id":"${id}"}}\n{${keyMembers(id)},${JSON.stringify(source).slice(1)}\n`;
  const gone = documents.slice(0, deleted).map(({ source }, at) => ({ id: `gone${at}`, source }));
  if (gone.length > 0) await ask(url, `POST /${index}/_bulk`, gone.map(put).join(''));
  for (let pass = 0; pass < (rewritten ? 2 : 1); pass++) {
    const order = pass === 0 ? documents : documents.toReversed();
    for (let at = 0; at < order.length; at += 200)
      await ask(
        url,
        `POST /${index}/_bulk?refresh=true`,
        order
          .slice(at, at + 200)
          .map(put)
          .join(''),
      );
  }
  if (gone.length > 0)
    await ask(url, `POST /${index}/_bulk`, gone.map(({ id }) => `{"delete":{"_id":"${id}"}}\n`).join(''));
  if (merged) await ask(url, `POST /${index}/_forcemerge?max_num_segments=1`);
  await ask(url, `POST /${index}/_refresh`);
}
