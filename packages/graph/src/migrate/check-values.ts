// Finds stored values that the types of a new schema do not allow, although the columns could hold them: removed enum
// values, removed fields of embedded objects, types that left a union, texts that become dates. Reads only, and only
// columns whose types became narrower. Not here: converting columns (convert-column.ts).
import { getNamedType, getNullableType, isEnumType } from 'graphql';
import { decimalOf } from '../sql/dialect-sqlite.ts';
import { DECIMAL } from '../store/decimal-text.ts';
import { decimalFits } from './convert-column.ts';
import type { ColumnField, Entity, Model } from '../schema/model.ts';
import type { Row, Store } from '../store/store.ts';
import { valuesText } from './change.ts';
import { dropEmbeddedFieldSql } from './drop-embedded-field.ts';
import { type StoredSchema, type TableMeaning } from './stored-schema.ts';
import { type Dialect, quoteName } from './table-shape.ts';
import { addsOnlyFields, describeChange, findMisfits, type Finding, isWider, type Meaning } from './value-types.ts';
import { declaredField, objectType } from '../schema/declared-field.ts';
import { required } from '../present.ts';
import { quoteText } from '../schema/table-name.ts';

/** A change of the meaning of a column's values. */
export interface ValueStep {
  readonly name: string;
  readonly text: string;
  readonly loses: string | undefined;
  readonly blocked: boolean;
  /** Applied only if it is named; until then, the column keeps its old meaning. */
  readonly optional?: boolean;
  readonly isRolling?: boolean;
  /** The column. */
  readonly holds: string;
  /** Its statements, before anything else changes the table. */
  readonly sql: readonly string[];
}

/** Inputs of the check. */
export interface ValueCheck {
  readonly model: Model;
  readonly store: Store;
  /** The previous schema; undefined if the database was created by an earlier version. */
  readonly before: StoredSchema | undefined;
  readonly after: StoredSchema;
  /** Whether another application created a column; its values are checked once. */
  readonly isAdopted: (table: string, column: string) => boolean;
}

/**
 * Compares the old and new meaning of a table's values.
 *
 * @param present the existing columns: name → SQL of the future value
 */
export async function compareValues(
  check: ValueCheck,
  table: string,
  present: ReadonlyMap<string, string>,
): Promise<readonly ValueStep[]> {
  const after = check.after.get(table);
  if (after === undefined) return [];
  const before = check.before?.get(table);
  const entity = [...check.model.entities.values()].find((each) => each.table === table);
  const steps: ValueStep[] = [];
  for (const [column, type] of Object.entries(after.columns)) {
    const value = present.get(column);
    if (value === undefined) continue;
    const now = meaningOfColumn(after, type);
    const old = meaningBefore(before, column);
    if (old !== undefined && isSame(old, now)) continue;
    if (old === undefined && !isNames(now) && !check.isAdopted(table, column)) continue;
    steps.push(...(await compareColumnValues({ check, table, column, value, entity, now, old })));
  }
  return steps;
}

interface ColumnCheck {
  readonly check: ValueCheck;
  readonly table: string;
  readonly column: string;
  /** SQL of the future value. */
  readonly value: string;
  readonly entity: Entity | undefined;
  readonly now: Meaning;
  readonly old: Meaning | undefined;
}

async function compareColumnValues(each: ColumnCheck): Promise<readonly ValueStep[]> {
  const { table, column, now, old } = each;
  const place = `${table}.${column}`;
  const change = old === undefined ? '' : describeChange(old, now);
  const text = `Let column ${column} of table ${table} hold ${change === '' ? now.type : change}`;
  const step: ValueStep = {
    name: `values ${place}`,
    text,
    loses: undefined,
    blocked: false,
    holds: column,
    sql: [],
  };
  if (old !== undefined && isWider(old, now))
    return change === '' ? [] : [{ ...step, isRolling: addsOnlyFields(old, now) }];
  const { misfits, sql } = await findInRows(each);
  const steps: ValueStep[] = [];
  const wrong = misfits.filter((misfit) => misfit.kind === 'value');
  if (wrong.length > 0) {
    const list = wrong.map(({ path, count, values }) => {
      const which = values
        .map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)))
        .join(', ');
      return `${valuesText(count)} in ${[place, ...path].join('.')} would not be allowed: ${which}`;
    });
    const remedy = old === undefined ? 'or give the field another type' : 'with the schema that still allows them';
    const loses = `${list.join('; ')}; change them first, ${remedy}`;
    steps.push({ ...step, loses, blocked: true });
  } else if (old !== undefined && misfits.length === 0) steps.push({ ...step, sql });
  for (const { path, count, kind } of misfits) {
    if (kind !== 'field') continue;
    const whole = [place, ...path].join('.');
    steps.push({
      name: `drop ${whole}`,
      text: `Drop field ${path.join('.')} from the values in column ${column} of table ${table}, whose type does not have it`,
      loses: `${valuesText(count)} in ${whole}`,
      blocked: false,
      optional: true,
      holds: column,
      sql: [dropEmbeddedFieldSql(each.check.store.dialect, table, column, placesOf(each, path))],
    });
  }
  return steps;
}

/** A problem at one path within the values of a column. */
interface Misfits {
  readonly path: readonly string[];
  readonly kind: Finding['kind'];
  count: number;
  /** Example values. */
  readonly values: unknown[];
}

/** Number of example values. */
const EXAMPLES = 5;

async function findInRows(
  each: ColumnCheck,
): Promise<{ readonly misfits: readonly Misfits[]; readonly sql: readonly string[] }> {
  const { check, now, entity, column } = each;
  const field = entity === undefined ? undefined : columnField(entity, column);
  if (field === undefined || (isEnumType(check.model.schema.getType(field.typeName)) && !field.list)) {
    const allowed = Object.values(now.types)[0] as readonly string[];
    return findByValue(each, allowed);
  }
  const strange = each.old === undefined ? await findStrange(each, field.storage) : [];
  return { misfits: strange.length > 0 ? strange : await scanRows(each, required(entity, column), field), sql: [] };
}

/** Values that only columns of another application contain: other storage classes, infinite numbers and times. */
async function findStrange({ check, table, value }: ColumnCheck, storage: ColumnField['storage']) {
  const right = RIGHT[check.store.dialect][storage];
  if (right === undefined) return [];
  // A value without conversion is an untyped NULL.
  const typed =
    check.store.dialect === 'sqlite'
      ? value
      : `(${value})::${storage === 'real' ? 'float8' : storage === 'decimal' ? 'numeric' : 'timestamptz'}`;
  const rows = await check.store
    .prepare(
      `SELECT CAST(v AS TEXT), count(*) FROM (SELECT ${typed} AS v FROM ${quoteName(table)}) each` +
        ` WHERE v IS NOT NULL AND NOT (${right}) GROUP BY 1 ORDER BY 2 DESC, 1`,
    )
    .rows([]);
  const misfits: Misfits = { path: [], kind: 'value', count: 0, values: [] };
  for (const [text, count] of rows) {
    misfits.count += Number(count);
    if (misfits.values.length < EXAMPLES) misfits.values.push(text);
  }
  return misfits.count === 0 ? [] : [misfits];
}

const RIGHT: Readonly<Record<Dialect, Readonly<Partial<Record<ColumnField['storage'], string>>>>> = {
  sqlite: {
    text: "typeof(v) = 'text'",
    integer: "typeof(v) = 'integer'",
    decimal: `${DECIMAL}(${decimalOf('v')}) = v`,
    real: "typeof(v) IN ('real', 'integer') AND abs(v) <= 1.7976931348623157e308",
  },
  postgres: {
    decimal: decimalFits('v'),
    real: "v NOT IN ('NaN', 'Infinity', '-Infinity')",
    timestamp: "isfinite(v) AND extract(year FROM v AT TIME ZONE 'UTC') BETWEEN 1 AND 9999",
  },
};

function columnField(entity: Entity, column: string): ColumnField | undefined {
  for (const field of entity.fields.values()) if (field.kind === 'column' && field.column === column) return field;
  return undefined;
}

/** Texts of a fixed set, counted by the database: enum values, union types. */
async function findByValue({ check, table, column, value, old, now }: ColumnCheck, allowed: readonly string[]) {
  const list = allowed.map(quoteText).join(', ');
  const rows = await check.store
    .prepare(
      `SELECT v, count(*) FROM (SELECT ${value} AS v FROM ${quoteName(table)}) each ` +
        `WHERE v IS NOT NULL${list === '' ? '' : ` AND v NOT IN (${list})`} GROUP BY v ORDER BY 2 DESC, 1`,
    )
    .rows([]);
  const misfits: Misfits = { path: [], kind: 'value', count: 0, values: [] };
  const sql: string[] = [];
  for (const [found, count] of rows) {
    const text = String(found);
    const renamed = old === undefined || old.type !== now.type ? undefined : newNameOf(check, text);
    if (renamed !== undefined && allowed.includes(renamed)) {
      const quoted = quoteName(column);
      sql.push(`UPDATE ${quoteName(table)} SET ${quoted} = ${quoteText(renamed)} WHERE ${quoted} = ${quoteText(text)}`);
      continue;
    }
    misfits.count += Number(count);
    if (misfits.values.length < EXAMPLES) misfits.values.push(text);
  }
  return { misfits: misfits.count === 0 ? [] : [misfits], sql };
}

/** Renamed stored types: the table is the same. */
function newNameOf({ before, after, model }: ValueCheck, type: string): string | undefined {
  if (model.entities.has(type) || before === undefined) return undefined;
  for (const [table, { of }] of before) if (of === type) return after.get(table)?.of;
  return undefined;
}

/** Rows per page. */
const BATCH = 2000;

async function scanRows({ check, table, value }: ColumnCheck, entity: Entity, field: ColumnField) {
  const { schema } = check.model;
  const type = getNullableType(declaredField(schema, entity.name, field.name).type);
  const found = new Map<string, Misfits>();
  if (field.storage === 'boolean' || field.storage === 'timestamp' || field.storage === 'real') return [];
  // SQL has already found the non-numbers.
  if (field.storage === 'decimal') return [];
  // Sequential keys, and unique texts.
  if (!field.list && ['ID', 'String'].includes(field.typeName)) return [];
  for await (const text of readColumn(check.store, table, quoteName(entity.key.column), value, entity.key.storage)) {
    for (const finding of findMisfits(type, fromText(text, field.storage), check.model.answered)) {
      const key = JSON.stringify([finding.kind, ...finding.path]);
      let misfits = found.get(key);
      if (misfits === undefined)
        found.set(key, (misfits = { path: finding.path, kind: finding.kind, count: 0, values: [] }));
      misfits.count++;
      if (misfits.values.length < EXAMPLES && !misfits.values.includes(finding.value))
        misfits.values.push(finding.value);
    }
  }
  return [...found.values()];
}

function fromText(text: string, storage: ColumnField['storage']): unknown {
  if (storage === 'text') return text;
  if (storage === 'integer') return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  try {
    return JSON.parse(text);
  } catch {
    // Malformed JSON is a misfit of every type.
    return undefined;
  }
}

async function* readColumn(
  store: Store,
  table: string,
  key: string,
  value: string,
  storage: ColumnField['storage'],
): AsyncGenerator<string> {
  const place = store.dialect === 'sqlite' ? '?' : storage === 'integer' ? '$1::bigint' : '$1::text';
  const select = (where: string): string =>
    `SELECT ${key}, CAST(${value} AS TEXT) FROM ${quoteName(table)}${where} ORDER BY ${key} LIMIT ${BATCH}`;
  let rows: readonly Row[] = await store.prepare(select('')).rows([]);
  while (rows.length > 0) {
    for (const [, text] of rows) if (typeof text === 'string') yield text;
    if (rows.length < BATCH) return;
    rows = await store.prepare(select(` WHERE ${key} > ${place}`)).rows([rows.at(-1)?.[0] ?? null]);
  }
}

/** The path from a column to an embedded field, with the lists on the way. */
function placesOf({ check, entity, column }: ColumnCheck, path: readonly string[]) {
  const { schema } = check.model;
  const { name: owner } = required(entity, column);
  let { type } = declaredField(schema, owner, required(entity && columnField(entity, column), column).name);
  return path.map((name) => {
    const lists = String(type).split('[').length - 1;
    type = objectType(schema, getNamedType(type).name).getFields()[name]?.type ?? type;
    return { lists, name };
  });
}

function meaningOfColumn(table: TableMeaning, type: string): Meaning {
  const named = type.replaceAll(/[[\]!]/g, '');
  const types: Record<string, Meaning['types'][string]> = {};
  const add = (name: string): void => {
    const known = Object.hasOwn(table.types, name) ? table.types[name] : undefined;
    if (known === undefined || Object.hasOwn(types, name)) return;
    types[name] = known;
    if (!Array.isArray(known)) for (const each of Object.values(known)) add(each.replaceAll(/[[\]!]/g, ''));
  };
  add(named);
  return { type, types };
}

function meaningBefore(table: TableMeaning | undefined, column: string): Meaning | undefined {
  const type = table !== undefined && Object.hasOwn(table.columns, column) ? table.columns[column] : undefined;
  return table === undefined || type === undefined ? undefined : meaningOfColumn(table, type);
}

function isSame(one: Meaning, other: Meaning): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** An enum, interface or union, or a list of one. */
function isNames({ type, types }: Meaning): boolean {
  const named = type.replaceAll(/[[\]!]/g, '');
  return Object.hasOwn(types, named) && Array.isArray(types[named]);
}
