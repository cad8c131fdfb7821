// Removes the rows of a deletion in an order that foreign keys allow: each row after those that refer to it. A key with
// RESTRICT refuses at once, even if its row is removed by the next statement. Not here: which rows a deletion reaches.
import type { EntityTable, StoredRow } from './entity-table.ts';
import type { WriteUnit } from './write-unit.ts';

interface RowToRemove {
  readonly table: EntityTable;
  readonly row: StoredRow;
  /** To other rows that are removed. */
  references: readonly Reference[];
  /** How many references of rows still in their tables lead here. */
  holders: number;
}

interface Reference {
  readonly column: string;
  readonly nullable: boolean;
  /** To the type of its own row: where null is not allowed, a row may refer to itself. */
  readonly isOwn: boolean;
  readonly to: RowToRemove;
}

/** Removes rows, by table and key; of rows that do not refer to each other, the last is removed first. */
export async function removeRows(
  unit: WriteUnit,
  removing: ReadonlyMap<EntityTable, ReadonlyMap<string, StoredRow>>,
): Promise<void> {
  const left = new Set(rowsToRemove(removing).toReversed());
  let free = [...left].filter((each) => each.holders === 0);
  while (left.size > 0) {
    if (free.length === 0) free = await breakCycles(unit, left);
    for (const [table, rows] of Map.groupBy(free, (each) => each.table))
      await table.removeAll(
        unit.session,
        rows.map(({ row }) => table.keyOf(row)),
      );
    for (const each of free) left.delete(each);
    const freed = new Set<RowToRemove>();
    for (const { references } of free)
      for (const { to } of references) {
        to.holders--;
        if (to.holders === 0 && left.has(to)) freed.add(to);
      }
    free = [...freed];
  }
}

function rowsToRemove(removing: ReadonlyMap<EntityTable, ReadonlyMap<string, StoredRow>>): readonly RowToRemove[] {
  const byType = new Map<string, Map<string, RowToRemove>>();
  for (const [table, rows] of removing) {
    const own = new Map<string, RowToRemove>();
    for (const [key, row] of rows) own.set(key, { table, row, references: [], holders: 0 });
    byType.set(table.entity.name, own);
  }
  for (const table of removing.keys())
    for (const field of table.entity.fields.values()) {
      if (field.kind !== 'relation' || field.storage.kind !== 'foreignKey') continue;
      const { column } = field.storage;
      const targets = byType.get(field.target);
      if (targets === undefined) continue;
      for (const each of byType.get(table.entity.name)?.values() ?? []) {
        const to = targets.get(String(each.row.get(column)));
        if (to === undefined || to === each) continue;
        const reference = { column, nullable: field.nullable, isOwn: field.target === table.entity.name, to };
        each.references = [...each.references, reference];
        to.holders++;
      }
    }
  return [...byType.values()].flatMap((rows) => [...rows.values()]);
}

const canEmpty = ({ nullable, isOwn }: Reference): boolean => nullable || isOwn;

/** Empties references among rows that all have holders. @returns rows that can be removed next */
async function breakCycles(unit: WriteUnit, left: ReadonlySet<RowToRemove>): Promise<RowToRemove[]> {
  const all = [...left];
  const emptied = all.flatMap((from) => from.references.filter(canEmpty).map((reference) => ({ from, reference })));
  for (const { from, reference } of emptied) {
    const { column, nullable, to } = reference;
    const key = from.table.keyOf(from.row);
    await from.table.update(unit.session, key, new Map([[column, nullable ? null : key]]));
    from.references = from.references.filter((each) => each !== reference);
    to.holders--;
  }
  // Otherwise the constraints are deferred, or no order is possible.
  return emptied.length === 0 ? all : all.filter((each) => each.holders === 0);
}
