// Fills the disks of a cluster's nodes, each a file system of its own, and frees them again.
import { rmSync } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../test/engines/cluster-worlds.ts';
import type { Cluster } from '../../test/engines/cluster.ts';

/** All disks until the cluster blocks its indexes, or one until nothing fits any more. */
export type Filled = 'flood stage' | 'last byte';

/** Shares of a disk. */
const FLOOD = 0.9;
const WATERMARKS = {
  'cluster.routing.allocation.disk.threshold_enabled': true,
  'cluster.routing.allocation.disk.watermark.low': '80%',
  'cluster.routing.allocation.disk.watermark.high': '85%',
  'cluster.routing.allocation.disk.watermark.flood_stage': `${FLOOD * 100}%`,
  'cluster.info.update.interval': '10s',
};
/** Milliseconds for which a disk stays full once it is noticed, and until which it must be. */
const STAYS = 10_000;
const NOTICED = 60_000;
const CHUNK = Buffer.alloc(2 ** 20, 1);

/**
 * Fills, waits until it is noticed, waits on, and frees.
 *
 * @param isNoticed whether the fleet lags behind
 * @returns seconds for which a disk was full
 */
export async function fillDisks(
  cluster: Cluster,
  prefix: string,
  which: Filled,
  isNoticed: () => Promise<boolean>,
): Promise<number> {
  await ask(cluster.url, 'PUT /_cluster/settings', { transient: WATERMARKS });
  const nodes = which === 'last byte' ? cluster.nodes.slice(-1) : cluster.nodes;
  const files = nodes.map(({ disk = '' }) => join(disk, 'ballast'));
  const begin = performance.now();
  try {
    for (const [at, file] of files.entries())
      await fillUp(nodes[at]!.disk ?? '', file, which === 'last byte' ? 1 : FLOOD + 0.05);
    for (const until = performance.now() + NOTICED; performance.now() < until; await sleep(200))
      if (which === 'last byte' ? performance.now() > begin + STAYS : await isBlocked(cluster, prefix)) break;
    for (const until = performance.now() + STAYS; performance.now() < until; await sleep(200)) await isNoticed();
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
  const seconds = Math.round((performance.now() - begin) / 1000);
  // A copy that could not be written is tried five times, and then left alone until somebody asks.
  if (which === 'last byte') await ask(cluster.url, 'POST /_cluster/reroute?retry_failed=true', {});
  return seconds;
}

async function isBlocked({ url }: Cluster, prefix: string): Promise<boolean> {
  const settings = await ask(url, `GET /${prefix}-*/_settings`).catch(() => ({}));
  return JSON.stringify(settings).includes('read_only_allow_delete');
}

/** Writes a file until a share of the disk is used. */
async function fillUp(disk: string, file: string, share: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (;;) {
      const { bavail, blocks } = await statfs(disk);
      if (bavail <= (1 - share) * blocks) return;
      await handle.write(CHUNK);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}
