// What rows of join tables that others wrote mean for the objects at both ends.
import type { Model, RelationField } from '../schema/model.ts';
import type { Session, SqlValue } from '../store/store.ts';
import type { ChangeSet } from '../write/change-set.ts';
import type { EntityTable, StoredRow } from '../write/entity-table.ts';
import { first, last, lookUp } from '../present.ts';
import type { OutboxEntry } from './read-outbox.ts';

interface LinkParts {
  readonly model: Model;
  readonly tables: ReadonlyMap<string, EntityTable>;
  readonly changes: ChangeSet;
}

/** One end of a join row. */
interface End {
  readonly type: string;
  readonly key: SqlValue;
  /** The relation that shows the row at this end. */
  readonly field: string;
  /** The other object as a link names it. */
  readonly other: string;
  readonly how: 'added' | 'removed';
}

/** Records links that were inserted or deleted, at the objects that still exist. */
export async function recordLinks(
  session: Session,
  { model, tables, changes }: LinkParts,
  entries: readonly OutboxEntry[],
): Promise<void> {
  const ends = [...Map.groupBy(entries, nameOf).values()].flatMap((steps) => endsOf(model, steps));
  for (const [type, own] of Map.groupBy(ends, (end) => end.type)) {
    const table = lookUp(tables, type);
    const rows = new Map<string, StoredRow>();
    const keys = [...new Map(own.map(({ key }) => [String(key), key])).values()];
    for (const row of await table.findBy(session, table.entity.key.column, keys))
      rows.set(String(table.keyOf(row)), row);
    for (const { key, field, other, how } of own) {
      const row = rows.get(String(key));
      if (row !== undefined) changes.linked(table, row, { field, other, how, quiet: false });
    }
  }
}

/** A join row's columns are its key, so it was there or not, and is there or not. */
function nameOf({ table, image }: OutboxEntry): string {
  return JSON.stringify([table.name, ...table.identity.map((column) => String(image.get(column)))]);
}

/** Both ends of a join row that came or went; none if it is as it was. */
function endsOf(model: Model, steps: readonly OutboxEntry[]): readonly End[] {
  const { table, operation, image } = first(steps);
  const latest = last(steps);
  const { entity, relation } = table;
  const isThere = latest.now !== undefined;
  if (relation === undefined || (operation !== 'insert') === isThere) return [];
  const how = isThere ? 'added' : 'removed';
  const { storage } = relation;
  if (storage.kind === 'polymorphicJoinTable') {
    const other = `${String(image.get(storage.typeColumn))}:${String(image.get(storage.keyColumn))}`;
    return [{ type: entity.name, key: image.get(storage.from) ?? null, field: relation.name, other, how }];
  }
  if (storage.kind !== 'joinTable') return [];
  const [from, to] = [image.get(storage.from) ?? null, image.get(storage.to) ?? null];
  const back = inverseOf(model, relation);
  return [
    { type: entity.name, key: from, field: relation.name, other: String(to), how },
    ...(back === undefined ? [] : [{ type: relation.target, key: to, field: back, other: String(from), how } as const]),
  ];
}

/** The name of the relation on the other object. */
function inverseOf(model: Model, { inverse, target }: RelationField): string | undefined {
  return inverse !== undefined && model.entities.get(target)?.fields.has(inverse) === true ? inverse : undefined;
}
