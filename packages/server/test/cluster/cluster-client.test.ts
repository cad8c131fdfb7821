// Requests to a search cluster: which are sent to another node, and what is said of failures.
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { ClusterClient, type ClusterOptions, SILENCE } from '../../src/cluster/cluster-client.ts';
import { unlessStalled } from '../../src/cluster/unless-stalled.ts';
import { type Said, startNode } from './fake-cluster.ts';

function clientOf(context: TestContext, nodes: readonly string[], more: Partial<ClusterOptions> = {}): ClusterClient {
  const client = new ClusterClient({ nodes, ...more });
  context.after(() => client.close());
  return client;
}

const READ = { method: 'GET', path: '/', isRepeatable: true } as const;
const CREATE = { method: 'PUT', path: '/photos', isRepeatable: false } as const;

test('a request that does no harm a second time goes to another node when one is away', async (context) => {
  const away = await startNode(context, () => 'cut');
  const busy = await startNode(context, () => ({ status: 503 }));
  const there = await startNode(context, () => ({ status: 200, body: { ok: true } }));
  const client = clientOf(context, [away.url, busy.url, there.url]);
  deepEqual(await client.json(READ), { ok: true });
  // The two rest meanwhile.
  for (let times = 0; times < 3; times++) await client.json(READ);
  deepEqual([away.received.length, busy.received.length, there.received.length], [1, 1, 4]);
});

test('a request that is not to be repeated ends with the first connection that breaks', async (context) => {
  const away = await startNode(context, () => 'cut');
  const there = await startNode(context, () => ({ status: 200 }));
  const client = clientOf(context, [away.url, there.url]);
  await rejects(client.request(CREATE), { code: 'SERVER_CLUSTER_UNREACHABLE', status: 503 });
  equal(there.received.length, 0);
});

test('a request for too many buckets is answered with 503 by a node that is not away', async (context) => {
  const caused_by = { type: 'too_many_buckets_exception', max_buckets: 10_000 };
  const node = await startNode(context, () => ({ status: 503, body: { error: { root_cause: [], caused_by } } }));
  const other = await startNode(context, () => ({ status: 200 }));
  const client = clientOf(context, [node.url, other.url]);
  const statuses = [];
  for (let times = 0; times < 4; times++) statuses.push((await client.request(READ)).status);
  deepEqual(statuses, [503, 200, 503, 200]);
});

test('a node that does not answer in time is left', async (context) => {
  const slow = await startNode(context, () => 'hang');
  const client = clientOf(context, [slow.url], { timeout: 20 });
  await rejects(client.request(CREATE), /no answer in 20 ms/);
});

test('an answer that is too long is not read to its end, and the node stays in use', async (context) => {
  const node = await startNode(context, () => ({ status: 200, body: { text: 'x'.repeat(5000) } }));
  const client = clientOf(context, [node.url], { maxAnswer: 4000 });
  for (let times = 0; times < 2; times++) equal((await client.request(READ)).status, 413);
  equal(node.received.length, 2);
});

test('all nodes that rest are asked again rather than none', async (context) => {
  let isUp = false;
  const node = await startNode(context, () => (isUp ? { status: 200 } : 'cut'));
  const client = clientOf(context, [node.url]);
  await rejects(client.request(READ), { code: 'SERVER_CLUSTER_UNREACHABLE' });
  isUp = true;
  equal((await client.request(READ)).status, 200);
});

test('credentials are sent, and are in no error and no print of the client', async (context) => {
  const node = await startNode(context, () => ({ status: 401, body: { error: { type: 'security_exception' } } }));
  const auth = { kind: 'basic', username: 'ann', password: 'sesame-7' } as const;
  const client = clientOf(context, [node.url], { auth });
  const error = await client.request(READ).catch((thrown: unknown) => thrown);
  equal(node.received[0]?.authorization, `Basic ${Buffer.from('ann:sesame-7').toString('base64')}`);
  for (const shown of [inspect(error, { depth: 9 }), inspect(client, { depth: 9, showHidden: true })]) {
    equal(shown.includes('sesame-7'), false);
    equal(shown.includes(Buffer.from('ann:sesame-7').toString('base64')), false);
  }
  throws(() => new ClusterClient({ nodes: ['https://ann:sesame-7@host:9200'] }), {
    code: 'SERVER_CLUSTER_ADDRESS',
    message: 'The addresses of the search cluster cannot be used: that of host:9200 holds a password; use "auth".',
  });
});

test('an error of the cluster is named by its type, without words that may quote documents', async (context) => {
  const error = { type: 'mapper_parsing_exception', reason: 'failed to parse: secret' };
  const node = await startNode(context, () => ({ status: 400, body: { error } }));
  await rejects(clientOf(context, [node.url]).json(READ), {
    code: 'SERVER_CLUSTER_REFUSED',
    message: 'The search cluster answers 400 (mapper_parsing_exception) to GET /.',
  });
});

test('requests beyond the limit wait for their turn', async (context) => {
  let [now, most] = [0, 0];
  const second = Promise.withResolvers<void>();
  const node = await startNode(context, async () => {
    most = Math.max(most, ++now);
    if (now === 2) second.resolve();
    await second.promise;
    await pause(5);
    now--;
    return { status: 200 };
  });
  const client = clientOf(context, [node.url], { concurrency: 2 });
  await Promise.all(Array.from({ length: 9 }, () => client.request(READ)));
  deepEqual([node.received.length, most], [9, 2]);
});

test('a role that was withdrawn is an error of the credentials, an index that is blocked is an answer', async (context) => {
  let type = 'security_exception';
  const node = await startNode(context, () => ({ status: 403, body: { error: { type } } }));
  const client = clientOf(context, [node.url]);
  await rejects(client.request(READ), { code: 'SERVER_CLUSTER_DENIED' });
  type = 'cluster_block_exception';
  equal((await client.request(READ)).status, 403);
});

test('a request that waits for its turn ends with its signal, and with the client', async (context) => {
  const arrived = Promise.withResolvers<void>();
  const node = await startNode(context, () => {
    arrived.resolve();
    return 'hang';
  });
  const client = clientOf(context, [node.url], { concurrency: 1, timeout: 2000 });
  const first = rejects(client.request(CREATE), { code: 'SERVER_CLUSTER_UNREACHABLE' });
  await arrived.promise;
  const ending = new AbortController();
  const waiting = client.request({ ...READ, signal: ending.signal });
  const last = client.request(READ);
  ending.abort();
  await rejects(waiting, { name: 'AbortError' });
  client.close();
  await rejects(last, { code: 'SERVER_CLUSTER_UNREACHABLE', message: /its client is closed/ });
  equal(node.received.length, 1);
  await first;
});

test('what another client hears nothing of is neither waited for nor asked, until it answers', async (context) => {
  // A node that answers, too, needs its time for it.
  await withLongerTimes(25, async (timeout) => {
    let isFrozen = true;
    const frozen = await startNode(context, () => (isFrozen ? 'hang' : { status: 200 }));
    const there = await startNode(context, () => ({ status: 200 }));
    const search = { method: 'POST', path: '/photos/_search', isRepeatable: true } as const;
    const watch = clientOf(context, [frozen.url, there.url], { patience: 2 * timeout, timeout });
    const [both, one] = [[frozen.url, there.url], [frozen.url]].map((nodes) =>
      clientOf(context, nodes, { watch, patience: timeout }),
    );
    // Each is asked, and waited for, before anybody knows.
    const waiting = [both!.request(search), rejects(one!.request(search), /: it says nothing\.$/)] as const;
    await watch.request(READ);
    equal((await waiting[0]).status, 200);
    await waiting[1];
    const asked = frozen.received.length;
    await rejects(one!.request(search), { code: 'SERVER_CLUSTER_UNREACHABLE', message: /: it says nothing\.$/ });
    for (let times = 0; times < 4; times++) equal((await both!.request(search)).status, 200);
    equal(frozen.received.length, asked);
    isFrozen = false;
    while (watch.hearsNothingOf(new URL(frozen.url).host)) await watch.request(READ).then(() => pause(20));
    equal((await one!.request(search)).status, 200);
  });
});

test('a node that answers searches is asked while another client waits for a slow change', async (context) => {
  const node = await startNode(context, ({ target }) => (target.startsWith('PUT') ? 'hang' : { status: 200 }));
  const watch = clientOf(context, [node.url], { patience: 1 });
  const searches = clientOf(context, [node.url], { patience: 600_000, watch });
  const change = rejects(watch.request(CREATE), { code: 'SERVER_CLUSTER_UNREACHABLE' });
  while (!watch.hearsNothingOf(new URL(node.url).host)) await pause(1);
  const search = { method: 'POST', path: '/photos/_search', isRepeatable: true } as const;
  for (let times = 0; times < 3; times++) equal((await searches.request(search)).status, 200);
  watch.close();
  await change;
});

test('a look that is not answered in its time is not repeated, and names each node with its reason', async (context) => {
  // The request has to arrive within its time.
  await withLongerTimes(30, async (within) => {
    const silent = await startNode(context, () => 'hang');
    await rejects(clientOf(context, [silent.url]).request({ ...READ, within }), {
      code: 'SERVER_CLUSTER_UNREACHABLE',
      message: new RegExp(`: no answer in ${within} ms\\.$`),
    });
    equal(silent.received.length, 1);
  });
  const busy = await startNode(context, () => ({ status: 503 }));
  const client = clientOf(context, [busy.url, 'http://no-such-host.invalid:9200', busy.url.replace('http', 'https')]);
  await rejects(client.request(READ), {
    message: /^No node of the search cluster answers: 127\S+: .*; no-such-host\.invalid:9200: no such host/,
  });
});

test('a client knows for how long nothing was answered', async (context) => {
  let said: Said = { status: 200 };
  const node = await startNode(context, () => said);
  const client = clientOf(context, [node.url]);
  await client.request(READ);
  equal(client.silence, 0);
  said = 'hang';
  await rejects(client.request({ ...READ, within: 30 }));
  ok(client.silence > 0);
  said = { status: 503 };
  await rejects(client.request(READ));
  ok(client.silence > 0, 'a node that is away has said nothing');
  said = { status: 404 };
  await client.request(READ);
  equal(client.silence, 0);
});

test('the end of a client ends what is under way', async (context) => {
  const arrived = Promise.withResolvers<void>();
  const node = await startNode(context, () => {
    arrived.resolve();
    return 'hang';
  });
  const client = clientOf(context, [node.url]);
  const under = rejects(client.request({ ...READ, within: 600_000 }), { code: 'SERVER_CLUSTER_UNREACHABLE' });
  await arrived.promise;
  client.close();
  await under;
  await rejects(client.request(READ), { message: /its client is closed/ });
  equal(node.received.length, 1);
});

test('work that a silent or full cluster holds up is not waited for', async () => {
  const never = new Promise<never>(() => undefined);
  const stalled = { code: 'SERVER_CLUSTER_STALLED', status: 503 };
  await rejects(
    unlessStalled(never, { silence: SILENCE + 1 }, () => undefined),
    stalled,
  );
  equal(await unlessStalled(pause(120, 'done'), { silence: 0 }, () => 'It takes no writes.'), 'done');
});
