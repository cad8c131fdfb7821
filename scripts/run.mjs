// The one door behind `npm start`, `npm test` and the other scripts: makes sure that what package-lock.json names is
// installed, then runs the job on the pinned Node. Plain JavaScript without dependencies, so that any Node from 18 on
// can run it before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { basename, delimiter, dirname, join, relative } from 'node:path';

import { generateUnpack } from '../packages/search/scripts/generate-unpack.mjs';
import { groupTests } from './test-groups.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stampFile = join(root, 'node_modules', '.lockstitch-installed');
// Holds the number of the process that installs. One that was killed leaves it behind; nobody waits for the dead.
const installingFile = join(root, 'node_modules', '.lockstitch-installing');
const binary = (name) => join(root, 'node_modules', '.bin', name);

const PEER_GLOB = 'test/engines/**/*.peer.ts';
const TEST_GROUPS = join(root, 'node_modules', '.cache', 'test-groups');

/** Commands that each job runs one after the other; the first failure ends the job with its exit code. `check` runs its own side by side. */
const jobs = {
  start: (args) => [
    [pinnedNode, [...sourceFlags(), 'packages/server/src/cli/main.ts', 'start', 'examples/photo-share', ...args]],
  ],
  // Several times what a file takes: on a busy machine each takes longer.
  test: (args) => [testCommand(3, 900, testFiles(args))],
  // What needs Elasticsearch or OpenSearch beside it: one file at a time, as an engine takes both cores to start.
  'test:engines': (args) => [testCommand(1, 900, args.length > 0 ? args : [PEER_GLOB])],
  engine: (args) => [[pinnedNode, [...sourceFlags(), 'test/engines/start.ts', ...args]]],
  check: () => [
    [binary('tsc'), ['-p', 'tsconfig.json']],
    ...(existsSync(join(root, 'packages/console/tsconfig.json')) ? [[binary('tsc'), ['-p', 'packages/console']]] : []),
    [binary('oxlint'), ['--type-aware', '--deny-warnings', '.']],
    [binary('oxfmt'), ['--check', '.']],
    [binary('knip'), ['--no-progress']],
    [pinnedNode, ['scripts/check-layers.mjs']],
    [pinnedNode, ['scripts/check-prose.mjs']],
  ],
  cli: (args) => [[pinnedNode, [...sourceFlags(), join(root, 'packages/server/src/cli/main.ts'), ...args]]],
  docs: () => [[pinnedNode, [...sourceFlags(), 'scripts/generate-docs.ts']]],
  format: () => [[binary('oxfmt'), ['.']]],
  bench: (args) => [[pinnedNode, [...sourceFlags(), 'bench/run.ts', ...args]]],
  soak: (args) => [[pinnedNode, [...sourceFlags(), 'bench/soak.ts', ...args]]],
};

/** What `npm test` runs: everything; packages and folders by their names, such as `search` or `test/docs`; files. */
function testFiles(args) {
  const folderOf = (arg) => [`packages/${arg}`, arg].find((path) => isFolder(join(root, path)));
  const folders = args.map(folderOf).filter((each) => each !== undefined);
  const names = folders.map((each) => relative(root, join(root, each)).replaceAll('\\', '/'));
  const found = args.length > 0 && names.length === 0 ? [] : groupTests(root, join(TEST_GROUPS, ...names), names);
  const files = [...found, ...args.filter((each) => folderOf(each) === undefined)];
  // Without a file, Node's runner would look for tests everywhere.
  if (files.length === 0)
    fail(`No test is in ${args.join(', ')}: files that end in .test.ts, below packages, test or examples.`);
  return files;
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Ends with what was wrong on the command line. */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Runs test files. @param seconds that one file may take */
function testCommand(concurrency, seconds, files) {
  const flags = [
    '--test',
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${seconds * 1000}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/summary-reporter.mjs',
    '--test-reporter-destination=stdout',
  ];
  // Without it each run draws cases of its own.
  const seed = process.env.TEST_SEED === undefined ? [] : [loadFirst('fix-seed.mjs')];
  return [pinnedNode, [...sourceFlags(), loadFirst('untracked-promises.mjs'), ...seed, ...flags, ...files]];
}

/** Type stripping needs no flag; the condition makes workspace packages resolve to their sources. */
function sourceFlags() {
  return ['--conditions=source', '--disable-warning=ExperimentalWarning', loadFirst('resolve-sources.mjs')];
}

/** The flag that loads a script before anything else. */
function loadFirst(script) {
  return `--import=${pathToFileURL(join(root, 'scripts', script)).href}`;
}

/** The install is current when the stamp holds the hash of the lock file that it was made from. */
function installIfNeeded() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const isCurrent = () => existsSync(pinnedNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
  if (isCurrent()) return;
  waitForOtherInstall();
  if (isCurrent()) return;
  process.stderr.write('Installing what package-lock.json names (once) …\n');
  rmSync(stampFile, { force: true });
  mkdirSync(dirname(installingFile), { recursive: true });
  writeFileSync(installingFile, String(process.pid));
  const npm = process.env.npm_execpath
    ? { command: process.execPath, script: [process.env.npm_execpath] }
    : { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', script: [] };
  // `npm install --no-save` and not `npm ci`: the lock file lists the optional binaries of some platforms only, which `ci`
  // refuses; versions and hashes come from the lock file either way, and --no-save leaves it as it is.
  const { status, error } = spawnSync(npm.command, [...npm.script, 'install', '--no-save', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'development' },
  });
  rmSync(installingFile, { force: true });
  if (status !== 0 || !existsSync(pinnedNode)) {
    process.stderr.write(
      `The install did not finish${error ? `: ${error.message}` : ''}. Look at npm's message above; ` +
        'the npm registry must be reachable and install scripts of the package "node" allowed.\n',
    );
    process.exit(status || 1);
  }
  writeFileSync(stampFile, wanted);
}

/** Two first runs, `npm start` and `npm test` side by side say, must not write into one folder at once. */
function waitForOtherInstall() {
  let told = false;
  for (;;) {
    const other = existsSync(installingFile) ? Number(readFileSync(installingFile, 'utf8')) : 0;
    if (other === 0 || other === process.pid || !isRunning(other)) return;
    // Numbers of processes come again: after ten minutes it is somebody else.
    if (Date.now() - statSync(installingFile).mtimeMs > 600_000) return;
    if (!told) process.stderr.write(`Process ${other} installs what package-lock.json names; waiting for it …\n`);
    told = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
}

/** @returns whether there is a process of that number; one of another user counts. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The console is bundled again when it was never, or when one of its files or the lock file is newer than the bundle. */
function consoleIsStale() {
  const folder = join(root, 'packages', 'console');
  const page = join(folder, 'dist', 'index.html');
  if (!existsSync(page)) return true;
  const built = statSync(page).mtimeMs;
  const newest = (path) => {
    const stats = statSync(path);
    if (!stats.isDirectory()) return stats.mtimeMs;
    return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
  };
  const sources = ['src', 'build.ts', 'index.html', 'icon.svg'].map((name) => join(folder, name));
  return [...sources, join(root, 'package-lock.json')].some((path) => newest(path) > built);
}

// glibc keeps what it was given back unless told so; measured on the photo-share example: 25 MB of 160, and 2 MB by the small
// steps its heap grows by. Other systems ignore it. A lower MMAP threshold keeps less (3 MB at 16384, 6 at 4096), but what its
// system calls cost a request is not measured.
const MEMORY_SETTINGS = {
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '16384',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_ARENA_MAX: '1',
};

// Compiled code is kept from run to run. Set from outside, because the command line's own first module is TypeScript too, and a
// process that strips types once keeps the stripper's 30 MB.
const CACHE_SETTINGS = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') };

/** Runs a command to its end. With `quiet`, its output is kept and handed over with the exit code. */
function run([command, args], quiet = false) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      // Folders named on the command line are meant from where the user stands, not from here.
      cwd: job === 'cli' ? (process.env.INIT_CWD ?? process.cwd()) : root,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: {
        ...MEMORY_SETTINGS,
        ...CACHE_SETTINGS,
        ...process.env,
        PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
      },
    });
    let output = '';
    for (const stream of quiet ? [child.stdout, child.stderr] : []) stream.on('data', (chunk) => (output += chunk));
    // The child decides what a signal means (a server drains); this process only waits for it.
    let told = false;
    const pass = (signal) => {
      told = true;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, pass);
    // A second signal would cut the drain short.
    const watch = watchParent(() => told || pass('SIGTERM'));
    child.on('error', (error) => resolve({ code: 1, output: `${error.message}\n` }));
    child.on('close', (code, signal) => {
      for (const each of signals) process.off(each, pass);
      clearInterval(watch);
      resolve({ code: code ?? (signal ? 1 : 0), output });
    });
  });
}

/**
 * Notices that npm is gone. npm runs a script through a shell, and a shell that is stopped dies without passing it on: the
 * server would live on alone with its port.
 */
function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, 500);
  timer.unref();
  return timer;
}

/** Runs independent commands side by side and prints what each has to say, in their order. Answers the number that failed. */
async function runAll(commands) {
  const results = commands.map((command) => run(command, true));
  let failed = 0;
  for (const [index, [command]] of commands.entries()) {
    const { code, output } = await results[index];
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${basename(command)} ${commands[index][1].join(' ')}\n`);
    if (code === 0) continue;
    process.stdout.write(output);
    failed += 1;
  }
  return failed;
}

const [job, ...args] = process.argv.slice(2);
if (!Object.hasOwn(jobs, job)) fail(`Unknown job "${job}". Known: ${Object.keys(jobs).join(', ')}.`);
generateUnpack();
installIfNeeded();
if (['start', 'test', 'bench'].includes(job) && consoleIsStale()) {
  const { code, output } = await run([pinnedNode, ['packages/console/build.ts']]);
  if (code !== 0) {
    process.stderr.write(output);
    process.exit(code);
  }
}
if (job === 'check') process.exit((await runAll(jobs.check())) === 0 ? 0 : 1);
for (const command of jobs[job](args)) {
  const { code, output } = await run(command);
  if (code !== 0) {
    process.stderr.write(output);
    process.exit(code);
  }
}
