// An old Node says which one is needed: it can load every module up to the check that tells so, which an import by a name that it
// lacks would prevent. Tried with Node 18, 20 and 22; what Node 18 exports stands in a file, as no test can run it.
import { deepEqual, equal, match } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { DATABASE_NODES, nodeFault, type OldestNodes } from '../../packages/kernel/src/node-version.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const json = (path: string): any => JSON.parse(read(path));

test('4 an old Node gets an error that names the version it needs', () => {
  const faultOf = (version: string, oldest: OldestNodes = DATABASE_NODES) => nodeFault('Lockstitch', oldest, version);
  match(
    faultOf('20.20.2')!,
    /^Lockstitch needs Node 24\.19 or newer, of later lines 26\.4 or newer; this is Node 20\.20\.2 \(/,
  );
  match(faultOf('22.1.0', [[24, 0]])!, /^Lockstitch needs Node 24 or newer; this is Node 22\.1\.0 \(/);
  const versions = ['24.18.9', '24.19.0', '24.30.0', '25.9.0', '26.0.0', '26.3.9', '26.4.0', '27.0.0'];
  deepEqual(
    versions.filter((version) => faultOf(version) === undefined),
    ['24.19.0', '24.30.0', '26.4.0', '27.0.0'],
  );
});

test('4 what a package says it needs is what it checks', () => {
  const DATABASE = DATABASE_NODES.map(([major, minor], index) => `${index === 0 ? '^' : '>='}${major}.${minor}.0`);
  const engines = (name: string): string => json(`packages/${name}/package.json`).engines.node;
  equal(engines('graph'), DATABASE.join(' || '));
  equal(engines('server'), DATABASE.join(' || '));
  for (const name of ['kernel', 'search', 'security']) {
    const [major, minor] = /\[\[(\d+), (\d+)\]\]/
      .exec(read(`packages/${name === 'search' ? 'kernel' : name}/src/this-node.ts`))!
      .slice(1);
    equal(engines(name), minor === '0' ? `>=${major}` : `>=${major}.${minor}.0`, name);
  }
});

test('4 each door of each package checks Node first', () => {
  for (const name of ['kernel', 'graph', 'search', 'security', 'server']) {
    const { exports } = json(`packages/${name}/package.json`);
    for (const door of Object.values(exports) as { readonly source: string }[]) {
      if (door.source.endsWith('/node-version.ts')) continue;
      const [first] = read(join('packages', name, door.source)).match(/^(?:import|export)\b[^;]*;/m)!;
      match(first, name === 'search' ? /^import '@lockstitch\/kernel';/ : /^import '\.\/this-node\.ts';/, name);
    }
  }
  const main = read('packages/server/src/cli/main.ts');
  deepEqual(
    [...main.matchAll(/^import .* from '([^']*)'/gm)].map(([, from]) => from),
    ['node:module', '@lockstitch/kernel/node-version'],
  );
});

test('4 no package imports a name that Node 18 does not export', () => {
  const known: Readonly<Record<string, readonly string[]>> = json('test/packages/node-18-exports.json');
  const missing: string[] = [];
  for (const file of globSync('packages/{kernel,graph,search,security,server}/src/**/*.ts', { cwd: ROOT })) {
    for (const [, clause, from] of read(file).matchAll(
      /^(?:import|export) (?!type\b)([^;]*?) from '(node:[^']+)';/gm,
    )) {
      const names = known[from!];
      const asked = /\{([^}]*)\}/.exec(clause!)?.[1]?.split(',') ?? [];
      for (const name of asked.map((each) => each.trim().split(' as ')[0]!)) {
        if (name === '' || name.startsWith('type ')) continue;
        if (names === undefined || !names.includes(name)) missing.push(`${file}: ${name} of ${from}`);
      }
      if (names === undefined) missing.push(`${file}: ${from}`);
    }
  }
  deepEqual(missing, []);
});
