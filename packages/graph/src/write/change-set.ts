// Collects the changes of a transaction: one per object, however often it was written. They become feed entries at the
// end of the transaction.
import type { ChangeOperation, LinkChange, NewChange, Snapshot } from '../feed/change.ts';
import type { EntityTable, StoredRow, TableColumn } from './entity-table.ts';

interface Entry {
  readonly table: EntityTable;
  readonly key: string;
  /** The row before the transaction; undefined if it was created in it. */
  readonly before: StoredRow | undefined;
  /** The row now; undefined if it is deleted. */
  after: StoredRow | undefined;
  /** Absent until a join row changes, or something quietly: most objects are only created or updated. */
  links?: Map<string, Map<string, 'added' | 'removed'>>;
  /** Fields that changed quietly (Change.quiet). */
  quiet?: Set<string>;
  /** Relations that changed otherwise, and the rows before and after updates that were not quiet. */
  told?: Set<string>;
  updates?: (readonly [before: StoredRow, after: StoredRow])[];
}

/** An inserted or deleted join row, from the side of one object. */
export interface NewLink {
  readonly field: string;
  /** The key of the other object. */
  readonly other: string;
  readonly how: 'added' | 'removed';
  /** Not sent to subscribers. */
  readonly quiet: boolean;
}

/** The changes of one transaction. */
export interface ChangeSet {
  created(table: EntityTable, row: StoredRow): void;
  /** @param quiet not sent to subscribers */
  updated(table: EntityTable, before: StoredRow, after: StoredRow, quiet?: boolean): void;
  deleted(table: EntityTable, before: StoredRow): void;
  /** Records the only change of an object in this transaction. */
  record(change: NewChange): void;
  /** Records an inserted or deleted join row; `row` is the object as it stands. */
  linked(table: EntityTable, row: StoredRow, link: NewLink): void;
  /** The changes, in the order in which the objects were first written. */
  changes(): readonly NewChange[];
}

/** Creates an empty set. */
export function createChangeSet(): ChangeSet {
  const entries = new Map<string, Entry>();
  const recorded: NewChange[] = [];

  function entryOf(table: EntityTable, row: StoredRow, isNew: boolean): Entry {
    const key = String(table.keyOf(row));
    const name = `${table.entity.name} ${key}`;
    let entry = entries.get(name);
    if (entry === undefined) {
      const before = isNew ? undefined : row;
      entry = {
        table,
        key,
        before,
        after: row,
      };
      entries.set(name, entry);
    }
    return entry;
  }

  return {
    created(table, row) {
      // Deleted and created again with the same key: an update.
      entryOf(table, row, true).after = row;
    },
    updated(table, before, after, quiet = false) {
      const entry = entryOf(table, before, false);
      entry.after = after;
      if (quiet) for (const { name } of changedFields(table, before, after)) (entry.quiet ??= new Set()).add(name);
      else (entry.updates ??= []).push([before, after]);
    },
    deleted(table, before) {
      entryOf(table, before, false).after = undefined;
    },
    record(change) {
      recorded.push(change);
    },
    linked(table, row, { field, other, how, quiet }) {
      const entry = entryOf(table, row, false);
      const links = (entry.links ??= new Map());
      const fields = quiet ? (entry.quiet ??= new Set()) : (entry.told ??= new Set());
      fields.add(field);
      const changes = links.get(field) ?? new Map<string, 'added' | 'removed'>();
      links.set(field, changes);
      // Disconnected and connected again: no change.
      if (changes.has(other) && changes.get(other) !== how) changes.delete(other);
      else changes.set(other, how);
    },
    changes() {
      const changes = recorded.slice();
      for (const entry of entries.values()) {
        const change = toChange(entry);
        if (change !== undefined) changes.push(change);
      }
      return changes;
    },
  };
}

/** A set for work that may be undone: `apply` passes on what it has recorded. */
export function delayChanges(set: ChangeSet): ChangeSet & { readonly apply: () => void } {
  const delayed: (() => void)[] = [];
  return {
    created: (...change) => void delayed.push(() => set.created(...change)),
    updated: (...change) => void delayed.push(() => set.updated(...change)),
    deleted: (...change) => void delayed.push(() => set.deleted(...change)),
    record: (change) => void delayed.push(() => set.record(change)),
    linked: (...change) => void delayed.push(() => set.linked(...change)),
    changes: () => set.changes(),
    apply: () => delayed.forEach((pass) => pass()),
  };
}

function toChange(entry: Entry): NewChange | undefined {
  const { table, key, before, after } = entry;
  const operation: ChangeOperation = after === undefined ? 'deleted' : before === undefined ? 'created' : 'updated';
  const base = { type: table.entity.name, key, operation };
  const links = toLinks(entry.links);
  const withLinks = links === undefined ? base : { ...base, links };
  // Created and deleted in one transaction: nobody else saw it.
  if (after === undefined) return before === undefined ? undefined : { ...withLinks, before: table.snapshot(before) };
  const snapshot = table.snapshot(after);
  if (before === undefined) return { ...withLinks, after: snapshot };
  const former = differing(table, before, after, snapshot);
  if (former === undefined && links === undefined) return undefined;
  const quiet = quietFields(entry);
  return { ...withLinks, before: former ?? {}, after: snapshot, ...(quiet.length === 0 ? {} : { quiet }) };
}

/** The fields that changed quietly and not otherwise. */
function quietFields({ table, quiet, told = new Set(), updates = [] }: Entry): readonly string[] {
  if (quiet === undefined) return [];
  for (const [before, after] of updates) for (const { name } of changedFields(table, before, after)) told.add(name);
  return [...quiet.difference(told)];
}

/** The fields of which a column differs. */
function changedFields(
  { columns }: EntityTable,
  before: StoredRow,
  after: StoredRow,
): ReadonlySet<TableColumn['field']> {
  const changed = new Set<TableColumn['field']>();
  for (const { name, field } of columns) if (before.get(name) !== after.get(name)) changed.add(field);
  return changed;
}

const NO_LINKS: NonNullable<Entry['links']> = new Map();

function toLinks(links: Entry['links'] = NO_LINKS): Readonly<Record<string, LinkChange>> | undefined {
  const shown: Record<string, LinkChange> = {};
  let some = false;
  for (const [field, changes] of links) {
    if (changes.size === 0) continue;
    some = true;
    const keys = (how: 'added' | 'removed'): readonly string[] =>
      [...changes].filter(([, each]) => each === how).map(([other]) => other);
    shown[field] = { added: keys('added'), removed: keys('removed') };
  }
  return some ? shown : undefined;
}

/** The former values that differ in the snapshot; undefined if none does. */
function differing(table: EntityTable, before: StoredRow, row: StoredRow, after: Snapshot): Snapshot | undefined {
  const changed = changedFields(table, before, row);
  const former: Record<string, unknown> = {};
  for (const { name, field, show } of table.columns)
    if (changed.has(field)) show(before.get(name) ?? null, former, before);
  for (const { name } of changed) if (isSameShown(former[name], after[name])) delete former[name];
  return Object.keys(former).length === 0 ? undefined : former;
}

/** Whether two values of a field are equal in a snapshot. */
export function isSameShown(before: unknown, after: unknown): boolean {
  return before === after || (typeof before === 'object' && JSON.stringify(before) === JSON.stringify(after));
}
