// A server whose indexes lie on a cluster, over SQLite and PostgreSQL: what is in the indexes is what the data says, after writes, kills,
// pauses, rebuilds, a busy or a damaged cluster, and what somebody else wrote there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { basic, makeCertificates, startSecureProxy } from '../../packages/server/test/cluster/secure-proxy.ts';
import { ledIndexes } from '../../packages/server/test/cluster/led-indexes.ts';
import { runLine } from '../../packages/server/test/cli/run-here.ts';
import { freshDatabase } from '../../packages/server/test/fresh-database.ts';
import type { Got } from '../../packages/server/test/start-app.ts';
import { workUntilKilled } from '../../packages/server/test/sync/kill-rounds.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { author, caughtUp, differences, NONE, note, notesOn, startPlace } from './cluster-notes.ts';
import { CHOSEN } from './engines.ts';

const SERVER = fileURLToPath(new URL('serving-child.ts', import.meta.url));

const HIDING_SCHEMA = `
  type Note @entity @auth(read: "owner == authentication.name") {
    id: ID!  owner: String! @search  text: String! @search  likes: Int @search
    secret: String @search @auth(read: "hasRole('ADMIN')")
  }
  type Query { searchNotes(query: String!, first: Int = 5, after: String): NoteSearchConnection! }
  type Mutation { createNote(owner: String!, text: String!, likes: Int): Note!  deleteNote(id: ID!): Note }`;
const WORDS = ['red', 'fox', 'stone', 'river', 'old'];

// Two minutes each: all of them where ENGINE names none would take longer than the rest together.
for (const engine of process.env['ENGINE'] === undefined ? CHOSEN.slice(0, 1) : CHOSEN) {
  test(`servers with indexes on ${engine.name}`, async (context) => {
    const place = await startPlace(context, engine);
    if (place === undefined) return;
    const { ask } = place;

    for (const store of ['SQLite', 'PostgreSQL'] as const) {
      const url = store === 'SQLite' ? undefined : await freshDatabase();
      if (url !== undefined && !url.startsWith('postgres:')) continue;
      const database = (address = url): Readonly<Record<string, unknown>> =>
        address === undefined ? {} : { database: { url: address } };

      await context.test(
        `${store}: what is written is searched, and after kills nothing is lost or left`,
        async (inner) => {
          const [notes] = notesOn(inner, place, database());
          for (const after of [300, 900, 1500]) {
            await workUntilKilled(notes!.folder, after, 'writer');
            const app = await notes!.start();
            await caughtUp(app);
            assert.deepEqual(differences(await notes!.verify(false)), NONE);
            await app.close();
          }
          const app = await notes!.start();
          const write = async (mutation: string): Promise<Got> => {
            const headers = { 'lockstitch-wait': '20000' };
            const written = await app.call('/graphql', {
              headers,
              json: { query: `mutation { n: ${mutation} { id } }` },
            });
            assert.equal(written.headers['lockstitch-searchable'], 'true', written.text);
            return written;
          };
          const found = async (word: string): Promise<readonly unknown[]> => {
            const { json, text } = await app.call(`/notes/_search?q=title:${word}`);
            assert.ok(json.hits, text);
            const { searchNotes } = await app.graph(
              `{ searchNotes(query: "${word}") { totalCount nodes { title author { login } } } }`,
            );
            return [json.hits.total.value, searchNotes.totalCount, searchNotes.nodes];
          };
          const { json } = await write('createNote(input: { title: "striped zebra", author: "ada" })');
          assert.deepEqual(await found('zebra'), [1, 1, [{ title: 'striped zebra', author: { login: 'ada' } }]]);
          await write(`updateNote(id: ${json.data.n.id}, input: { title: "striped tapir", author: "bob" })`);
          assert.deepEqual(await found('zebra'), [0, 0, []]);
          assert.deepEqual(await found('tapir'), [1, 1, [{ title: 'striped tapir', author: { login: 'bob' } }]]);
          await write(`deleteNote(id: ${json.data.n.id})`);
          assert.deepEqual(await found('striped'), [0, 0, []]);
          const refused = await app.call('/notes/_search', {
            json: { suggest: { s: { text: 'a', term: { field: 'title' } } } },
          });
          assert.equal(refused.status, 400, refused.text);
          assert.match(refused.text, /search\.engine|SEARCH_NOT_ON_CLUSTER|cluster/);
        },
      );

      if (store === 'PostgreSQL') continue;
      await context.test(
        'what somebody else wrote is found and repaired, and does not keep out later changes',
        async (inner) => {
          const [notes] = notesOn(inner, place, database());
          const app = await notes!.start();
          await author(app);
          for (const title of ['one', 'two', 'three']) await note(app, title);
          await caughtUp(app);
          const before = await notes!.generation('notes');
          for (let round = 0; round < 5; round++)
            await ask('POST', `/${before}/_update/1`, { doc: { title: `planted ${round}` } });
          await ask('DELETE', `/${before}/_doc/2`);
          await ask('PUT', `/${before}/_doc/77`, { title: 'planted' });
          assert.deepEqual(differences(await notes!.verify(false)), [
            [1, 1, 1],
            [0, 0, 0],
          ]);
          const [report] = await notes!.verify(true);
          assert.equal(report!.mended, 3);
          assert.deepEqual(differences(await notes!.verify(false)), NONE);
          await app.graph('mutation { updateNote(id: 1, input: { title: "changed" }) { id } }');
          await caughtUp(app);
          assert.deepEqual(differences(await notes!.verify(false)), NONE);
        },
      );

      await context.test('a deleted index, a moved alias and a rebuild end with the data', async (inner) => {
        const [notes] = notesOn(inner, place, database());
        const lines: string[] = [];
        const app = await notes!.start(lines);
        await author(app);
        await note(app, 'one');
        await caughtUp(app);
        const first = await notes!.generation('notes');
        await notes!.rebuild();
        const second = await notes!.generation('notes');
        assert.notEqual(second, first);
        await ask('DELETE', `/${second}`);
        await note(app, 'two');
        await caughtUp(app, () => lines.filter((line) => line.includes('writes to the search cluster')).length > 1);
        const third = await notes!.generation('notes');
        assert.notEqual(third, second);
        await ask('PUT', '/somebody-elses');
        const alias = first.split('-').slice(0, 3).join('-');
        await ask('POST', '/_aliases', {
          actions: [{ remove: { index: third, alias } }, { add: { index: 'somebody-elses', alias } }],
        });
        while (lines.every((line) => !line.includes('is not the one'))) await pause(50);
        await note(app, 'three');
        await caughtUp(app);
        assert.deepEqual(differences(await notes!.verify(false)), NONE);
        assert.ok((await ask('GET', '/somebody-elses'))['somebody-elses'], 'what is not ours stays');
      });

      await context.test('a cluster that takes no writes is a lag, and not an error of a mutation', async (inner) => {
        const [notes] = notesOn(inner, place, database());
        const app = await notes!.start();
        await author(app);
        await caughtUp(app);
        const generation = await notes!.generation('notes');
        const block = (value: true | null): Promise<unknown> =>
          ask('PUT', `/${generation}/_settings`, { 'index.blocks.read_only_allow_delete': value });
        await block(true);
        await note(app, 'one');
        while ((await app.app.status()).trouble === undefined) await pause(50);
        const { lag, trouble } = await app.app.status();
        assert.equal(lag, 1);
        assert.match(trouble!, /takes no writes/);
        await block(null);
        await caughtUp(app);
        assert.deepEqual(differences(await notes!.verify(false)), NONE);
        assert.equal(await notes!.generation('notes'), generation, 'nothing was rebuilt');
      });

      await context.test(
        'a database that was restored from a copy is noticed, and its index built again',
        async (inner) => {
          const [notes] = notesOn(inner, place, database());
          const lines: string[] = [];
          let app = await notes!.start();
          await author(app);
          await note(app, 'kept');
          await app.close();
          const file = join(notes!.data, 'data.sqlite');
          copyFileSync(file, `${file}.copy`);
          app = await notes!.start();
          await note(app, 'lost');
          await caughtUp(app);
          await app.close();
          copyFileSync(`${file}.copy`, file);
          app = await notes!.start(lines);
          assert.ok(
            lines.some((line) => line.includes('older than its index')),
            lines.join('\n'),
          );
          assert.deepEqual(differences(await notes!.verify(false)), NONE);
        },
      );
    }

    await context.test('behind TLS with a password and an API key all is written and searched', async (inner) => {
      const certificates = makeCertificates();
      if (certificates === undefined) return inner.skip('openssl is not installed');
      const [password, apiKey] = ['sesame-7', 'a2V5OnNlc2FtZS04'];
      const accepted = [basic('ann', password), `ApiKey ${apiKey}`];
      const url = await startSecureProxy(inner, place.cluster.url, certificates.valid, accepted);
      for (const auth of [{ username: 'ann', password }, { apiKey }]) {
        const [notes] = notesOn(inner, place, { search: { nodes: [url], ca: certificates.ca, auth } });
        const lines: string[] = [];
        const app = await notes!.start(lines);
        await author(app);
        await note(app, 'secured');
        await caughtUp(app);
        assert.equal((await app.call('/notes/_search?q=title:secured')).json.hits.total.value, 1);
        assert.deepEqual(differences(await notes!.verify(false)), NONE);
        const printed = lines.join() + (await app.call('/metrics')).text;
        for (const secret of [password, apiKey]) assert.ok(!printed.includes(secret));
      }
    });

    await context.test(
      'policy test --engine finds nothing hidden in the answers, and leaves nothing',
      async (inner) => {
        const users = ['ann', 'bob'].map((username) => ({ username, password: '{noop}x', roles: ['USER'] }));
        const search = { engine: place.kind, nodes: [place.cluster.url], prefix: 'policy' };
        const config = { search, users, passwordEncoder: 'delegating' };
        const folder = temporaryFolder(inner, {
          'schema.graphql': HIDING_SCHEMA,
          'lockstitch.config.mjs': `export default ${JSON.stringify(config)};`,
          'notes.ndjson': Array.from({ length: 30 }, (_, at) => {
            const text = `${WORDS[at % 5]} ${WORDS[(at * 3) % 4]}`;
            return `${JSON.stringify({ owner: ['ann', 'bob', 'cid'][at % 3], text, likes: at, secret: WORDS[at % 3] })}\n`;
          }).join(''),
        });
        const imported = await runLine(['import', folder, 'Note', join(folder, 'notes.ndjson')], {});
        assert.equal(imported.code, 0, imported.err);
        const tested = await runLine(['policy', 'test', folder, '--engine', '--cases', '80', '--seed', '5'], {});
        assert.equal(tested.code, 0, tested.out + tested.err);
        const left = Object.keys(await ask('GET', '/_alias/policy-test*'));
        assert.deepEqual(left, []);
      },
    );

    await context.test(
      'another server takes over from one that is paused, whose late writes change nothing',
      async (inner) => {
        const url = await freshDatabase();
        if (!url.startsWith('postgres:')) return inner.skip(url);
        const users = [{ username: 'user', password: '{noop}correct horse', roles: ['ADMIN'] }];
        const config = { database: { url }, servers: 'several', users, passwordEncoder: 'delegating' };
        const [one, other] = notesOn(inner, place, config, 2);
        const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
        const leader = spawn(process.execPath, [...flags, SERVER, one!.folder], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        inner.after(() => leader.kill('SIGKILL'));
        await once(leader.stdout, 'data');
        const app = await other!.start();
        assert.deepEqual(await ledIndexes(app), []);
        await author(app);
        const ids: string[] = [];
        const write = async (): Promise<void> => {
          for (let count = 0; count < 30; count++) ids.push(await note(app, `n${ids.length}`));
          await app.graph(`mutation { deleteNote(id: ${ids.shift()}) { id } }`);
          await app.graph(`mutation { updateAuthor(login: "ada", input: { name: "a${ids.length}" }) { login } }`);
        };
        for (const isLong of [false, true]) {
          await write();
          leader.kill('SIGSTOP');
          const until = Date.now() + 3000;
          while (isLong ? (await ledIndexes(app)).length === 0 : Date.now() < until) await write();
          if (isLong) await write();
          leader.kill('SIGCONT');
        }
        await write();
        leader.kill('SIGKILL');
        while ((await ledIndexes(app)).length === 0) await pause(100);
        await caughtUp(app);
        assert.deepEqual(differences(await other!.verify(false)), NONE);
      },
    );
  });
}
