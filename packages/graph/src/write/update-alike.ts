// Gives many rows the same values: compares and changes them one by one, and writes those that become alike by one
// statement.
import type { Snapshot } from '../feed/change.ts';
import type { Row, SqlValue } from '../store/store.ts';
import { type EntityTable, fromDatabase, type Values } from './entity-table.ts';
import type { ObjectWrite } from './read-values.ts';
import { RowChanges } from './row-changes.ts';
import type { WriteUnit } from './write-unit.ts';

/** The columns that a write sets, if it writes nothing but its own row. */
export function ownColumns({ columns, members, relations }: ObjectWrite): Values | undefined {
  if (members.length > 0) return undefined;
  const values = new Map(columns);
  for (const { clear, connect, create, field, removeOnly } of relations) {
    if (field.storage.kind !== 'foreignKey' || create.length > 0 || removeOnly) return undefined;
    const [connected] = connect;
    if (connected !== undefined) values.set(field.storage.column, connected);
    else if (clear) values.set(field.storage.column, null);
  }
  return values;
}

/** Rows with the same changed columns and values. */
interface Alike {
  readonly values: Values;
  readonly keys: SqlValue[];
}

/**
 * Updates rows that have been found, in the order of the table's columns. Returns false if the rules need other rows, which
 * an update of another row could change; nothing is written then.
 *
 * @param given names of the fields that the caller gave
 * @throws GRAPH_FORBIDDEN
 */
export async function updateAlike(
  unit: WriteUnit,
  table: EntityTable,
  found: readonly Row[],
  given: Iterable<string>,
  columns: Values,
): Promise<boolean> {
  const { entity } = table;
  const { guard, principal } = unit;
  const changes = new RowChanges(table.columns);
  const rows = found.map((row) => row.map((value, index) => fromDatabase(value, table.columns[index]!)));
  const isRuled = guard.hasRule(entity, 'update');
  const decide = (row: Snapshot): boolean | undefined => guard.decideAlone(principal, entity, row, 'update', given);
  const refuse = (row: Snapshot): Promise<void> => guard.check(unit, table, table.fromSnapshot(row), 'update', given);
  if (isRuled)
    for (const row of rows) {
      const before = changes.snapshot(row);
      const decided = decide(before);
      if (decided === undefined) return false;
      if (!decided) await refuse(before);
    }
  const values = table.columns.map(({ name }) => columns.get(name));
  const alike = new Map<string, Alike>();
  for (const row of rows) {
    const changed = changes.changed(row, values);
    if (changed.length === 0) continue;
    const before = changes.former(row, changed);
    const bound = changes.set(row, values, changed, unit.now);
    const after = changes.snapshot(row);
    if (isRuled && decide(after) !== true) await refuse(after);
    const key = row[table.keyIndex]!;
    if (changes.keepDifferences(before, after, changed))
      unit.changes.record({ type: entity.name, key: String(key), operation: 'updated', before, after });
    // All are given the same; what the engine adds, such as a version, may differ.
    let name = '';
    for (const [place, index] of changed.entries())
      name += bound[place] === values[index] ? `${index},` : `${index} ${String(bound[place])},`;
    const group = alike.get(name);
    if (group !== undefined) group.keys.push(key);
    else {
      const written = changed.map((index, place) => [table.columns[index]!.name, bound[place]!] as const);
      alike.set(name, { values: new Map(written), keys: [key] });
    }
  }
  for (const group of alike.values()) await table.updateAll(unit.session, group.keys, group.values);
  return true;
}
