import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { printMetrics } from '../../src/metrics/print-metrics.ts';
import { AS_USER, startApp, testBothWays } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from '../cli/run-here.ts';
import { readMetrics } from './read-metrics.ts';

test('metrics show the index lag, the costs of requests and the resources of the process', async (context) => {
  const { app, call, graph } = await startApp(context, { transport: 'socket' });
  await graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const head = await app.graph.feed.head();
  await call('/authors/_search?q=ada', { headers: { 'lockstitch-min-position': String(head) } });
  await call('/nothing/_search');
  const { status, headers, text } = await call('/metrics');
  equal(status, 200);
  match(headers['content-type']!, /^text\/plain; version=0\.0\.4/);
  const samples = readMetrics(text);
  equal(samples.get('lockstitch_feed_head_position'), head);
  equal(samples.get('lockstitch_index_position'), head);
  equal(samples.get('lockstitch_index_lag_changes'), 0);
  equal(samples.get('lockstitch_index_lag_seconds'), 0);
  equal(samples.get('lockstitch_index_documents{index="authors"}'), 1);
  equal(samples.get('lockstitch_index_documents{index="notes"}'), 0);
  equal(samples.get('http_requests_total{door="graph",method="POST",status="200"}'), 1);
  equal(samples.get('http_requests_total{door="search",method="GET",status="200"}'), 1);
  equal(samples.get('http_requests_total{door="search",method="GET",status="404"}'), 1);
  equal(samples.get('http_request_duration_seconds_count{door="search"}'), 2);
  equal(samples.get('http_request_duration_seconds_bucket{door="search",le="+Inf"}'), 2);
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total']) {
    ok(samples.get(name)! > 0, name);
  }
  ok(samples.has('nodejs_eventloop_lag_p99_seconds'));
});

test('metrics are served, and report it, while the database is unavailable', async (context) => {
  const { app, call } = await startApp(context);
  const { feed } = app.graph;
  const gone = (): Promise<never> => Promise.reject(new Error('the connection broke'));
  Object.assign(feed, { head: gone, readers: gone });
  const { status, text } = await call('/metrics');
  equal(status, 200);
  const samples = readMetrics(text);
  deepEqual(
    ['trouble', 'lag_changes', 'position'].map((name) => samples.get(`lockstitch_index_${name}`)),
    [1, 0, 0],
  );
  equal(samples.get('lockstitch_database_up'), 0);
  ok(samples.get('process_resident_memory_bytes')! > 0);
  equal((await call('/_cat/indices')).status, 200);
});

const NAMED = {
  users: [
    { username: 'root', password: 'r', roles: ['ADMIN'] },
    { username: 'ada', password: 'a', authorities: ['read'] },
  ],
  passwordEncoder: 'noop',
  rules: [
    { ant: '/metrics', access: 'permitAll' },
    { any: true, access: 'authenticated' },
  ],
};
const as = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

testBothWays(
  'only callers with a configured authority read them, whatever the rules open',
  async (context, transport) => {
    const { call } = await startApp(context, { config: NAMED, transport });
    const status = async (headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      const answer = await call('/metrics', { headers });
      return [answer.status, answer.status === 200 ? undefined : answer.json.code];
    };
    deepEqual(await status(as('root', 'r')), [200, undefined]);
    deepEqual(await status(as('ada', 'a')), [403, 'SERVER_METRICS_FORBIDDEN']);
    deepEqual(await status({ authorization: '' }), [401, 'SERVER_METRICS_ANONYMOUS']);
  },
);

test('an authority of its own is enough for a monitor, and the endpoint can be left out', async (context) => {
  const folder = temporaryFolder(context);
  const first = await startApp(context, { folder, config: { ...NAMED, metrics: { authorities: ['read'] } } });
  equal((await first.call('/metrics', { headers: as('ada', 'a') })).status, 200);
  equal((await first.call('/metrics', { headers: as('root', 'r') })).status, 403);
  await first.close();
  const second = await startApp(context, { folder, config: { metrics: { enabled: false } } });
  equal((await second.call('/metrics', { headers: AS_USER })).status === 200, false);
});

test('metrics count what HTTP statuses do not show: errors in GraphQL answers, the log, refused log-ins', async (context) => {
  const { call } = await startApp(context, {
    files: { 'resolvers.mjs': `export default { Query: { broken: () => { throw new Error('no'); } } };` },
    config: { resolvers: './resolvers.mjs' },
    schema: 'type Note @entity { id: ID! } type Query { note(id: ID!): Note broken: Int }',
  });
  const { status, json } = await call('/graphql', { json: { query: '{ broken }' } });
  deepEqual([status, json.errors[0].extensions.code], [200, 'GRAPH_INTERNAL']);
  await call('/graphql', { headers: { authorization: `Basic ${btoa('user:wrong')}` } });
  const samples = readMetrics((await call('/metrics')).text);
  equal(samples.get('lockstitch_graphql_errors_total{code="GRAPH_INTERNAL"}'), 1);
  equal(samples.get('lockstitch_graphql_errors_total{code="GRAPH_TOO_SLOW"}'), 0);
  equal(samples.get('lockstitch_log_lines_total{level="error"}'), 1);
  equal(samples.get('lockstitch_security_events_total{kind="authentication-failure"}'), 1);
});

test('metrics show the room on the disk, the age of the last backup and damaged indexes', async (context) => {
  const folder = temporaryFolder(context);
  const first = await startApp(context, { folder, data: join(folder, '.lockstitch') });
  const read = async ({ call }: Pick<typeof first, 'call'>) => readMetrics((await call('/metrics')).text);
  const before = await read(first);
  equal(before.get('lockstitch_backup_last_success_timestamp_seconds'), 0);
  equal(before.get('lockstitch_indexes_damaged'), 0);
  equal(before.get('lockstitch_search_memory_limit_bytes'), 4 * 2 ** 30);
  ok(before.get('lockstitch_data_filesystem_avail_bytes')! < before.get('lockstitch_data_filesystem_size_bytes')!);
  equal((await first.call('/own', { method: 'PUT' })).status, 200);
  const archive = join(temporaryFolder(context), 'app.tar.gz');
  equal((await runLine(['backup', folder, '--to', archive])).code, 0);
  const taken = (await read(first)).get('lockstitch_backup_last_success_timestamp_seconds')!;
  ok(Math.abs(taken - statSync(archive).mtimeMs / 1000) < 60);
  await first.close();
  rmSync(join(folder, '.lockstitch/search/own'), { recursive: true });
  const second = await startApp(context, { folder, data: join(folder, '.lockstitch') });
  equal((await read(second)).get('lockstitch_indexes_damaged'), 1);
});

test('labels and help texts are escaped', () => {
  const text = printMetrics([
    { name: 'a_total', help: 'one\\two\nthree', type: 'counter', samples: [{ labels: { x: 'q"\\\n' }, value: 1 }] },
  ]);
  equal(
    text,
    String.raw`# HELP a_total one\\two\nthree` +
      '\n# TYPE a_total counter\n' +
      String.raw`a_total{x="q\"\\\n"} 1` +
      '\n',
  );
});
