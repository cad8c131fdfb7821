// Checks a database: SQLite's own checks of file and foreign keys, and every stored value against its field's type.
// Reads everything, in pages. Not here: whether the tables match the schema (plan-migration.ts).
import { getNullableType, isNonNullType, type GraphQLType } from 'graphql';
import { entityOf, type ColumnField, type Entity, type Model, type Storage } from '../schema/model.ts';
import { fromSortable, toDecimal, toStoredDecimal } from '../schema/decimal.ts';
import type { Dialect } from '../sql/dialect.ts';
import { dialectOf } from '../sql/dialect-of.ts';
import type { Row, Store } from '../store/store.ts';
import { adoptColumns } from './adopt-columns.ts';
import { rowsText } from './change.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import { findMisfits } from './value-types.ts';
import { declaredField } from '../schema/declared-field.ts';

/** A problem, as readable text. */
export interface IntegrityFinding {
  readonly kind: 'file' | 'reference' | 'value';
  /** `photos.created: 1 row holds no DateTime!, with the key 17`. */
  readonly text: string;
}

/** The number of checked values and the problems. */
export interface IntegrityReport {
  readonly rows: number;
  readonly findings: readonly IntegrityFinding[];
}

/** Rows per page. */
const BATCH = 1000;
/** Reported keys per problem, and reported lines of SQLite's checks. */
const EXAMPLES = 5;
const LINES = 100;

/** Runs all checks. Damage that aborts reading is reported as a problem. */
export async function checkIntegrity(model: Model, store: Store): Promise<IntegrityReport> {
  const findings: IntegrityFinding[] = [];
  const trying = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      findings.push({
        kind: 'file',
        text: `${what} cannot be read: ${error instanceof Error ? error.message : 'no reason given'}`,
      });
    }
  };
  if (store.dialect === 'sqlite')
    await trying('the file', async () => {
      const lines = (await store.prepare(`PRAGMA integrity_check(${LINES})`).rows([])).map(([line]) => String(line));
      if (lines.join() !== 'ok') findings.push(...lines.map((text) => ({ kind: 'file' as const, text })));
      const broken = await store
        .prepare('SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2')
        .rows([]);
      for (const [table, parent, count] of broken)
        findings.push({
          kind: 'reference',
          text: `${String(table)}: ${rowsText(Number(count))} lead to no row of ${String(parent)}`,
        });
    });
  // Columns of other types are read in the engine's form.
  const adopted = await adoptColumns(model, store).catch(() => model);
  const dialect = dialectOf(adopted, store);
  let rows = 0;
  for (const entity of model.entities.values())
    await trying(`table ${entity.table}`, async () => {
      const wrong = new Map<CheckedColumn, { count: number; readonly keys: string[] }>();
      const columns = columnsOf(model, entity, store.dialect);
      for await (const [key, ...values] of readRows(store, dialect, entity, columns)) {
        rows++;
        for (const [index, column] of columns.entries()) {
          if (column.isRight(values[index])) continue;
          let found = wrong.get(column);
          if (found === undefined) wrong.set(column, (found = { count: 0, keys: [] }));
          if (++found.count <= EXAMPLES) found.keys.push(String(key));
        }
      }
      for (const [{ name, type }, { count, keys }] of wrong) {
        const more = count > keys.length ? ', …' : '';
        const which = `${rowsText(count)} ${count === 1 ? 'holds' : 'hold'} no ${type}`;
        findings.push({
          kind: 'value',
          text: `${entity.table}.${name}: ${which}, with the ${count === 1 ? 'key' : 'keys'} ${keys.join(', ')}${more}`,
        });
      }
    });
  return { rows, findings };
}

interface CheckedColumn {
  readonly name: string;
  /** The expected type, as readable text. */
  readonly type: string;
  readonly isRight: (value: unknown) => boolean;
}

function columnsOf(model: Model, entity: Entity, dialect: Store['dialect']): readonly CheckedColumn[] {
  return [...entity.fields.values()].flatMap((field): CheckedColumn[] => {
    if (field.kind === 'column') {
      const { type } = declaredField(model.schema, entity.name, field.name);
      return [
        {
          name: field.column,
          type: String(type),
          isRight: (value) =>
            isRight(model, field, type, value) && (dialect === 'postgres' || isSortable(field, value)),
        },
      ];
    }
    if (field.kind !== 'relation') return [];
    const { storage, target } = field;
    const held = (name: string, type: string, as: Storage): CheckedColumn => ({
      name,
      type,
      isRight: (value) => value === null || fromStorage({ storage: as, typeName: target }, value) !== undefined,
    });
    if (storage.kind === 'foreignKey')
      return [held(storage.column, `key of ${target}`, entityOf(model, target).key.storage)];
    if (storage.kind !== 'polymorphic') return [];
    return [held(storage.typeColumn, `type of ${target}`, 'text'), held(storage.keyColumn, `key of ${target}`, 'text')];
  });
}

async function* readRows(
  store: Store,
  dialect: Dialect,
  entity: Entity,
  checked: readonly CheckedColumn[],
): AsyncGenerator<Row> {
  const key = quoteName(entity.key.column);
  const columns = [key, ...checked.map(({ name }) => quoteName(name))].join(', ');
  const place = store.dialect === 'sqlite' ? '?' : '$1';
  const select = (where: string): string =>
    `SELECT ${columns} FROM ${dialect.source?.(entity.table) ?? quoteTable(entity.table)} r${where} ORDER BY ${key} LIMIT ${BATCH}`;
  let rows = await store.prepare(select('')).rows([]);
  while (rows.length > 0) {
    yield* rows;
    if (rows.length < BATCH) return;
    rows = await store.prepare(select(` WHERE ${key} > ${place}`)).rows([rows.at(-1)?.[0] ?? null]);
  }
}

function isRight(model: Model, field: ColumnField, type: GraphQLType, value: unknown): boolean {
  if (value === null || value === undefined) return !isNonNullType(type);
  const read = fromStorage(field, value);
  if (read === undefined) return false;
  if (model.customScalars.has(field.typeName)) return true;
  if (field.storage === 'timestamp' && !field.list) return typeof read === 'string' && isTimeAsPrinted(read);
  // Sequential keys are integers; any other ID is text.
  if (field.typeName === 'ID' && !field.list) return true;
  return findMisfits(getNullableType(type), read, model.answered).every(({ kind }) => kind === 'field');
}

/** Whether a text is a time as JavaScript prints it. */
function isTimeAsPrinted(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

/** Whether a decimal on SQLite is stored in its canonical form. */
function isSortable({ storage }: ColumnField, value: unknown): boolean {
  return storage !== 'decimal' || typeof value !== 'string' || toStoredDecimal(fromSortable(value)) === value;
}

/** Converts a stored value for its type; undefined if the column cannot contain it. */
function fromStorage({ storage, typeName }: Pick<ColumnField, 'storage' | 'typeName'>, value: unknown): unknown {
  switch (storage) {
    case 'text':
    case 'timestamp':
      return typeof value === 'string' ? value : undefined;
    case 'decimal':
      return typeof value === 'string' ? toDecimal(fromSortable(value)) : undefined;
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value) ? value : undefined;
    case 'real':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return value === true || value === 1 ? true : value === false || value === 0 ? false : undefined;
    case 'json':
      if (typeof value !== 'string') return undefined;
      try {
        const parsed: unknown = JSON.parse(value);
        return typeName === 'JSON' && parsed === null ? 'null' : parsed;
      } catch {
        // Malformed JSON is of no type.
        return undefined;
      }
  }
}
