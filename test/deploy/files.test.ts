// The files of deploy/ agree with the server: variables, ports, probes, time to stop, start command, limits.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse, parseAllDocuments } from 'yaml';

import { checkConfig } from '../../packages/server/src/config/check-config.ts';
import { ENVIRONMENT } from '../../packages/server/src/config/environment.ts';
import { parseArguments } from '../../packages/server/src/cli/parse-arguments.ts';
import { CLOSE_TIMEOUT } from '../../packages/server/src/cli/until-signal.ts';
import { startApp } from '../../packages/server/test/start-app.ts';
import { ROOT } from '../docs/code-blocks.ts';

const DEPLOY = join(ROOT, 'deploy');
const read = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

const dockerfile = read('docker/Dockerfile');
const compose: Compose = parse(read('docker/compose.yaml'));
const withCluster: Compose = parse(read('docker/compose.opensearch.yaml'));
const unit = read('systemd/lockstitch.service');
const backup = read('systemd/lockstitch-backup.service');
const [statefulSet, deployment] = ['lockstitch.yaml', 'deployment.yaml'].map((file) =>
  parseAllDocuments(read(`kubernetes/${file}`))
    .map((document): Workload => document.toJS())
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment'),
) as [Workload, Workload];
const { limits, port } = checkConfig({}).config;

interface Compose {
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly services: Readonly<Record<string, Service>>;
}

interface Service {
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
}

interface Workload {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: Pod } };
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly [{ readonly containerPort: number }];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

const container = ({ spec }: Workload): Container => spec.template.spec.containers[0];

/** Variables of glibc and Node, which the server does not read itself. */
const FOREIGN = /^(?:MALLOC_\w+|NODE_COMPILE_CACHE)$/;

test('every YAML file of deploy/ parses', () => {
  const files = globSync('**/*.yaml', { cwd: DEPLOY });
  ok(files.length >= 5);
  for (const file of files) {
    for (const document of parseAllDocuments(read(file)))
      deepEqual([...document.errors, ...document.warnings], [], file);
  }
});

test('variables in files of deploy/ are those that a server reads', () => {
  const known = new Set(ENVIRONMENT.map(({ name }) => name));
  const inUnit = [...`${unit}\n${backup}`.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line]) => line!.split(' '));
  const inImage = [...dockerfile.matchAll(/^ENV ((?:.*\\\n)*.*)$/gm)].flatMap(([, lines]) => lines!.match(/\w+=\S+/g)!);
  const names = [
    ...[...inUnit, ...inImage].map((each) => each.split('=')[0]!),
    ...Object.keys({ ...compose.services['app']!.environment, ...withCluster.services['app']!.environment }),
    ...[statefulSet, deployment].flatMap((each) => container(each).env.map(({ name }) => name)),
  ];
  ok(names.length > 10);
  deepEqual(
    names.filter((name) => !known.has(name) && !FOREIGN.test(name)),
    [],
  );
});

test('nobody but the server reaches the search cluster of compose', () => {
  const { networks, services } = withCluster;
  deepEqual(networks?.['search'], { internal: true });
  deepEqual([services['search']!.networks, services['search']!.ports], [['search'], undefined]);
  const others = Object.entries({ ...compose.services, ...services }).filter(
    ([name]) => !['app', 'search'].includes(name),
  );
  for (const [name, { networks: own = [] }] of others) ok(!own.includes('search'), name);
  const { problems } = checkConfig({ search: { engine: 'opensearch', replicas: 0 } });
  deepEqual(problems, []);
});

test('ports and probes of files of deploy/ are those of a server', async (context) => {
  const { call } = await startApp(context);
  const probes = [statefulSet, deployment].flatMap((each) => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = container(each);
    equal(ports[0].containerPort, port);
    return [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
  });
  const healthcheck = /'http:\/\/127\.0\.0\.1:'\+process\.env\.PORT\+'(\/\w+)'/.exec(dockerfile)![1]!;
  const upstream = /health_uri (\S+)/.exec(read('caddy/Caddyfile'))![1]!;
  for (const path of [...probes, healthcheck, upstream]) equal((await call(path)).status, 200, path);
  for (const text of [dockerfile, unit, read('nginx/lockstitch.conf'), read('caddy/Caddyfile')])
    ok(text.includes(String(port)));
});

test('a server gets more time to stop than it takes at most', () => {
  const inKubernetes = Number(container(statefulSet).env.find(({ name }) => name === 'LOCKSTITCH_DRAIN_DELAY')!.value);
  const needed = (delay: number): number => (delay + limits.drainTimeout + CLOSE_TIMEOUT) / 1000;
  for (const { spec } of [statefulSet, deployment])
    ok(spec.template.spec.terminationGracePeriodSeconds >= needed(inKubernetes));
  ok(Number.parseInt(compose.services['app']!.stop_grace_period, 10) >= needed(limits.drainDelay));
  ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) >= needed(limits.drainDelay));
});

test('the start commands of deploy/ are those of the package, on a Node that it runs on', () => {
  const { bin, engines } = JSON.parse(readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8'));
  const script = join('node_modules/lockstitch', bin.lockstitch);
  const inImage: readonly string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!);
  const lines = [
    inImage.join(' '),
    /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit)![1]!,
    /exec \/usr\/bin\/(node [^']*)'$/m.exec(backup)![1]!,
  ];
  for (const line of lines) {
    const [node, path, ...words] = line.split(' ');
    deepEqual([node, path], ['node', script]);
    parseArguments(words.slice(0, line.includes('--to') ? words.indexOf('--to') + 2 : undefined));
  }
  const images = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, major]) => major);
  deepEqual([...new Set(images)], [/^\^(\d+)\./.exec(engines.node)![1]]);
});

test('proxies keep connections for less time than the server, and let bodies of its size through', () => {
  const nginx = read('nginx/lockstitch.conf');
  for (const [, seconds] of [
    /keepalive_timeout (\d+)s/.exec(nginx)!,
    /keepalive (\d+)s/.exec(read('caddy/Caddyfile'))!,
  ])
    ok(Number(seconds) * 1000 < limits.keepAliveTimeout);
  equal(Number(/client_max_body_size (\d+)m/.exec(nginx)![1]) * 2 ** 20, limits.bulkBodySize);
});

test('containers run without root, without capabilities, and with a root folder that is read-only', () => {
  ok(/^USER node$/m.test(dockerfile));
  deepEqual([compose.services['app']!.read_only, compose.services['app']!.cap_drop], [true, ['ALL']]);
  for (const each of [statefulSet, deployment]) {
    equal(each.spec.template.spec.securityContext['runAsNonRoot'], true);
    deepEqual(container(each).securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
  deepEqual(container(deployment), container(statefulSet));
});

test('systemd understands the units', (context) => {
  const units = globSync('systemd/*', { cwd: DEPLOY }).map((file) => join(DEPLOY, file));
  const { error, stderr, status } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
  if (error !== undefined) return context.skip('systemd-analyze is not installed');
  // Programs of the server's machine may be missing on this one.
  const faults = stderr.split('\n').filter((line) => line !== '' && !/is not executable|postgresql/.test(line));
  deepEqual([status === 0 || stderr.includes('not executable'), faults], [true, []]);
});
