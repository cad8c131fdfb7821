// Names of the indexes that `policy test --engine` makes on a search cluster, and what runs left there that were killed.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { ClusterClient } from '../cluster/cluster-client.ts';
import { clusterOptionsOf } from '../cluster/open-cluster-search.ts';
import { Generations, type NotedClaim } from '../cluster/generations.ts';
import type { ResolvedConfig } from '../config/config.ts';

/** Milliseconds for which the claim of a copy has to stand still: a run that lives renews it every 1.5 s. */
const STILL = 5000;

/** What the prefixes of the copies of an application start with. */
function startOf(prefix: string): string {
  return `${prefix.slice(0, 30)}-test-`;
}

/** A prefix for the indexes of a copy, which nobody else has. */
export function prefixOfCopy(prefix: string): string {
  return startOf(prefix) + randomBytes(6).toString('hex');
}

/** Copies that are on a cluster. */
export interface LeftCopies {
  /**
   * Drops the indexes of those whose run has ended: it has not renewed their claim since they were found.
   *
   * @returns the prefixes of those that were dropped
   */
  drop(still?: number): Promise<readonly string[]>;
}

/** Finds copies that were made by runs of this application. One without a claim is left: it may be about to begin. */
export async function findLeftCopies(search: ResolvedConfig['search']): Promise<LeftCopies> {
  const begin = performance.now();
  const found = await withCluster(search, async (client) => {
    const prefixes = new Set((await namesOf(client, startOf(search.prefix))).flatMap((name) => prefixIn(name)));
    const claims = new Map<string, NotedClaim>();
    for (const prefix of prefixes) {
      const { claim } = await new Generations(client, prefix).noted([]);
      if (claim !== undefined) claims.set(prefix, claim);
    }
    return claims;
  });
  /** The prefix of a copy in the name of an index. */
  function prefixIn(name: string): readonly string[] {
    const start = startOf(search.prefix);
    const end = start.length + 12;
    return /^[\da-f]{12}[-.]/.test(name.slice(start.length)) ? [name.slice(0, end)] : [];
  }
  return {
    async drop(still = STILL) {
      if (found.size === 0) return [];
      await pause(Math.max(0, begin + still - performance.now()));
      return withCluster(search, async (client) => {
        const dropped: string[] = [];
        for (const [prefix, before] of found) {
          const generations = new Generations(client, prefix);
          const { claim } = await generations.noted([]);
          if (claim === undefined || claim.seqNo !== before.seqNo || claim.holder !== before.holder) continue;
          const names = (await namesOf(client, prefix)).filter((name) => prefixIn(name)[0] === prefix);
          for (const name of names.filter((each) => each.startsWith(`${prefix}-`))) await generations.drop(name);
          // Last: it says that the others are left.
          await generations.dropPositions();
          dropped.push(prefix);
        }
        return dropped;
      });
    },
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
