// A column in the database and the column that the schema asks for → what must change, and what that would lose. Not here:
// what its values mean (check-values.ts), and indexes and foreign keys (compare-keys.ts).
import { type Change, count, rowsText, safe, type TableFacts, valuesText } from './change.ts';
import { convertColumn } from './convert-column.ts';
import { columnSql, foreignKeySql } from './create-sql.ts';
import { type ColumnShape, quoteName, quoteText, type TableShape } from './table-shape.ts';

/** A column that is new. */
export function addColumn(column: ColumnShape, facts: TableFacts, table: TableShape): Change {
  const { dialect } = facts.store;
  const name = `add ${table.name}.${column.name}`;
  const text = `Add column ${column.name} (${column.type}${column.nullable ? '' : ', required'}) to table ${table.name}`;
  const missing = !column.nullable && column.fill === undefined && facts.rows > 0;
  if (missing) {
    const loses = `${rowsText(facts.rows)} would have no value; make the field nullable or give it a literal @default`;
    return { name, text, loses, blocked: true, sql: [] };
  }
  const start = `ALTER TABLE ${facts.table} ADD COLUMN ${columnSql(column, dialect)}`;
  if (column.nullable || dialect === 'postgres') {
    const key = table.foreignKeys.find((other) => other.column === column.name);
    // SQLite takes the foreign key only together with the column.
    const reference =
      dialect === 'sqlite' && key !== undefined ? ` ${foreignKeySql(key).replace(/ FOREIGN KEY \([^)]*\)/, '')}` : '';
    const fill = column.fill === undefined ? '' : ` DEFAULT ${column.fill}`;
    const sql = [`${start}${reference}${dialect === 'postgres' ? fill : ''}`];
    if (dialect === 'postgres' && fill !== '') {
      sql.push(`ALTER TABLE ${facts.table} ALTER COLUMN ${quoteName(column.name)} DROP DEFAULT`);
    } else if (dialect === 'sqlite' && column.fill !== undefined) {
      sql.push(`UPDATE ${facts.table} SET ${quoteName(column.name)} = ${column.fill}`);
    }
    return { ...safe(name, text), sql };
  }
  return { ...safe(name, text), sql: undefined };
}

/** A column that is there. */
export async function compareColumn(
  old: ColumnShape,
  column: ColumnShape,
  facts: TableFacts,
  table: string,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const quoted = quoteName(column.name);
  const alter = `ALTER TABLE ${facts.table} ALTER COLUMN ${quoted}`;
  const onPostgres = (sql: string): readonly string[] | undefined =>
    facts.store.dialect === 'postgres' ? [`${alter} ${sql}`] : undefined;
  if (old.type.toLowerCase() !== column.type.toLowerCase()) {
    const { fits, value } = convertColumn(facts.store.dialect, old.type, column.type, quoted);
    const misfits = await count(
      facts.store,
      `SELECT count(*) FROM ${facts.table} WHERE ${quoted} IS NOT NULL AND (${fits}) IS NOT TRUE`,
    );
    // Where a value is required, nothing can take the place of one that does not fit.
    const blocked = misfits > 0 && !column.nullable;
    const lost = `${valuesText(misfits)} in ${table}.${column.name} that ${misfits === 1 ? 'is' : 'are'} no ${column.type}`;
    changes.push({
      name: `retype ${table}.${column.name}`,
      text: `Change column ${column.name} of table ${table} from ${old.type} to ${column.type}`,
      loses: misfits === 0 ? undefined : blocked ? `${lost}; change them first, or make the field nullable` : lost,
      blocked,
      sql: onPostgres(`TYPE ${column.type} USING (CASE WHEN ${fits} THEN ${value} END)::${column.type}`),
    });
  }
  if (old.identity !== column.identity) changes.push(changeIdentity(column, facts, table));
  if (old.nullable && !column.nullable) {
    const empty = await count(facts.store, `SELECT count(*) FROM ${facts.table} WHERE ${quoted} IS NULL`);
    const text = `Require a value in column ${column.name} of table ${table}`;
    const loses =
      empty === 0
        ? undefined
        : `${rowsText(empty)} ${empty === 1 ? 'has' : 'have'} no value there; give ${empty === 1 ? 'it' : 'them'} one first`;
    changes.push({
      name: `require ${table}.${column.name}`,
      text,
      loses,
      blocked: loses !== undefined,
      sql: onPostgres('SET NOT NULL'),
    });
  }
  if (!old.nullable && column.nullable) {
    const text = `Allow no value in column ${column.name} of table ${table}`;
    changes.push({ ...safe(`loosen ${table}.${column.name}`, text), sql: onPostgres('DROP NOT NULL') });
  }
  return changes;
}

/** Whether the database counts the keys. */
function changeIdentity(column: ColumnShape, facts: TableFacts, table: string): Change {
  const alter = `ALTER TABLE ${facts.table} ALTER COLUMN ${quoteName(column.name)}`;
  const step = safe(
    `identity ${table}.${column.name}`,
    column.identity
      ? `Number the objects of table ${table} by ${column.name} from here on`
      : `Let whoever creates an object of table ${table} give its ${column.name}`,
  );
  if (facts.store.dialect === 'sqlite') return { ...step, sql: undefined };
  if (!column.identity) return { ...step, sql: [], first: [`${alter} DROP IDENTITY`] };
  const sequence = `pg_get_serial_sequence(${quoteText(facts.table)}, ${quoteText(column.name)})`;
  return {
    ...step,
    sql: [
      `${alter} ADD GENERATED BY DEFAULT AS IDENTITY`,
      `SELECT setval(${sequence}, coalesce((SELECT max(${quoteName(column.name)}) FROM ${facts.table}), 0) + 1, false)`,
    ],
  };
}

/** A column that the schema does not have. */
export async function dropColumn(old: ColumnShape, facts: TableFacts, table: TableShape): Promise<Change> {
  const filled = await count(
    facts.store,
    `SELECT count(*) FROM ${facts.table} WHERE ${quoteName(old.name)} IS NOT NULL`,
  );
  return {
    name: `drop ${table.name}.${old.name}`,
    text: `Drop column ${old.name} of table ${table.name}, which the schema does not have`,
    loses: `${valuesText(filled)} in ${table.name}.${old.name}`,
    blocked: false,
    sql:
      facts.store.dialect === 'postgres'
        ? [`ALTER TABLE ${facts.table} DROP COLUMN ${quoteName(old.name)}`]
        : undefined,
  };
}
