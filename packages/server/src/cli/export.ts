// `lockstitch export`: writes the rows of types to files, as `lockstitch import` takes them. It reads the database like
// another client, so a server may run meanwhile.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

import {
  createGraph,
  type Entity,
  type Graph,
  type ImportOrder,
  importOrderOf,
  type ImportRow,
} from '@lockstitch/graph';
import { codeOf, didYouMean } from '@lockstitch/kernel';
import { folderFault, OWNER_FILE, OWNER_FOLDER } from '@lockstitch/search/folder';
import { stringify } from 'csv-stringify/sync';

import { loadApp, type LoadedApp } from '../app/load-app.ts';
import { dataFolder, shownPath } from '../config/load-config.ts';
import { folderNotWritable } from '../data/folder-not-writable.ts';
import { isNewDatabase, openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { asTyped } from './as-typed.ts';
import { shellWord } from './new-folder.ts';
import type { Command } from './parse-arguments.ts';
import { countOf, type Job, showJob } from './progress.ts';
import type { Terminal } from './terminal.ts';

const PAGE = 1000;
const FORMATS = ['ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

interface ExportedType {
  readonly type: string;
  readonly file: string;
  readonly rows: number;
}

export async function exportTypes(
  { arguments: given, options, switches }: Command,
  terminal: Terminal,
): Promise<number> {
  const [folder, ...names] = given;
  const to = options['to'];
  if (to === undefined)
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason: 'Name the folder of the files: --to exported' });
  const format = readFormat(options['format']);
  const app = await loadApp(folder!, terminal.environment, { data: options['data'] });
  const data = dataFolder(app);
  if (app.config.database.url === undefined && (data === ':memory:' || isNewDatabase(data)))
    throw serverErrors.create('SERVER_BACKUP_NO_DATA', { reason: `there is no database in "${data}"` });
  const order = importOrderOf(app.model);
  const entities = chooseTypes(app, order, names);
  const job = showJob(terminal);
  const store = await openStore(app.config.database.url, data);
  const exported: ExportedType[] = [];
  try {
    const graph = await createGraph({ model: app.model, store, resolvers: app.resolvers, migrates: false });
    try {
      await mkdir(resolve(to), { recursive: true, mode: OWNER_FOLDER }).catch((error: unknown) => {
        throw folderNotWritable(to, error);
      });
      for (const entity of entities) exported.push(await exportType(graph, entity, { to, format, order, job }));
    } finally {
      graph.feed.close();
    }
  } finally {
    job.end();
    await store.close();
  }
  if (switches.has('json'))
    terminal.out.write(`${JSON.stringify({ types: exported, circles: order.circles }, undefined, 2)}\n`);
  else terminal.out.write(asTyped(printReport(app, order, exported, to), terminal.environment));
  return 0;
}

function readFormat(given: string | undefined): Format {
  if (given === undefined) return 'ndjson';
  const found = FORMATS.find((format) => format === given);
  if (found !== undefined) return found;
  const reason = `The option --format is "${given}", and must be one of ${FORMATS.join(', ')}.${didYouMean(given, FORMATS)}`;
  throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}

/** The types named, or all that hold rows of their own, in the order of an import. */
function chooseTypes({ model }: LoadedApp, { types }: ImportOrder, names: readonly string[]): readonly Entity[] {
  for (const name of names) {
    if (model.entities.has(name)) continue;
    const reason = `There is no stored type "${name}".${didYouMean(name, model.entities.keys())}`;
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  return types
    .flatMap((type) => model.entities.get(type) ?? [])
    .filter((entity) => (names.length === 0 ? !entity.readOnly : names.includes(entity.name)));
}

interface Target {
  readonly to: string;
  readonly format: Format;
  readonly order: ImportOrder;
  readonly job: Job;
}

async function exportType(graph: Graph, entity: Entity, target: Target): Promise<ExportedType> {
  const { to, format, job } = target;
  const file = join(resolve(to), `${entity.name}.${format}`);
  const total = await graph.countDocuments(entity.name);
  const stream = createWriteStream(file, { flags: 'wx', mode: OWNER_FILE });
  let rows = 0;
  job.update(`Exporting ${entity.name}`, 'row', 0, total);
  try {
    await pipeline(async function* () {
      for await (const page of pagesOf(graph, entity, target)) {
        yield printRows(page, format, rows === 0);
        rows += page.length;
        job.update(`Exporting ${entity.name}`, 'row', rows, total);
      }
    }, stream);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw serverErrors.create('SERVER_BACKUP_EXISTS', { path: shownPath(file) });
    throw folderFault(error) === undefined ? error : folderNotWritable(to, error);
  }
  return { type: entity.name, file: shownPath(file), rows };
}

async function* pagesOf(graph: Graph, entity: Entity, { order }: Target): AsyncGenerator<readonly ImportRow[]> {
  let after: string | undefined;
  for (;;) {
    const page = await graph.loadRows(entity.name, { after, limit: PAGE }, (field) => order.isHeld(entity, field));
    yield page.map(({ row }) => row);
    if (page.length < PAGE) return;
    after = page.at(-1)?.key;
  }
}

function printRows(rows: readonly ImportRow[], format: Format, isFirst: boolean): string {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return stringify([...rows], {
    header: isFirst,
    cast: { boolean: String, object: (value) => JSON.stringify(value) },
    // An empty text is not the same as none.
    quoted_empty: true,
  });
}

function printReport(
  { folder }: LoadedApp,
  { circles }: ImportOrder,
  exported: readonly ExportedType[],
  to: string,
): string {
  const total = exported.reduce((sum, { rows }) => sum + rows, 0);
  const app = shellWord(shownPath(folder));
  const lines = [
    `${countOf(total, 'row')} of ${countOf(exported.length, 'type')} in ${shownPath(resolve(to))}. Into an empty database they are imported in this order:`,
    ...exported.map(({ type, file }) => `  lockstitch import ${app} ${type} ${shellWord(file)}`),
    ...circles.map(
      (circle) => `${circle.join(', ')} refer to one another: import the rows of one without these references first.`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
