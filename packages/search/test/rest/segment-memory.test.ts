// The memory of segments that is shown is that of their content: what searches made of it would tell callers of each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from '../rest/harness.ts';

test('1.3 the memory of segments does not tell what others searched for', async () => {
  const ask = await startRest();
  await load(
    ask,
    'notes',
    Array.from({ length: 2000 }, (_, at) => ({ rank: (at * 7919) % 2000, text: 'red' })),
  );
  const shown = async (): Promise<unknown> => [
    (await ask('GET /_cat/segments?h=size.memory&bytes=b')).text,
    (await ask('GET /notes/_segments')).json.indices.notes.shards['0'][0].segments._0.memory_in_bytes,
    (await ask('GET /notes/_stats/segments')).json.indices.notes.total.segments.memory_in_bytes,
  ];
  const before = await shown();
  await ask('POST /notes/_search', { query: { match: { text: 'red' } }, sort: [{ rank: 'desc' }] });
  await ask('POST /notes/_search', { query: { match: { text: { query: 'rex', fuzziness: 1 } } } });
  assert.deepEqual(await shown(), before);
});
