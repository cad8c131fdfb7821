// Servers of two schemas on one search cluster, as in a rolling deploy: each searches an index of its schema that follows the data, also
// after the server that wrote it was killed, and nobody builds an index that is there.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { SOURCE_FLAGS } from '../../packages/kernel/test/source-flags.ts';
import { ledIndexes } from '../../packages/server/test/cluster/led-indexes.ts';
import { freshDatabase } from '../../packages/server/test/fresh-database.ts';
import type { TestApp } from '../../packages/server/test/start-app.ts';
import { author, caughtUp, note, type Notes, notesOn, type Place, SCHEMA, startPlace } from './cluster-notes.ts';
import { CHOSEN } from './engines.ts';

const SERVER = fileURLToPath(new URL('serving-child.ts', import.meta.url));

const ruled = (rule: string): string => SCHEMA.replace('type Note @entity', `type Note @entity @auth(read: "${rule}")`);
const OLDER = ruled("title != 'secret'");
/** Its rule is another one, so the index of the older schema may not be searched. That of authors is the same one. */
const NEWER = ruled("title != 'secret' and title != 'private'");

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

async function startChild(context: TestContext, { folder }: Notes): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...SOURCE_FLAGS, SERVER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Every index on the cluster that holds documents of an index. */
async function generationsOf({ ask }: Place, { prefix }: Notes, name: string): Promise<readonly string[]> {
  return Object.keys(await ask('GET', `/${prefix}-${name}-*/_alias`)).toSorted();
}

/** Titles that searches find. */
async function titlesOf(app: TestApp): Promise<readonly string[] | number> {
  const { json, status } = await app.call('/notes/_search?size=100');
  if (status !== 200) return status;
  const hits: readonly { readonly _source: { readonly title: string } }[] = json.hits.hits;
  return hits.map(({ _source }) => _source.title).toSorted();
}

const servers = async (context: TestContext): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url) as undefined;
  const users = [{ username: 'user', password: '{noop}correct horse', roles: ['ADMIN'] }];
  return { database: { url }, servers: 'several', users, passwordEncoder: 'delegating' };
};

for (const engine of process.env['ENGINE'] === undefined ? CHOSEN.slice(0, 1) : CHOSEN) {
  test(`servers of two schemas with indexes on ${engine.name}`, async (context) => {
    const place = await startPlace(context, engine);
    if (place === undefined) return;

    await context.test('each follows the data, and what they share is built once', async (inner) => {
      const config = await servers(inner);
      if (config === undefined) return;
      const [first, second, third, again] = notesOn(inner, place, config, [OLDER, OLDER, NEWER, OLDER]);
      const older = second!;
      const leader = await startChild(inner, first!);
      const old = await older.start();
      await author(old);
      const ids = [await note(old, 'one')];
      await caughtUp(old);
      const [notes] = await generationsOf(place, older, 'notes');
      const authors = await generationsOf(place, older, 'authors');

      const fresh = await third!.start();
      const both = [old, fresh];
      /** What somebody writes is found by servers of both schemas. */
      const agree = async (...titles: readonly string[]): Promise<void> => {
        for (const app of both) {
          await caughtUp(app);
          assert.deepEqual(await titlesOf(app), titles.toSorted());
        }
      };
      await agree('one');
      assert.deepEqual(
        await generationsOf(place, older, 'authors'),
        authors,
        'the index that both share is built once',
      );
      assert.equal((await generationsOf(place, older, 'notes')).length, 2);
      assert.deepEqual([await ledIndexes(old), await ledIndexes(fresh)], [[], ['notes']]);

      const write = async (suffix: string): Promise<void> => {
        for (const app of both) ids.push(await note(app, `two ${suffix}`), await note(app, 'shown'));
        const shown = ids.pop();
        await old.graph(`mutation { updateNote(id: ${shown}, input: { title: "secret" }) { id } }`);
        await fresh.graph(`mutation { deleteNote(id: ${ids.pop()}) { id } }`);
        await old.graph(`mutation { updateAuthor(login: "ada", input: { name: "${suffix}" }) { login } }`);
      };
      await write('a');
      await agree('one', 'shown', 'two a');
      assert.equal((await fresh.call('/authors/_search?q=name:a')).json.hits.total.value, 1);
      const searched = (title: string): Promise<unknown> =>
        Promise.all(
          both
            .map(async (app) => (await titlesOf(app)) as readonly string[])
            .map(async (all) => (await all).includes(title)),
        );
      const hidden = await note(old, 'private');
      await Promise.all(both.map((app) => caughtUp(app)));
      assert.deepEqual(await searched('private'), [true, false], 'each by its own rule');
      await old.graph(`mutation { updateNote(id: ${hidden}, input: { title: "public" }) { id } }`);
      await Promise.all(both.map((app) => caughtUp(app)));
      assert.deepEqual(await searched('public'), [true, true]);
      await old.graph(`mutation { deleteNote(id: ${hidden}) { id } }`);

      leader.kill('SIGKILL');
      await write('b');
      await until(async () => (await ledIndexes(old)).length > 0);
      await agree('one', 'shown', 'shown', 'two a', 'two b');
      assert.deepEqual(await generationsOf(place, older, 'authors'), authors);
      const reports = await Promise.all(
        [older, third!].map((notes) => notes.verify(false).catch(({ code }: { readonly code: string }) => code)),
      );
      const found = reports.map((report) =>
        typeof report === 'string'
          ? report
          : report.map(({ changed, missing, surplus }) => changed + missing + surplus),
      );
      assert.ok(
        found.every((each) => each === 'SERVER_CLUSTER_LED' || String(each) === '0,0'),
        String(found),
      );

      await old.app.close();
      // The last server of a schema leads all that is left.
      await until(() =>
        third!.verify(false).then(
          () => true,
          () => false,
        ),
      );
      // Rolled back: its index is still there.
      const back = await again!.start();
      both.splice(0, 2, back, fresh);
      await agree('one', 'shown', 'shown', 'two a', 'two b');
      assert.ok((await generationsOf(place, older, 'notes')).includes(notes!), 'it was not built again');
      await fresh.app.close();
      both.pop();
      ids.push(await note(back, 'last'));
      await agree('last', 'one', 'shown', 'shown', 'two a', 'two b');
      // Nobody has the newer schema any more.
      await until(async () => (await generationsOf(place, older, 'notes')).length === 1);
      assert.deepEqual(await generationsOf(place, older, 'notes'), [notes]);
      await agree('last', 'one', 'shown', 'shown', 'two a', 'two b');
    });

    await context.test('a former index that is searched during the build follows the data', async (inner) => {
      const config = await servers(inner);
      if (config === undefined) return;
      const wider = SCHEMA.replace('author: Author!\n', 'author: Author!  text: String @search\n').replace(
        'input CreateNoteInput {',
        'input CreateNoteInput { text: String ',
      );
      let released: (() => void) | undefined;
      const holds = new Promise<void>((resolve) => (released = resolve));
      const created: string[] = [];
      const url = await startHolding(inner, place.cluster.url, async (target) => {
        if (!/^PUT \/[^/]*-notes-[\da-f]{16}-g[^/]*$/.test(target)) return;
        created.push(target);
        if (created.length > 1) await holds;
      });
      const [first, second] = notesOn(inner, place, { ...config, search: { nodes: [url] } }, [SCHEMA, wider]);
      const old = await first!.start();
      await author(old);
      const ids = [await note(old, 'one'), await note(old, 'two'), await note(old, 'three')];
      await caughtUp(old);
      await old.close();
      const app = await second!.start();
      const state = async (): Promise<unknown> =>
        (await app.app.status()).indexes.find(({ name }) => name === 'notes')!.state;
      assert.deepEqual([await state(), await titlesOf(app)], ['stale', ['one', 'three', 'two']]);
      const headers = { 'lockstitch-wait': '20000' };
      const query = `mutation { a: deleteNote(id: ${ids[1]}) { id }
        b: createNote(input: { title: "four", text: "new", author: "ada" }) { id } }`;
      const written = await app.call('/graphql', { headers, json: { query } });
      assert.equal(written.headers['lockstitch-searchable'], 'true', written.text);
      assert.deepEqual(await titlesOf(app), ['four', 'one', 'three']);
      assert.equal(await state(), 'stale');
      released!();
      await caughtUp(app);
      assert.equal((await app.call('/notes/_search?q=text:new')).json.hits.total.value, 1);
      assert.deepEqual(await titlesOf(app), ['four', 'one', 'three']);
      assert.equal(created.length, 2);
    });
  });
}

/** A proxy before a cluster that holds requests up. */
async function startHolding(
  context: TestContext,
  cluster: string,
  hold: (target: string) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    const { headers, method = 'GET', url = '/' } = request;
    void hold(`${method} ${url}`).then(() => {
      const passed = send(new URL(url, cluster), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => request.socket.destroy());
      request.pipe(passed);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
