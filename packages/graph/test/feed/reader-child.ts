// Run by feed.cases.ts in a process of its own: says that it waits, then the key of every change, as soon as it is woken.
import { writeSync } from 'node:fs';
import { systemClock } from '@lockstitch/kernel';
import { createFeed } from '../../src/feed/feed.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';

const feed = createFeed(await openSqliteStore({ file: process.argv[2]! }), systemClock);
// The feed does not keep a process alive.
setInterval(() => undefined, 60_000);
let position = await feed.head();
writeSync(1, 'waiting\n');
for (;;) {
  await feed.wait(position);
  for (const change of await feed.read(position)) {
    position = change.position;
    writeSync(1, `${change.key}\n`);
  }
}
