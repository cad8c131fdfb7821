// Which of the applications that use one prefix of a search cluster may write under it.
import { deepEqual, equal, notDeepEqual } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { ControlIndex } from '../../src/cluster/control-index.ts';
import { PrefixClaim, type PrefixClaimParts } from '../../src/cluster/prefix-claim.ts';
import { startCluster } from './fake-cluster.ts';

/** What the servers of one database know of each other. */
class Database {
  readonly identity: string;
  readonly leaders = new Set<string>();
  givenBack = '';

  constructor(identity: string) {
    this.identity = identity;
  }

  leasesOf(self: string): PrefixClaimParts['leases'] {
    return {
      database: this.identity,
      self,
      holders: () => Promise.resolve(this.leaders),
      giveBack: (beat) => Promise.resolve(void (this.givenBack = `${self} ${beat}`)),
      isGivenBack: ({ beat, holder }) => Promise.resolve(this.givenBack === `${holder} ${beat}`),
    };
  }
}

/** Servers on one cluster, and a clock for all of them. */
async function place(context: TestContext) {
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const control = new ControlIndex(client, 'app');
  let time = 0;
  const server = (holder: string, database: Database) => {
    const now = (): number => time;
    const claim = new PrefixClaim({ control, replicas: 0, leases: database.leasesOf(holder), now });
    const look = async (): Promise<void> => claim.see((await control.noted([])).claim);
    return {
      claim,
      look,
      /** Looks, and leads if it may. */
      async lead(): Promise<boolean> {
        await look();
        const may = await claim.take();
        if (may) database.leaders.add(holder);
        return may;
      },
      /** Ends its work in order. */
      async end(): Promise<void> {
        await claim.release();
        database.leaders.delete(holder);
      },
    };
  };
  return { cluster, control, server, pass: (milliseconds: number) => void (time += milliseconds) };
}

test('a copy of an application that lives leaves the prefix to it, whatever identity its database has', async (context) => {
  for (const database of ['original', 'restored']) {
    const { pass, server } = await place(context);
    const original = server('one', new Database('original'));
    equal(await original.lead(), true);
    // Its rows name the leader of the original, whose term has ended there.
    const copy = server('two', new Database(database));
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
    await original.end();
    equal(await copy.lead(), false, 'it may be started again');
    pass(20_000);
    equal(await copy.lead(), true);
    deepEqual([copy.claim.isTaken, await original.lead()], [false, false]);
  }
});

test('a copy that waits for the prefix does not get it where a leader ends and its fleet, or the same server again, goes on', async (context) => {
  for (const next of ['lives', 'leads', 'starts']) {
    const { pass, server } = await place(context);
    const [fleet, copied] = [new Database('original'), new Database('original')];
    const [first, second, copy] = [server('one', fleet), server('two', fleet), server('three', copied)];
    equal(await first.lead(), true);
    if (next === 'leads') equal(await second.lead(), true);
    for (let look = 0; look < 5; look++) {
      pass(1000);
      await first.claim.renew();
      if (next !== 'starts') await second.look();
      equal(await copy.lead(), false);
    }
    await first.end();
    // The copy is the first to look.
    pass(300);
    equal(await copy.lead(), false, next);
    equal(await second.lead(), true, next);
    await second.claim.renew();
    for (let look = 0; look < 30; look++) {
      pass(1000);
      await second.look();
      await second.claim.renew();
      equal(await copy.lead(), false, next);
      deepEqual([second.claim.isTaken, copy.claim.isTaken], [false, true]);
    }
  }
});

test('a server that has given the prefix back and takes it again is not taken for one that has ended', async (context) => {
  const { server } = await place(context);
  const original = new Database('original');
  const first = server('one', original);
  equal(await first.lead(), true);
  await first.end();
  // A copy of the database of this moment.
  const copied = new Database('original');
  copied.givenBack = original.givenBack;
  equal(await first.lead(), true);
  equal(await server('two', copied).lead(), false);
});

test('of the renewals while the cluster says nothing one is sent later, and an index that a renewal created gets the form of a start', async (context) => {
  const { cluster, server } = await place(context);
  const original = server('one', new Database('original'));
  equal(await original.lead(), true);
  const made = cluster.indexes.get('app.control')?.definition;
  let asked = 0;
  cluster.before = () => void asked++;
  await Promise.all(Array.from({ length: 40 }, () => original.claim.renew()));
  equal(asked, 1);
  cluster.indexes.delete('app.control');
  // Before the server sees that it is gone.
  await original.claim.renew();
  notDeepEqual(cluster.indexes.get('app.control')?.definition, made);
  await original.look();
  await original.claim.renew();
  deepEqual(cluster.indexes.get('app.control')?.definition, made);
  equal(cluster.indexes.get('app.control')?.documents.has('claim'), true);
});

test('a look that was overtaken is no renewal, and costs none; an index that was created again is seen', async (context) => {
  const { cluster, control, server } = await place(context);
  const original = server('one', new Database('original'));
  const copy = server('two', new Database('original'));
  const look = async () => (await control.noted([])).claim;
  equal(await original.lead(), true);
  const first = await look();
  await original.claim.renew();
  const second = await look();
  await original.claim.see(first);
  await original.claim.renew();
  equal((await look())?.beat, 3, 'nothing was written over in vain');
  // Killed. Of two looks the answers come in another order.
  for (const each of [first, second, first, second, first, second]) await copy.claim.see(each);
  equal(copy.claim.isTaken, false);
  cluster.indexes.delete('app.control');
  const third = server('three', new Database('another'));
  equal(await third.lead(), true);
  for (let beat = 0; beat < 3; beat++) {
    await copy.look();
    await third.claim.renew();
  }
  equal(copy.claim.isTaken, true);
});

test('a server takes over at once from one of its database, and after a while from one that was killed', async (context) => {
  const { pass, server } = await place(context);
  const original = new Database('original');
  const [first, second] = [server('one', original), server('two', original)];
  equal(await first.lead(), true);
  equal(await second.lead(), true, 'both lead an index');
  await first.end();
  await second.look();
  await second.claim.renew();
  await second.look();
  const third = server('three', original);
  equal(await third.lead(), true);
  // Killed: its row expires later.
  original.leaders.delete('two');
  original.leaders.delete('three');
  equal(await third.lead(), false);
  equal(third.claim.isTaken, false);
  pass(5000);
  equal(await third.lead(), true);
  const other = server('four', new Database('another'));
  equal(await other.lead(), false);
  pass(5000);
  equal(await other.lead(), false);
  pass(20_000);
  equal(await other.lead(), true, 'nobody lives under the prefix');
});

test('of servers that claim a prefix at once one does, and a claim that was given back is not renewed', async (context) => {
  const { pass, server } = await place(context);
  const [first, second] = [server('one', new Database('original')), server('two', new Database('restored'))];
  await Promise.all([first.look(), second.look()]);
  const taken = await Promise.all([first.claim.take(), second.claim.take()]);
  deepEqual(taken.toSorted(), [false, true]);
  const [winner, loser] = taken[0] ? [first, second] : [second, first];
  await Promise.all([winner.claim.release(), winner.claim.renew()]);
  await loser.look();
  pass(20_000);
  equal(await loser.lead(), true);
});
