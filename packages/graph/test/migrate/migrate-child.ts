// Run by interrupted.cases.ts in a process of its own: says that it begins, then brings a database to the changed schema.
import { readFileSync, writeSync } from 'node:fs';
import { applyMigration, openPostgresStore, openSqliteStore, planMigration } from '../../src/index.ts';
import { modelOf } from '../photo-schema.ts';

const [place, schema, file] = process.argv.slice(2) as [string, string, string];
const store = schema === '' ? await openSqliteStore({ file: place }) : await openPostgresStore({ url: place, schema });
const model = modelOf(readFileSync(file, 'utf8'));
const { steps } = await planMigration(model, store);
// Synchronously, so that it is out when the process dies.
writeSync(1, 'begin\n');
await applyMigration(model, store, { allow: steps.map(({ name }) => name) });
writeSync(1, 'done\n');
await store.close();
