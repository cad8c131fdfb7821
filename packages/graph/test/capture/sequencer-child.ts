// Run by random-writes.cases.ts in a process of its own: moves changes of others into the feed until killed.
import { writeSync } from 'node:fs';
import { readSchema } from '../../src/schema/read-schema.ts';
import { createGraph } from '../../src/execute/create-graph.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';

const [address = '', schema = '', text = ''] = process.argv.slice(2);
const store =
  schema === '' ? await openSqliteStore({ file: address }) : await openPostgresStore({ url: address, schema });
const graph = await createGraph({ model: readSchema([{ file: 'test.graphql', text }]), store, migrates: false });
graph.sequencer?.start();
writeSync(1, 'ready\n');
setInterval(() => undefined, 1000);
