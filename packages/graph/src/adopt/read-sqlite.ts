// Describes an SQLite file by its PRAGMA functions and the SQL of its tables. A column there may hold anything, so its values are
// read once too: the description says what they are.
import { first, required, textAt } from '../present.ts';
import {
  type CheckDescription,
  type ColumnDescription,
  type DatabaseDescription,
  DELETE_ACTIONS,
  type ForeignKeyDescription,
  type HeldKind,
  type TableDescription,
  type TableKind,
} from './database-description.ts';
import { findChecks } from './sqlite-checks.ts';
import { affinityOf } from '../migrate/sqlite-types.ts';
import { quoteName } from '../schema/table-name.ts';

type SqlRow = Readonly<Record<string, unknown>>;
/** Runs a statement and returns its rows by column name. */
export type AskSqlite = (sql: string, ...values: readonly string[]) => readonly SqlRow[];

/** Columns whose values are read by one statement: SQLite returns at most 2,000 results. */
const COLUMNS_AT_ONCE = 100;

/** Describes the tables and views of the main database. */
export function readSqlite(ask: AskSqlite): DatabaseDescription {
  const found = ask(`
    SELECT l.name, l.type, l.wr, s.sql FROM pragma_table_list l JOIN sqlite_schema s ON s.name = l.name
    WHERE l.schema = 'main' AND l.type <> 'shadow' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND l.name NOT LIKE 'lockstitch\\_%' ESCAPE '\\' ORDER BY l.name`);
  const names = namesIn(found);
  return {
    dialect: 'sqlite',
    enums: [],
    tables: found.map((row) => readTable(ask, row, names)),
  };
}

/** Numbers of the foreign keys that may have rows that refer to nothing: SQLite does not check them by itself. */
function brokenReferences(ask: AskSqlite, table: string): readonly unknown[] {
  try {
    return ask('SELECT DISTINCT fkid FROM pragma_foreign_key_check(?)', table).map(({ fkid }) => fkid);
  } catch {
    // A key refers to columns that are not unique: SQLite then checks none of this table.
    return ask('SELECT DISTINCT id FROM pragma_foreign_key_list(?)', table).map(({ id }) => id);
  }
}

function readTable(ask: AskSqlite, row: SqlRow, names: ReadonlyMap<string, string>): TableDescription {
  const name = textAt(row, 'name');
  const sql = row['sql'] === null ? '' : textAt(row, 'sql');
  const kind: TableKind = row['type'] === 'view' ? 'view' : row['type'] === 'virtual' ? 'virtual table' : 'table';
  const listed = listColumns(ask, name);
  const primaryKey = listed
    .filter((column) => Number(column['pk']) > 0)
    .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    .map((column) => textAt(column, 'name'));
  // https://sqlite.org/lang_createtable.html#rowid: exactly this type counts, and only in a table with row ids.
  const counts = (column: SqlRow): boolean =>
    primaryKey.length === 1 &&
    column['pk'] === 1 &&
    textAt(column, 'type').toUpperCase() === 'INTEGER' &&
    row['wr'] === 0;
  const held = kind === 'table' ? heldKinds(ask, name, listed) : new Map<string, HeldKind>();
  const keys = readKeys(ask, name);
  const loose = looseColumns(ask, name);
  return {
    schema: undefined,
    name,
    kind,
    comment: undefined,
    columns: listed.map((column): ColumnDescription => {
      const plain = toColumn(column, counts(column), held);
      const read = loose.has(plain.name) ? { ...plain, loose: true as const } : plain;
      // SQLite lets a primary key that is no INTEGER be null: what counts is whether it is.
      if (kind !== 'table' || !read.nullable || !primaryKey.includes(read.name)) return read;
      return hasNull(ask, name, read.name) ? { ...read, nullKey: true } : { ...read, nullable: false };
    }),
    primaryKey,
    uniques: keys.filter(({ unique }) => unique).map(({ columns }) => columns),
    indexes: keys.filter(({ unique }) => !unique).map(({ columns }) => columns),
    foreignKeys: readForeignKeys(ask, name, names),
    checks:
      kind === 'table' ? findChecks(sql).map((text, at): CheckDescription => ({ name: `${at + 1}`, sql: text })) : [],
    populated: true,
    partitions: 0,
    heirs: [],
    policies: undefined,
    readable: true,
  };
}

function listColumns(ask: AskSqlite, table: string): readonly SqlRow[] {
  try {
    return ask(
      'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1',
      table,
    );
  } catch {
    // A view over something that is gone.
    return [];
  }
}

function toColumn(column: SqlRow, counts: boolean, held: ReadonlyMap<string, HeldKind>): ColumnDescription {
  const name = textAt(column, 'name');
  const type = textAt(column, 'type');
  const sql = column['dflt_value'];
  return {
    name,
    type,
    base: affinityOf(type),
    list: false,
    domain: false,
    enum: undefined,
    nullable: column['notnull'] === 0 && !counts,
    default: typeof sql === 'string' ? sql : undefined,
    generated: Number(column['hidden']) > 1,
    counted: counts ? 'by default' : undefined,
    comment: undefined,
    readable: true,
    holds: held.get(name),
  };
}

function hasNull(ask: AskSqlite, table: string, column: string): boolean {
  return ask(`SELECT 1 FROM ${quoteName(table)} WHERE ${quoteName(column)} IS NULL LIMIT 1`).length > 0;
}

/** Columns whose keys and indexes compare them as NOCASE or RTRIM; no pragma knows the collation of others. */
function looseColumns(ask: AskSqlite, table: string): ReadonlySet<string> {
  const rows = ask(
    "SELECT DISTINCT c.name FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) c WHERE i.origin <> 'c' AND c.key = 1 AND c.coll <> 'BINARY'",
    table,
  );
  return new Set(rows.map((row) => textAt(row, 'name')));
}

interface Key {
  readonly unique: boolean;
  readonly columns: readonly string[];
}

function readKeys(ask: AskSqlite, table: string): readonly Key[] {
  const rows = ask(
    `SELECT i.name AS "index", i."unique" AND i.partial = 0 AS "unique", c.name, c.coll FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) c
     WHERE i.origin <> 'pk' AND c.key = 1 ORDER BY i.name, c.seqno`,
    table,
  );
  const keys = new Map<unknown, { unique: boolean; columns: string[]; plain: boolean }>();
  for (const row of rows) {
    const key = keys.get(row['index']) ?? { unique: row['unique'] === 1, columns: [], plain: true };
    // An expression has no name.
    if (row['name'] === null) key.plain = false;
    else key.columns.push(textAt(row, 'name'));
    keys.set(row['index'], key);
  }
  return [...keys.values()].filter(({ plain }) => plain);
}

function readForeignKeys(
  ask: AskSqlite,
  table: string,
  names: ReadonlyMap<string, string>,
): readonly ForeignKeyDescription[] {
  const broken = brokenReferences(ask, table);
  const rows = ask(
    'SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq',
    table,
  );
  const ids = [...new Set(rows.map(({ id }) => id))];
  return ids.map((id) => {
    const own = rows.filter((row) => row['id'] === id);
    const head = first(own);
    const target = nameAt(head, 'table', names);
    const targetColumns = columnsOf(ask, target);
    const columns = columnsOf(ask, table);
    // Without its columns, a key refers to the primary key.
    const keyOfTarget = primaryKeyOf(ask, target);
    return {
      name: String(Number(id) + 1),
      columns: own.map((row) => nameAt(row, 'from', columns)),
      target: { schema: undefined, name: target },
      targetColumns: own.map((row, at) =>
        row['to'] === null ? (keyOfTarget[at] ?? '') : nameAt(row, 'to', targetColumns),
      ),
      onDelete: required(
        DELETE_ACTIONS.find((action) => action === head['on_delete']),
        'an action on deletion',
      ),
      holds: !broken.includes(id),
    };
  });
}

/** Names as they are written, by their lower-case form: SQLite compares them without regard to case. */
function namesIn(rows: readonly SqlRow[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => textAt(row, 'name')).map((name) => [name.toLowerCase(), name]));
}

/** The name of the table or column that a member of a row refers to, as it is written where it is defined. */
function nameAt(row: SqlRow, member: string, names: ReadonlyMap<string, string>): string {
  const name = textAt(row, member);
  return names.get(name.toLowerCase()) ?? name;
}

function columnsOf(ask: AskSqlite, table: string): ReadonlyMap<string, string> {
  return namesIn(listColumns(ask, table));
}

function primaryKeyOf(ask: AskSqlite, table: string): readonly string[] {
  const columns = listColumns(ask, table).filter((column) => Number(column['pk']) > 0);
  return columns.toSorted((a, b) => Number(a['pk']) - Number(b['pk'])).map((row) => textAt(row, 'name'));
}

const DIGITS = (count: number): string => '[0-9]'.repeat(count);
const DATE = `${DIGITS(4)}-${DIGITS(2)}-${DIGITS(2)}`;
const CLOCK = `${DIGITS(2)}:${DIGITS(2)}`;
/** Forms of texts, in the order in which they are tried. */
const FORMS: readonly (readonly [HeldKind, (value: string) => string])[] = [
  ['date', (v) => `${v} GLOB '${DATE}' AND date(${v}) = ${v}`],
  [
    'date and time',
    (v) => `(${v} GLOB '${DATE} ${CLOCK}*' OR ${v} GLOB '${DATE}T${CLOCK}*') AND datetime(${v}) IS NOT NULL`,
  ],
  ['time', (v) => `${v} GLOB '${CLOCK}*' AND time(${v}) IS NOT NULL`],
  [
    'uuid',
    (v) => `length(${v}) = 36 AND ${v} GLOB '${'????????-????-????-????-????????????'.replaceAll('?', '[0-9a-f]')}'`,
  ],
];

/** What the values of each column are. */
function heldKinds(ask: AskSqlite, table: string, columns: readonly SqlRow[]): ReadonlyMap<string, HeldKind> {
  const kinds = new Map<string, HeldKind>();
  for (let start = 0; start < columns.length; start += COLUMNS_AT_ONCE) {
    const names = columns.slice(start, start + COLUMNS_AT_ONCE).map((row) => textAt(row, 'name'));
    const values = names.map((name, at) => {
      const v = quoteName(name);
      const forms = FORMS.map(
        ([, test], form) => `min(CASE typeof(${v}) WHEN 'text' THEN ${test(v)} END) AS f${at}_${form}`,
      );
      const types = ['integer', 'real', 'text', 'blob'].map((type) => `max(typeof(${v}) = '${type}') AS ${type}${at}`);
      return [
        ...types,
        `min(CASE typeof(${v}) WHEN 'integer' THEN ${v} IN (0, 1) END) AS flag${at}`,
        `max(CASE typeof(${v}) WHEN 'real' THEN abs(${v}) = 9e999 END) AS infinite${at}`,
        `min(CASE typeof(${v}) WHEN 'integer' THEN ${v} BETWEEN -2147483648 AND 2147483647 END) AS small${at}`,
        ...forms,
      ].join(', ');
    });
    const row = ask(`SELECT ${values.join(', ')} FROM ${quoteName(table)}`)[0] ?? {};
    for (const [at, name] of names.entries()) kinds.set(name, heldKind(row, at));
  }
  return kinds;
}

function heldKind(row: SqlRow, at: number): HeldKind {
  const has = (type: string): boolean => row[`${type}${at}`] === 1;
  const [integer, real, text, blob] = [has('integer'), has('real'), has('text'), has('blob')];
  if (!integer && !real && !text && !blob) return 'nothing';
  if (row[`infinite${at}`] === 1 && !text && !blob) return 'infinity';
  if (!text && !blob)
    return real ? 'number' : row[`flag${at}`] === 1 ? 'boolean' : row[`small${at}`] === 1 ? 'integer' : 'big integer';
  if (integer || real || (text && blob)) return 'mixed';
  if (blob) return 'bytes';
  return FORMS.find((_, form) => row[`f${at}_${form}`] === 1)?.[0] ?? 'text';
}
