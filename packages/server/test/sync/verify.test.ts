import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { createEngine, fileDirectory, type Index } from '@lockstitch/search';

import type { IndexAction, IndexProgress, IndexResult } from '../../src/sync/index-action.ts';
import { askIndexControl } from '../../src/sync/index-control.ts';
import type { VerifyReport } from '../../src/sync/verify-index.ts';
import { index as indexCommand } from '../../src/cli/index-command.ts';
import { runHere } from '../cli/run-here.ts';
import { freshDatabase } from '../fresh-database.ts';
import { NOTES_SCHEMA, startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

interface Given {
  readonly started: TestApp;
  readonly ask: (action: IndexAction, onProgress?: (progress: IndexProgress) => void) => Promise<IndexResult>;
  readonly verify: (mend: boolean) => Promise<readonly VerifyReport[]>;
  /** Runs SQL behind the server's back: nothing of it reaches the feed. */
  readonly sql: (text: string) => Promise<unknown>;
  readonly options: NonNullable<Parameters<typeof startApp>[1]>;
}

/** Declares a test on an application with 600 notes in a data folder, over the databases named. */
function testOn(
  stores: readonly ('SQLite' | 'PostgreSQL')[],
  name: string,
  body: (context: TestContext, given: Given) => Promise<void>,
): void {
  for (const store of stores) {
    test(`${store}: ${name}`, async (context) => {
      const url = store === 'SQLite' ? undefined : await freshDatabase();
      if (url?.startsWith('postgres:') === false) return context.skip(url);
      const folder = temporaryFolder(context);
      const data = join(folder, 'data');
      const config = url === undefined ? {} : { database: { url } };
      const options = { folder, data, config };
      const started = await startApp(context, options);
      await started.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
      const rows = Array.from({ length: 600 }, (_, index) => ({ title: `note ${index + 1}`, author: 'ada' }));
      await started.app.graph.importRows('Note', [rows]);
      const headers = { 'lockstitch-min-position': String(await started.app.graph.feed.head()) };
      equal((await started.call('/notes/_count', { headers })).json.count, 600);
      const ask: Given['ask'] = async (action, onProgress = () => undefined) =>
        (await askIndexControl(data, action, onProgress))!;
      const verify = async (mend: boolean): Promise<readonly VerifyReport[]> => {
        const result = await ask({ kind: 'verify', indexes: ['notes'], mend });
        return result.kind === 'verify' ? result.reports : [];
      };
      const sql = (text: string): Promise<unknown> =>
        started.app.graph.store.transaction((session) => session.prepare(text).run([]));
      await body(context, { started, ask, verify, sql, options });
    });
  }
}

const BOTH = ['SQLite', 'PostgreSQL'] as const;
const brief = ({ changed, missing, surplus, mended, unsettled }: VerifyReport) => ({
  changed,
  missing,
  surplus,
  mended,
  unsettled,
});
const NOTHING = { changed: 0, missing: 0, surplus: 0, mended: 0, unsettled: 0 };

testOn(BOTH, 'rows changed behind the server are named, left with --dry-run, and repaired', async (_, given) => {
  const { verify, sql, started } = given;
  deepEqual((await verify(true)).map(brief), [NOTHING]);
  await sql(`UPDATE notes SET title = 'whispered' WHERE id = 17`);
  await sql('DELETE FROM notes WHERE id = 300');
  await sql(
    `INSERT INTO notes (id, title, created, author) SELECT 9001, 'smuggled', created, author FROM notes WHERE id = 1`,
  );
  for (const [mend, mended] of [
    [false, 0],
    [false, 0],
    [true, 3],
  ] as const) {
    const [report] = await verify(mend);
    deepEqual(brief(report!), { changed: 1, missing: 1, surplus: 1, mended, unsettled: 0 });
    deepEqual(
      report!.differences.toSorted((a, b) => Number(a.key) - Number(b.key)),
      [
        { index: 'notes', key: '17', kind: 'changed', fields: ['title'] },
        { index: 'notes', key: '300', kind: 'surplus', fields: [] },
        { index: 'notes', key: '9001', kind: 'missing', fields: [] },
      ],
    );
    equal(report!.documents, 600);
    equal(report!.ranges, 3);
  }
  deepEqual((await verify(false)).map(brief), [NOTHING]);
  equal((await started.call('/notes/_count?q=title:whispered')).json.count, 1);
  equal((await started.call('/notes/_count?q=title:smuggled')).json.count, 1);
  equal((await started.call('/notes/_doc/300')).status, 404);
});

testOn(
  BOTH,
  'an embedded object changed behind the server is found in every document that holds it',
  async (_, given) => {
    const { verify, sql } = given;
    await sql(`UPDATE authors SET name = 'Countess' WHERE login = 'ada'`);
    const [report] = await verify(true);
    deepEqual(brief(report!), { ...NOTHING, changed: 600, mended: 600 });
    deepEqual(report!.differences[0]!.fields, ['author.name']);
    deepEqual((await verify(false)).map(brief), [NOTHING]);
  },
);

testOn(
  BOTH,
  'documents lost or added in the index alone are found and repaired, also without a server',
  async (context, given) => {
    const { started, options } = given;
    await started.close();
    const engine = await createEngine({ directory: fileDirectory(join(options.data!, 'search')) });
    const index: Index = engine.index('notes');
    const stray = new TextEncoder().encode('{"id":"7777","title":"stray"}');
    await index.apply([
      { kind: 'delete', id: '20' },
      { kind: 'index', id: '7777', source: stray },
    ]);
    await engine.close();

    const dry = await runHere(indexCommand, [
      'index',
      'verify',
      options.folder!,
      'notes',
      '--dry-run',
      '--data',
      options.data!,
    ]);
    equal(dry.code, 1, dry.err);
    ok(dry.out.includes('600 documents compared in 3 ranges: 2 differences (1 missing, 1 surplus), left as they are.'));
    ok(/missing\s+20\n/.test(dry.out) && /surplus\s+7777\n/.test(dry.out), dry.out);
    const mended = await runHere(indexCommand, ['index', 'verify', options.folder!, '--json', '--data', options.data!]);
    equal(mended.code, 0, mended.err);
    const reports = (JSON.parse(mended.out) as { verify: VerifyReport[] }).verify;
    deepEqual(
      reports.map(({ index: name, mended: count }) => [name, count]),
      [
        ['notes', 2],
        ['authors', 0],
      ],
    );
    const again = await startApp(context, options);
    equal((await again.call('/notes/_doc/20')).status, 200);
    equal((await again.call('/notes/_doc/7777')).status, 404);
  },
);

testOn(BOTH, 'writes that go on while an index is compared are no differences', async (_, { started, verify }) => {
  const stop = new AbortController();
  const writer = (async () => {
    for (let number = 1; !stop.signal.aborted; number++) {
      const id = 1 + (number % 600);
      await started.app.graph.execute({
        query: `mutation { updateNote(id: ${id}, input: { title: "t${number}" }) { id } }`,
      });
    }
  })();
  for (let round = 0; round < 3; round++) {
    const [report] = await verify(false);
    deepEqual([report!.changed, report!.missing, report!.surplus], [0, 0, 0]);
  }
  stop.abort();
  await writer;
});

testOn(
  BOTH,
  'a rebuild goes on aside: searches and writes continue, and open scrolls keep their state',
  async (_, given) => {
    const { started, ask, options } = given;
    const { call, graph } = started;
    const scroll = (await call('/notes/_search?scroll=1m&size=250&sort=id')).json;
    const { uuid } = (await call('/notes/_settings')).json.notes.settings.index;
    const counts = new Set<number>();
    let asked = 0;
    const told: IndexProgress[] = [];
    const rebuilding = ask({ kind: 'rebuild', indexes: ['notes'] }, (progress) => told.push(progress));
    const ended = new AbortController();
    void rebuilding.finally(() => ended.abort());
    while (!ended.signal.aborted) {
      counts.add((await call('/notes/_count?q=author.login:ada')).json.count as number);
      await graph(`mutation { updateNote(id: 1, input: { title: "turn ${asked++}" }) { id } }`);
      await sleep(5);
    }
    deepEqual(await rebuilding, { kind: 'rebuild', reports: [{ index: 'notes', documents: 600 }] });
    deepEqual([...counts], [600]);
    ok(told.every(({ index, total }) => index === 'notes' && total === 600));
    const head = String(await started.app.graph.feed.head());
    const first = await call('/notes/_doc/1', { headers: { 'lockstitch-min-position': head } });
    equal(first.json._source.title, `turn ${asked - 1}`);
    equal((await call('/notes/_settings')).json.notes.settings.index.uuid === uuid, false);
    const rest = (await call('/_search/scroll', { json: { scroll: '1m', scroll_id: scroll._scroll_id } })).json;
    equal(rest.hits.hits.length, 250);
    equal(readdirSync(join(options.data!, 'search')).filter((name) => name.startsWith('notes')).length, 1);
  },
);

test("the control socket belongs to the server's user only, and ends with the server", async (context) => {
  if (process.platform === 'win32') return context.skip('pipes have no modes');
  const data = join(temporaryFolder(context), 'data');
  const started = await startApp(context, { data });
  const files = ['control', 'control.sock'].map((name) => join(data, name));
  deepEqual(
    files.map((file) => statSync(file).mode & 0o777),
    [0o600, 0o600],
  );
  await started.close();
  deepEqual(files.map(existsSync), [false, false]);
});

test('a folder whose path is too long for a socket is reached all the same', async (context) => {
  const data = join(temporaryFolder(context), 'x'.repeat(120), 'data');
  await startApp(context, { data });
  const result = await askIndexControl(data, { kind: 'status' }, () => undefined);
  equal(result?.kind, 'status');
});

test('an invalid index action is rejected with its code', async (context) => {
  const data = join(temporaryFolder(context), 'data');
  await startApp(context, { data });
  const ask = (action: unknown): Promise<unknown> => askIndexControl(data, action as IndexAction, () => undefined);
  const refused = (code: string) => (error: Error & { code?: string }) => error.code === code;
  await rejects(ask({ kind: 'verify', indexes: ['nots'], mend: true }), refused('SERVER_INDEX_UNKNOWN'));
  await rejects(ask({ kind: 'delete' }), refused('SERVER_BAD_ARGUMENTS'));
  await rejects(ask({ kind: 'verify', indexes: 'notes', mend: true }), refused('SERVER_BAD_ARGUMENTS'));
  const results = await Promise.allSettled([
    ask({ kind: 'rebuild', indexes: ['notes'] }),
    ask({ kind: 'rebuild', indexes: ['notes'] }),
  ]);
  deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  ok(results.some((result) => result.status === 'rejected' && refused('SERVER_INDEX_BUSY')(result.reason as Error)));
});

test('while a changed schema builds its index, searches are answered from the former one', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const first = await startApp(context, { folder, data });
  await first.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const rows = Array.from({ length: 3000 }, (_, index) => ({ title: `harbours ${index}`, author: 'ada' }));
  await first.app.graph.importRows('Note', [rows]);
  const headers = { 'lockstitch-min-position': String(await first.app.graph.feed.head()) };
  equal((await first.call('/notes/_count', { headers })).json.count, 3000);
  await first.close();

  const schema = NOTES_SCHEMA.replace('title: String! @search', 'title: String! @search(analyzer: "english")');
  const second = await startApp(context, { folder, data, schema });
  const state = async (): Promise<string> =>
    (await second.app.status()).indexes.find(({ name }) => name === 'notes')!.state;
  equal(await state(), 'stale');
  // The former analyzer knows no stems.
  equal((await second.call('/notes/_count?q=title:harbour')).json.count, 0);
  equal((await second.call('/notes/_count?q=title:harbours')).json.count, 3000);
  await second.graph('mutation { createNote(input: { title: "one more harbour", author: "ada" }) { id } }');
  const latest = { 'lockstitch-min-position': String(await second.app.graph.feed.head()) };
  equal((await second.call('/notes/_count?q=title:harbour', { headers: latest })).json.count, 3001);
  equal(await state(), 'current');
});

test('an index with fields that the new schema hides serves no more searches', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const first = await startApp(context, { folder, data });
  await first.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  await first.close();
  const schema = NOTES_SCHEMA.replace('name: String @search', 'name: String');
  const second = await startApp(context, { folder, data, schema });
  deepEqual(new Set((await second.app.status()).indexes.map((index) => index.state)), new Set(['current']));
  deepEqual((await second.call('/authors/_doc/ada')).json._source, { login: 'ada' });
});

test('an index whose fields are read elsewhere in the new schema serves no more searches', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const schema = `type Author @entity @search(index: "authors") {
      login: ID! @id
      name: String @search @column(name: "one")
      other: String @column(name: "two")
      team: Team
    }
    type Team @entity @search(index: "teams") { id: ID! @id  name: String @search @column(name: "one")  other: String @column(name: "two") }
    type Query { authors: [Author!]! }
    type Mutation { createAuthor(input: AuthorInput!): Author  createTeam(input: TeamInput!): Team }
    input TeamInput { id: ID! name: String other: String }
    input AuthorInput { login: ID! name: String other: String team: ID }`;
  const swapped = (type: string): string =>
    schema.replace(new RegExp(`type ${type} @entity[^}]*`, 'u'), (text) =>
      text.replace('"one"', '"swap"').replace('"two"', '"one"').replace('"swap"', '"two"'),
    );
  const first = await startApp(context, { folder, data, schema });
  await first.graph('mutation { createTeam(input: { id: "1", name: "red", other: "blue" }) { id } }');
  await first.graph(
    'mutation { createAuthor(input: { login: "ada", name: "secret", other: "open", team: "1" }) { login } }',
  );
  await first.close();
  for (const [type, query, before, after] of [
    ['Author', 'name', 'secret', 'open'],
    ['Team', 'team.name', 'red', 'blue'],
  ] as const) {
    const next = await startApp(context, { folder, data, schema: swapped(type) });
    const headers = { 'lockstitch-min-position': String(await next.app.graph.feed.head()) };
    const count = async (value: string): Promise<unknown> =>
      (await next.call(`/authors/_count?q=${query}:${value}`, { headers })).json.count;
    deepEqual([await count(before), await count(after)], [0, 1], type);
    await next.close();
    const back = await startApp(context, { folder, data, schema });
    await back.close();
  }
});

test('a changed read rule rebuilds the indexes to whose documents it applies', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const schemas = [
    NOTES_SCHEMA,
    NOTES_SCHEMA.replace('type Note @entity', 'type Note @entity @auth(read: "isAuthenticated()")'),
    // Notes hold their author.
    NOTES_SCHEMA.replace('type Author @entity', 'type Author @entity @auth(read: "isAuthenticated()")'),
  ];
  const made: (readonly string[])[] = [];
  for (const schema of schemas) {
    const { app, call } = await startApp(context, { folder, data, schema });
    const settings = (await call('/notes,authors/_settings')).json;
    made.push(['notes', 'authors'].map((index) => String(settings[index].settings.index.uuid)));
    await app.close();
  }
  const changed = (at: number) => made[at]!.map((uuid, index) => uuid !== made[at - 1]![index]);
  deepEqual(
    [changed(1), changed(2)],
    [
      [true, false],
      [true, true],
    ],
  );
});
