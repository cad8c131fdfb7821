// Whether a search cluster can do what is asked of it: its version is one that was tried, and it scores two documents as it must. What a
// cluster is configured to refuse (scripts, for example) shows here and not in the first search of a user.
import { randomUUID } from 'node:crypto';
import { createMapper } from '@lockstitch/search';
import { clusterIndex, ClusterSearcher, KEY_FIELD, type ScoreMode } from '@lockstitch/search/cluster';
import { isProductError, membersIn } from '@lockstitch/kernel';
import { serverErrors } from '../errors.ts';
import { readJson, refusal } from './cluster-answer.ts';
import type { ClusterClient } from './cluster-client.ts';

/** Versions from the first of a pair to before the second, by the distribution that `GET /` names. */
const SUPPORTED = {
  elasticsearch: { name: 'Elasticsearch 7.10', from: [7, 10], before: [7, 11] },
  opensearch: { name: 'OpenSearch 2.19 to 3', from: [2, 19], before: [4, 0] },
} as const;

const MAPPINGS = { dynamic: 'strict', properties: { text: { type: 'text' } } };
const TEXTS = ['red fox', 'red red red stone in the river'];
/** BM25 of "red" in both texts. */
const EXPECTED = { exact: [0.23595, 0.25603], fast: [0.30023, 0.35123] } as const;

/** Milliseconds after which an index of a check was left by a server that was killed: a check lasts seconds. */
const LEFT = 600_000;
/** Milliseconds that a request of the check may take. */
const CHECK_TIME = 10_000;
/** What passes, or was done by somebody else: it says nothing about the cluster. */
const PASSING: ReadonlySet<unknown> = new Set([404, 429]);

export type ClusterKind = keyof typeof SUPPORTED;

/** @throws ProductError SERVER_CLUSTER_STRANGE, SERVER_CLUSTER_KIND, SERVER_CLUSTER_VERSION, SERVER_CLUSTER_UNFIT */
export async function checkCluster(
  client: ClusterClient,
  prefix: string,
  mode: ScoreMode,
  kind?: ClusterKind,
): Promise<void> {
  await checkVersion(client, kind);
  const start = `${prefix}-check-`;
  const index = start + randomUUID();
  try {
    const scores = await scoresOf(client, index, mode);
    await dropLeft(client, start, index);
    if (JSON.stringify(scores) !== JSON.stringify(EXPECTED[mode]))
      throw serverErrors.create('SERVER_CLUSTER_UNFIT', { reason: `two documents score ${scores.join(' and ')}` });
  } catch (error) {
    if (!isProductError(error, 'SERVER_CLUSTER_REFUSED') || PASSING.has(membersIn(error.detail)['status'])) throw error;
    throw serverErrors.create('SERVER_CLUSTER_UNFIT', { reason: error.message });
  } finally {
    // A later check drops it where this one cannot.
    await client
      .request({ method: 'DELETE', path: `/${index}`, isRepeatable: true, within: CHECK_TIME })
      .catch(() => undefined);
  }
}

/** Drops the indexes of checks whose servers were killed, by the time of the cluster. */
async function dropLeft(client: ClusterClient, start: string, own: string): Promise<void> {
  const path = `/${start}*/_settings?filter_path=*.settings.index.creation_date`;
  const found = (await client.jsonOrNone({ method: 'GET', path, isRepeatable: true })) ?? {};
  const createdAt = (name: string): number => {
    const { settings } = membersIn(found[name]);
    return Number(membersIn(membersIn(settings)['index'])['creation_date']);
  };
  const now = createdAt(own);
  // An index of the schema may be called "check".
  const left = Object.keys(found).filter((name) => UUID.test(name.slice(start.length)) && now - createdAt(name) > LEFT);
  for (const name of left)
    await client.jsonOrNone({ method: 'DELETE', path: `/${name}`, isRepeatable: true, within: CHECK_TIME });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

async function checkVersion(client: ClusterClient, kind: ClusterKind | undefined): Promise<void> {
  const request = { method: 'GET', path: '/', isRepeatable: true } as const;
  const { body, status } = await client.request(request);
  const answer = readJson(body);
  if (status === 429 || status >= 500) throw refusal(request, status, answer);
  const { distribution = 'elasticsearch', number } = membersIn(answer?.['version']);
  if (typeof number !== 'string') throw serverErrors.create('SERVER_CLUSTER_STRANGE', { status });
  const [major = 0, minor = 0] = number.split('.').map(Number);
  const isOf = distribution === 'opensearch' ? 'opensearch' : 'elasticsearch';
  const found = SUPPORTED[isOf];
  if (kind !== undefined && kind !== isOf)
    throw serverErrors.create('SERVER_CLUSTER_KIND', { found: isOf, wanted: kind });
  const place = major * 1000 + minor;
  const [from, before] = [found.from, found.before].map(([first, second]) => first * 1000 + second);
  if (place >= from! && place < before!) return;
  const supported = Object.values(SUPPORTED).map(({ name }) => name);
  throw serverErrors.create('SERVER_CLUSTER_VERSION', {
    found: `${distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch'} ${number}`,
    supported: supported.join(' and '),
  });
}

async function scoresOf(client: ClusterClient, index: string, mode: ScoreMode): Promise<readonly number[]> {
  const definition = clusterIndex({ mappings: MAPPINGS }, mode, { shards: 1, replicas: 0 });
  const within = CHECK_TIME;
  await client.json({ method: 'PUT', path: `/${index}`, body: definition, isRepeatable: false, within });
  for (const [at, text] of TEXTS.entries())
    await client.json({
      method: 'PUT',
      path: `/${index}/_doc/${at}`,
      body: { text, [KEY_FIELD]: String(at) },
      isRepeatable: true,
      within,
    });
  await client.json({ method: 'POST', path: `/${index}/_refresh`, isRepeatable: true, within });
  const ask = (body: object): Promise<Readonly<Record<string, unknown>>> =>
    client.json({ method: 'POST', path: `/${index}/_search`, body, isRepeatable: true, within });
  const similarity = { k1: 1.2, b: 0.75, scaleByK1: true };
  const searcher = new ClusterSearcher(ask, {
    fields: createMapper({ mappings: MAPPINGS }),
    view: {},
    similarity,
    mode,
  });
  const { hits } = await searcher.search(
    { kind: 'term', field: 'text', term: 'red' },
    { size: 2, trackTotalHits: true },
  );
  return hits.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ score }) => Number(score.toPrecision(5)));
}
