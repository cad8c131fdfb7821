// Generations of an index on a search cluster: who may write to one and publish it, and what an error of the cluster is not taken for.
import { deepEqual, ok, rejects } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { type Said, startNode } from './fake-cluster.ts';

interface Change {
  readonly index: string;
  readonly alias: string;
  readonly is_write_index?: boolean;
}

type Action = Readonly<Record<'add' | 'remove', Change | undefined>>;

/** A cluster that keeps aliases. */
class Aliases {
  readonly names = new Map<string, Set<string>>();
  /** Number of changes to come of which not every node knows in time. */
  unknown = 0;
  /** Called once, before the next change is done. */
  beforeChange: (() => void) | undefined;
  /** Called once, after the next change is done. */
  afterChange: (() => void) | undefined;
  /** Whether the alias of searches ever named two indexes after a change. */
  hadTwo = false;

  of(index: string): Set<string> {
    const found = this.names.get(index) ?? new Set();
    this.names.set(index, found);
    return found;
  }

  /** The indexes that an alias names. */
  named(alias: string): readonly string[] {
    return [...this.names].flatMap(([name, names]) => (names.has(alias) ? [name] : []));
  }

  answer(target: string, body: string): Said {
    const [method, path = ''] = target.split(' ');
    const [index = '', kind, alias = ''] = path.slice(1).split('/');
    if (index === '_aliases') {
      this.#once('beforeChange');
      const { actions } = JSON.parse(body) as { readonly actions: readonly Action[] };
      const removed = actions.flatMap(({ remove }) => remove ?? []);
      const isHeld = ({ alias, index, is_write_index }: Change): boolean =>
        is_write_index === true &&
        this.named(alias).some((name) => name !== index && removed.every((one) => one.index !== name));
      if (actions.some(({ add }) => add && isHeld(add)))
        return { status: 500, body: { error: { type: 'illegal_state_exception' } } };
      for (const { add, remove } of actions) {
        if (remove) this.of(remove.index).delete(remove.alias);
        if (add) this.of(add.index).add(add.alias);
      }
      this.hadTwo ||= this.named('ls-photo').length > 1;
      this.#once('afterChange');
      return { status: 200, body: { acknowledged: this.unknown-- <= 0 } };
    }
    if (index === 'ls-*' && method === 'GET') {
      const holding = this.named(alias);
      return {
        status: holding.length > 0 ? 200 : 404,
        body: Object.fromEntries(holding.map((name) => [name, {}])),
      };
    }
    if (method === 'DELETE' && kind === undefined) return { status: this.names.delete(index) ? 200 : 404 };
    if (method === 'DELETE') return { status: this.of(index).delete(alias) ? 200 : 404 };
    const aliases = Object.fromEntries([...this.of(index)].map((name) => [name, {}]));
    return { status: 200, body: { [index]: { aliases } } };
  }

  #once(when: 'beforeChange' | 'afterChange'): void {
    const call = this[when];
    this[when] = undefined;
    call?.();
  }
}

async function generationsOn(
  context: TestContext,
  answer: (target: string, body: string) => Said,
): Promise<Generations> {
  const node = await startNode(context, ({ body, target }) => answer(target, body));
  const client = new ClusterClient({ nodes: [node.url] });
  context.after(() => client.close());
  return new Generations(client, 'ls');
}

const FENCED = { code: 'SERVER_CLUSTER_FENCED' };

test('an error of the cluster is neither an alias nor a position that is missing', async (context) => {
  for (const status of [400, 403, 429, 500]) {
    const changes: string[] = [];
    const generations = await generationsOn(context, (target) => {
      if (target === 'POST /_aliases') changes.push(target);
      if (target === 'GET /ls-photo-2/_alias')
        return { status: 200, body: { 'ls-photo-2': { aliases: { 'ls-photo-2-W1': {} } } } };
      return { status };
    });
    const code = status === 403 ? 'SERVER_CLUSTER_DENIED' : 'SERVER_CLUSTER_REFUSED';
    await rejects(generations.control.noted(['ls-photo-2']), { code });
    await rejects(generations.drop('ls-photo-1'), { code });
    await rejects(generations.publish('photo', 'ls-photo-2', 1), { code });
    deepEqual(changes, []);
  }
  const empty = await generationsOn(context, () => ({ status: 404 }));
  deepEqual(await empty.control.noted(['ls-photo-2']), { positions: new Map(), claim: undefined });
  await empty.drop('ls-photo-1');
});

test('of two servers that lead at once the later epoch alone may write', async (context) => {
  for (const isFirst of [true, false]) {
    const cluster = new Aliases();
    cluster.of('ls-photo-1').add('ls-photo-1-W3');
    const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
    // The fifth epoch has read the third, as the fourth has, and adds its alias before or after.
    const adds = (): void => void cluster.of('ls-photo-1').add('ls-photo-1-W5').delete('ls-photo-1-W3');
    if (isFirst) cluster.beforeChange = adds;
    else cluster.afterChange = adds;
    await rejects(generations.lead('ls-photo-1', 4), FENCED);
    await generations.lead('ls-photo-1', 5);
    deepEqual([...cluster.of('ls-photo-1')], ['ls-photo-1-W5']);
  }
});

test('an epoch that comes back between is removed by the later one', async (context) => {
  const cluster = new Aliases();
  const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
  cluster.afterChange = () => void cluster.of('ls-photo-1').add('ls-photo-1-W4');
  await generations.lead('ls-photo-1', 5);
  deepEqual([...cluster.of('ls-photo-1')], ['ls-photo-1-W5']);
});

test('only the server that leads a generation publishes it', async (context) => {
  const cluster = new Aliases();
  const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
  cluster.of('ls-photo-1').add('ls-photo');
  await generations.lead('ls-photo-2', 1);
  await generations.publish('photo', 'ls-photo-2', 1);
  deepEqual(cluster.named('ls-photo'), ['ls-photo-2']);
  await generations.lead('ls-photo-2', 2);
  await rejects(generations.publish('photo', 'ls-photo-2', 1), FENCED);
});

test('a server that was paused while it publishes leaves what its successor has published', async (context) => {
  const cluster = new Aliases();
  const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
  await generations.lead('ls-photo-2', 1);
  cluster.beforeChange = () => {
    cluster.of('ls-photo-2').add('ls-photo-2-W2').delete('ls-photo-2-W1');
    cluster.of('ls-photo-3').add('ls-photo');
  };
  await rejects(generations.publish('photo', 'ls-photo-2', 1), FENCED);
  deepEqual(cluster.named('ls-photo'), ['ls-photo-3']);
  deepEqual([...cluster.of('ls-photo-2')], ['ls-photo-2-W2']);
  ok(!cluster.hadTwo, 'searches never had both');
});

test('of two generations that are published at once the one of the leader replaces the other', async (context) => {
  const cluster = new Aliases();
  const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
  cluster.of('ls-photo-1').add('ls-photo');
  await generations.lead('ls-photo-2', 2);
  // A former leader ends what it began before: between the look at who is published and the change.
  cluster.beforeChange = () => {
    cluster.of('ls-photo-1').delete('ls-photo');
    cluster.of('ls-photo-3').add('ls-photo');
  };
  await generations.publish('photo', 'ls-photo-2', 2);
  deepEqual(cluster.named('ls-photo'), ['ls-photo-2']);
});

test('only the server that leads a generation takes it out of the searches', async (context) => {
  const cluster = new Aliases();
  let next = (): unknown => undefined;
  const generations = await generationsOn(context, (target, body) => {
    const said = cluster.answer(target, body);
    if (target === 'DELETE /ls-photo-1/_alias/ls-photo') next();
    return said;
  });
  cluster.of('ls-photo-1').add('ls-photo').add('ls-photo-1-W3');
  await rejects(generations.withdraw('photo', 'ls-photo-1', 2), FENCED);
  deepEqual([...cluster.of('ls-photo-1')], ['ls-photo', 'ls-photo-1-W3'], 'it was paused meanwhile');
  await generations.withdraw('photo', 'ls-photo-1', 4);
  deepEqual([...cluster.of('ls-photo-1')], ['ls-photo-1-W4']);
  // The next leader comes while the alias is removed.
  next = () => cluster.of('ls-photo-1').add('ls-photo-1-W5').delete('ls-photo-1-W4');
  await rejects(generations.withdraw('photo', 'ls-photo-1', 4), FENCED);
});

test('a generation is published once every node knows of it; until then none is dropped', async (context) => {
  const cluster = new Aliases();
  const generations = await generationsOn(context, (target, body) => cluster.answer(target, body));
  cluster.of('ls-photo-1').add('ls-photo');
  await generations.lead('ls-photo-2', 1);
  cluster.unknown = 2;
  await generations.publish('photo', 'ls-photo-2', 1);
  deepEqual(cluster.named('ls-photo'), ['ls-photo-2']);
  ok(cluster.unknown < 0, 'it was asked for until it was acknowledged');
  await generations.lead('ls-photo-3', 1);
  cluster.unknown = Infinity;
  await rejects(generations.publish('photo', 'ls-photo-3', 1), { code: 'SERVER_CLUSTER_BEHIND' });
  await generations.discard('photo', 'ls-photo-3');
  ok(cluster.of('ls-photo-3').has('ls-photo'), 'what searches may use is not dropped');
  await generations.discard('photo', 'ls-photo-2');
  ok(!cluster.names.has('ls-photo-2'));
});

test('an index whose creation is not acknowledged is not built on', async (context) => {
  const asked: string[] = [];
  const generations = await generationsOn(context, (target) => {
    asked.push(target);
    return { status: 200, body: { acknowledged: false } };
  });
  await rejects(generations.create('photo', 'g1', {}), { code: 'SERVER_CLUSTER_BEHIND' });
  deepEqual(asked, ['PUT /ls-photo-g1', 'DELETE /ls-photo-g1']);
});
