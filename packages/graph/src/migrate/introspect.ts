// Reads the existing tables that a plan needs as table shapes. Other tables are ignored.
import type { Row, Session, Store } from '../store/store.ts';
import { bareTableName, parseTableName, quoteName, quoteTable, quoteText } from '../schema/table-name.ts';
import {
  type ColumnFacts,
  type ColumnShape,
  type ForeignKeyShape,
  type IndexShape,
  type NotDeleted,
  type OnDelete,
  parseNotDeleted,
  type TableShape,
} from './table-shape.ts';

/**
 * Reads the shapes of the named tables that exist.
 *
 * @param names of tables in the schema that new tables are created in
 * @param anywhere names as in the model, looked up as statements do: by their schema, or along the search path
 */
export async function introspect(
  store: Store,
  names: readonly string[],
  anywhere: readonly string[] = [],
): Promise<ReadonlyMap<string, TableShape>> {
  const all = [...names, ...anywhere];
  if (all.length === 0) return new Map();
  // On the writing connection: prepared statements on pragma tables occupy SQLite's lookaside memory and slow every
  // later read by a tenth (measured).
  const facts =
    store.dialect === 'sqlite'
      ? await store.transaction((session) => readSqlite(session, names, anywhere))
      : await readPostgres(store, wantedOf(names, anywhere));
  const shapes = new Map<string, TableShape>();
  const byTable = (rows: readonly Row[]): Groups<Row> => groupBy(rows, (row) => String(row[0]));
  const columnsOf = byTable(facts.columns);
  const indexesOf = byTable(facts.indexes);
  const foreignKeysOf = byTable(facts.foreignKeys);
  const unmanaged = new Set(anywhere);
  for (const name of all) {
    const columns = columnsOf.get(name) ?? [];
    // Nothing but a table can be managed.
    const isManaged = !unmanaged.has(name);
    if (columns.length === 0 || (isManaged && columns.some((row) => Boolean(row[12])))) continue;
    shapes.set(name, {
      name,
      columns: columns.map(toColumn),
      primaryKey: columns
        .filter((row) => Number(row[4]) > 0)
        .toSorted((a, b) => Number(a[4]) - Number(b[4]))
        .map((row) => String(row[1])),
      indexes: toIndexes(indexesOf.get(name) ?? []),
      foreignKeys: (foreignKeysOf.get(name) ?? []).map(toForeignKey),
      isView: columns.some((row) => Boolean(row[12])),
    });
  }
  return shapes;
}

type Groups<T> = ReadonlyMap<string, readonly T[]>;

function groupBy<T>(list: Iterable<T>, keyOf: (each: T) => string): Groups<T> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** Rows in the same form for both databases, for the `to…` functions below. */
interface Facts {
  readonly columns: readonly Row[];
  readonly indexes: readonly Row[];
  readonly foreignKeys: readonly Row[];
}

async function readSqlite(session: Session, names: readonly string[], anywhere: readonly string[]): Promise<Facts> {
  // SQLite has no schemas.
  const others = anywhere.filter((name) => parseTableName(name)?.schema === undefined);
  const exact = groupBy(names, bareTableName);
  const folded = groupBy(others, foldName);
  const rows = async (sql: string): Promise<readonly Row[]> =>
    (await session.prepare(sql).rows([])).flatMap(([table, ...rest]) => {
      const name = String(table);
      return [...(exact.get(name) ?? []), ...(folded.get(foldName(quoteName(name))) ?? [])].map((each) => [
        each,
        ...rest,
      ]);
    });
  const list = (folded: readonly string[]): string => folded.map((name) => quoteText(foldName(name))).join(', ');
  return {
    columns: await rows(`
      SELECT t.name, c.name, c.type, c."notnull" = 0 AND c.pk = 0, c.pk,
        c.pk = 1 AND upper(c.type) = 'INTEGER' AND t.sql LIKE '%AUTOINCREMENT%',
        'base', c.type, c.dflt_value, c.hidden > 1, false,
        -- Columns of a view have collations of other tables, and a module returns any values.
        lower(t.name) IN (${list(others)}) AND (t.type = 'view' OR t.sql LIKE '%COLLATE%' OR t.sql LIKE 'CREATE VIRTUAL%'), t.type = 'view'
      -- A view of others over a table that is gone has no columns to read, and fails a statement that asks for them.
      FROM sqlite_schema t, pragma_table_xinfo(t.name) c
      WHERE t.type IN ('table', 'view') AND lower(t.name) IN (${list([...names, ...others])})
      ORDER BY t.name, c.cid`),
    // Of CREATE INDEX (origin c), and of UNIQUE constraints (u), which in a managed table are its own.
    indexes: await rows(`
      SELECT t.name, i.name, i."unique", c.name,
        CASE WHEN i.partial THEN (SELECT substr(x.sql, instr(x.sql, ') WHERE ') + 8) FROM sqlite_schema x WHERE x.type = 'index' AND x.name = i.name) END
      FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
      WHERE t.type = 'table' AND (i.origin = 'c' OR i.origin = 'u' AND lower(t.name) IN (${list(others)})) ORDER BY t.name, i.name, c.seqno`),
    foreignKeys: await rows(`
      SELECT t.name, '', k."from", k."table", k."to", k.on_delete
      FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
      WHERE t.type = 'table' ORDER BY t.name, k.id`),
  };
}

/** The named tables on PostgreSQL as rows of name and oid. */
function wantedOf(names: readonly string[], anywhere: readonly string[]): string {
  // The engine's own tables may be in a schema of their own (store/store-postgres.ts).
  const isNew = (name: string): boolean => !name.startsWith('lockstitch_');
  const rows = [
    ...names.map((name) => ({ name, path: isNew(name) ? `quote_ident(current_schema()) || '.' || ` : '' })),
    ...anywhere.map((name) => ({ name, path: '' })),
  ].map(({ name, path }) => `(${quoteText(name)}, to_regclass(${path}${quoteText(quoteTable(name))}))`);
  return `(VALUES ${rows.join(', ')}) AS w(name, oid)`;
}

async function readPostgres(session: Session, wanted: string): Promise<Facts> {
  const rows = async (sql: string): Promise<readonly Row[]> => session.prepare(sql).rows([]);
  return {
    columns: await rows(`
      SELECT w.name, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull AND y.typnotnull IS FALSE,
        coalesce(array_position(k.conkey, a.attnum), 0), a.attidentity <> '' OR s.objid IS NOT NULL,
        CASE y.typtype WHEN 'b' THEN 'base' WHEN 'd' THEN 'domain' WHEN 'e' THEN 'enum' ELSE 'other' END,
        CASE y.typtype WHEN 'd' THEN (
          WITH RECURSIVE below AS (SELECT y.typtype, y.typbasetype, y.typtypmod UNION ALL
            SELECT p.typtype, p.typbasetype, p.typtypmod FROM below l JOIN pg_type p ON p.oid = l.typbasetype WHERE p.typtype = 'd')
          SELECT format_type(min(l.typbasetype) FILTER (WHERE b.typtype <> 'd'), max(l.typtypmod)) FROM below l JOIN pg_type b ON b.oid = l.typbasetype) ELSE format_type(a.atttypid, a.atttypmod) END,
        coalesce(pg_get_expr(d.adbin, d.adrelid), y.typdefault), a.attgenerated <> '', a.attidentity = 'a',
        coalesce(NOT c.collisdeterministic, false), t.relkind IN ('v', 'm')
      FROM ${wanted} JOIN pg_class t ON t.oid = w.oid JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid
      LEFT JOIN pg_collation c ON c.oid = a.attcollation
      LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
      LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
      -- A serial column: its default counts with a sequence of its own.
      LEFT JOIN pg_depend s ON s.classid = 'pg_class'::regclass AND s.refclassid = 'pg_class'::regclass
        AND s.refobjid = t.oid AND s.refobjsubid = a.attnum AND s.deptype = 'a'
        AND pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%'
        AND EXISTS (SELECT 1 FROM pg_class q WHERE q.oid = s.objid AND q.relkind = 'S')
      WHERE t.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY w.name, a.attnum`),
    // Columns of INCLUDE belong to an index and not to its key; an invalid unique index may hold duplicates.
    indexes: await rows(`
      SELECT w.name, i.relname, x.indisunique AND x.indisvalid, a.attname, pg_get_expr(x.indpred, x.indrelid)
      FROM ${wanted} JOIN pg_class t ON t.oid = w.oid JOIN pg_index x ON x.indrelid = t.oid
      JOIN pg_class i ON i.oid = x.indexrelid
      CROSS JOIN LATERAL unnest((x.indkey::int2[])[0:x.indnkeyatts - 1]) WITH ORDINALITY AS c(attnum, seqno)
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.attnum
      WHERE NOT x.indisprimary AND x.indexprs IS NULL
      ORDER BY w.name, i.relname, c.seqno`),
    foreignKeys: await rows(`
      SELECT w.name, k.conname, a.attname, coalesce(v.name, f.relname), b.attname,
        CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END
      FROM ${wanted} JOIN pg_constraint k ON k.conrelid = w.oid JOIN pg_class f ON f.oid = k.confrelid
      LEFT JOIN ${wanted.replace(/w\(name, oid\)$/, 'v(name, oid)')} ON v.oid = f.oid
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
      JOIN pg_attribute b ON b.attrelid = f.oid AND b.attnum = k.confkey[1]
      WHERE k.contype = 'f' AND array_length(k.conkey, 1) = 1
      ORDER BY w.name, k.conname`),
  };
}

function toColumn(row: Row): ColumnShape {
  return {
    name: String(row[1]),
    type: String(row[2]),
    nullable: Boolean(row[3]),
    identity: Boolean(row[5]),
    found: {
      kind: row[6] as ColumnFacts['kind'],
      base: String(row[7]),
      defaultValue: row[8] === null ? undefined : String(row[8]),
      computed: Boolean(row[9]),
      countsAlways: Boolean(row[10]),
      looseCollation: Boolean(row[11]),
    },
  };
}

/** The names of tables that are none of `others`, which may be the same table under another spelling. */
export async function withoutOthers(
  store: Store,
  names: readonly string[],
  others: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0 || others.length === 0) return names;
  if (store.dialect === 'sqlite') {
    const taken = new Set(others.map(foldName));
    return names.filter((name) => !taken.has(foldName(name)));
  }
  const rows = await store
    .prepare(
      `SELECT name FROM ${wantedOf(names, [])} WHERE oid NOT IN (SELECT oid FROM ${wantedOf([], others)} WHERE oid IS NOT NULL)`,
    )
    .rows([]);
  return rows.map(([name]) => String(name));
}

/** SQLite compares names without the case of ASCII letters. */
function foldName(text: string): string {
  return bareTableName(text).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Names in use by something other than a table: name → `view`. */
export async function otherRelations(store: Store, names: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const rows = await store
    .prepare(
      store.dialect === 'sqlite'
        ? "SELECT name, type FROM sqlite_schema WHERE type IN ('view', 'index')"
        : `SELECT relname, CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
             WHEN 'S' THEN 'sequence' WHEN 'c' THEN 'type' ELSE 'index' END
           FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind NOT IN ('r', 'p', 't')`,
    )
    .rows([]);
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)] as const).filter(([name]) => names.has(name)));
}

function toIndexes(rows: readonly Row[]): IndexShape[] {
  const indexes = new Map<
    string,
    { columns: string[]; readonly unique: boolean; readonly where: NotDeleted | undefined }
  >();
  for (const [, name, unique, column, predicate] of rows) {
    const where = predicate === null ? undefined : parseNotDeleted(String(predicate));
    // A condition of others.
    if (predicate !== null && where === undefined) continue;
    const index = indexes.get(String(name)) ?? { columns: [], unique: Boolean(unique), where };
    indexes.set(String(name), index);
    index.columns.push(String(column));
  }
  return [...indexes].map(([name, { columns, unique, where }]) => ({
    name,
    columns,
    unique,
    ...(where !== undefined && { where }),
  }));
}

function toForeignKey(row: Row): ForeignKeyShape {
  return {
    name: String(row[1]),
    column: String(row[2]),
    targetTable: String(row[3]),
    targetColumn: String(row[4]),
    onDelete: row[5] as OnDelete,
  };
}
