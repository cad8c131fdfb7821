// Imports rows that do not depend on one another: the first of a batch, up to one that has to wait for them. So the result
// is the same as if each row were a batch of its own.
import type { EntityTable, StoredRow } from './entity-table.ts';
import { loadReferences, objectName, type References, referencesOf } from './import-references.ts';
import {
  findMatches,
  keysOfOthers,
  matchOf,
  nameOf,
  namesOf,
  type UniqueKey,
  uniqueKeysOf,
  updateFromRow,
} from './import-upsert.ts';
import { type Candidate, insertImported } from './insert-imported.ts';
import { insertJoinRow, insertMemberRow, raiseOtherEnd } from './join-rows.ts';
import type { ImportReference, ReadRow } from './read-import-row.ts';
import type { WriteUnit } from './write-unit.ts';

/** A row that was not written. */
export interface ImportRejection {
  /** Counted from 0 over all batches. */
  readonly index: number;
  readonly reasons: readonly string[];
}

/** What became of rows. */
export interface SegmentOutcome {
  /** The number of rows, from the first one, that are done. */
  readonly count: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly rejections: readonly ImportRejection[];
}

export interface SegmentOptions {
  /** The unique keys that find objects to update; none: rows are inserted only. */
  readonly keys: readonly UniqueKey[];
  /** The fields that a row must name, to say which object it is. */
  readonly by?: readonly string[] | undefined;
  /** Rows whose key or unique value exists are skipped, not rejected. */
  readonly skips: boolean;
}

/** A row refers to one that was not written: fewer rows must be tried. */
export class MissingReference extends Error {}

/** A row with the object that it updates, if there is one. */
interface Planned extends Candidate {
  readonly before: StoredRow | undefined;
  readonly reasons: readonly string[];
}

/** Imports the first rows. */
export async function importSegment(
  unit: WriteUnit,
  table: EntityTable,
  candidates: readonly Candidate[],
  options: SegmentOptions,
): Promise<SegmentOutcome> {
  const references = await loadReferences(
    unit,
    candidates.map(({ read }) => read),
  );
  const matches = candidates.flatMap(({ read }) => matchOf(read, options.keys) ?? []);
  const present = await findMatches(unit, table, matches);
  const planned = planRows(unit, table, candidates, { references, present, ...options });
  const counts = { updated: 0, unchanged: 0 };
  const rejections: ImportRejection[] = [];
  const sound: Candidate[] = [];
  for (const { index, read, before, reasons } of planned) {
    if (reasons.length > 0) rejections.push({ index, reasons });
    else if (before === undefined) sound.push({ index, read });
    else {
      // Each row is an update of its own, whatever else its batch has written.
      unit.raised.clear();
      const how = await updateFromRow(unit, table, before, read, references.joined);
      if (typeof how === 'string') counts[how]++;
      else rejections.push({ index, reasons: [conflictText(table, how.taken)] });
    }
  }
  const inserted = await insertImported(unit, table, sound);
  const { column } = table.entity.key;
  const missing = new Set(
    sound.filter((_, at) => inserted[at] === undefined).map(({ read }) => String(read.values.get(column))),
  );
  const refersToMissing = ({ read }: Candidate): boolean =>
    read.references.some(({ type, key }) => type === table.entity.name && missing.has(String(key)));
  if (missing.size > 0 && sound.length > 1 && sound.some(refersToMissing)) throw new MissingReference();
  let created = 0;
  let skipped = 0;
  for (const [at, { index, read }] of sound.entries()) {
    const row = inserted[at];
    if (row !== undefined) {
      created++;
      unit.raised.clear();
      await recordCreated(unit, table, row, read, references);
    } else if (options.skips) skipped++;
    else rejections.push({ index, reasons: [conflictText(table, await keysOfOthers(unit, table, read.values))] });
  }
  rejections.sort((one, other) => one.index - other.index);
  const { updated, unchanged } = counts;
  return { count: planned.length, created, updated, unchanged, skipped, rejections };
}

interface Planning extends SegmentOptions {
  readonly references: References;
  readonly present: ReadonlyMap<string, StoredRow>;
}

/** The first rows, up to one that depends on what they write. */
function planRows(
  { tables }: WriteUnit,
  table: EntityTable,
  candidates: readonly Candidate[],
  planning: Planning,
): readonly Planned[] {
  const { references, present, keys, by } = planning;
  const { entity } = table;
  const uniqueKeys = uniqueKeysOf(table);
  const planned: Planned[] = [];
  /** Values that name objects, before and after the rows so far. */
  const touched = new Set<string>();
  /** Keys of the objects so far, where rows can refer to them. */
  const written = new Map<string, 'created' | 'updated'>();
  const refersToItself = [...entity.fields.values()].some(
    (field) => field.kind === 'relation' && (field.target === entity.name || !tables.has(field.target)),
  );
  for (const { index, read } of candidates) {
    const match = matchOf(read, keys);
    const before = match && present.get(nameOf(match));
    const after = before === undefined ? read.values : new Map([...before, ...read.given]);
    const isDeleted = table.isDeleted(after);
    // A deletion or restoration reaches other objects.
    const isAlone = before !== undefined && table.isDeleted(before) !== isDeleted;
    const names = namesOf(after, uniqueKeys);
    if (before !== undefined) names.push(...namesOf(before, uniqueKeys));
    if (planned.length > 0 && (isAlone || names.some((name) => touched.has(name)))) break;
    const wrong = before === undefined ? read.reasons : reasonsOfUpdate(table, read, before);
    const reasons = wrong.concat(references.missing(read, isDeleted));
    if (by !== undefined && match === undefined)
      reasons.push(`${by.join(' and ')} must say which ${entity.name} it is.`);
    // New rows of one statement may refer to earlier ones: the database refuses all of them if it lacks one.
    const isTogether = before === undefined && reasons.length === 0 && !table.rereads;
    const waitsFor = ({ field, type, key }: ImportReference): boolean => {
      const how = type === entity.name ? written.get(String(key)) : undefined;
      return how === 'updated' || (how === 'created' && !(isTogether && field.storage.kind === 'foreignKey'));
    };
    if (written.size > 0 && referencesOf(read).some(waitsFor)) break;
    planned.push({ index, read, before, reasons });
    // Its links change objects that later rows may be about.
    const linksOwnType = [...read.lists].some(
      ({ storage, target }) => storage.kind === 'joinTable' && target === entity.name,
    );
    if (isAlone || linksOwnType) break;
    if (reasons.length > 0) continue;
    for (const name of names) touched.add(name);
    const key = before === undefined ? read.values.get(entity.key.column) : table.keyOf(before);
    if (!refersToItself || key === undefined || key === null) continue;
    written.set(String(key), before === undefined ? 'created' : 'updated');
    if (before === undefined) references.add(table, key, isDeleted);
  }
  return planned;
}

async function recordCreated(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  read: ReadRow,
  { joined }: References,
): Promise<void> {
  // A row that is deleted already exists for no reader.
  if (!table.isDeleted(row)) unit.changes.created(table, row);
  for (const { field, type, key } of read.links) {
    const name = objectName(type, key);
    const other = joined.get(name);
    if (other !== undefined && (await insertJoinRow(unit, table, row, field, other)))
      joined.set(name, await raiseOtherEnd(unit, table, row, field, other));
  }
  for (const member of read.members) await insertMemberRow(unit, table, row, member);
}

/** What is wrong with a row that updates an object. */
function reasonsOfUpdate(table: EntityTable, { reasons, lacks, given }: ReadRow, before: StoredRow): readonly string[] {
  const wrong = reasons.filter((reason) => !lacks.has(reason));
  const { key } = table.entity;
  const named = given.get(key.column);
  const isOther = named !== undefined && named !== null && String(named) !== String(table.keyOf(before));
  return isOther
    ? [...wrong, `"${key.name}" is "${String(named)}", and the key of the object cannot be changed.`]
    : wrong;
}

/** Says which values another object may have. */
export function conflictText(table: EntityTable, keys = uniqueKeysOf(table)): string {
  const unique = new Set(keys.map(({ names }) => names.join(' and ')));
  return `another ${table.entity.name} has the same ${[...unique].join(' or ')}.`;
}
