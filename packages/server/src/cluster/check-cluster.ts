// Whether a search cluster can do what is asked of it: its version is one that was tried, and it scores two documents as it must. What a
// cluster is configured to refuse (scripts, for example) shows here and not in the first search of a user.
import { randomUUID } from 'node:crypto';
import { createMapper } from '@lockstitch/search';
import { clusterIndex, ClusterSearcher, KEY_FIELD, type ScoreMode } from '@lockstitch/search/cluster';
import { isProductError } from '@lockstitch/kernel';
import { serverErrors } from '../errors.ts';
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

export type ClusterKind = keyof typeof SUPPORTED;

/** @throws ProductError SERVER_CLUSTER_KIND, SERVER_CLUSTER_VERSION, SERVER_CLUSTER_UNFIT */
export async function checkCluster(
  client: ClusterClient,
  prefix: string,
  mode: ScoreMode,
  kind?: ClusterKind,
): Promise<void> {
  await checkVersion(client, kind);
  const index = `${prefix}-check-${randomUUID()}`;
  try {
    const scores = await scoresOf(client, index, mode);
    if (JSON.stringify(scores) !== JSON.stringify(EXPECTED[mode]))
      throw serverErrors.create('SERVER_CLUSTER_UNFIT', { reason: `two documents score ${scores.join(' and ')}` });
  } catch (error) {
    if (!isProductError(error) || error.code !== 'SERVER_CLUSTER_REFUSED') throw error;
    throw serverErrors.create('SERVER_CLUSTER_UNFIT', { reason: error.message });
  } finally {
    await client.request({ method: 'DELETE', path: `/${index}`, isRepeatable: true });
  }
}

async function checkVersion(client: ClusterClient, kind: ClusterKind | undefined): Promise<void> {
  const { version } = await client.json({ method: 'GET', path: '/', isRepeatable: true });
  const { distribution = 'elasticsearch', number = '' } = (version ?? {}) as {
    readonly distribution?: string;
    readonly number?: string;
  };
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
  await client.json({ method: 'PUT', path: `/${index}`, body: definition, isRepeatable: false });
  for (const [at, text] of TEXTS.entries())
    await client.json({
      method: 'PUT',
      path: `/${index}/_doc/${at}`,
      body: { text, [KEY_FIELD]: String(at) },
      isRepeatable: true,
    });
  await client.json({ method: 'POST', path: `/${index}/_refresh`, isRepeatable: true });
  const ask = (body: object): Promise<Readonly<Record<string, unknown>>> =>
    client.json({ method: 'POST', path: `/${index}/_search`, body, isRepeatable: true });
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
