// What others are told while a write waits for the disk that may still refuse it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createEngine, createRestApi, type Directory, fileDirectory } from '@lockstitch/search';
import { until } from '../../../kernel/test/until.ts';
import { type Ask, type Reply, startRest } from './harness.ts';

/** Lets the syncs of logs wait, and fail with an error. */
interface Gate {
  open: Promise<Error | undefined> | undefined;
  /** Called when a sync waits. */
  waits: () => void;
}

function gated(inner: Directory, gate: Gate): Directory {
  return {
    ...inner,
    directory: async (name) => gated(await inner.directory(name), gate),
    async openAppend(name, size) {
      const file = await inner.openAppend(name, size);
      return {
        get size() {
          return file.size;
        },
        append: (bytes) => file.append(bytes),
        overwrite: (bytes, position) => file.overwrite!(bytes, position),
        resize: (bytes) => file.resize!(bytes),
        close: () => file.close(),
        async sync() {
          if (gate.open !== undefined) gate.waits();
          const error = await gate.open;
          if (error !== undefined) throw error;
          await file.sync();
        },
      };
    },
  };
}

/** Requests that read what is being written, or that it decides about. */
const READS: readonly (readonly [string, unknown?])[] = [
  ['GET /i/_doc/old'],
  ['GET /i/_doc/new'],
  ['GET /i/_doc/gone'],
  ['HEAD /i/_doc/new'],
  ['HEAD /i/_doc/gone'],
  ['GET /i/_doc/old?version=1'],
  ['GET /i/_doc/old?version=2'],
  ['GET /i/_source/old'],
  ['GET /i/_source/gone'],
  ['GET /i/_mget', { ids: ['old', 'new', 'gone'] }],
  ['GET /i/_termvectors/old?fields=text'],
  ['GET /i/_termvectors/new'],
  ['GET /i/_mtermvectors', { ids: ['old', 'gone'] }],
  ['GET /i/_search', { query: { terms: { text: { index: 'i', id: 'old', path: 'words' } } } }],
  ['GET /i/_count', { query: { match: { text: 'refused' } } }],
  ['POST /i/_update/old', { doc: { text: 'refused' } }],
  ['POST /i/_update/gone', { doc: { text: 'kept' } }],
  ['PUT /i/_create/new', { text: 'mine' }],
  ['PUT /i/_doc/old?if_seq_no=0&if_primary_term=1', { text: 'mine' }],
  ['PUT /i/_doc/old?if_seq_no=77&if_primary_term=1', { text: 'mine' }],
  ['PUT /i/_doc/old?version=2&version_type=external', { text: 'mine' }],
  ['DELETE /i/_doc/gone?if_seq_no=1&if_primary_term=1'],
  ['POST /_bulk', [{ create: { _index: 'i', _id: 'new' } }, { text: 'mine' }]],
  ['POST /_bulk', [{ update: { _index: 'i', _id: 'old', _source: true } }, { doc: { text: 'refused' } }]],
];

async function start(context: TestContext): Promise<{ readonly ask: Ask; readonly gate: Gate }> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'refused-'));
  const gate: Gate = { open: undefined, waits: () => undefined };
  const engine = await createEngine({ directory: gated(fileDirectory(folder), gate) });
  const rest = createRestApi(engine);
  context.after(async () => {
    rest.close();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = await startRest(rest);
  await ask('PUT /i', { settings: { refresh_interval: -1 } });
  await ask('PUT /i/_doc/old', { text: 'kept', words: ['kept'] });
  await ask('PUT /i/_doc/gone?refresh=true', { text: 'kept', words: ['kept'] });
  return { ask, gate };
}

/** Starts a write; resolves when it waits for the disk. */
async function startWriting(
  ask: Ask,
  gate: Gate,
): Promise<{ readonly writing: Promise<Reply>; readonly end: (error: Error | undefined) => void }> {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  const waits = Promise.withResolvers<void>();
  gate.open = promise;
  gate.waits = waits.resolve;
  const writing = ask('POST /_bulk', WRITE);
  await waits.promise;
  const end = (error: Error | undefined): void => {
    gate.open = undefined;
    resolve(error);
  };
  return { writing, end };
}

const WRITE = [
  { index: { _index: 'i', _id: 'old' } },
  { text: 'refused', words: ['refused'] },
  { index: { _index: 'i', _id: 'new' } },
  { text: 'refused' },
  { delete: { _index: 'i', _id: 'gone' } },
];

const untimed = (text: string): string =>
  text.replaceAll(/"took":\d+/g, '"took":0').replaceAll(/"index_uuid":"[^"]*"/g, '"index_uuid":""');

/** What two runs of a request have in common: its answer without times and identities. */
const answerOf = ({ status, text }: Reply): string => `${status} ${untimed(text)}`;

test('4.8 nothing is told of a write before it can no longer be refused', async (context) => {
  for (const [target, body] of READS) {
    const { ask, gate } = await start(context);
    const isRead = /GET|HEAD/.test(target);
    const before = isRead ? answerOf(await ask(target, body)) : undefined;
    const { writing, end } = await startWriting(ask, gate);
    const asked = ask(target, body);
    const stats = ask('GET /i/_stats');
    const refreshed = ask('POST /i/_refresh');
    await new Promise((done) => setTimeout(done, 2));
    end(Object.assign(new Error('ENOSPC: no space left on device, fsync'), { code: 'ENOSPC' }));
    assert.equal((await writing).status, 503, (await writing).text);
    const reply = await asked;
    const isRefused = reply.status === 503 || /"status":503|no space left/.test(reply.text);
    assert.ok(isRefused || answerOf(reply) === before, `${target}: ${reply.text}`);
    assert.doesNotMatch(untimed(reply.text), /"refused"|"_version":2/, target);
    assert.equal((await stats).json._all.primaries.docs.count, 2);
    await refreshed;
    if (!isRead) continue;
    // Once the index takes writes again it is as before.
    await until(
      async () => answerOf(await ask(target, body)) === before,
      () => `${target} is not as before`,
    );
  }
});

test('4.8 what waits for the disk is answered as the write left it', async (context) => {
  for (const [target, body] of READS) {
    const { ask, gate } = await start(context);
    const { writing, end } = await startWriting(ask, gate);
    const asked = ask(target, body);
    await new Promise((done) => setTimeout(done, 2));
    end(undefined);
    assert.equal((await writing).json.errors, false);
    const { ask: other } = await start(context);
    await other('POST /_bulk', WRITE);
    // A search sees the last refresh; a terms lookup does not wait.
    if (/_search|_count/.test(target)) continue;
    assert.equal(answerOf(await asked), answerOf(await other(target, body)), target);
  }
});

test('4.8 a write that builds on a refused one is refused, also when a commit came between them', async (context) => {
  const { ask, gate } = await start(context);
  const { writing, end } = await startWriting(ask, gate);
  const flushing = ask('POST /i/_flush');
  const translog = async (): Promise<number> =>
    (await ask('GET /i/_stats')).json._all.primaries.translog.operations as number;
  // The commit has begun the next log.
  while ((await translog()) > 0) await new Promise((done) => setImmediate(done));
  const update = ask('POST /_bulk', [{ update: { _index: 'i', _id: 'old' } }, { doc: { more: 1 } }]);
  while ((await translog()) === 0) await new Promise((done) => setImmediate(done));
  end(Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' }));
  const statuses = [await writing, await update, await flushing].map(({ status }) => status);
  assert.deepEqual(statuses, [503, 503, 503]);
  await until(
    async () => (await ask('PUT /i/_doc/healed', { text: 'kept' })).status === 201,
    () => 'no writes are taken',
  );
  const found = await ask('GET /i/_mget', { ids: ['old', 'new', 'gone'] });
  assert.deepEqual(
    found.json.docs.map((doc: { _source?: unknown }) => doc._source),
    [{ text: 'kept', words: ['kept'] }, undefined, { text: 'kept', words: ['kept'] }],
  );
});
