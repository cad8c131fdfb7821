// Which of the applications that use one prefix of a search cluster may write under it.
import { deepEqual, equal } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { PrefixClaim } from '../../src/cluster/prefix-claim.ts';
import { startCluster } from './fake-cluster.ts';

/** Servers on one cluster, and a clock for all of them. */
async function place(context: TestContext) {
  const { url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const generations = new Generations(client, 'app');
  let time = 0;
  /** @param leaders of the database, which servers of one share */
  const server = (holder: string, database: string, leaders: Set<string>) => {
    const now = (): number => time;
    const parts = { generations, replicas: 0, database, holder, leaders: () => Promise.resolve(leaders), now };
    const claim = new PrefixClaim(parts);
    const look = async (): Promise<void> => claim.see((await generations.noted([])).claim);
    return {
      claim,
      look,
      /** Looks, and leads if it may. */
      async lead(): Promise<boolean> {
        await look();
        const may = await claim.take();
        if (may) leaders.add(holder);
        return may;
      },
    };
  };
  return { server, pass: (milliseconds: number) => void (time += milliseconds) };
}

test('a copy of an application that lives leaves the prefix to it, whatever identity its database has', async (context) => {
  for (const database of ['original', 'restored']) {
    const { pass, server } = await place(context);
    const original = server('one', 'original', new Set());
    equal(await original.lead(), true);
    // Its rows name the leader of the original, whose term has ended there.
    const copy = server('two', database, new Set());
    for (let look = 0; look < 40; look++) {
      equal(await copy.lead(), false);
      pass(1000);
      await original.look();
      await original.claim.renew();
    }
    deepEqual([copy.claim.isTaken, original.claim.isTaken], [true, false]);
    // A pause of the original is not its end.
    pass(15_000);
    equal(await copy.lead(), false);
    await original.claim.release();
    equal(await copy.lead(), true);
    deepEqual([copy.claim.isTaken, await original.lead()], [false, false]);
  }
});

test('a server takes over at once from one of its database, and after a while from one that was killed', async (context) => {
  const { pass, server } = await place(context);
  const leaders = new Set<string>();
  const [first, second] = [server('one', 'original', leaders), server('two', 'original', leaders)];
  equal(await first.lead(), true);
  equal(await second.lead(), true, 'both lead an index');
  await first.claim.release();
  leaders.delete('one');
  await second.look();
  await second.claim.renew();
  await second.look();
  const third = server('three', 'original', leaders);
  equal(await third.lead(), true);
  // Killed: its row expires later.
  leaders.delete('two');
  leaders.delete('three');
  equal(await third.lead(), false);
  equal(third.claim.isTaken, false);
  pass(5000);
  equal(await third.lead(), true);
  const other = server('four', 'another', new Set());
  equal(await other.lead(), false);
  pass(5000);
  equal(await other.lead(), false);
  pass(20_000);
  equal(await other.lead(), true, 'nobody lives under the prefix');
});

test('of servers that claim a prefix at once one does, and a claim that was given back is not renewed', async (context) => {
  const { server } = await place(context);
  const [first, second] = [server('one', 'original', new Set()), server('two', 'restored', new Set())];
  await Promise.all([first.look(), second.look()]);
  const taken = await Promise.all([first.claim.take(), second.claim.take()]);
  deepEqual(taken.toSorted(), [false, true]);
  const [winner, loser] = taken[0] ? [first, second] : [second, first];
  await Promise.all([winner.claim.release(), winner.claim.renew()]);
  equal(await loser.lead(), true);
});
