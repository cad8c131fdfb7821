// The child's side of bench/promise/feed.ts: reads the feed of a database that another process writes to, and tells the time
// at which it saw each change.
//   feed-reader.ts FILE
import { createGraph, openSqliteStore, readSchema } from '@lockstitch/graph';
import { WAKE_SCHEMA } from './wake-schema.ts';

const model = readSchema([{ file: 'schema.graphql', text: WAKE_SCHEMA }]);
const { feed } = await createGraph({ model, store: await openSqliteStore({ file: process.argv[2]! }) });
process.on('disconnect', () => process.exit(0));
let position = await feed.head();
process.send!('waiting');
for (;;) {
  await feed.wait(position);
  const seen = performance.timeOrigin + performance.now();
  for (const change of await feed.read(position)) {
    position = change.position;
    process.send!({ position, seen });
  }
}
