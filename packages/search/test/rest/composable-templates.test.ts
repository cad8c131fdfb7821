// Composable index templates: what an index gets from them, and what is refused while they are written.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createMapper, createRestApi, fileDirectory } from '@lockstitch/search';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { globMatches, patternsMeet } from '../../src/text/glob.ts';
import { startRest } from './harness.ts';

test('an index gets what the template of the highest priority and its components say, later ones winning', async () => {
  const ask = await startRest();
  const component = (name: string, template: object): Promise<{ status: number; text: string }> =>
    ask(`PUT /_component_template/${name}`, { template });
  equal(
    (
      await component('base', {
        settings: { number_of_replicas: 0, refresh_interval: '5s' },
        mappings: { properties: { at: { type: 'date' }, tag: { type: 'text' } } },
      })
    ).status,
    200,
  );
  equal(
    (
      await component('tags', {
        mappings: { properties: { tag: { type: 'keyword' } } },
        aliases: { 'all-{index}': {} },
      })
    ).status,
    200,
  );
  await ask('PUT /_template/old', { index_patterns: ['logs-*'], mappings: { properties: { old: { type: 'long' } } } });
  await ask('PUT /_index_template/low', {
    index_patterns: ['logs-*'],
    template: { mappings: { properties: { low: { type: 'long' } } } },
  });
  const put = await ask('PUT /_index_template/high', {
    index_patterns: ['logs-a*'],
    priority: 5,
    version: 3,
    _meta: { by: 'us' },
    composed_of: ['base', 'tags'],
    template: { settings: { 'index.refresh_interval': '9s' }, mappings: { properties: { n: { type: 'long' } } } },
  });
  equal(put.status, 200, put.text);
  await ask('PUT /logs-ab', { mappings: { properties: { n: { type: 'integer' } } } });
  const made = (await ask('GET /logs-ab')).json['logs-ab'];
  deepEqual(made.mappings.properties, { at: { type: 'date' }, n: { type: 'integer' }, tag: { type: 'keyword' } });
  deepEqual([made.settings.index.refresh_interval, made.settings.index.number_of_replicas], ['9s', '0']);
  deepEqual(made.aliases, { 'all-logs-ab': {} });
  await ask('PUT /logs-b');
  deepEqual((await ask('GET /logs-b/_mapping')).json['logs-b'].mappings, { properties: { low: { type: 'long' } } });
  // A document that makes its index.
  await ask('PUT /logs-ac/_doc/1', { tag: 'x' });
  equal((await ask('GET /logs-ac/_mapping')).json['logs-ac'].mappings.properties.tag.type, 'keyword');

  const shown = await ask('GET /_index_template/hi*');
  deepEqual(shown.json.index_templates[0].index_template, {
    index_patterns: ['logs-a*'],
    composed_of: ['base', 'tags'],
    template: { settings: { index: { refresh_interval: '9s' } }, mappings: { properties: { n: { type: 'long' } } } },
    priority: 5,
    version: 3,
    _meta: { by: 'us' },
  });
  equal((await ask('GET /_index_template')).json.index_templates.length, 2);
  equal((await ask('HEAD /_index_template/high')).status, 200);
  equal(
    (await ask('GET /_component_template/base')).json.component_templates[0].component_template.template.settings.index
      .number_of_replicas,
    '0',
  );

  const simulated = await ask('POST /_index_template/_simulate_index/logs-az');
  deepEqual(Object.keys(simulated.json.template.mappings.properties).sort(), ['at', 'n', 'tag']);
  deepEqual(simulated.json.overlapping, [
    { name: 'old', index_patterns: ['logs-*'] },
    { name: 'low', index_patterns: ['logs-*'] },
  ]);
  equal((await ask('POST /_index_template/_simulate/high')).json.template.settings.index.refresh_interval, '9s');

  equal((await ask('DELETE /_component_template/base')).status, 400);
  equal((await ask('DELETE /_index_template/high')).status, 200);
  equal((await ask('DELETE /_component_template/base')).status, 200);
  equal((await ask('GET /_index_template/high')).status, 404);
  equal((await ask('DELETE /_index_template/high')).status, 404);
  equal((await ask('HEAD /_component_template/base')).status, 404);
  equal((await ask('GET /_template/old')).status, 200);
});

test('a template that contradicts others or makes no sense is refused by name', async () => {
  const ask = await startRest();
  await ask('PUT /_index_template/one', { index_patterns: ['a*', 'b'] });
  await ask('PUT /_component_template/part', { template: { mappings: { properties: { f: { type: 'long' } } } } });
  await ask('PUT /_index_template/two', { index_patterns: ['z'], composed_of: ['part'] });
  for (const [target, body, reason] of [
    ['PUT /_index_template/x', { index_patterns: ['*c'] }, /\[one\].*same priority \[0\]/],
    ['PUT /_index_template/x', {}, /Required \[index_patterns\]/],
    [
      'PUT /_index_template/x',
      { index_patterns: 'q', composed_of: ['nope'] },
      /component templates \[nope\] that do not exist/,
    ],
    ['PUT /_index_template/x', { index_patterns: 'q', data_stream: {} }, /\[data_stream\] is not supported/],
    ['PUT /_index_template/x', { index_patterns: 'q', prioritty: 1 }, /unknown field \[prioritty\].*priority/],
    [
      'PUT /_index_template/x',
      { index_patterns: 'q', template: { mappings: { properties: { f: { type: 'lnog' } } } } },
      /lnog/,
    ],
    [
      'PUT /_index_template/x',
      { index_patterns: 'q', template: { settings: { number_of_shard: 1 } } },
      /number_of_shard/,
    ],
    ['PUT /_index_template/one?create=true', { index_patterns: 'a' }, /already exists/],
    ['PUT /_index_template/Upper', { index_patterns: 'a' }, /name must be lower cased/],
    [
      'PUT /_component_template/part',
      { template: { mappings: { properties: { f: { type: 'text', analyzer: 'nope' } } } } },
      /nope/,
    ],
    ['PUT /_component_template/x', {}, /Required \[template\]/],
  ] as const) {
    const reply = await ask(target, body);
    equal(reply.status, 400, `${target} ${reply.text}`);
    match(reply.text, reason);
  }
  equal((await ask('PUT /_index_template/x', { index_patterns: ['*c'], priority: 1 })).status, 200);
  const kept = await ask(
    'PUT /_index_template/y',
    { index_patterns: ['kept'] },
    { readOnly: (name) => name === 'kept' },
  );
  equal(kept.status, 403, kept.text);
  const component = await ask('PUT /_component_template/c', { template: {} }, { readOnly: () => true });
  equal(component.status, 403, component.text);
});

test('composable templates survive a restart beside the older ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstitch-templates-'));
  try {
    for (const round of [0, 1]) {
      const engine = await createEngine({ directory: fileDirectory(folder), mapperFactory: createMapper });
      const ask = await startRest(createRestApi(engine));
      if (round === 0) {
        await ask('PUT /_index_template/a', { index_patterns: ['a*'] });
        await ask('PUT /_component_template/b', { template: {} });
        await ask('PUT /_template/c', { index_patterns: ['c*'] });
      }
      for (const path of ['_index_template/a', '_component_template/b', '_template/c'])
        equal((await ask(`HEAD /${path}`)).status, 200, path);
      await engine.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('two patterns meet when some name fits both', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 });
  const names = [
    '',
    ...['a', 'b'].flatMap((a) => [
      a,
      ...['a', 'b'].flatMap((b) => [
        a + b,
        ...['a', 'b'].flatMap((c) => [a + b + c, ...['a', 'b'].map((d) => a + b + c + d)]),
      ]),
    ]),
  ];
  const longer = names.flatMap((name) => names.map((more) => name + more));
  fc.assert(
    fc.property(letters, letters, (one, other) => {
      equal(
        patternsMeet(one, other),
        longer.some((name) => globMatches(one, name) && globMatches(other, name)),
      );
    }),
    { numRuns: 200 },
  );
});

test('templates are refused for their parsers, their names and patterns, and what they are composed to', async () => {
  const ask = await startRest();
  await ask('PUT /taken');
  const told: unknown[] = [];
  for (const [target, body] of [
    ['PUT /_component_template/c', {}],
    ['PUT /_component_template/c', { template: { foo: 1 } }],
    ['PUT /_component_template/c', { template: [] }],
    ['PUT /_component_template/C', { template: {} }],
    ['PUT /_component_template/c', { template: { settings: { 'index.version.created': 1 } } }],
    ['PUT /_index_template/t', { index_patterns: [] }],
    ['PUT /_index_template/t', { index_patterns: ['_a', 'b#'] }],
    ['PUT /_index_template/t', { index_patterns: ['x*'], template: { aliases: { taken: {} } } }],
    [
      'PUT /_index_template/t',
      { index_patterns: ['x*'], template: { mappings: { properties: { a: { type: 'nope' } } } } },
    ],
    ['PUT /_template/T', { index_patterns: ['x*'] }],
    ['PUT /_template/t', { index_patterns: ['x*'], version: 'x' }],
  ] as const) {
    const { json } = await ask(target, body);
    told.push([
      json.error.type,
      json.error.reason,
      ...(json.error.caused_by === undefined ? [] : [json.error.caused_by.reason]),
    ]);
  }
  const invalid = (name: string, cause: string): readonly string[] => [
    'invalid_index_template_exception',
    `index_template [${name}] invalid, cause [Validation Failed: ${cause};]`,
  ];
  deepEqual(told, [
    ['illegal_argument_exception', 'Required [template]'],
    [
      'x_content_parse_exception',
      '[1:20] [component_template] failed to parse field [template]',
      '[1:14] [template] unknown field [foo]',
    ],
    ['x_content_parse_exception', "[1:13] [component_template] template doesn't support values of type: START_ARRAY"],
    invalid('C', '1: name must be lower cased'),
    invalid('c', '1: private index setting [index.version.created] can not be set explicitly'),
    ['illegal_argument_exception', 'There must be at least one pattern, zero given'],
    invalid('t', "1: index_pattern [_a] must not start with '_';2: index_pattern [b#] must not contain a '#'"),
    [
      'illegal_argument_exception',
      'composable template [t] template after composition is invalid',
      'Invalid alias name [taken], an index exists with the same name as the alias',
    ],
    [
      'illegal_argument_exception',
      'composable template [t] template after composition is invalid',
      'invalid composite mappings for [t]',
    ],
    invalid('T', '1: name must be lower cased'),
    ['illegal_argument_exception', 'Malformed [version] value, should be an integer'],
  ]);
  equal((await ask('PUT /_template/old', { template: 'x*' })).status, 200);
  deepEqual((await ask('GET /_template/old')).json.old.index_patterns, ['x*']);
});

test('a setting of null in a component template is shown as it is', async () => {
  const ask = await startRest();
  await ask('PUT /_component_template/c', { template: { settings: { number_of_replicas: null, priority: 3 } } });
  const { json } = await ask('GET /_component_template/c');
  deepEqual(json.component_templates[0].component_template.template.settings, {
    index: { number_of_replicas: null, priority: '3' },
  });
});
