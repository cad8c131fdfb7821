// Alert rules and dashboard of deploy/ name metrics that a running server has, and the guide says what to do.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse } from 'yaml';

import { startCluster } from '../../packages/server/test/cluster/fake-cluster.ts';
import { freshDatabase } from '../../packages/server/test/fresh-database.ts';
import { readMetrics } from '../../packages/server/test/metrics/read-metrics.ts';
import { startApp } from '../../packages/server/test/start-app.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { ROOT } from '../docs/code-blocks.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const alerts: { readonly groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  readFileSync(join(PROMETHEUS, 'alerts.yaml'), 'utf8'),
);
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard = readFileSync(join(ROOT, 'deploy/grafana/lockstitch.json'), 'utf8');

/** Name and matchers of each metric in an expression of PromQL. */
function metricsIn(expression: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expression.matchAll(/\b((?:lockstitch|http|process|nodejs)_[a-z_0-9]+)(?:\{([^}]*)\})?/g)].map(
    ({ 1: name, 2: matchers = '' }) => ({
      name: name!,
      labels: [...matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label!),
    }),
  );
}

/** Labels that Prometheus adds when it scrapes. */
const ADDED = new Set(['job', 'instance']);

test('alert rules and dashboard name metrics and labels that a running server has', async (context) => {
  const database = await freshDatabase();
  const usesPostgres = database.startsWith('postgres:');
  const folder = temporaryFolder(context);
  const { call, graph } = await startApp(context, {
    folder,
    data: join(folder, 'data'),
    transport: 'socket',
    // A replica that is none has its metrics, too.
    config: usesPostgres ? { database: { url: database, replica: database } } : {},
  });
  const { url } = await startCluster(context);
  const onCluster = await startApp(context, { config: { search: { engine: 'opensearch', nodes: [url] } } });
  await graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const samples = [
    ...readMetrics((await call('/metrics')).text).keys(),
    ...readMetrics((await onCluster.call('/metrics')).text).keys(),
  ];
  const expressions = [...dashboard.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  );
  ok(expressions.length > 20);
  const missing = [...rules.map(({ expr }) => expr), ...expressions]
    .flatMap(metricsIn)
    .filter(({ name }) => usesPostgres || !/^lockstitch_database_(?:connections|waiting|replica)/.test(name))
    .filter(({ name, labels }) => {
      const found = samples.filter((sample) => sample.split('{')[0] === name);
      const has = (label: string): boolean =>
        ADDED.has(label) || found.some((sample) => sample.includes(`{${label}="`) || sample.includes(`,${label}="`));
      return found.length === 0 || !labels.every(has);
    });
  deepEqual(missing, []);
});

test('each alert has a row in the guide, and the guide has no others', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide/alerts.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (● )?(Lockstitch\w+) \|/gm)];
  deepEqual(
    rows.map(({ 1: mark, 2: name }) => [name, mark === undefined ? 'warning' : 'critical']),
    rules.map(({ alert, labels }) => [alert, labels.severity]),
  );
  for (const { alert, annotations } of rules) equal(annotations.runbook_url, 'docs/guide/alerts.md', alert);
});

test('each alert fires on the series it is meant for (promtool)', (context) => {
  const cases = readFileSync(join(PROMETHEUS, 'alerts.test.yaml'), 'utf8');
  const tried = (parse(cases) as { readonly tests: readonly { readonly name: string }[] }).tests.map(
    ({ name }) => name,
  );
  deepEqual(
    tried,
    rules.map(({ alert }) => alert),
  );
  if (spawnSync('promtool', ['--version']).error !== undefined) return context.skip('promtool is not installed');
  execFileSync('promtool', ['test', 'rules', join(PROMETHEUS, 'alerts.test.yaml')]);
  execFileSync('promtool', ['check', 'config', '--syntax-only', join(PROMETHEUS, 'prometheus.yaml')]);
});

test('the dashboard is a dashboard: each panel has a place of its own and queries the chosen source', () => {
  const { panels, templating } = JSON.parse(dashboard);
  const ids = panels.map(({ id }: { id: number }) => id);
  equal(new Set(ids).size, ids.length);
  deepEqual(
    templating.list.map(({ name }: { name: string }) => name),
    ['datasource', 'instance'],
  );
  for (const { type, title, datasource, targets, gridPos } of panels) {
    ok(gridPos.x + gridPos.w <= 24, title);
    if (type === 'row') continue;
    equal(datasource.uid, '${datasource}', title);
    ok(targets.length > 0, title);
  }
});
