// Deletions and updates by query: what they take is exactly what was asked for.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, load, startRest } from './harness.ts';

async function filled(ask?: Ask): Promise<Ask> {
  const filled = ask ?? (await startRest());
  const documents = Array.from({ length: 25 }, (_, n) => ({
    n,
    text: n % 5 === 0 ? 'quick fox' : 'lazy dog',
    other: 'fox',
  }));
  await load(filled, 'notes', documents);
  return filled;
}

test('the parameters beside q decide what a deletion by query takes', async () => {
  const ask = await filled();
  const deleted = await ask('POST /notes/_delete_by_query?q=fox+dog&df=text&default_operator=AND');
  equal(deleted.json.deleted, 0, deleted.text);
  equal(
    (await ask('POST /notes/_delete_by_query?refresh=true&q=quick+fox&df=text&default_operator=AND')).json.deleted,
    5,
  );
  equal((await ask('GET /notes/_count')).json.count, 20);
});

test('a query of null deletes nothing: it asks nothing', async () => {
  const ask = await filled();
  const refused = await ask('POST /notes/_delete_by_query', { query: null });
  equal(refused.status, 400, refused.text);
  match(refused.text, /Unknown key for a VALUE_NULL in \[query\]/);
  equal((await ask('GET /notes/_count')).json.count, 25);
});

test('work is done in batches of scroll_size, and ends after max_docs or after terminate_after of each index', async () => {
  const ask = await filled();
  const all = await ask('POST /notes/_update_by_query?refresh=true&scroll_size=10');
  deepEqual([all.json.total, all.json.updated, all.json.batches], [25, 25, 3], all.text);
  const some = await ask('POST /notes/_delete_by_query?refresh=true&max_docs=12&scroll_size=5', {
    query: { match_all: {} },
  });
  deepEqual([some.json.deleted, some.json.batches], [12, 3]);
  const few = await ask('POST /notes/_delete_by_query?refresh=true&terminate_after=4', { query: { match_all: {} } });
  equal(few.json.deleted, 4);
  equal((await ask('GET /notes/_count')).json.count, 9);
});

test('the first conflict ends the work and is told, or is counted with conflicts=proceed', async () => {
  const ask = await filled();
  // Written again since the search's state was made.
  await ask('PUT /notes/_doc/3', { n: -1 });
  const stopped = await ask('POST /notes/_update_by_query?scroll_size=5');
  equal(stopped.status, 409, stopped.text);
  deepEqual([stopped.json.version_conflicts, stopped.json.total, stopped.json.updated], [1, 25, 4]);
  deepEqual(
    [stopped.json.failures[0].id, stopped.json.failures[0].cause.type],
    ['3', 'version_conflict_engine_exception'],
  );
  const ask2 = await filled();
  await ask2('PUT /notes/_doc/3', { n: -1 });
  const counted = await ask2('POST /notes/_delete_by_query', { query: { match_all: {} }, conflicts: 'proceed' });
  deepEqual([counted.status, counted.json.version_conflicts, counted.json.deleted], [200, 1, 24], counted.text);
});

test('what these requests cannot do is refused by name before anything is written', async () => {
  const ask = await filled();
  for (const [query, word] of [
    ['sort=n', /\[sort\] in an update by query is not supported/],
    ['from=2', /from is not supported in this context/],
    ['requests_per_second=0', /must be a float greater than 0. Use -1 to disable throttling/],
    ['slices=0', /\[slices\] must be a positive integer or the string .*auto.*, but was \[0\]/],
    ['scroll_size=0', /\[size\] cannot be \[0\] in a scroll context/],
    ['max_docs=0', /\[max_docs\] should be >= \[slices\]/],
    ['max_docs=-1', /\[max_docs\] parameter cannot be negative, found \[-1\]/],
    ['conflicts=nope', /conflicts may only be .*proceed.* or .*abort.* but was \[nope\]/],
    ['track_scores=true', /unrecognized parameter: \[track_scores\]/],
  ] as const) {
    const refused = await ask(`POST /notes/_update_by_query?${query}`);
    equal(refused.status, 400, query);
    match(refused.text, word);
  }
  equal((await ask('GET /notes/_doc/1')).json._version, 1);
});

test('finding the documents is done in a thread where it takes longer than a turn', async () => {
  const rest = createRestApi(await createEngine(), { maxTurn: 0 });
  const ask = await filled(await startRest(rest));
  const deleted = await ask('POST /notes/_delete_by_query?refresh=true', { query: { match: { text: 'fox' } } });
  equal(deleted.json.deleted, 5, deleted.text);
  const copied = await ask('POST /_reindex?refresh=true', {
    source: { index: 'notes', size: 7 },
    dest: { index: 'copy' },
  });
  deepEqual([copied.json.created, copied.json.batches], [20, 3], copied.text);
  rest.close();
});
