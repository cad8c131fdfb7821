// Which test files of a whole run share a process. Loading the sources takes longer than most files take to run: of 490 s of processor for
// the suite, 130 were loading.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Folders (or files) whose files may share a process, and how many of them at most: each process has to end within the time of one file. The first line that names a file has it. Those of `startsOthers` are named one by one. */
const TOGETHER = [
  // What these change is in the processes that they start.
  {
    folders: [
      ...['backup', 'commands', 'export', 'owner-only', 'schema-changes', 'search', 'start', 'terminal', 'user'].map(
        (name) => `packages/server/test/cli/${name}.test.ts`,
      ),
      ...['files', 'monitoring', 'proxies', 'telemetry'].map((name) => `test/deploy/${name}.test.ts`),
      'test/packages/linked-sources.test.ts',
      'packages/server/test/data/data-lock.test.ts',
    ],
    most: 4,
    startsOthers: true,
  },
  // The second shares the data of the photo-share example with the first.
  { folders: ['test/spec', 'packages/server/test/cli/policy-test.test.ts', 'examples'], most: 14 },
  { folders: ['packages/search/test/rest'], most: 14 },
  {
    folders: ['query', 'collect', 'suggest', 'highlight', 'clients', 'answers', 'cluster'].map(
      (name) => `packages/search/test/${name}`,
    ),
    most: 14,
  },
  {
    folders: ['view', 'search', 'index', 'directory', 'ingest', 'tasks'].map((name) => `packages/search/test/${name}`),
    most: 14,
  },
  {
    folders: ['aggs', 'analysis', 'mapping', 'compatibility', 'requests', 'json', 'text'].map(
      (name) => `packages/search/test/${name}`,
    ),
    most: 14,
  },
  { folders: ['packages/search/test/engine'], most: 6 },
  {
    folders: [
      'adopt',
      'aggregates',
      'execute',
      'plan',
      'schema',
      'http',
      'write',
      'store',
      'differential',
      'golden',
    ].map((name) => `packages/graph/test/${name}`),
    most: 14,
  },
  { folders: ['packages/security/test', 'packages/kernel/test', 'packages/console/test'], most: 18 },
  {
    folders: ['config', 'http', 'data', 'metrics', 'security', 'routes', 'github'].map(
      (name) => `packages/server/test/${name}`,
    ),
    most: 14,
  },
  // These wait, for a database or a cluster to be away.
  {
    folders: ['adopt', 'cluster', 'several-servers.test.ts', 'read-replica.test.ts'].map(
      (name) => `packages/server/test/${name}`,
    ),
    most: 6,
  },
  { folders: ['packages/server/test/sync'], most: 5 },
  { folders: ['packages/server/test/cli', 'packages/server/test/policy'], most: 7 },
  {
    folders: ['app', 'database-away', 'forged-requests', 'hostile-log', 'postgres'].map(
      (name) => `packages/server/test/${name}.test.ts`,
    ),
    most: 5,
  },
  { folders: ['test/docs', 'test/engines', 'test/packages'], most: 4 },
];

/** What a file says that changes the process, or a hook of the root, which would hold for the others. */
const ALONE =
  /^(?:beforeEach|afterEach)\(|\bprocess\.(?!getuid|platform|execPath|cwd|version|pid|arch|env\['\w+'\] (?:\?\?|===))|\bmock\b|\bglobalThis\b|copyViews|node:worker_threads|node:child_process|kill-rounds|startCli|runCli/m;

/** Those that take longest, first: what is left at the end then runs beside something. */
const FIRST = [
  'packages/server/test/policy/noninterference.test.ts',
  'packages/graph/test/stores.test.ts',
  'test/browser/console.test.ts',
  'test/packages/compiled.test.ts',
  'packages/search/test/view/noninterference.test.ts',
  'packages/search/test/engine/durability.test.ts',
];

/** Folders where test files are looked for. */
const ROOTS = ['packages', 'test', 'examples'];

/** Every test file, as a path from the root, in alphabetical order. Plain reading: any Node from 18 on runs this. */
function findTests(root) {
  const found = [];
  const look = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && !entry.name.startsWith('.')) look(path);
      } else if (entry.name.endsWith('.test.ts')) found.push(path);
    }
  };
  for (const folder of ROOTS) look(folder);
  return found.sort((a, b) => (a < b ? -1 : 1));
}

/**
 * The files of a run, with those that share a process as one file each.
 *
 * @param folder where these files are written
 * @param within folders whose tests are wanted; none: all
 */
export function groupTests(root, folder, within = []) {
  const files = findTests(root).filter(
    (file) => within.length === 0 || within.some((each) => file.startsWith(`${each}/`)),
  );
  mkdirSync(folder, { recursive: true });
  const grouped = new Set();
  const groups = [];
  for (const [line, { folders, most, startsOthers = false }] of TOGETHER.entries()) {
    const members = files.filter(
      (file) =>
        folders.some((each) => file === each || file.startsWith(`${each}/`)) &&
        !grouped.has(file) &&
        !FIRST.includes(file) &&
        (startsOthers || !ALONE.test(readFileSync(join(root, file), 'utf8'))),
    );
    const parts = Math.ceil(members.length / most);
    for (let part = 0; part < parts; part++) {
      // Interleaved: neighbours are alike, and take about as long.
      const own = members.filter((_, at) => at % parts === part);
      for (const file of own) grouped.add(file);
      groups.push({ name: `group-${line + 1}-${part + 1}`, own });
    }
  }
  const alone = (file) => ({ name: file.slice(0, -'.test.ts'.length).replaceAll('/', '-'), own: [file] });
  const rest = files.filter((file) => !grouped.has(file) && !FIRST.includes(file));
  const entries = [...FIRST.filter((file) => files.includes(file)).map(alone), ...groups, ...rest.map(alone)];
  return entries.map(({ name, own }, at) => {
    // The runner takes files in the order of their paths.
    const entry = join(folder, `${String(at + 1).padStart(3, '0')}-${name}.test.mjs`);
    const imports = own.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    writeFileSync(entry, imports.join(''));
    return entry;
  });
}
