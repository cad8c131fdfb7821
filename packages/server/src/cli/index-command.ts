// `lockstitch index`: shows, verifies and rebuilds the search indexes. Asks the running server; without one, opens the
// data folder itself.
import { join } from 'node:path';

import { createGraph, type Feed, knownHead, planMigration, type Store } from '@lockstitch/graph';
import { didYouMean, type Log } from '@lockstitch/kernel';

import { loadApp, type LoadedApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { lockUnservedFolder } from '../data/data-lock.ts';
import { isNewDatabase, openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { besideFleet } from '../fleet/server-registry.ts';
import { snapshotSearch } from '../sync/search-snapshot.ts';
import { furthestIndex } from '../sync/furthest-index.ts';
import { type IndexAction, type IndexProgress, type IndexResult, runIndexAction } from '../sync/index-action.ts';
import { askIndexControl } from '../sync/index-control.ts';
import { describeAhead, describeGone } from '../sync/lost-changes.ts';
import { openSearch } from '../cluster/open-search.ts';
import { readerName } from '../sync/reader-name.ts';
import type { BuildProgress } from '../sync/index-rebuilder.ts';
import type { SyncStatus } from '../sync/sync-status.ts';
import type { VerifyReport } from '../sync/verify-index.ts';
import { indexCopy } from './index-copy.ts';
import type { Command } from './parse-arguments.ts';
import { countOf, formatBytes, formatCount, formatSeconds, showJob } from './progress.ts';
import type { Terminal } from './terminal.ts';

const ACTIONS = ['status', 'verify', 'rebuild', 'copy'] as const;
/** Differences that are printed; the others are only counted. */
const SHOWN = 20;

export async function index(command: Command, terminal: Terminal): Promise<number> {
  const action = readAction(command);
  const app = await loadApp(command.arguments[1]!, terminal.environment, { data: command.options['data'] });
  const folder = dataFolder(app);
  if (folder === ':memory:') throw serverErrors.create('SERVER_INDEX_IN_MEMORY', { folder: app.folder });
  if (action.kind === 'copy') return indexCopy(command, folder, terminal);
  const job = showJob(terminal);
  const doing = action.kind === 'verify' ? 'Comparing' : 'Building';
  const onProgress = ({ index: name, done, total }: IndexProgress): void =>
    job.update(`${doing} the index ${name}`, 'document', done, total);
  const served = await askIndexControl(folder, action, onProgress);
  const result = served ?? (await runAlone(app, folder, action, onProgress, warningsTo(terminal)));
  job.end();
  if (command.switches.has('json')) terminal.out.write(`${JSON.stringify(toJson(result), undefined, 2)}\n`);
  else terminal.out.write(printResult(result, served !== undefined));
  const differs = result.kind === 'verify' && result.reports.some((report) => countDifferences(report) > report.mended);
  return differs ? 1 : 0;
}

function readAction({ arguments: given, options, switches }: Command): IndexAction | { readonly kind: 'copy' } {
  const [kind = '', , ...indexes] = given;
  const bad = (reason: string): Error => serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  if (switches.has('dry-run') && kind !== 'verify') throw bad('The option --dry-run is for "index verify".');
  if (options['to'] !== undefined && kind !== 'copy') throw bad('The option --to is for "index copy".');
  switch (kind) {
    case 'copy':
      if (indexes.length > 0) throw bad(`"index copy" takes no argument "${indexes[0]}": it copies every index.`);
      return { kind };
    case 'status':
      if (indexes.length > 0) throw bad(`"index status" takes no argument "${indexes[0]}": it shows every index.`);
      return { kind };
    case 'verify':
      return { kind, indexes, mend: !switches.has('dry-run') };
    case 'rebuild':
      return { kind, indexes };
    default:
      throw bad(`"index" has no action "${kind}", only ${ACTIONS.join(', ')}.${didYouMean(kind, ACTIONS)}`);
  }
}

/** Opens the folder and runs the action here, because no server holds it. */
async function runAlone(
  app: LoadedApp,
  folder: string,
  action: IndexAction,
  onProgress: (progress: IndexProgress) => void,
  log: Log,
): Promise<IndexResult> {
  const { url } = app.config.database;
  const isDryRun = action.kind === 'verify' && !action.mend;
  const looks = action.kind === 'status' || isDryRun;
  // A read-only action must not create a database.
  const isNew = looks && url === undefined && isNewDatabase(folder);
  const seen = isNew || isDryRun ? await furthestIndex(app.model, folder) : undefined;
  const gone = isNew && seen !== undefined ? describeGone(join(folder, 'data.sqlite'), seen) : undefined;
  if (isDryRun && gone !== undefined) throw serverErrors.create('SERVER_DATA_LOST', { trouble: gone });
  const at = isNew && gone === undefined ? ':memory:' : folder;
  const lock = at === ':memory:' ? undefined : lockUnservedFolder(folder);
  const parts = { app, action, onProgress, log, gone };
  const copy = looks && at !== ':memory:' ? snapshotSearch(folder) : undefined;
  try {
    const store = await openStore(url, isNew ? ':memory:' : folder);
    try {
      // Checked before a database is prepared that may be another one.
      if (isDryRun && seen !== undefined) {
        const lost = { ...seen, databasePosition: await knownHead(store) };
        if (lost.indexPosition > lost.databasePosition)
          throw serverErrors.create('SERVER_DATA_LOST', { trouble: describeAhead(lost) });
      }
      if (!looks || isNew)
        return await runOn(store, { ...parts, folder: at, readerName: readerName(isNew ? ':memory:' : at) });
      const { steps } = await planMigration(app.model, store, { counts: false });
      if (isDryRun && steps.length > 0)
        throw serverErrors.create('SERVER_INDEX_UNPREPARED', { store: store.description });
      const looking = { ...parts, folder: copy!.folder, readerName: readerName(at) };
      // A database without a feed counts as empty.
      if (steps.length === 0 || (await knownHead(store)) > 0) return await runOn(store, { ...looking, looks });
      const empty = await openStore(undefined, ':memory:');
      try {
        return await runOn(empty, looking);
      } finally {
        await empty.close();
      }
    } finally {
      await store.close();
    }
  } finally {
    copy?.remove();
    lock?.release();
  }
}

/** A feed whose readers do not record their positions. */
function onlyRead(feed: Feed): Feed {
  const nothing = (): Promise<void> => Promise.resolve();
  return { ...feed, reader: (name) => ({ ...feed.reader(name), advance: nothing, remove: nothing }) };
}

interface RunParts {
  readonly app: LoadedApp;
  readonly action: IndexAction;
  readonly onProgress: (progress: IndexProgress) => void;
  readonly log: Log;
  /** Text of `status` about a database that no longer exists. */
  readonly gone: string | undefined;
  /** The data folder, a copy of it, or `:memory:`. */
  readonly folder: string;
  readonly readerName: string;
  /** Whether the database must not be written. */
  readonly looks?: boolean;
}

async function runOn(
  store: Store,
  { action, app, folder, gone, log, looks = false, onProgress, readerName: name }: RunParts,
): Promise<IndexResult> {
  const { model, resolvers } = app;
  const opened = await createGraph({ model, store, resolvers, migrates: !looks });
  const graph = looks
    ? {
        model: opened.model,
        store,
        feed: onlyRead(opened.feed),
        sequencer: undefined,
        loadDocuments: opened.loadDocuments.bind(opened),
        countDocuments: opened.countDocuments.bind(opened),
      }
    : opened;
  // What a server leads it is not deprived of.
  const fleet = app.config.servers === 'several' ? besideFleet(store) : undefined;
  const search = await openSearch({ graph, folder, config: app.config, fleet, readerName: name, log });
  const { sync } = search;
  try {
    if (action.kind === 'status') {
      const status = await sync.status();
      return { kind: 'status', status: gone === undefined ? status : { ...status, trouble: gone } };
    }
    const selected = sync.select(action.indexes).map((index) => index.name);
    if (action.kind === 'verify') {
      await sync.start(onProgress);
      return await runIndexAction(sync, action, onProgress);
    }
    await sync.start(onProgress, selected);
    const { indexes } = await sync.status();
    const reports = indexes.filter((index) => selected.includes(index.name));
    return { kind: 'rebuild', reports: reports.map((index) => ({ index: index.name, documents: index.documents })) };
  } finally {
    opened.feed.close();
    await search.close();
  }
}

/** Shows what a server logs as a warning to the user of the command. */
function warningsTo({ err }: Terminal): Log {
  return {
    write(level, message) {
      if (level === 'warn' || level === 'error') err.write(`${message}\n`);
    },
  };
}

function toJson(result: IndexResult): unknown {
  return result.kind === 'status' ? result.status : { [result.kind]: result.reports };
}

function printResult(result: IndexResult, isServed: boolean): string {
  switch (result.kind) {
    case 'status':
      return printStatus(result.status, isServed);
    case 'verify':
      return result.reports.map(printVerified).join('');
    case 'rebuild':
      return result.reports
        .map(({ index: name, documents }) => `${name}: ${countOf(documents, 'document')}, rebuilt.\n`)
        .join('');
  }
}

const STATES = {
  current: 'follows the data',
  rebuilding: 'follows the data, and a new index is being built',
  stale: 'is that of the former schema, and the new one is being built',
  outdated: 'has another schema; the next start rebuilds it',
  missing: 'is not there yet; the next start builds it',
} as const;

/** Of a server that runs. */
const MISSING_NOW = 'cannot be searched until it is built';

function printStatus(
  { indexes, head, position, committed, lag, lagSeconds, trouble }: SyncStatus,
  isServed: boolean,
): string {
  if (indexes.length === 0) return 'Nothing in the schema is marked @search.\n';
  const rows = indexes.map(({ name, type, documents, building, bytes, state }) => [
    name,
    type,
    formatCount(documents),
    formatBytes(bytes),
    `${isServed && state === 'missing' ? MISSING_NOW : STATES[state]}${building === undefined ? '' : ` (${printBuilding(building)})`}`,
  ]);
  const table = [['Index', 'Type', 'Documents', 'Size', ''], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 2 || column === 3 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const behind =
    trouble !== undefined && !isServed
      ? 'not in step with the data'
      : lag === 0
        ? 'in step with the data'
        : `${countOf(lag, 'change')} behind${lagSeconds === 0 ? '' : `, the oldest of them ${formatSeconds(lagSeconds)} old`}`;
  return [
    ...lines,
    '',
    `${behind}: the feed is at ${formatCount(head)}, searchable up to ${formatCount(position)}, on disk up to ${formatCount(committed)}`,
    ...(lag === 0 || isServed ? [] : ['no server runs on this folder; the next start catches up']),
    ...(trouble === undefined ? [] : [`trouble: ${trouble}`]),
    '',
  ].join('\n');
}

/** `61 %, 4,114/s, 12 s left`. */
function printBuilding({ done, seconds, total }: BuildProgress): string {
  const rate = done / Math.max(seconds, 0.001);
  const left = done === 0 || done >= total ? [] : [`${formatSeconds((total - done) / rate)} left`];
  return [`${Math.floor((100 * done) / Math.max(1, total))} %`, `${formatCount(Math.round(rate))}/s`, ...left].join(
    ', ',
  );
}

function printVerified(report: VerifyReport): string {
  const { index: name, documents, ranges, mended, unsettled, differences, rebuilt } = report;
  const count = countDifferences(report);
  const kinds = (['changed', 'missing', 'surplus'] as const)
    .filter((kind) => report[kind] > 0)
    .map((kind) => `${formatCount(report[kind])} ${kind}`);
  const found = count === 0 ? 'nothing differs' : `${countOf(count, 'difference')} (${kinds.join(', ')})`;
  const left = mended === 0 ? ', left as they are' : `, ${formatCount(mended)} repaired`;
  const done = count === 0 ? '' : mended === count ? ', repaired' : left;
  const lines = [
    ...(rebuilt === undefined ? [] : [`${name}: rebuilt. ${rebuilt}`]),
    `${name}: ${countOf(documents, 'document')} compared in ${countOf(ranges, 'range')}: ${found}${done}.`,
  ];
  for (const { kind, key, fields } of differences.slice(0, SHOWN))
    lines.push(`  ${kind.padEnd(8)} ${key}${fields.length === 0 ? '' : `  ${fields.join(', ')}`}`);
  if (count > SHOWN) lines.push(`  … and ${formatCount(count - SHOWN)} more; --json lists up to a thousand.`);
  if (unsettled > 0)
    lines.push(`  ${countOf(unsettled, 'document')} kept changing and could not be judged; run it again.`);
  return `${lines.join('\n')}\n`;
}

function countDifferences({ changed, missing, surplus }: VerifyReport): number {
  return changed + missing + surplus;
}
