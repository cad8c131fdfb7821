// One damaged file takes one index away: it is red by name, everything else is served, and it can be deleted.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createEngine, createRestApi, type Engine, fileDirectory } from '@lockstitch/search';
import { type Ask, ids, load, startRest } from './harness.ts';

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'red-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(
  folder: string,
): Promise<{ readonly engine: Engine; readonly ask: Ask; readonly close: () => Promise<void> }> {
  const engine = await createEngine({ directory: fileDirectory(folder) });
  const rest = createRestApi(engine);
  const close = async (): Promise<void> => {
    rest.close();
    await engine.close();
  };
  return { engine, ask: await startRest(rest), close };
}

/** Two indices with an alias over both, and a template. */
async function filled(folder: string): Promise<void> {
  const { ask, close } = await open(folder);
  for (const index of ['bad', 'good']) {
    await load(
      ask,
      index,
      Array.from({ length: 5 }, () => ({ text: index })),
    );
    await ask(`PUT /${index}/_alias/both`);
    await ask(`POST /${index}/_flush`);
    // A deletion in a file of its own, and a write in the log.
    await load(ask, index, [{ text: 'again' }]);
    await ask(`POST /${index}/_flush`);
  }
  await ask('PUT /bad/_alias/alone');
  await ask('PUT /_template/t', { index_patterns: 'new*', settings: { number_of_replicas: 1 } });
  await close();
}

function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 0x20;
  writeFileSync(file, bytes);
}

test('4.4 whichever file of an index is damaged, the others are served, and it is red by name', async (context) => {
  const folder = temporary(context);
  await filled(folder);
  const inner = join(folder, 'bad');
  const files = readdirSync(inner);
  assert.ok(
    ['manifest', '.seg', '.live', '.log'].every((part) => files.some((name) => name.endsWith(part))),
    files.join(),
  );
  for (const file of files) {
    const whole = readFileSync(join(inner, file));
    // Compressed sources are read when they are asked for.
    if (file.endsWith('.seg')) writeFileSync(join(inner, file), whole.subarray(0, whole.length - 1));
    else damage(join(inner, file));
    const { ask, close } = await open(folder);
    assert.match((await ask('GET /_cat/indices?h=health,index&s=index')).text, /^red +bad *\nyellow +good/, file);
    assert.equal((await ask('GET /good/_doc/1')).status, 200);
    await close();
    writeFileSync(join(inner, file), whole);
  }
  const { ask, close } = await open(folder);
  assert.equal((await ask('GET /_cluster/health')).json.status, 'yellow');
  assert.equal((await ask('GET /bad/_search')).json.hits.total.value, 5);
  await close();
});

test('4.4 a damaged index is refused as a red one of Elasticsearch is, by name, wildcard and alias, until it is deleted', async (context) => {
  const folder = temporary(context);
  await filled(folder);
  const inner = join(folder, 'bad');
  const segment = readdirSync(inner).find((name) => name.endsWith('.seg'))!;
  writeFileSync(join(inner, segment), 'nothing of a segment');
  const { ask, close } = await open(folder);

  for (const [target, body] of [
    ['GET /bad/_doc/1'],
    ['PUT /bad/_doc/1', { text: 'x' }],
    ['PUT /alone/_doc/1', { text: 'x' }],
    ['POST /bad/_update/1', { doc: { text: 'x' } }],
    ['DELETE /bad/_doc/1'],
    ['GET /bad/_mapping'],
    ['PUT /bad/_mapping', { properties: { more: { type: 'keyword' } } }],
    ['POST /bad/_refresh'],
    ['POST /bad/_delete_by_query', { query: { match_all: {} } }],
    ['POST /_all/_delete_by_query', { query: { match_all: {} } }],
    ['POST /bad/_pit?keep_alive=1m'],
  ] as const) {
    const refused = await ask(target, body);
    assert.equal(refused.status, 503, `${target} ${refused.text}`);
    assert.equal(refused.json.error.type, 'no_shard_available_action_exception', target);
    assert.match(refused.json.error.reason, /\[bad\]/, target);
    assert.ok(!refused.text.includes(folder), target);
  }
  for (const target of [
    'GET /bad/_search',
    'GET /alone/_search',
    'GET /bad/_count',
    'GET /ba*/_search',
    'GET /_search?allow_partial_search_results=false',
  ]) {
    const { status, json } = await ask(target);
    assert.equal(status, 503, target);
    assert.deepEqual([json.error.type, json.error.reason], ['search_phase_execution_exception', 'all shards failed']);
    assert.equal(json.error.failed_shards[0].index, 'bad');
  }
  for (const target of ['GET /_search', 'GET /both/_search', 'GET /bad,good/_search', 'GET /*/_search?scroll=1m']) {
    const found = await ask(target);
    assert.equal(found.status, 200, target);
    assert.deepEqual(ids(found).sort(), ['1', '2', '3', '4', '5'], target);
    const { failures, ...shards } = found.json._shards;
    assert.deepEqual(shards, { total: 2, successful: 1, skipped: 0, failed: 1 });
    assert.equal(failures[0].index, 'bad');
  }
  const counted = await ask('GET /_count');
  assert.deepEqual([counted.json.count, counted.json._shards.failed], [5, 1]);
  const bulk = await ask('POST /_bulk', [
    { index: { _index: 'bad', _id: '9' } },
    { text: 'x' },
    { index: { _index: 'good', _id: '9' } },
    { text: 'x' },
  ]);
  assert.deepEqual(
    bulk.json.items.map((item: { index: { status: number } }) => item.index.status),
    [503, 201],
  );
  const several = await ask('POST /_msearch', [{ index: 'bad' }, {}, { index: 'good' }, {}]);
  assert.deepEqual(
    several.json.responses.map((each: { status: number }) => each.status),
    [503, 200],
  );

  const health = (await ask('GET /_cluster/health?level=indices')).json;
  assert.deepEqual([health.status, health.unassigned_shards, health.active_shards], ['red', 2, 1]);
  assert.deepEqual([health.indices.bad.status, health.indices.good.status], ['red', 'yellow']);
  assert.equal((await ask('GET /_cluster/health/good')).json.status, 'yellow');
  assert.equal((await ask('GET /_cluster/health/bad?wait_for_status=yellow')).status, 408);
  assert.match((await ask('GET /_cat/shards?h=index,state')).text, /bad +UNASSIGNED/);
  assert.match((await ask('GET /_cat/health?h=status,unassign')).text, /^red +2/);
  assert.equal((await ask('HEAD /bad')).status, 200);

  const taken = await ask('PUT /bad');
  assert.deepEqual([taken.status, taken.json.error.type], [400, 'resource_already_exists_exception']);
  assert.equal((await ask('PUT /alone')).status, 400);
  assert.equal((await ask('DELETE /bad')).status, 200);
  assert.equal((await ask('HEAD /bad')).status, 404);
  assert.equal((await ask('GET /_cluster/health')).json.status, 'yellow');
  assert.equal((await ask('PUT /bad/_doc/1?refresh', { text: 'new' })).status, 201);
  assert.equal((await ask('GET /_search')).json._shards.failed, 0);
  await close();
});

test('4.4 damaged templates and settings are refused where they count, and everything else is served', async (context) => {
  const folder = temporary(context);
  await filled(folder);
  const file = join(folder, 'metadata');
  const before = readFileSync(file);
  damage(file);
  const whole = readFileSync(file);
  await checkWithoutMetadata(folder);
  assert.deepEqual(readFileSync(file), whole);
  for (const bytes of ['', before.subarray(0, 20)]) {
    writeFileSync(file, bytes);
    await checkWithoutMetadata(folder);
  }
  writeFileSync(file, before);
  const { ask, close } = await open(folder);
  assert.deepEqual([(await ask('GET /_template/t')).status, (await ask('GET /')).status], [200, 200]);
  await close();
});

test('4.3 a removed file of templates and settings is noticed, until it is given up or restored', async (context) => {
  const folder = temporary(context);
  await filled(folder);
  const file = join(folder, 'metadata');
  const before = readFileSync(file);
  rmSync(file);
  for (let start = 0; start < 2; start++) {
    await checkWithoutMetadata(folder);
    assert.equal(existsSync(file), false);
  }
  writeFileSync(file, before);
  const restored = await open(folder);
  assert.equal((await restored.ask('GET /_template/t')).status, 200);
  await restored.close();
  writeFileSync(file, '{}\n');
  for (let start = 0; start < 2; start++) {
    const { ask, close } = await open(folder);
    assert.equal((await ask('GET /_cluster/health')).json.status, 'yellow');
    assert.equal((await ask('GET /_template/t')).status, 404);
    if (start === 1) assert.equal((await ask('PUT /_template/t', { index_patterns: 'z' })).status, 200);
    await close();
  }
  rmSync(file);
  await checkWithoutMetadata(folder);
});

/** Everything but templates and settings is served. */
async function checkWithoutMetadata(folder: string): Promise<void> {
  const { ask, close } = await open(folder);
  assert.equal((await ask('GET /both/_search')).json.hits.total.value, 10);
  assert.equal((await ask('PUT /good/_doc/1', { text: 'x' })).status, 200);
  assert.equal((await ask('GET /_cluster/health')).json.status, 'red');
  // An index that a template should have shaped would be another one.
  for (const target of [
    'PUT /new1',
    'PUT /new1/_doc/1',
    'GET /_template/t',
    'PUT /_template/u',
    'PUT /_cluster/settings',
  ]) {
    const settings = { persistent: { 'search.max_buckets': 10 } };
    const body = target.includes('settings') ? settings : target.includes('_doc') ? { a: 1 } : { index_patterns: 'z' };
    const refused = await ask(target, target.startsWith('GET') || target === 'PUT /new1' ? undefined : body);
    assert.equal(refused.status, 503, `${target} ${refused.text}`);
    assert.match(refused.json.error.reason, /\[metadata\] is damaged/, target);
  }
  await close();
}

test('4.5 documents that are damaged in a file are told once, the rest is served and written, and merges leave them alone', async (context) => {
  const folder = temporary(context);
  const lines: string[] = [];
  const told: string[] = [];
  const begin = await open(folder);
  await load(
    begin.ask,
    'own',
    Array.from({ length: 3000 }, (_, at) => ({ n: at, text: randomBytes(40).toString('hex') })),
  );
  await begin.close();
  const inner = join(folder, 'own');
  const segment = readdirSync(inner).find((name) => name.endsWith('.seg'))!;
  const bytes = readFileSync(join(inner, segment));
  const table = bytes.readDoubleLE(bytes.length - 28);
  const { sections } = JSON.parse(bytes.subarray(table, table + bytes.readUInt32LE(bytes.length - 20)).toString()) as {
    readonly sections: readonly { readonly name: string; readonly offset: number; readonly bytes: number }[];
  };
  const sources = sections.find(({ name }) => name === 'sources')!;
  // In the first of several blocks.
  bytes[sources.offset + 100]! ^= 0x20;
  writeFileSync(join(inner, segment), bytes);

  for (const maxTurn of [Infinity, 0]) {
    lines.length = 0;
    told.length = 0;
    const engine = await createEngine({
      directory: fileDirectory(folder),
      log: { write: (level, message) => void (level === 'error' && lines.push(message)) },
      onDamage: (index) => void told.push(index),
    });
    const rest = createRestApi(engine, { maxTurn });
    const ask = await startRest(rest);
    for (let time = 0; time < 3; time++) {
      const bad = await ask('GET /own/_search', { query: { term: { n: 0 } } });
      assert.deepEqual([bad.status, bad.json.error.type], [503, 'corrupt_index_exception']);
      assert.ok(!bad.text.includes(folder));
    }
    assert.equal((await ask('GET /own/_doc/1')).status, 503);
    assert.equal((await ask('GET /own/_doc/2999')).status, 200);
    assert.equal(
      (await ask('GET /own/_search', { query: { range: { n: { gte: 2990, lt: 3000 } } } })).json.hits.hits.length,
      10,
    );
    for (let at = 0; at < 25; at++) await ask(`PUT /own/_doc/new${at}?refresh=true`, { n: 5000 + at });
    assert.equal((await ask('GET /own/_count')).json.count, 3025);
    assert.ok(engine.index('own').stats().segments < 20);
    assert.deepEqual([lines, told], [['A file of a search index is damaged.'], ['own']]);
    assert.equal((await ask('GET /_cluster/health')).json.status, 'red');
    assert.match((await ask('GET /_cat/indices?h=health')).text, /red/);
    rest.close();
    await engine.close();
  }
});
