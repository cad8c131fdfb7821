// Describes a PostgreSQL database by its catalogue, in one read-only transaction. It reads no rows, so the right to
// connect is enough; what the role may not read is described as such.
import type {
  CheckDescription,
  ColumnDescription,
  DatabaseDescription,
  EnumDescription,
  ForeignKeyDescription,
  TableDescription,
  TableName,
} from './database-description.ts';

/** Runs a statement and returns its rows by column name. `Row`: what the statement selects. */
export type AskPostgres = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** Values as SQL returns them: null where a description has none. */
type Selected<T> = { readonly [Name in keyof T]-?: undefined extends T[Name] ? NonNullable<T[Name]> | null : T[Name] };
/** Of a table, by its identifier. */
type OfTable<T> = T & { readonly oid: number };

type TableRow = OfTable<
  Selected<
    Omit<TableDescription, 'columns' | 'primaryKey' | 'uniques' | 'indexes' | 'foreignKeys' | 'checks' | 'refused'>
  >
>;
type ColumnRow = OfTable<
  Selected<Omit<ColumnDescription, 'enum' | 'holds' | 'nullKey' | 'refused'>> & {
    readonly enum: Selected<TableName> | null;
  }
>;
type KeyRow = OfTable<{ readonly kind: 'primary' | 'unique' | 'index'; readonly columns: readonly string[] }>;
type ForeignKeyRow = OfTable<Omit<ForeignKeyDescription, 'target'> & { readonly target: Selected<TableName> }>;

/** Schemas of others: the system's, and the engine's own tables. */
const OWN = String.raw`n.nspname !~ '^(pg_|lockstitch(_|$))' AND n.nspname <> 'information_schema'`;
/** The name of a schema, null for the one that names without a schema mean. */
const SCHEMA = 'nullif(n.nspname, current_schema())';
/** Tables, without partitions and what belongs to an extension. */
const TABLES = `
  pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace AND ${OWN}
  AND t.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT t.relispartition
  AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_class'::regclass AND x.objid = t.oid AND x.deptype = 'e')`;

/** Names of the columns in `numbers`, in order. */
const columnNames = (table: string, numbers: string): string => `(
  SELECT json_agg(a.attname ORDER BY u.position)
  FROM unnest(${numbers}) WITH ORDINALITY AS u(attnum, position)
  JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.attnum)`;

/** Describes the tables of all schemas but the system's. */
export async function readPostgres(ask: AskPostgres): Promise<DatabaseDescription> {
  const tables = await ask<TableRow>(`
    SELECT t.oid, ${SCHEMA} AS schema, t.relname AS name,
      CASE t.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind,
      obj_description(t.oid, 'pg_class') AS comment, t.relispopulated AS populated,
      has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(t.oid, 'SELECT') AS readable,
      (SELECT count(*)::int FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid AND c.relispartition WHERE h.inhparent = t.oid) AS partitions,
      (SELECT coalesce(json_agg(c.relname ORDER BY c.relname), '[]') FROM pg_inherits h
        JOIN pg_class c ON c.oid = h.inhrelid AND NOT c.relispartition WHERE h.inhparent = t.oid) AS heirs,
      CASE WHEN t.relrowsecurity THEN (SELECT coalesce(json_agg(p.polname ORDER BY p.polname), '[]')
        FROM pg_policy p WHERE p.polrelid = t.oid) END AS policies,
      (SELECT json_agg(r.rulename ORDER BY r.rulename) FROM pg_rewrite r
        WHERE r.ev_class = t.oid AND r.is_instead AND r.ev_type IN ('2', '3', '4')) AS rewrites
    FROM ${TABLES} ORDER BY n.nspname COLLATE "C", t.relname COLLATE "C"`);
  const columns = groupByTable(await readColumns(ask));
  const keys = groupByTable(await readKeys(ask));
  const foreignKeys = groupByTable(await readForeignKeys(ask));
  const checks = groupByTable(
    await ask<OfTable<CheckDescription>>(`
    SELECT k.conrelid AS oid, k.conname AS name, pg_get_constraintdef(k.oid) AS sql
    FROM pg_constraint k JOIN ${TABLES} ON t.oid = k.conrelid WHERE k.contype = 'c' ORDER BY k.conname COLLATE "C"`),
  );
  return {
    dialect: 'postgres',
    enums: await readEnums(ask),
    tables: tables.map(({ oid, ...table }) => {
      const indexes = keys.get(oid) ?? [];
      const listsOf = (kind: KeyRow['kind']): readonly (readonly string[])[] =>
        indexes.filter((index) => index.kind === kind).map((index) => index.columns);
      return {
        ...table,
        schema: table.schema ?? undefined,
        comment: table.comment ?? undefined,
        columns: (columns.get(oid) ?? []).map(toColumn),
        primaryKey: listsOf('primary')[0] ?? [],
        uniques: listsOf('unique'),
        indexes: listsOf('index'),
        foreignKeys: (foreignKeys.get(oid) ?? []).map(toForeignKey),
        checks: (checks.get(oid) ?? []).map(({ name, sql }) => ({ name, sql })),
        policies: table.policies ?? undefined,
        rewrites: table.rewrites ?? undefined,
      };
    }),
  };
}

function readColumns(ask: AskPostgres): Promise<readonly ColumnRow[]> {
  return ask(`
    SELECT t.oid, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, b.typname AS base,
      CASE WHEN b.typtype = 'e' THEN json_build_object('schema', nullif(m.nspname, current_schema()), 'name', b.typname) END AS enum,
      y.typcategory = 'A' OR d.typcategory = 'A' AS list, y.typtype = 'd' AS domain,
      NOT a.attnotnull AND y.typnotnull IS FALSE AS nullable, a.attgenerated <> '' AS generated,
      coalesce(pg_get_expr(f.adbin, f.adrelid), y.typdefault) AS "default",
      CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' ELSE
        CASE WHEN pg_get_serial_sequence(format('%I.%I', n.nspname, t.relname), a.attname) IS NOT NULL
          AND pg_get_expr(f.adbin, f.adrelid) LIKE 'nextval(%' THEN 'by default' END END AS counted,
      col_description(t.oid, a.attnum) AS comment,
      nullif(a.attndims, 0) AS dimensions, CASE WHEN b.typname = 'citext' OR NOT o.collisdeterministic THEN true END AS loose,
      has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(t.oid, a.attnum, 'SELECT') AS readable
    FROM ${TABLES}
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type y ON y.oid = a.atttypid
    -- Below a domain, which may be over another, then below an array.
    JOIN pg_type d ON d.oid = (
      WITH RECURSIVE below AS (SELECT y.oid, y.typtype, y.typbasetype UNION ALL
        SELECT p.oid, p.typtype, p.typbasetype FROM below l JOIN pg_type p ON p.oid = l.typbasetype WHERE l.typtype = 'd')
      SELECT oid FROM below WHERE typtype <> 'd')
    JOIN pg_type b ON b.oid = CASE WHEN d.typcategory = 'A' AND d.typelem <> 0 THEN d.typelem ELSE d.oid END
    JOIN pg_namespace m ON m.oid = b.typnamespace
    LEFT JOIN pg_collation o ON o.oid = a.attcollation
    LEFT JOIN pg_attrdef f ON f.adrelid = t.oid AND f.adnum = a.attnum
    ORDER BY t.oid, a.attnum`);
}

function readKeys(ask: AskPostgres): Promise<readonly KeyRow[]> {
  // Columns of INCLUDE belong to an index and not to its key.
  return ask(`
    SELECT t.oid, CASE WHEN x.indisprimary THEN 'primary' WHEN x.indisunique AND x.indisvalid AND x.indpred IS NULL THEN 'unique' ELSE 'index' END AS kind,
      ${columnNames('t.oid', '(x.indkey::int2[])[0:x.indnkeyatts - 1]')} AS columns
    FROM ${TABLES} JOIN pg_index x ON x.indrelid = t.oid AND x.indexprs IS NULL
    JOIN pg_class i ON i.oid = x.indexrelid ORDER BY t.oid, i.relname COLLATE "C"`);
}

function readForeignKeys(ask: AskPostgres): Promise<readonly ForeignKeyRow[]> {
  // Keys that refer to a partitioned table have a copy per partition.
  return ask(`
    SELECT t.oid, k.conname AS name, ${columnNames('k.conrelid', 'k.conkey')} AS columns,
      json_build_object('schema', nullif(o.nspname, current_schema()), 'name', r.relname) AS target,
      ${columnNames('k.confrelid', 'k.confkey')} AS "targetColumns", k.convalidated AS holds,
      CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
        WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END AS "onDelete"
    FROM ${TABLES} JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f' AND k.conparentid = 0
    JOIN pg_class r ON r.oid = k.confrelid JOIN pg_namespace o ON o.oid = r.relnamespace
    ORDER BY t.oid, k.conkey, k.conname COLLATE "C"`);
}

async function readEnums(ask: AskPostgres): Promise<readonly EnumDescription[]> {
  const rows = await ask<Selected<EnumDescription>>(`
    SELECT ${SCHEMA} AS schema, y.typname AS name, obj_description(y.oid, 'pg_type') AS comment,
      (SELECT coalesce(json_agg(e.enumlabel ORDER BY e.enumsortorder), '[]') FROM pg_enum e WHERE e.enumtypid = y.oid) AS values
    FROM pg_type y JOIN pg_namespace n ON n.oid = y.typnamespace AND ${OWN}
    WHERE y.typtype = 'e' ORDER BY n.nspname COLLATE "C", y.typname COLLATE "C"`);
  return rows.map((row) => ({ ...row, schema: row.schema ?? undefined, comment: row.comment ?? undefined }));
}

function toColumn({ oid: _oid, ...column }: ColumnRow): ColumnDescription {
  return {
    ...column,
    enum: column.enum === null ? undefined : toName(column.enum),
    default: column.default ?? undefined,
    counted: column.counted ?? undefined,
    comment: column.comment ?? undefined,
    dimensions: column.dimensions ?? undefined,
    loose: column.loose ?? undefined,
    holds: undefined,
  };
}

function toForeignKey({ oid: _oid, ...key }: ForeignKeyRow): ForeignKeyDescription {
  return { ...key, target: toName(key.target) };
}

function toName({ schema, name }: Selected<TableName>): TableName {
  return { schema: schema ?? undefined, name };
}

function groupByTable<Row extends OfTable<object>>(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  return Map.groupBy(rows, ({ oid }) => oid);
}
