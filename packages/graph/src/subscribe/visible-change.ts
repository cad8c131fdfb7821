// Decides whether an update changed something that a subscriber may see. An update of hidden fields, or of relations to
// hidden objects, must not be an event: otherwise the subscriber could count changes of hidden data. Not here: whether
// the subscriber may see the object.
import { toText } from '@lockstitch/kernel';
import type { Change } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';
import { membersOf, type Model, type RelationField } from '../schema/model.ts';
import type { EntityTable } from '../write/entity-table.ts';
import { type ReadUnit, type RowGuard, tableOf } from '../write/write-unit.ts';
import { hasMembers, last, textAt } from '../present.ts';

/** Inputs of the decision. */
export interface SeenParts {
  readonly model: Model;
  readonly feed: Feed;
  readonly guard: RowGuard;
  readonly unit: ReadUnit;
  /** Whether some objects of a type, or their keys, are hidden from the subscriber. */
  readonly hidesKeys: (entity: string) => boolean;
}

/**
 * Whether the subscriber sees a change of an object that they may see afterwards.
 *
 * @param denied the fields that they may not read
 */
export async function isVisibleChange(
  parts: SeenParts,
  change: Change,
  table: EntityTable,
  denied: ReadonlySet<string>,
): Promise<boolean> {
  if (change.operation !== 'updated') return true;
  const { before = {}, after = {}, links = {}, quiet = [] } = change;
  const related: { readonly field: RelationField; readonly keys: readonly unknown[] }[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(links)])) {
    if (denied.has(name) || quiet.includes(name)) continue;
    const field = table.entity.fields.get(name);
    const hides =
      field?.kind === 'relation' &&
      membersOf(parts.model, field.target).some(({ name: each }) => parts.hidesKeys(each));
    if (!hides) return true;
    const { added = [], removed = [] } = links[name] ?? {};
    related.push({ field, keys: [before[name], after[name], ...added, ...removed] });
  }
  for (const { field, keys } of related) {
    for (const key of keys) if (key != null && (await isSeen(parts, change, field, key))) return true;
  }
  // A field that a rule reads may have changed which other fields the subscriber sees.
  const { guard, unit } = parts;
  const former = table.fromSnapshot({ ...after, ...before });
  if (!(await guard.canSee(unit, table, former))) return true;
  return (await guard.deniedFields(unit, table, former)).symmetricDifference(denied).size > 0;
}

/** Whether a related or formerly related object is visible: as it is now, or as it was deleted with the change. */
async function isSeen(parts: SeenParts, change: Change, field: RelationField, named: unknown): Promise<boolean> {
  const { guard, unit } = parts;
  const { key, type } = memberOf(field, named);
  const table = tableOf(unit, type);
  const bound = table.toKey(key);
  const [row] = bound === undefined ? [] : await table.findBy(unit.session, table.entity.key.column, [bound]);
  if (row !== undefined) return guard.canSee(unit, table, row);
  const deleted = await deletionOf(parts.feed, change, type, key);
  if (deleted?.before === undefined) return false;
  return guard.canSee({ ...unit, gone: type }, table, table.fromSnapshot(deleted.before));
}

/** A key, with its type if that varies: `{ type, key }` in a row, `Type:key` in a join table. */
function memberOf({ storage, target }: RelationField, named: unknown): { readonly type: string; readonly key: string } {
  if (hasMembers(named)) return { type: textAt(named, 'type'), key: toText(named['key']) };
  const text = toText(named);
  if (storage.kind !== 'polymorphicJoinTable') return { type: target, key: text };
  const colon = text.indexOf(':');
  return { type: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** Range of changes around a change in which others of its transaction are looked for. */
const NEAR = 10_000;
const PAGE = 1000;

async function deletionOf(feed: Feed, change: Change, type: string, key: string): Promise<Change | undefined> {
  const from = Math.max(0, change.position - NEAR);
  for (let after = from; after < change.position + NEAR;) {
    // Trimmed changes cannot be read; then no event is sent.
    const page = await feed.read(after, PAGE).catch(() => []);
    const found = page.find((each) => each.operation === 'deleted' && each.type === type && each.key === key);
    if (found !== undefined || page.length === 0) return found;
    after = last(page).position;
  }
  return undefined;
}
