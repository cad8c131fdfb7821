// `lockstitch import`: writes rows of files to a type, through the same writes and feed as every other change. By
// default either all rows are written or none. Every bad row is reported with file, line and reason.
import { createGraph, type Entity, type ImportRow } from '@lockstitch/graph';
import { createPrincipal, didYouMean, isOneOf } from '@lockstitch/kernel';

import { loadApp, type LoadedApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { coerceCsvRow } from '../data/coerce-row.ts';
import { lockDataFolder } from '../data/data-lock.ts';
import { openStore } from '../data/open-store.ts';
import { openRows, type RowFile, type RowFormat } from '../data/read-rows.ts';
import { serverErrors } from '../errors.ts';
import type { Command } from './parse-arguments.ts';
import { countOf, formatCount, showProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

const BATCH = 1000;
/** Bad rows that are printed; the others are only counted. */
const SHOWN_BAD_ROWS = 20;
const FORMATS: readonly RowFormat[] = ['ndjson', 'json', 'csv', 'tsv'];
const IMPORTER = createPrincipal('import');

interface BadRow {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

export async function importFiles(command: Command, terminal: Terminal): Promise<number> {
  const [folder = '.', type = '', ...paths] = command.arguments;
  const format = readFormat(command.options['format']);
  const by = command.options['by']?.split(',').map((name) => name.trim());
  if (by !== undefined && !command.switches.has('upsert')) {
    const reason = '--by says which object a row updates, so it needs --upsert.';
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  const app = await loadApp(folder, terminal.environment, { data: command.options['data'] });
  const entity = findEntity(app, type);
  const files = await Promise.all(paths.map(async (path) => ({ path, file: await openRows(path, format) })));
  const data = dataFolder(app);
  const lock = data === ':memory:' ? undefined : lockDataFolder(data);
  try {
    return await run({ app, entity, files, data, by, command, terminal });
  } finally {
    lock?.release();
  }
}

interface ImportJob {
  readonly app: LoadedApp;
  readonly entity: Entity;
  readonly files: readonly { readonly path: string; readonly file: RowFile }[];
  readonly data: string;
  readonly by: readonly string[] | undefined;
  readonly command: Command;
  readonly terminal: Terminal;
}

async function run({ app, entity, files, data, by, command: { switches }, terminal }: ImportJob): Promise<number> {
  const store = await openStore(app.config.database.url, data);
  try {
    const graph = await createGraph({ model: app.model, store, resolvers: app.resolvers });
    const dryRun = switches.has('dry-run');
    const skipBad = switches.has('skip-bad');
    const reader = createReader(entity, files);
    const progress = showProgress(terminal, `${dryRun ? 'Checking' : 'Importing'} ${entity.name}`, 'row');
    const step = (done: number) => ({ done, fraction: reader.fraction() });
    // A dry run rolls back a real import, because only the database knows whether a key is taken. A row that cannot be
    // read never reaches the importer, but still prevents the import.
    const mustUndo = (): boolean => dryRun || (!skipBad && reader.bad().length > 0);
    const result = await graph
      .importRows(entity.name, undoneWhen(mustUndo, reader.batches()), {
        principal: IMPORTER,
        atomic: dryRun || !skipBad,
        ...(switches.has('upsert') && { onConflict: 'update' }),
        ...(by !== undefined && { by }),
        onReject: ({ index, reasons }) => reader.reject(index, joinReasons(reasons)),
        onProgress: ({ read }) => progress.update(step(read)),
      })
      .catch((error: unknown) => {
        if (error instanceof Undone) return undefined;
        throw error;
      });
    graph.feed.close();
    const bad = inOrder(reader.bad(), files);
    const total = reader.total();
    const { written, updated = 0, unchanged = 0 } = result?.committed === true ? result : { written: 0 };
    progress.end(step(total));
    return report({ entity, bad, total, written, updated, unchanged, dryRun, skipBad, switches, terminal });
  } finally {
    await store.close();
  }
}

/** Joins sentences; a scalar's message may lack its full stop. */
function joinReasons(reasons: readonly string[]): string {
  return reasons.map((reason) => (/[.?!]$/.test(reason) ? reason : `${reason}.`)).join(' ');
}

/** Sorts by file and line. Unreadable rows are found before rows that do not fit, which wait for their batch. */
function inOrder(bad: readonly BadRow[], files: ImportJob['files']): readonly BadRow[] {
  const place = new Map(files.map(({ path }, index) => [path, index]));
  return bad.toSorted((a, b) => (place.get(a.file) ?? 0) - (place.get(b.file) ?? 0) || a.line - b.line);
}

class Undone extends Error {}

/** Throws after the last row if the transaction has to be rolled back. */
async function* undoneWhen<T>(mustUndo: () => boolean, batches: AsyncIterable<T>): AsyncGenerator<T> {
  yield* batches;
  if (mustUndo()) throw new Undone();
}

interface Report {
  readonly entity: Entity;
  readonly bad: readonly BadRow[];
  readonly total: number;
  readonly written: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly dryRun: boolean;
  readonly skipBad: boolean;
  readonly switches: ReadonlySet<string>;
  readonly terminal: Terminal;
}

function report(told: Report): number {
  const { entity, bad, total, written, updated, unchanged, dryRun, skipBad, switches, terminal } = told;
  const failed = bad.length > 0 && !skipBad;
  if (switches.has('json')) {
    const counts = switches.has('upsert') ? { created: written - updated, updated, unchanged } : {};
    const result = { type: entity.name, rows: total, written, ...counts, bad: bad.length, dryRun, problems: bad };
    terminal.out.write(`${JSON.stringify(result, undefined, 2)}\n`);
    return failed ? 1 : 0;
  }
  for (const { file, line, reason } of bad.slice(0, SHOWN_BAD_ROWS)) terminal.err.write(`${file}:${line}: ${reason}\n`);
  if (bad.length > SHOWN_BAD_ROWS)
    terminal.err.write(`… and ${formatCount(bad.length - SHOWN_BAD_ROWS)} more; --json lists all.\n`);
  if (failed && !dryRun)
    throw serverErrors.create('SERVER_IMPORT_REFUSED', { bad: formatCount(bad.length), total: formatCount(total) });
  const good = total - bad.length;
  const wrong = bad.length === 0 ? '' : `, ${formatCount(bad.length)} wrong`;
  terminal.out.write(
    dryRun
      ? `${countOf(good, 'row')} of ${entity.name} ${good === 1 ? 'is' : 'are'} good${wrong}; nothing was written.\n`
      : switches.has('upsert')
        ? `${countOf(total, 'row')} of ${entity.name}: ${formatCount(written - updated)} created, ${formatCount(updated)} updated, ${formatCount(unchanged)} unchanged${wrong}.\n`
        : `${countOf(written, 'row')} of ${entity.name} written${wrong}.\n`,
  );
  return failed ? 1 : 0;
}

/** Reads all files as one stream of batches and remembers the line of each row. */
function createReader(entity: Entity, files: ImportJob['files']) {
  const bad: BadRow[] = [];
  // Locations of recent rows by their number in the import. Older rows cannot be rejected any more.
  let places: { readonly file: string; readonly line: number }[] = [];
  let firstPlace = 0;
  let total = 0;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);

  async function* rows(): AsyncGenerator<ImportRow> {
    for (const { path, file } of files) {
      for await (const row of file.rows()) {
        total += 1;
        if (row.kind === 'bad') {
          bad.push({ file: path, line: row.line, reason: row.reason });
          continue;
        }
        places.push({ file: path, line: row.line });
        yield file.format === 'csv' || file.format === 'tsv' ? coerceCsvRow(entity, row.value) : row.value;
      }
    }
  }
  return {
    async *batches(): AsyncGenerator<readonly ImportRow[]> {
      let batch: ImportRow[] = [];
      for await (const row of rows()) {
        batch.push(row);
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
        firstPlace += places.length;
        places = [];
      }
      if (batch.length > 0) yield batch;
    },
    reject(index: number, reason: string): void {
      const place = places[index - firstPlace];
      bad.push({ file: place?.file ?? '', line: place?.line ?? 0, reason });
    },
    bad: () => bad,
    total: () => total,
    fraction: () => (size === 0 ? undefined : files.reduce((sum, { file }) => sum + file.bytesRead(), 0) / size),
  };
}

function readFormat(text: string | undefined): RowFormat | undefined {
  if (text === undefined || isOneOf(FORMATS, text)) return text;
  const reason = `--format must be one of ${FORMATS.join(', ')}, not "${text}".${didYouMean(text, FORMATS)}`;
  throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}

function findEntity({ model }: LoadedApp, type: string): Entity {
  const entity = model.entities.get(type);
  if (entity !== undefined) return entity;
  const known = [...model.entities.keys()];
  throw serverErrors.create('SERVER_IMPORT_UNKNOWN_TYPE', {
    type,
    suggestion: didYouMean(type, known),
    known: known.join(', '),
  });
}
