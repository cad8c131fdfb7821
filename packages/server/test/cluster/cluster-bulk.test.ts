// Writes to a search cluster: what is sent again, what is left out, and what ends the writer. The answers are those of Elasticsearch 7.10.2.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  type BulkOptions,
  type BulkResult,
  clusterId,
  type VersionedWrite,
  writeBulk,
} from '../../src/cluster/cluster-bulk.ts';
import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { type FakeNode, type Said, startNode } from './fake-cluster.ts';

interface Item {
  readonly status: number;
  readonly error?: { readonly type: string };
}

interface Action {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly source: unknown;
}

function actionsOf(body: string): readonly Action[] {
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, any>);
  const actions: Action[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [kind, { _id: id, version, version_type: type }] = Object.entries(lines[at]!)[0]!;
    equal(type, 'external_gte');
    actions.push({ kind, id, version, source: kind === 'index' ? lines[++at] : undefined });
  }
  return actions;
}

/** A node that answers each item. */
function bulkNode(context: TestContext, answer: (action: Action, request: number) => Item): Promise<FakeNode> {
  let requests = 0;
  return startNode(context, ({ body }): Said => {
    const request = requests++;
    const items = actionsOf(body).map((action) => ({ [action.kind]: answer(action, request) }));
    return { status: 200, body: { items, errors: true } };
  });
}

async function write(
  context: TestContext,
  node: FakeNode,
  writes: readonly VersionedWrite[],
  options: Partial<BulkOptions> = {},
): Promise<BulkResult> {
  const client = new ClusterClient({ nodes: [node.url] });
  context.after(() => client.close());
  return writeBulk(client, 'photo-W3', writes, { signal: new AbortController().signal, ...options });
}

const put = (key: string, version: number, json = '{"n":1}'): VersionedWrite => ({
  key,
  version,
  source: Buffer.from(json),
});
const gone = (key: string, version: number): VersionedWrite => ({ key, version, source: undefined });
const failed = (status: number, type: string): Item => ({ status, error: { type } });

test('a write carries its version and key, through an alias that must be one', async (context) => {
  const node = await bulkNode(context, ({ kind }) => ({ status: kind === 'index' ? 201 : 404 }));
  const { rejected, superseded, written } = await write(context, node, [
    put('a', 5),
    put('b', 6, ' {} '),
    gone('c', 7),
  ]);
  deepEqual({ rejected, superseded, written }, { rejected: [], superseded: 0, written: 3 });
  equal(node.received[0]?.target, 'POST /photo-W3/_bulk?require_alias=true');
  deepEqual(actionsOf(node.received[0]!.body), [
    { kind: 'index', id: 'a', version: 5, source: { _key: 'a', _order: '\u0001a', n: 1 } },
    { kind: 'index', id: 'b', version: 6, source: { _key: 'b', _order: '\u0001b' } },
    { kind: 'delete', id: 'c', version: 7, source: undefined },
  ]);
});

test('something newer that is there is a success, and is not written again', async (context) => {
  const node = await bulkNode(context, () => failed(409, 'version_conflict_engine_exception'));
  const { superseded, written } = await write(context, node, [put('a', 5)]);
  deepEqual([written, superseded, node.received.length], [0, 1, 1]);
});

test('items without room are sent again, fewer at once, until there is room', async (context) => {
  const full: readonly (readonly [number, string])[] = [
    [429, 'es_rejected_execution_exception'],
    [429, 'circuit_breaking_exception'],
    [403, 'cluster_block_exception'],
  ];
  const pauses: string[] = [];
  const node = await bulkNode(context, ({ id }, request) =>
    id === 'a' || request >= full.length ? { status: 201 } : failed(...full[request]!),
  );
  const onPause = (type: string): void => void pauses.push(type);
  const { written } = await write(context, node, [put('a', 1), put('b', 2)], { onPause });
  equal(written, 2);
  deepEqual(
    pauses,
    full.map(([, type]) => type),
  );
  deepEqual(
    actionsOf(node.received[1]!.body).map(({ id }) => id),
    ['b'],
  );
});

test('an answer that got lost is asked for again with the same versions', async (context) => {
  let isFirst = true;
  const node = await startNode(context, () => {
    if (!isFirst) return { status: 200, body: { items: [{ index: { status: 200 } }] } };
    isFirst = false;
    return 'cut';
  });
  equal((await write(context, node, [put('a', 5)])).written, 1);
  equal(node.received[0]?.body, node.received[1]?.body);
});

test('a document that cannot be taken is named, and what it was before is deleted', async (context) => {
  const node = await bulkNode(context, ({ id, kind }) =>
    id === 'bad' && kind === 'index' ? failed(400, 'mapper_parsing_exception') : { status: 200 },
  );
  const { rejected, written } = await write(context, node, [put('bad', 4), put('good', 5)]);
  deepEqual([written, rejected], [1, [{ key: 'bad', type: 'mapper_parsing_exception' }]]);
  deepEqual(actionsOf(node.received[1]!.body), [{ kind: 'delete', id: 'bad', version: 4, source: undefined }]);
});

test('a request that is too large is halved until one document is left', async (context) => {
  const node = await startNode(context, ({ body }) => {
    const actions = actionsOf(body);
    if (actions.some(({ id, kind }) => id === 'huge' && kind === 'index')) return { status: 413 };
    return { status: 200, body: { items: actions.map(({ kind }) => ({ [kind]: { status: 200 } })) } };
  });
  const { rejected, written } = await write(context, node, [put('a', 1), put('b', 1), put('huge', 1), put('c', 1)]);
  deepEqual([written, rejected], [3, [{ key: 'huge', type: '413' }]]);
});

test('a request that the cluster refuses by no fault of a document ends the writer', async (context) => {
  for (const status of [400, 403, 404, 500]) {
    const node = await startNode(context, () => ({ status, body: { error: { type: 'some_exception' } } }));
    const code = status === 403 ? 'SERVER_CLUSTER_DENIED' : 'SERVER_CLUSTER_REFUSED';
    await rejects(write(context, node, [put('a', 1), gone('b', 2)]), { code }, String(status));
  }
});

test('a document or deletion that the cluster refuses by no fault of its own ends the writer', async (context) => {
  const denied = await bulkNode(context, () => failed(403, 'security_exception'));
  for (const one of [put('a', 1), gone('b', 2)])
    await rejects(write(context, denied, [one]), {
      code: 'SERVER_CLUSTER_REFUSED',
      message: /answers 403 \(security_exception\)/,
    });
  const refused = await bulkNode(context, () => failed(400, 'illegal_argument_exception'));
  await rejects(write(context, refused, [gone('b', 2)]), { code: 'SERVER_CLUSTER_REFUSED' });
});

test('an index that is blocked as a whole is waited for', async (context) => {
  let isBlocked = true;
  const node = await startNode(context, () => {
    if (!isBlocked) return { status: 200, body: { items: [{ delete: { status: 200 } }] } };
    isBlocked = false;
    return { status: 403, body: { error: { type: 'cluster_block_exception' } } };
  });
  equal((await write(context, node, [gone('a', 1)])).written, 1);
});

test('a write without its item in the answer is none that was done', async (context) => {
  for (const items of [[], [{ delete: { status: 200 } }], [{ index: {} }], undefined]) {
    const node = await startNode(context, () => ({ status: 200, body: { items } }));
    await rejects(write(context, node, [put('a', 1)]), { code: 'SERVER_CLUSTER_REFUSED' }, JSON.stringify(items));
  }
});

test('line breaks of a source start no action', async (context) => {
  const node = await bulkNode(context, () => ({ status: 201 }));
  const lines = '{\n"a":\r\n{"delete":{"_id":"victim"}}\n}';
  await write(context, node, [put('a', 1, lines), put('b', 2, `{${'\n'.repeat(99)}}`)]);
  deepEqual(
    actionsOf(node.received[0]!.body).map(({ source }) => source),
    [
      { _key: 'a', _order: '\u0001a', a: { delete: { _id: 'victim' } } },
      { _key: 'b', _order: '\u0001b' },
    ],
  );
});

test('a writer whose alias is gone ends, whether it writes or deletes', async (context) => {
  const missing = await bulkNode(context, () => failed(404, 'index_not_found_exception'));
  await rejects(write(context, missing, [put('a', 1)]), { code: 'SERVER_CLUSTER_FENCED' });
  // A delete with a version would create an index of that name.
  const unnamed = await bulkNode(context, () => failed(400, 'invalid_index_name_exception'));
  await rejects(write(context, unnamed, [gone('a', 1)]), { code: 'SERVER_CLUSTER_FENCED' });
});

test('the wait for room ends with its signal', async (context) => {
  const node = await bulkNode(context, () => failed(429, 'es_rejected_execution_exception'));
  const ending = new AbortController();
  const onPause = (): void => ending.abort();
  await rejects(write(context, node, [put('a', 1)], { signal: ending.signal, onPause }), { name: 'AbortError' });
});

test('long keys have short ids, different for different keys', () => {
  const [long, other] = ['k'.repeat(600), `${'k'.repeat(599)}l`];
  equal(clusterId('short'), 'short');
  equal(Buffer.byteLength(clusterId(long)) <= 512, true);
  equal(clusterId(long) === clusterId(other), false);
  // A row whose key is the id of another.
  equal(clusterId(clusterId(long)) === clusterId(long), false);
});
