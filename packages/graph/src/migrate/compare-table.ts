// Compares a table of a database with the one that the model wants: key, columns, values, indexes and foreign keys.
import { type Change, count, safe, type TableFacts, valuesText } from './change.ts';
import { compareValues, type ValueCheck } from './check-values.ts';
import { columnCompatibility } from './column-compatibility.ts';
import { addColumn, compareColumn, dropColumn } from './compare-columns.ts';
import { addForeignKey, compareForeignKeys, compareIndexes } from './compare-keys.ts';
import { createTableSql } from './create-sql.ts';
import { copySql } from './rebuild-sql.ts';
import { quoteName, type TableShape } from './table-shape.ts';

/** The changes that a table needs, and those that it may have. */
export async function compareTable(
  now: TableShape,
  wanted: TableShape,
  check: ValueCheck,
  around: {
    readonly present: ReadonlyMap<string, TableShape>;
    readonly counts: boolean;
    readonly wanted: ReadonlySet<string>;
    readonly formerName: (column: string) => string;
  },
): Promise<readonly Change[]> {
  const { store } = check;
  const hasAll = wanted.columns.every((column) => now.columns.some(({ name }) => name === column.name));
  const facts: TableFacts = {
    store,
    table: quoteName(wanted.name),
    // Counting reads the whole table; a start with an unchanged schema does not need it.
    rows: hasAll ? 0 : await count(store, `SELECT count(*) FROM ${quoteName(wanted.name)}`),
    counts: around.counts,
    wanted: around.wanted,
    formerName: around.formerName,
    // A relation of the engine has a foreign key.
    isForeign: (column) =>
      check.isAdopted(wanted.name, column) &&
      (check.before?.has(wanted.name) !== true || !now.foreignKeys.some((key) => key.column === column)),
  };
  const changes: Change[] = [];
  if (now.primaryKey.length === 0 && hasAll) changes.push(await addKey(wanted, facts));
  else if (now.primaryKey.join() !== wanted.primaryKey.join()) return [await changeKey(now, wanted, check)];
  /** Columns that stay: the SQL of their future values. */
  const values = new Map<string, string>();
  const retyped = new Set<string>();
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined) changes.push(addColumn(column, facts, wanted));
    else {
      const ofColumn = await compareColumn(old, column, facts, wanted.name);
      changes.push(...ofColumn);
      // An expression that fails has no values to check.
      if (column.using !== undefined && ofColumn.some(({ blocked }) => blocked)) continue;
      const fate = columnCompatibility(store.dialect, old, column);
      if (fate.kind !== 'refused')
        values.set(column.name, copySql(old, { ...column, name: around.formerName(column.name) }, store.dialect));
      if (fate.kind !== 'kept') retyped.add(`values ${wanted.name}.${column.name}`);
    }
  }
  for (const step of await compareValues(check, wanted.name, values)) {
    // The different type has been reported.
    if (step.loses === undefined && retyped.has(step.name)) continue;
    changes.push({ ...step, sql: [], first: step.sql });
  }
  for (const old of now.columns) {
    if (!wanted.columns.some((column) => column.name === old.name)) changes.push(await dropColumn(old, facts, wanted));
  }
  changes.push(
    ...(await compareIndexes(now, wanted, facts)),
    ...(await compareForeignKeys(now, wanted, facts, around.present)),
  );
  return changes;
}

/** A different primary key. Only an empty join table can simply be recreated. */
async function changeKey(now: TableShape, wanted: TableShape, { store, after }: ValueCheck): Promise<Change> {
  const step = safe(
    `rekey ${wanted.name}`,
    `Change the key of table ${wanted.name} from ${now.primaryKey.join(', ')} to ${wanted.primaryKey.join(', ')}`,
  );
  const isJoinTable = after.get(wanted.name)?.of.includes('.') ?? false;
  const table = quoteName(wanted.name);
  const rows = isJoinTable ? await count(store, `SELECT count(*) FROM ${table}`) : 0;
  if (isJoinTable && rows === 0) {
    const last = store.dialect === 'postgres' ? wanted.foreignKeys.map((key) => addForeignKey(wanted, key)) : [];
    return { ...step, sql: [`DROP TABLE ${table}`, ...createTableSql(wanted, store.dialect)], last };
  }
  const loses = isJoinTable
    ? `${rows === 1 ? '1 link' : `${rows.toLocaleString('en')} links`} of the old relation; give the new one another name, or empty the old one first`
    : 'every relation and address by the old key; copy the objects into a new type instead';
  return { ...step, loses, blocked: true, sql: [] };
}

/** A table of another application without a primary key. */
async function addKey(wanted: TableShape, { store, table }: TableFacts): Promise<Change> {
  const columns = wanted.primaryKey.map(quoteName).join(', ');
  const text = `Make ${wanted.primaryKey.join(', ')} the key of table ${wanted.name}`;
  const twice = await count(
    store,
    `SELECT count(*) FROM (SELECT 1 FROM ${table} GROUP BY ${columns} HAVING count(*) > 1) AS d`,
  );
  return {
    ...safe(`key ${wanted.name}`, text),
    loses:
      twice === 0
        ? undefined
        : `${valuesText(twice)} of ${wanted.primaryKey.join(', ')} stand in more than one row; make them differ first`,
    blocked: twice > 0,
    sql: store.dialect === 'sqlite' ? undefined : [],
    last: store.dialect === 'sqlite' ? [] : [`ALTER TABLE ${table} ADD PRIMARY KEY (${columns})`],
  };
}
