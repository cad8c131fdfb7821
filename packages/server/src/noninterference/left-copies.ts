// Names of the indexes that `policy test --engine` makes on a search cluster, and what runs left there that were killed.
import { randomBytes } from 'node:crypto';

import { ClusterClient } from '../cluster/cluster-client.ts';
import { clusterOptionsOf } from '../cluster/open-cluster-search.ts';
import { ControlIndex, type NotedClaim } from '../cluster/control-index.ts';
import type { ResolvedConfig } from '../config/config.ts';

/** What the prefixes of the copies of an application start with. */
function startOf(prefix: string): string {
  return `${prefix.slice(0, 30)}-test-`;
}

/** A prefix for the indexes of a copy, which nobody else has. */
export function prefixOfCopy(prefix: string): string {
  return startOf(prefix) + randomBytes(6).toString('hex');
}

/** Copies that were on a cluster at a time. */
export interface LeftCopies {
  /**
   * Names of the indexes of those that nobody has renewed since. Nothing is deleted: an application may have a prefix that looks the same.
   */
  names(): Promise<readonly string[]>;
}

/** Finds what may be copies that were made by runs of this application. One without a claim is left out: it may be about to begin. */
export async function findLeftCopies(search: ResolvedConfig['search']): Promise<LeftCopies> {
  const start = startOf(search.prefix);
  const claimOf = async (client: ClusterClient, prefix: string): Promise<NotedClaim | undefined> =>
    (await new ControlIndex(client, prefix).noted([])).claim;
  const found = await withCluster(search, async (client) => {
    const ends = (await namesOf(client, start)).map(
      (name) => /^[\da-f]{12}(?=[-.])/.exec(name.slice(start.length))?.[0],
    );
    const prefixes = new Set(ends.flatMap((end) => (end === undefined ? [] : [start + end])));
    const claims = new Map<string, NotedClaim>();
    for (const prefix of prefixes) {
      const claim = await claimOf(client, prefix);
      if (claim !== undefined) claims.set(prefix, claim);
    }
    return claims;
  });
  return {
    names: () =>
      withCluster(search, async (client) => {
        const left: string[] = [];
        for (const [prefix, before] of found) {
          const claim = await claimOf(client, prefix);
          if (claim?.seqNo !== before.seqNo || claim.holder !== before.holder) continue;
          const names = await namesOf(client, prefix);
          left.push(...names.filter((name) => name.startsWith(`${prefix}-`) || name === `${prefix}.control`));
        }
        return left;
      }),
  };
}

async function namesOf(client: ClusterClient, start: string): Promise<readonly string[]> {
  const request = { method: 'GET', path: `/${start}*/_alias`, isRepeatable: true } as const;
  return Object.keys((await client.jsonOrNone(request)) ?? {});
}

async function withCluster<T>(
  search: ResolvedConfig['search'],
  work: (client: ClusterClient) => Promise<T>,
): Promise<T> {
  const client = new ClusterClient(clusterOptionsOf(search));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
