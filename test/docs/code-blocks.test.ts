// Each block of code in the documents runs as it stands: commands are understood, requests are answered by the example they are
// meant for, schemas and configurations have no mistakes, modules run. What a command prints is marked `text` and not compared.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { readSchema, type Resolvers } from '@lockstitch/graph';
import { silentLog } from '@lockstitch/kernel';
import { parse, validate } from 'graphql';

import { SOURCE_FLAGS } from '../../packages/kernel/test/source-flags.ts';
import { buildSecurity } from '../../packages/server/src/security/build-security.ts';
import { parseArguments } from '../../packages/server/src/cli/parse-arguments.ts';
import { checkConfig } from '../../packages/server/src/config/check-config.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import { checkSearchPolicy } from '../../packages/server/src/policy/check-search-policy.ts';
import { checkSearchFields } from '../../packages/server/src/mapping/check-search-fields.ts';
import { blocksOf, CODE_BLOCKS, type CodeBlock, LANGUAGES, ROOT, titleOf } from './code-blocks.ts';
import { readCommands, type ShellCommand } from './shell-commands.ts';
import { type DocumentedServers, startDocumentedServers } from './documented-servers.ts';

test('every block says what it is', () => {
  const known: readonly string[] = LANGUAGES;
  deepEqual(CODE_BLOCKS.filter(({ language }) => !known.includes(language)).map(titleOf), []);
});

describe('commands', () => {
  let servers: DocumentedServers;
  before(async () => {
    servers = await startDocumentedServers();
  });
  after(() => servers.close());
  for (const block of blocksOf('sh')) {
    test(titleOf(block), async () => {
      for (const command of readCommands(block.code)) await check(command, block, servers);
    });
  }
});

async function check(command: ShellCommand, { page }: CodeBlock, servers: DocumentedServers): Promise<void> {
  const [name, ...words] = command.words;
  switch (name) {
    case 'npm':
      return checkScript(words);
    case 'lockstitch':
      parseArguments(words);
      return;
    case 'node_modules/.bin/node':
      return ok(
        existsSync(
          join(
            ROOT,
            words.find((word) => word.endsWith('.ts'))!,
          ),
        ),
      );
    case 'curl': {
      const [expected = 200] = /^\d{3}/.exec(command.comment ?? '') ?? [];
      const response = await servers.curl(words, page);
      const created = response.status === 201 && expected === 200;
      return equal(created ? 200 : response.status, Number(expected), response.text);
    }
    default:
      if (PROGRAMS_OF_OTHERS.has(name!)) return checkForeign(words);
      throw new Error(`Teach this test the command "${name}".`);
  }
}

const PROGRAMS_OF_OTHERS: ReadonlySet<string> = new Set([
  'caddy',
  'cd',
  'cp',
  'createdb',
  'docker',
  'export',
  'install',
  'kubectl',
  'mkdir',
  'nginx',
  'pg_basebackup',
  'promtool',
  'sudo',
  'systemctl',
  'useradd',
]);

/** The files of this repository that they are given are there, and lockstitch understands what they pass to it. */
function checkForeign(words: readonly string[]): void {
  for (const word of words.filter((each) => each.startsWith('deploy/'))) ok(existsSync(join(ROOT, word)), word);
  const own = words.findIndex((word) => word.endsWith('.bin/lockstitch'));
  if (own !== -1) parseArguments(words.slice(own + 1));
}

function checkScript([first, ...rest]: readonly string[]): void {
  const script = first === 'run' ? rest[0]! : first!;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly scripts: object };
  if (['ci', 'install', 'pack'].includes(script)) return;
  ok(Object.hasOwn(scripts, script), `npm has no script "${script}"`);
  const words = rest.slice(rest.indexOf('--') + 1);
  if (script === 'lockstitch') parseArguments(words);
  if (script === 'start') parseArguments(['start', 'examples/photo-share', ...(rest.includes('--') ? words : [])]);
}

for (const block of blocksOf('json')) {
  test(titleOf(block), () => ok(JSON.parse(block.code)));
}

const isSchema = ({ code }: CodeBlock): boolean => /^(?:type|scalar|enum|input|extend) /m.test(code);

for (const block of blocksOf('graphql')) {
  test(titleOf(block), async () => {
    if (!isSchema(block)) {
      // An operation is for the schema above it, or for the example.
      const above = blocksOf('graphql').findLast(
        (other) => other.page === block.page && other.line < block.line && isSchema(other),
      );
      const own = above === undefined ? [] : [readSchema([{ file: 'schema.graphql', text: above.code }])];
      if (own.some(({ schema }) => validate(schema, parse(block.code)).length === 0)) return;
      const folder = /^examples\/[^/]+/.exec(block.page)?.[0] ?? 'examples/photo-share';
      const { model } = await loadApp(join(ROOT, folder), {});
      deepEqual(validate(model.schema, parse(block.code)), []);
      return;
    }
    const beside = blocksOf('ts').find(({ page, code }) => page === block.page && isOfResolvers(code));
    const resolvers = beside === undefined ? {} : ((await load(beside)).default as Resolvers);
    readSchema([{ file: 'schema.graphql', text: block.code }], {
      resolvers,
      federation: block.code.includes('@key('),
      check: (read) => [...checkSearchPolicy(read), ...checkSearchFields(read)],
    });
  });
}

for (const block of blocksOf('ts', 'js')) {
  test(titleOf(block), async () => {
    if (/^export /m.test(block.code)) await importBlock(block);
    else await runBlock(block);
  });
}

/** A module: it can be imported, and a configuration in it can be started with. */
async function importBlock(block: CodeBlock): Promise<void> {
  const exported = await load(block);
  ok(Object.keys(exported).length > 0);
  if (exported.default === undefined || isOfResolvers(block.code)) return;
  const { config, problems } = checkConfig(exported.default);
  deepEqual(problems, []);
  buildSecurity(config, { name: 'user', password: undefined }, silentLog);
}

function isOfResolvers(code: string): boolean {
  return code.includes('satisfies ResolversOfSchema');
}

async function load({ code }: CodeBlock): Promise<{ readonly default?: unknown }> {
  // What the reader keeps in the environment; long enough for a key, and Base32.
  for (const [, name] of code.matchAll(/process\.env\.(\w+)/g)) process.env[name!] = 'A'.repeat(40);
  // A module without a file finds no packages: their addresses are put in.
  const resolved = code.replaceAll(
    / from '([^'.][^']*)'/g,
    (_, name: string) => ` from '${import.meta.resolve(name)}'`,
  );
  const script = stripTypeScriptTypes(resolved);
  return (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as { readonly default?: unknown };
}

/** A script: it ends by itself, in a folder of its own. */
async function runBlock({ code }: CodeBlock): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-block-'));
  try {
    writeFileSync(join(folder, 'block.mts'), code);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const { stderr } = await promisify(execFile)(process.execPath, [...SOURCE_FLAGS, 'block.mts'], {
      cwd: folder,
      timeout: 300_000,
    });
    equal(stderr, '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
