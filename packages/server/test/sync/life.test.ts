// The life of a database, as an operator lives it: created, written, killed, started again, its schema changed and migrated,
// its index compared, rebuilt and compared again. On both databases.
import { deepEqual, equal, match } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { index } from '../../src/cli/index-command.ts';
import { migrate } from '../../src/cli/migrate.ts';
import { runHere } from '../cli/run-here.ts';
import { freshDatabase } from '../fresh-database.ts';
import { NOTES_SCHEMA, startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { workUntilKilled, writeNotesApp } from './kill-rounds.ts';

/** The second schema: a field more, that is searched, and a field that is read another way. */
const CHANGED = NOTES_SCHEMA.replace(
  'title: String! @search',
  'title: String! @search(analyzer: "english")  mood: String @search(type: "keyword")',
).replace('input CreateNoteInput { title: String!', 'input CreateNoteInput { title: String!  mood: String');

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  test(`the life of a database on ${store}: create, write, crash, restart, change, migrate, verify, rebuild, verify`, async (context) => {
    const url = store === 'SQLite' ? undefined : await freshDatabase();
    if (url?.startsWith('postgres:') === false) return context.skip(url);
    const folder = temporaryFolder(context);
    const data = join(folder, '.lockstitch');
    const config = {
      ...(url === undefined ? {} : { database: { url } }),
      csrf: { enabled: false },
      search: { commitInterval: 20, refreshInterval: 20 },
    };
    writeNotesApp(folder, config);
    const verify = async (): Promise<{ readonly code: number; readonly differences: readonly number[] }> => {
      const { code, out, err } = await runHere(index, ['index', 'verify', folder, '--dry-run', '--json']);
      equal(err.includes('SERVER_') || err.includes('fault'), false, err);
      const reports = (JSON.parse(out) as { verify: { changed: number; missing: number; surplus: number }[] }).verify;
      return { code, differences: reports.map(({ changed, missing, surplus }) => changed + missing + surplus) };
    };
    const nothing = { code: 0, differences: [0, 0] };
    const inStep = async ({ app, call }: TestApp): Promise<void> => {
      const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
      const found = (await call('/notes/_search?size=10000&sort=id', { headers })).json.hits.hits;
      const stored = await app.graph.loadDocuments('Note', { limit: 10_000 });
      deepEqual(
        new Map(found.map((hit: { _id: string; _source: unknown }) => [hit._id, hit._source])),
        new Map(stored.map(({ key, source }) => [key, JSON.parse(source) as unknown])),
      );
    };

    // Created and written, and killed in the middle of it.
    await workUntilKilled(folder, 250, 'writer');
    deepEqual(await verify(), nothing);

    // Started again.
    const again = await startApp(context, { folder, data, config });
    await inStep(again);
    await again.graph('mutation { createNote(input: { title: "two harbours", author: "ada" }) { id } }');
    await inStep(again);
    await again.close();

    // The schema is changed: nothing starts before the database is.
    writeFileSync(join(folder, 'schema.graphql'), CHANGED);
    const migrated = await runHere(migrate, ['migrate', folder]);
    equal(migrated.code, 0, migrated.err);
    match(migrated.out, /mood/);
    const status = await runHere(index, ['index', 'status', folder]);
    match(status.out, /notes .* another schema; the next start rebuilds it/);

    // Started on it, written, and killed again.
    await workUntilKilled(folder, 200, 'writer');
    deepEqual(await verify(), nothing);

    // Rebuilt without a server and beside one.
    const rebuilt = await runHere(index, ['index', 'rebuild', folder, 'notes']);
    equal(rebuilt.code, 0, rebuilt.err);
    match(rebuilt.out, /^notes: [\d,]+ documents, rebuilt\.\n$/);
    deepEqual(await verify(), nothing);
    const last = await startApp(context, { folder, data, config, schema: CHANGED });
    await last.graph('mutation { createNote(input: { title: "harbours", mood: "calm", author: "ada" }) { id } }');
    equal((await runHere(index, ['index', 'rebuild', folder])).code, 0);
    await inStep(last);
    equal((await last.call('/notes/_count?q=title:harbour%20AND%20mood:calm')).json.count, 1);
    deepEqual(await verify(), nothing);
  });
}
