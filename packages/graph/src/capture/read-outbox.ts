// Reads the outbox: what each row was before others wrote it, and what it is now, in the engine's form.
import { isProductError } from '@lockstitch/kernel';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import type { Model } from '../schema/model.ts';
import { isLostRace, isOutOfDate, translateOutage } from '../store/postgres-error.ts';
import type { Row, Session, SqlValue, Store } from '../store/store.ts';
import type { EntityTable, StoredRow } from '../write/entity-table.ts';
import { lookUp } from '../present.ts';
import { type CapturedTable, capturedTables } from './captured-tables.ts';
import { OUTBOX_TABLE, type OutboxOperation } from './outbox.ts';
import { parseImage, READABLE_IMAGE } from './sqlite-image.ts';

/** A row of the outbox that can be read. */
export interface OutboxEntry {
  readonly id: number;
  readonly table: CapturedTable;
  readonly operation: Exclude<OutboxOperation, 'all'>;
  /** The row of the image: the former one; of an insert its key only. */
  readonly image: StoredRow;
  /** The row as it is now; undefined if it is gone. */
  readonly now: StoredRow | undefined;
  /** Seconds since 1970. */
  readonly at: number;
}

/** A part of the outbox, in the order of its rows. */
export interface OutboxPage {
  /** Rows to delete once they are in the feed. */
  readonly ids: readonly number[];
  readonly entries: readonly OutboxEntry[];
  /** Tables of which any row may have changed. */
  readonly invalid: ReadonlySet<CapturedTable>;
}

/** Reads the first rows of the outbox. `unreadable`: names of tables whose images cannot be read. */
export type ReadOutbox = (session: Session, limit: number, unreadable: ReadonlySet<string>) => Promise<OutboxPage>;

/** Thrown if the images of a table cannot be read, for example because the table has been dropped. */
export class UnreadableImages extends Error {
  override readonly name = 'UnreadableImages';
  /** As capturedTables names it. */
  readonly table: string;

  constructor(table: string, cause: unknown) {
    super(`The changes of ${table} cannot be read`, { cause });
    this.table = table;
  }
}

/** How the rows of a table are selected: from the table, and from rows of its shape. */
interface RowReader {
  readonly table: CapturedTable;
  /** Quoted. */
  readonly source: string;
  readonly selected: string;
  /** The selected columns, if each is selected as it is. */
  readonly plain: readonly string[] | undefined;
  readonly width: number;
  readonly toRow: (row: Row) => StoredRow;
}

/** Creates the readers of a model's captured tables, by name. */
export function createRowReaders(
  model: Model,
  tables: ReadonlyMap<string, EntityTable>,
): ReadonlyMap<string, RowReader> {
  const readers = capturedTables(model).map((table): RowReader => {
    const source = quoteTable(table.table);
    if (table.relation === undefined) {
      const { selected, toRow, columns } = lookUp(tables, table.entity.name);
      const names = columns.map(({ name }) => name);
      return { table, source, selected, plain: plainIn(selected, names), toRow, width: columns.length };
    }
    const { storage } = table.relation;
    const natives = storage.kind === 'joinTable' ? storage.natives : undefined;
    const { identity } = table;
    const read = identity.map((column) => natives?.get(column)?.read?.(quoteName(column)) ?? quoteName(column));
    const toRow = (row: Row): StoredRow => new Map(identity.map((column, index) => [column, row[index] ?? null]));
    const selected = read.join(', ');
    return { table, source, selected, plain: plainIn(selected, identity), toRow, width: identity.length };
  });
  return new Map(readers.map((reader) => [reader.table.name, reader]));
}

function plainIn(selected: string, names: readonly string[]): readonly string[] | undefined {
  return selected === names.map(quoteName).join(', ') ? names : undefined;
}

/** Creates the function that reads the outbox of a store. */
export function createReadOutbox(store: Store, readers: ReadonlyMap<string, RowReader>): ReadOutbox {
  return store.dialect === 'sqlite'
    ? (session, limit, unreadable) => readSqlite(session, readers, limit, unreadable)
    : (session, limit, unreadable) => readPostgres(session, readers, limit, unreadable);
}

/** Rows of one statement, a power of two so that there are few texts. */
const MOST_ROWS = 64;
/** SQLite binds at most 32,766 values. */
const MOST_VALUES = 32_000;

/** An image of which the columns are known. */
interface Parsed {
  readonly id: number;
  readonly at: number;
  readonly operation: OutboxEntry['operation'];
  readonly values: ReadonlyMap<string, SqlValue>;
}

// A few statements for the images and rows of each table, however many there are.
async function readSqlite(
  session: Session,
  readers: ReadonlyMap<string, RowReader>,
  limit: number,
  unreadable: ReadonlySet<string>,
): Promise<OutboxPage> {
  const rows = await session
    .prepare(`SELECT id, type, operation, ${READABLE_IMAGE}, at FROM ${OUTBOX_TABLE} ORDER BY id LIMIT +?`)
    .rows([limit]);
  const entries: OutboxEntry[] = [];
  const invalid = new Set<CapturedTable>();
  for (const [type, own] of Map.groupBy(rows, (row) => String(row[1]))) {
    const reader = readers.get(type);
    // The type is not captured any more.
    if (reader === undefined) continue;
    const parsed: Parsed[] = [];
    for (const [id, , operation, image, at] of own) {
      const values =
        operation === 'all' || unreadable.has(type) ? undefined : parseWhole(reader, String(operation), String(image));
      if (values === undefined) invalid.add(reader.table);
      else parsed.push({ id: Number(id), at: Number(at), operation: operation as OutboxEntry['operation'], values });
    }
    const read = await readEntries(session, reader, parsed).catch((error: unknown) => {
      throw new UnreadableImages(type, error);
    });
    entries.push(...read);
  }
  return { ids: rows.map(([id]) => Number(id)), entries: entries.toSorted((one, other) => one.id - other.id), invalid };
}

/** Undefined if the image cannot be read, or lacks columns, as after a column was renamed. */
function parseWhole({ table }: RowReader, operation: string, text: string): ReadonlyMap<string, SqlValue> | undefined {
  const values = parseImage(text);
  const needed = operation === 'insert' ? table.key : table.columns;
  return values !== undefined && needed.every((column) => values.has(column)) ? values : undefined;
}

async function readEntries(
  session: Session,
  reader: RowReader,
  parsed: readonly Parsed[],
): Promise<readonly OutboxEntry[]> {
  const { table, toRow } = reader;
  const images = await readImageRows(
    session,
    reader,
    parsed.map(({ values }) => values),
  );
  const keys = parsed.map(({ values }) => table.key.map((column) => values.get(column) ?? null));
  const present = await selectEach(session, keys, (given) => presentSql(reader, given));
  return parsed.map(({ id, at, operation }, index) => {
    const now = present[index];
    return { id, at, table, operation, image: images[index]!, now: now === undefined ? undefined : toRow(now) };
  });
}

/** The rows that have given keys now. The comparison with a place has the column's affinity and collation. */
function presentSql({ table, source, selected }: RowReader, given: string): string {
  const isRow = table.key.map((column, index) => `${source}.${quoteName(column)} = ${givenColumn(index + 1)}`);
  // In this order, each row is looked up by its key.
  return `SELECT ${givenColumn(0)}, ${selected} FROM (${given}) CROSS JOIN ${source} ON ${isRow.join(' AND ')}`;
}

/** The row of an image of SQLite; undefined if it lacks columns. */
export async function imageRow(
  session: Session,
  reader: RowReader,
  operation: OutboxOperation,
  text: string,
): Promise<StoredRow | undefined> {
  const values = parseWhole(reader, operation, text);
  return values === undefined ? undefined : (await readImageRows(session, reader, [values]))[0];
}

/** The rows of images. Columns that are selected as they are need no statement. */
async function readImageRows(
  session: Session,
  { table, selected, plain, toRow }: RowReader,
  images: readonly ReadonlyMap<string, SqlValue>[],
): Promise<readonly StoredRow[]> {
  if (plain !== undefined) return images.map((values) => toRow(plain.map((column) => values.get(column) ?? null)));
  const bound = images.map((values) => table.columns.map((column) => values.get(column) ?? null));
  const named = [
    givenColumn(0),
    ...table.columns.map((column, index) => `${givenColumn(index + 1)} AS ${quoteName(column)}`),
  ];
  const rows = await selectEach(
    session,
    bound,
    (given) => `SELECT ${givenColumn(0)}, ${selected} FROM (SELECT ${named.join(', ')} FROM (${given}))`,
  );
  return rows.map((row) => toRow(row!));
}

/** The place of a row among those of a statement, and its values from 1 on; no column of a table has such a name. */
function givenColumn(index: number): string {
  return `"lockstitch ${index}"`;
}

/**
 * Runs a statement over bound rows, and returns the first row that it selects for each. `print` is given the SQL that
 * selects the bound ones, and selects their place first.
 */
async function selectEach(
  session: Session,
  bound: readonly (readonly SqlValue[])[],
  print: (given: string) => string,
): Promise<readonly (Row | undefined)[]> {
  const selected: (Row | undefined)[] = bound.map(() => undefined);
  const width = bound[0]?.length ?? 1;
  const most = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(MOST_VALUES / width)));
  for (let start = 0; start < bound.length;) {
    const count = Math.min(most, 2 ** (31 - Math.clz32(bound.length - start)));
    const sql = print(givenSql(count, width));
    for (const [place, ...row] of await session.prepare(sql).rows(bound.slice(start, start + count).flat()))
      selected[start + Number(place)] ??= row;
    start += count;
  }
  return selected;
}

function givenSql(count: number, width: number): string {
  const columns = Array.from({ length: width + 1 }, (_, index) => `column${index + 1} AS ${givenColumn(index)}`);
  const places = ', ?'.repeat(width);
  const rows = Array.from({ length: count }, (_, place) => `(${place}${places})`);
  return `SELECT ${columns.join(', ')} FROM (VALUES ${rows.join(', ')})`;
}

async function readPostgres(
  session: Session,
  readers: ReadonlyMap<string, RowReader>,
  limit: number,
  unreadable: ReadonlySet<string>,
): Promise<OutboxPage> {
  const pending = await session
    .prepare(`SELECT type, count(*) FROM (SELECT type FROM ${OUTBOX_TABLE} ORDER BY id LIMIT $1) AS o GROUP BY type`)
    .rows([limit]);
  const ids: number[] = [];
  const entries: OutboxEntry[] = [];
  const invalid = new Set<CapturedTable>();
  for (const [type, count] of pending) {
    const name = String(type);
    const reader = unreadable.has(name) ? undefined : readers.get(name);
    if (reader === undefined) {
      // All of them: a comparison covers what is there, and a type that is not captured any more needs none.
      const sql = `SELECT id FROM ${OUTBOX_TABLE} WHERE type = $1`;
      for (const [id] of await session.prepare(sql).rows([name])) ids.push(Number(id));
      const table = readers.get(name)?.table;
      if (table !== undefined) invalid.add(table);
      continue;
    }
    const rows = await readImages(session, reader, Number(count)).catch((error: unknown) => {
      if (isOutOfDate(error) || isLostRace(error) || isProductError(translateOutage(error))) throw error;
      throw new UnreadableImages(name, error);
    });
    for (const [id, operation, at, isWhole, ...columns] of rows) {
      ids.push(Number(id));
      if (operation === 'all' || isWhole !== true) {
        invalid.add(reader.table);
        continue;
      }
      const now = columns.slice(reader.width + 1);
      entries.push({
        id: Number(id),
        at: Number(at),
        table: reader.table,
        operation: operation as OutboxEntry['operation'],
        image: reader.toRow(columns.slice(0, reader.width)),
        now: columns[reader.width] === true ? reader.toRow(now) : undefined,
      });
    }
  }
  return { ids, entries: entries.toSorted((one, other) => one.id - other.id), invalid };
}

// One statement, so that a row is read as of the same moment as what happened to it. The types of the table's columns
// convert the image; a column that it lacks was renamed or added since.
async function readImages(
  session: Session,
  { table, source, selected }: RowReader,
  limit: number,
): Promise<readonly Row[]> {
  const types = await readTypes(session, source);
  const definitions = table.columns.map((column) => `${quoteName(column)} ${types.get(column) ?? 'text'}`).join(', ');
  const isRow = table.key.map((column) => `n.${quoteName(column)} = image.${quoteName(column)}`).join(' AND ');
  const sql = `
    SELECT o.id, o.operation, o.at, (
        SELECT count(*) FROM json_object_keys(o.image::json) AS k(name)
        WHERE name IN (SELECT json_array_elements_text(CASE o.operation WHEN 'insert' THEN $3::json ELSE $4::json END))
      ) = json_array_length(CASE o.operation WHEN 'insert' THEN $3::json ELSE $4::json END), i.*, r.*
    FROM (SELECT id, operation, image, at FROM ${OUTBOX_TABLE} WHERE type = $1 ORDER BY id LIMIT $2) AS o
    LEFT JOIN LATERAL json_to_record(o.image::json) AS image(${definitions}) ON o.operation <> 'all'
    LEFT JOIN LATERAL (SELECT ${selected} FROM (SELECT image.*) AS i) AS i ON o.operation <> 'all'
    LEFT JOIN LATERAL (SELECT true, ${selected} FROM ${source} AS n WHERE ${isRow}) AS r ON o.operation <> 'all'
    ORDER BY o.id`;
  const columns = [table.key, table.columns].map((names) => JSON.stringify(names));
  return session.prepare(sql).rows([table.name, limit, ...columns]);
}

/**
 * The types of a table's columns, below domains and in arrays below those of elements: the check of a domain is code of
 * its owner. No type for a composite type and a range of the team's own, which may hold a domain.
 */
async function readTypes(session: Session, source: string): Promise<ReadonlyMap<string, string>> {
  const below = (name: string, from: string): string => `
    CROSS JOIN LATERAL (
      WITH RECURSIVE below AS (
        SELECT oid, typtype, typbasetype, typcategory, typelem FROM pg_type WHERE oid = ${from}
        UNION ALL SELECT p.oid, p.typtype, p.typbasetype, p.typcategory, p.typelem
        FROM below l JOIN pg_type p ON p.oid = l.typbasetype WHERE l.typtype = 'd')
      SELECT * FROM below WHERE typtype <> 'd') AS ${name}`;
  const rows = await session
    .prepare(
      `SELECT a.attname, format_type(e.oid, -1) || CASE WHEN t.typcategory = 'A' THEN '[]' ELSE '' END
       FROM pg_attribute a
       ${below('t', 'a.atttypid')}
       ${below('e', `CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END`)}
       WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND (e.typtype IN ('b', 'e') OR e.typtype IN ('r', 'm') AND e.oid < 16384)`,
    )
    .rows([source]);
  return new Map(rows.map(([column, type]) => [String(column), String(type)]));
}
