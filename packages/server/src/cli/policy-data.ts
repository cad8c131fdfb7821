// `lockstitch policy explain <type> <key>` and `policy test <dir>`: what the read rules mean for the stored data. Both
// only read; the test works on copies in memory.
import { createGraph, type ExplainedPart, type Graph, managedCopy, planMigration, type Store } from '@lockstitch/graph';
import { ANONYMOUS, createPrincipal, didYouMean, type Principal } from '@lockstitch/kernel';

import type { LoadedApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { isNewDatabase, openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import {
  checkNoninterference,
  type Interference,
  type NoninterferenceResult,
} from '../noninterference/check-noninterference.ts';
import { printAsked } from '../noninterference/random-requests.ts';
import { findLeftCopies } from '../noninterference/left-copies.ts';
import { openScratch } from '../noninterference/scratch-app.ts';
import { stubResolvers } from '../noninterference/stub-resolvers.ts';
import { type ExplainedObject, explainObject } from './explain-object.ts';
import type { Command } from './parse-arguments.ts';
import { formatCount, showProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { untilSignal } from './until-signal.ts';

/** Runs `policy explain <type> <key>`. */
export async function explainData(
  app: LoadedApp,
  [type, key]: readonly [string, string],
  principal: Principal,
  { switches }: Command,
  terminal: Terminal,
): Promise<number> {
  const entity = app.model.entities.get(type);
  if (entity === undefined) {
    const known = [...app.model.entities.keys()];
    throw bad(
      `The schema stores no type "${type}".${didYouMean(type, known)} A request is explained by its method and path: policy explain GET /photos/_search.`,
    );
  }
  const explained = await withData(app, (graph) => explainObject(graph, entity, key, principal));
  terminal.out.write(
    switches.has('json')
      ? `${JSON.stringify({ type, key, as: principal.name, ...explained }, undefined, 2)}\n`
      : printExplained(type, key, principal, explained),
  );
  return 0;
}

/** Default number of requests of `policy test`. */
const CASES = 2000;
/** Exit code of a test that was ended by a signal. */
const INTERRUPTED = 130;
/** Number of callers named after keys of the data, for rules that compare with names. */
const NAMES = 6;

/**
 * Runs `policy test <dir>`.
 *
 * @returns 1 if a request revealed hidden data
 */
export async function testPolicy(
  app: LoadedApp,
  named: readonly Principal[],
  { options, switches }: Command,
  terminal: Terminal,
): Promise<number> {
  const cases = numberOf(options['cases'], 'cases') ?? CASES;
  const seed = numberOf(options['seed'], 'seed') ?? Math.floor(Math.random() * 1_000_000_000);
  const { search } = app.config;
  const isOnCluster = switches.has('engine');
  if (isOnCluster && search.engine === 'embedded')
    throw bad('--engine tests on a search cluster, and search.engine is embedded.');
  const cluster = isOnCluster ? { cluster: search } : {};
  const { resolvers, fields: untested } = stubResolvers(app.model, app.resolvers);
  const progress = showProgress(terminal, 'Testing the policy', 'request');
  const stopping = new AbortController();
  // Killed at once, it would leave its indexes on the cluster.
  if (isOnCluster)
    void untilSignal().then((signal) => {
      terminal.err.write(`${signal}: the test ends once its indexes on the search cluster are dropped …\n`);
      stopping.abort(new Interrupted(signal));
    });
  // An account that may not list them can test all the same.
  const left = isOnCluster ? await findLeftCopies(search).catch(() => undefined) : undefined;
  const result = await withData(app, async (graph, store) => {
    const principals = named.length > 0 ? named : [ANONYMOUS, ...(await namesInData(graph))];
    return checkNoninterference({
      ...managedCopy(graph.model, store),
      store,
      principals,
      cases,
      seed,
      openWorld: (model, tables, change) => openScratch(model, tables, change, { resolvers, ...cluster }),
      onProgress: (done) => progress.update({ done, total: cases }),
      signal: stopping.signal,
    });
  }).catch((error: unknown) => {
    if (error instanceof Interrupted) return error;
    throw error;
  });
  if (result instanceof Interrupted) {
    terminal.err.write(`${result.message}\n`);
    return INTERRUPTED;
  }
  progress.end({ done: result.cases });
  const { changed, interference, refused } = result;
  if (switches.has('json')) {
    const found = interference === undefined ? null : { ...interference, principal: interference.principal.name };
    terminal.out.write(
      `${JSON.stringify({ cases: result.cases, answered: result.cases - refused, changed, refused, seed, untested, interference: found }, undefined, 2)}\n`,
    );
  } else
    terminal.out.write(
      `${interference === undefined ? printPassed(result, seed) : printFailed(interference, seed)}${printUntested(untested)}`,
    );
  // After the result, which it must not cost.
  const names = await left?.names().catch((): readonly string[] => []);
  if (names !== undefined && names.length > 0)
    terminal.err.write(
      `Indexes that tests may have left which were killed: ${names.join(', ')}. Delete those that no application uses.\n`,
    );
  return interference === undefined ? 0 : 1;
}

/** A signal that ends a test; its copies are closed first. */
class Interrupted extends Error {
  constructor(signal: NodeJS.Signals) {
    super(`The test was ended by ${signal}; its indexes on the search cluster were dropped.`);
  }
}

function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || (name === 'cases' && Number(text) === 0))
    throw bad(`--${name} must be a whole number${name === 'cases' ? ' from 1 on' : ''}, not "${text}".`);
  return Number(text);
}

/** Keys that are names: keys of types whose key the creator chooses. */
async function namesInData(graph: Graph): Promise<readonly Principal[]> {
  const found: Principal[] = [];
  for (const entity of graph.model.entities.values()) {
    if (entity.key.storage !== 'text' || entity.key.default !== undefined) continue;
    const documents = await graph.loadDocuments(entity.name, { limit: NAMES });
    found.push(...documents.map(({ key }) => createPrincipal(key)));
  }
  return found.slice(0, NAMES);
}

/**
 * There is no database before the first start, and asking must not create one.
 *
 * @throws ProductError SERVER_POLICY_NO_DATA
 */
export function checkStarted(app: LoadedApp): void {
  if (app.config.database.url === undefined && isNewDatabase(dataFolder(app)))
    throw serverErrors.create('SERVER_POLICY_NO_DATA', { folder: app.folder });
}

async function withData<T>(app: LoadedApp, work: (graph: Graph, store: Store) => Promise<T>): Promise<T> {
  checkStarted(app);
  const store = await openStore(app.config.database.url, dataFolder(app));
  try {
    const { steps } = await planMigration(app.model, store);
    if (steps.length > 0) throw serverErrors.create('SERVER_POLICY_NO_DATA', { folder: app.folder });
    const graph = await createGraph({ model: app.model, store, resolvers: app.resolvers });
    try {
      return await work(graph, store);
    } finally {
      graph.feed.close();
    }
  } finally {
    await store.close();
  }
}

function printExplained(type: string, key: string, principal: Principal, explained: ExplainedObject): string {
  const { exists, fields, graph, rule, search } = explained;
  const who = principal.authenticated ? principal.name : 'an anonymous caller';
  if (!exists) return `There is no ${type} ${key}. Both APIs answer as for one that ${who} may not read.\n`;
  const lines = [
    `${type} ${key} for ${who}`,
    '',
    `  graph   ${graph.readable ? 'shown' : 'not there'}${graph.readable && graph.withheld.length > 0 ? `, without ${graph.withheld.join(', ')}` : ''}`,
    `  search  ${search === undefined ? 'the type is not searched' : search.readable ? `found as ${JSON.stringify(search.document)}` : 'not there'}`,
    '',
    ...(rule === undefined
      ? [`  ${type} has no rule: everybody may read it.`]
      : [`  Rule of ${type}`, ...printPart(rule, 2)]),
    ...Object.entries(fields).flatMap(([name, part]) => [`  Rule of ${type}.${name}`, ...printPart(part, 2)]),
  ];
  return `${lines.join('\n')}\n`;
}

function printPart({ joined, parts, text, truth }: ExplainedPart, depth: number): string[] {
  const word = truth === null ? 'unknown' : truth ? 'true' : 'false';
  const how =
    joined === undefined || parts.length === 0
      ? ''
      : joined === 'not'
        ? '  (not)'
        : `  (${joined === 'or' ? 'one of' : 'all of'})`;
  return [
    `${'  '.repeat(depth)}${word.padEnd(8)} ${text}${how}`,
    ...parts.flatMap((part) => printPart(part, depth + 1)),
  ];
}

function printPassed({ cases, changed, refused }: NoninterferenceResult, seed: number): string {
  const passed = `None of ${formatCount(cases)} requests to the graph and search revealed hidden data (${formatCount(changed)} hidden values changed, ${formatCount(cases - refused)} requests answered and ${formatCount(refused)} refused, seed ${seed}).\n`;
  if (changed > 0) return passed;
  return `${passed}Nothing was hidden from these callers, so this proves nothing: name others with --as, or put data there first.\n`;
}

function printUntested(fields: readonly string[]): string {
  const resolved = fields.length === 0 ? '' : ` Nor are fields that TypeScript resolves: ${fields.join(', ')}.`;
  return `Not tested: subscriptions.${resolved}\n`;
}

function printFailed({ answers, asked, principal, steps }: Interference, seed: number): string {
  return [
    `A request reveals data that ${principal.name} may not see: its answers on two copies, which differ only there, differ.`,
    '',
    ...(steps.length === 0 ? [] : ['After these mutations:', ...steps.map(printAsked), '', 'The request:']),
    printAsked(asked),
    '',
    `on the data:         ${answers[0]}`,
    `with hidden changes: ${answers[1]}`,
    '',
    `Again: --seed ${seed}. Please report it; the answers above hold data that ${principal.name} may not see.`,
    '',
  ].join('\n');
}

function bad(reason: string): Error {
  return serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}
