// The process that `killRounds` kills: writes batches of documents for ever and tells the parent which ones were acknowledged.
import { fileDirectory } from '../../src/directory/file.ts';
import { memoryDirectory } from '../../src/directory/memory.ts';
import { openTestEngine, deleting, indexing } from './test-index.ts';

const [folder = '', startAt = '0', where = 'here'] = process.argv.slice(2);
// A small buffer goes to the flush thread at almost every refresh. The thread is started first: the parent does not wait that long.
const bufferBytes = where === 'threads' ? 8 : undefined;
if (bufferBytes !== undefined) {
  const other = await (await openTestEngine(memoryDirectory(), { bufferBytes })).createIndex('other');
  await other.apply([indexing('1', { text: 'starts the thread' })]);
  await other.refresh();
}
const engine = await openTestEngine(fileDirectory(folder), { bufferBytes });
const index = engine.has('kill')
  ? engine.index('kill')
  : await engine.createIndex('kill', { settings: { refreshInterval: 2 } });
process.send!({ kind: 'ready' });
for (let batch = Number(startAt); ; batch++) {
  // Every document says which batch wrote it last; one in ten batches deletes instead.
  const keys = [batch % 50, (batch * 7) % 50, 50 + (batch % 500)];
  const operations = keys.map((key) =>
    batch % 10 === 9 ? deleting(String(key)) : indexing(String(key), { text: `batch ${batch}`, n: batch }),
  );
  process.send!({ kind: 'begun', batch });
  await index.apply(operations, { position: batch + 1 });
  process.send!({ kind: 'acknowledged', batch });
  if (batch % 23 === 0) index.commit().catch(() => undefined);
  if (batch % 61 === 0) index.forceMerge().catch(() => undefined);
}
