// What each processor of a pipeline makes of a document: answers of Elasticsearch 7.10.2 to `_simulate`, a line each.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATE_PROCESSORS } from '../../src/ingest/date-processors.ts';
import { FIELD_PROCESSORS } from '../../src/ingest/field-processors.ts';
import { FLOW_PROCESSORS } from '../../src/ingest/flow-processors.ts';
import { PARSING_PROCESSORS } from '../../src/ingest/parsing-processors.ts';
import { TEXT_PROCESSORS } from '../../src/ingest/text-processors.ts';
import { startRest } from '../rest/harness.ts';

const LINES = readFileSync(join(import.meta.dirname, 'processors.jsonl'), 'utf8')
  .trim()
  .split('\n');

/** An answer of `_simulate` in few words. */
function shorten(json: any): unknown {
  if (json.error !== undefined) return { refused: [json.error.type, json.error.reason] };
  const [answer] = json.docs;
  if (answer === null) return { dropped: true };
  if (answer.error !== undefined) return { failed: [answer.error.type, answer.error.reason] };
  const { _source: source, _ingest, _type, _index, _id, ...others } = answer.doc;
  const { timestamp: _, ...ingest } = _ingest;
  const meta = { ...(_index === '_index' ? {} : { _index }), ...(_id === '_id' ? {} : { _id }), ...others };
  if (!('_id' in answer.doc)) delete meta._id;
  return {
    source,
    ...(Object.keys(meta).length > 0 ? { meta } : {}),
    ...(Object.keys(ingest).length > 0 ? { ingest } : {}),
  };
}

test('each processor changes, refuses and drops documents as Elasticsearch does', async () => {
  const ask = await startRest();
  assert.ok(LINES.length > 150);
  for (const line of LINES) {
    const [, processors, document] = /^\{"processors":(\[.*\]),"document":(.*),"answer":/.exec(line)!;
    const { answer } = JSON.parse(line);
    // As a text: 1.0 and 1 are two values.
    const reply = await ask(
      'POST /_ingest/pipeline/_simulate',
      `{"pipeline":{"processors":${processors}},"docs":[{"_source":${document}}]}`,
    );
    // The engine of regular expressions has words of its own.
    const shown = (each: any): unknown => (each.failed?.[0] === 'null_pointer_exception' ? 'a null' : each);
    assert.deepEqual(shown(shorten(reply.json)), shown(answer), line);
  }
});

test('numbers keep how they are written', async () => {
  const ask = await startRest();
  await ask('PUT /_ingest/pipeline/p', { processors: [{ set: { field: 'b', value: 1 } }] });
  await ask('PUT /t/_doc/1?pipeline=p', '{"a":1.0,"c":12345678901234567,"d":1e3}');
  assert.match((await ask('GET /t/_doc/1')).text, /"a":1\.0,"c":12345678901234567,"d":1e3,"b":1/);
});

test('no document runs through pipelines for ever, or grows without end', async () => {
  const ask = await startRest();
  const reason = async (processors: readonly object[], source: object): Promise<string> =>
    (await ask('POST /_ingest/pipeline/_simulate', { pipeline: { processors }, docs: [{ _source: source }] })).json
      .error.reason;
  const doubling = Array.from({ length: 40 }, () => ({
    set: { field: 'a', value: '{{a}}{{a}}', ignore_failure: true },
  }));
  assert.match(await reason(doubling, { a: 'x' }), /make more than \[10000000\] characters/);
  const upper = {
    foreach: { field: 'a', processor: { uppercase: { field: '_ingest._value', ignore_failure: true } } },
  };
  assert.match(
    await reason([upper], { a: Array.from({ length: 30_000 }, () => 'x') }),
    /take more than \[20000\] steps/,
  );
  const deep = (level: number): object =>
    level === 0 ? { drop: {} } : { foreach: { field: 'a', processor: deep(level - 1) } };
  assert.match(await reason([deep(30)], {}), /more than \[20\] levels/);
  const many = Array.from({ length: 1001 }, () => ({ drop: {} }));
  assert.match(await reason(many, {}), /at most \[1000\] processors/);
  await ask('PUT /_ingest/pipeline/p0', { processors: [{ set: { field: 'a', value: 1 } }] });
  for (let at = 1; at < 9; at++) {
    const processors = Array.from({ length: 9 }, () => ({ pipeline: { name: `p${at - 1}` } }));
    await ask(`PUT /_ingest/pipeline/p${at}`, { processors });
  }
  const nested = await ask('POST /_ingest/pipeline/p8/_simulate', { docs: [{ _source: {} }] });
  assert.match(nested.json.error.reason, /take more than \[20000\] steps/);
});

const TO = '_ingest._value';
const NUMBERS = Array.from({ length: 50_000 }, (_, at) => (at * 7919) % 50_021);
const LONG = 'a,'.repeat(100_000);

/** A step for each processor and the value of its field `x`: one run is allowed, thousands are not. */
const HOSTILE: readonly (readonly [type: string, config: object, value: unknown])[] = [
  ['append', { field: 'x', value: 'q', allow_duplicates: false }, ['x'.repeat(200_000)]],
  ['append', { field: 'x', value: LONG }, 'x'],
  ['bytes', { field: 'x', ignore_failure: true }, '9'.repeat(200_000)],
  ['convert', { field: 'x', type: 'long', ignore_failure: true }, '9'.repeat(200_000)],
  ['csv', { field: 'x', target_fields: ['c'], trim: true }, `x${' '.repeat(60_000)}y`],
  ['csv', { field: 'x', target_fields: ['c'], trim: true }, 'a,'.repeat(5000) + ' '.repeat(200_000)],
  ['date', { field: 'x', formats: Array.from({ length: 100 }, () => 'yyyy'), ignore_failure: true }, 'q'],
  [
    'date_index_name',
    { field: 'x', date_rounding: 'd', date_formats: Array.from({ length: 100 }, () => 'yyyy'), ignore_failure: true },
    'q',
  ],
  ['date_index_name', { field: 'x', date_rounding: 'd', date_formats: ['yyyy'], index_name_prefix: LONG }, '2020'],
  ['dissect', { field: 'x', pattern: '%{a}:%{b}' }, `${LONG}:b`],
  ['dissect', { field: 'x', pattern: '%{+a}:%{+a}', append_separator: LONG }, 'a:b'],
  ['fail', { message: '{{x}}', ignore_failure: true }, LONG],
  ['foreach', { field: 'x', processor: { fail: { message: 'm' } }, ignore_failure: true }, NUMBERS],
  ['gsub', { field: 'x', pattern: ',', replacement: '$0'.repeat(100), target_field: TO }, LONG],
  ['gsub', { field: 'x', pattern: '.+', replacement: '$0'.repeat(5000), target_field: TO }, LONG],
  ['html_strip', { field: 'x', target_field: TO }, LONG],
  ['join', { field: 'x', separator: LONG, target_field: TO }, NUMBERS],
  ['json', { field: 'x', target_field: TO }, `[${'0,'.repeat(100_000)}0]`],
  ['kv', { field: 'x', field_split: ',', value_split: '=', target_field: TO, ignore_failure: true }, LONG],
  ['lowercase', { field: 'x', target_field: TO }, LONG],
  ['pipeline', { name: '{{x}}', ignore_failure: true }, LONG],
  ['remove', { field: Array.from({ length: 20_000 }, (_, at) => `f${at}`), ignore_missing: true }, 1],
  ['rename', { field: LONG, target_field: 'q', ignore_missing: true }, 1],
  ['set', { field: TO, value: '{{x}}'.repeat(1000) }, LONG],
  ['set', { field: TO, value: '{{_source}}' }, LONG],
  ['sort', { field: 'x', target_field: TO }, NUMBERS],
  ['split', { field: 'x', separator: ',', target_field: TO }, LONG],
  ['trim', { field: 'x', target_field: TO }, LONG],
  ['uppercase', { field: 'x', target_field: TO }, LONG],
  ['urldecode', { field: 'x', target_field: TO }, '%41'.repeat(50_000)],
];

test('each processor counts what it reads and what it makes', async () => {
  const ask = await startRest();
  const all = {
    ...DATE_PROCESSORS,
    ...FIELD_PROCESSORS,
    ...FLOW_PROCESSORS,
    ...PARSING_PROCESSORS,
    ...TEXT_PROCESSORS,
  };
  const types = new Set(HOSTILE.map(([type]) => type));
  assert.deepEqual(
    Object.keys(all).filter((type) => !types.has(type)),
    // A field has its dots expanded once.
    ['dot_expander', 'drop'],
  );
  const l = Array.from({ length: 3000 }, () => 0);
  for (const [type, config, x] of HOSTILE) {
    const processors = [{ foreach: { field: 'l', processor: { [type]: config } } }];
    const docs = [{ _source: { x, l } }];
    const { status, json } = await ask('POST /_ingest/pipeline/_simulate', { pipeline: { processors }, docs });
    const what = `${type} ${JSON.stringify(config).slice(0, 100)}`;
    assert.match(json.error?.reason ?? `[${status}]`, /^the pipelines of one document (take|make) more than/, what);
  }
});

test('what the documents of one simulation make is counted together', async () => {
  const ask = await startRest();
  const processors = [{ set: { field: 'a', value: '{{x}}'.repeat(100) } }];
  const docs = Array.from({ length: 30 }, () => ({ _source: { x: 'x'.repeat(5000) } }));
  const simulate = async (most: number): Promise<number> =>
    (await ask('POST /_ingest/pipeline/_simulate', { pipeline: { processors }, docs: docs.slice(0, most) })).status;
  assert.deepEqual([await simulate(10), await simulate(30)], [200, 400]);
});

test('no step makes a document that holds itself, or is too deep', async () => {
  const ask = await startRest();
  const made = async (processors: readonly object[], source: object): Promise<any> =>
    (await ask('POST /_ingest/pipeline/_simulate', { pipeline: { processors }, docs: [{ _source: source }] })).json
      .docs[0];
  const self = [{ convert: { field: 'o', type: 'auto', target_field: 'o.self' } }];
  assert.deepEqual((await made(self, { o: { a: 1 } })).doc._source, { o: { a: 1, self: { a: 1 } } });
  const sorted = [{ sort: { field: 'l', target_field: 'l.0.self' } }];
  assert.deepEqual((await made(sorted, { l: [{ a: 1 }] })).doc._source, { l: [{ a: 1, self: [{ a: 1 }] }] });
  const element = [{ foreach: { field: 'l', processor: { rename: { field: TO, target_field: 'l.0.self' } } } }];
  assert.ok(JSON.stringify(await made(element, { l: [{ a: 1 }] })));
  const long = [{ set: { field: 'a.'.repeat(50_000), value: 1 } }];
  assert.match((await made(long, {})).error.reason, /^a path of \[50000\] steps/);
  const path = 'a.'.repeat(150);
  const deep = [{ set: { field: `${path}b`, value: 1 } }, { rename: { field: 'a', target_field: `${path}c` } }];
  assert.match((await made(deep, {})).error.reason, /at most \[200\] levels/);
});

test('pipelines run at most 200 inside of each other', async () => {
  const ask = await startRest();
  for (let at = 0; at < 201; at++) {
    const processors = at === 0 ? [{ set: { field: 'a', value: 1 } }] : [{ pipeline: { name: `p${at - 1}` } }];
    await ask(`PUT /_ingest/pipeline/p${at}`, { processors });
  }
  assert.equal((await ask('PUT /t/_doc/1?pipeline=p199', {})).status, 201);
  const { status, json } = await ask('PUT /t/_doc/1?pipeline=p200', {});
  assert.deepEqual([status, /more than \[200\] inside/.test(json.error.reason)], [400, true]);
});

test('instants that no date has fail the step', async () => {
  const ask = await startRest();
  for (const [format, d] of [
    ['UNIX_MS', '8640000000000001'],
    ['UNIX', '1e300'],
    ['TAI64N', `@${'f'.repeat(24)}`],
  ]) {
    const pipeline = { processors: [{ date: { field: 'd', formats: [format] } }] };
    const { json } = await ask('POST /_ingest/pipeline/_simulate', { pipeline, docs: [{ _source: { d } }] });
    assert.equal(json.docs[0].error.reason, `unable to parse date [${d}]`);
  }
  const formats = Array.from({ length: 101 }, () => 'yyyy');
  const many = await ask('PUT /_ingest/pipeline/p', { processors: [{ date: { field: 'd', formats } }] });
  assert.equal(many.json.error.reason, '[formats] takes at most [100] formats');
});
