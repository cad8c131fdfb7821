// Run by crash.test.ts in a process of its own: writes without pause and says which keys were acknowledged, until killed.
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { openWriting } from '../writing.ts';

const store = await openSqliteStore({ file: process.argv[2]! });
const writing = await openWriting(store);
await writing.run('saveUser(input: { githubLogin: "ann" })');
for (;;) {
  const url = `/${process.pid}/${performance.now()}`;
  const key = await writing.run(
    `postPhoto(input: { name: "p", url: "${url}", postedBy: "ann", taggedUsers: ["ann"] })`,
  );
  // Synchronously, so that the output is written before the process dies.
  writeSync(1, `${String(key)}\n`);
}
