// Finds the objects that a mutation names: by key, by filter, with their expected version. Checks rules on written rows.
import { graphErrors } from '../errors.ts';
import { keyOfNodeId } from '../plan/node-id.ts';
import { listOf, membersIn, required } from '../present.ts';
import type { Entity } from '../schema/model.ts';
import type { MaybePromise, Row, SqlValue } from '../store/store.ts';
import { type EntityTable, type StoredRow, toKey } from './entity-table.ts';
import type { InputMap } from './input-map.ts';
import { findEmptyConditions, type MatchRows } from './match-rows.ts';
import type { FilterPlace, MutationShape } from './mutation-shape.ts';
import { joinPath, missingText, type Reading, violate } from './read-values.ts';
import { notFound, tableOf, type WriteUnit } from './write-unit.ts';

/** Rows that a mutation wrote or is about to delete, by key, in the requested order. */
export interface WrittenRows {
  readonly entity: string;
  readonly keys: readonly SqlValue[];
  readonly many: boolean;
}

/** A mutation in its transaction. */
export interface Running {
  readonly unit: WriteUnit;
  readonly matchRows: MatchRows;
  readonly answer: (written: WrittenRows) => MaybePromise<unknown>;
}

/** The part that needs the database; everything else has been read. */
export type MutationWork = (running: Running) => Promise<{ readonly kind: 'rows' | 'scalar'; readonly value: unknown }>;

export type Args = Readonly<Record<string, unknown>>;

export function isMany(shape: MutationShape): boolean {
  return 'many' in shape.binding && shape.binding.many;
}

/** A write by filter: the rows are found first, so that writing does not change which rows match. */
export function prepareFiltered(
  shape: MutationShape,
  { argument, type }: FilterPlace,
  args: Args,
  reading: Reading,
  write: (unit: WriteUnit, table: EntityTable, found: readonly Row[]) => Promise<void>,
): MutationWork {
  const { entity, binding } = shape;
  const filter = membersIn(args[argument]);
  for (const path of findEmptyConditions(filter, type, argument))
    violate(reading, path, `is empty; to match every ${entity.name}, write { and: [] }`);
  return async ({ unit, matchRows, answer }) => {
    const table = tableOf(unit, entity.name);
    const { session, principal, field } = unit;
    const among = binding.kind === 'restore' ? 'only' : binding.kind === 'purge' ? 'include' : undefined;
    const found = await matchRows({ session, principal, field, table, filter, among });
    const read = (): MaybePromise<unknown> =>
      answer({ entity: entity.name, keys: found.map((row) => row[table.keyIndex] ?? null), many: true });
    const answersRows = shape.answers === 'rows';
    // Deleted rows are read before they are deleted.
    const before = answersRows && binding.kind === 'delete' ? await read() : undefined;
    await write(unit, table, found);
    if (!answersRows) return { kind: 'scalar', value: found.length };
    return { kind: 'rows', value: binding.kind === 'delete' ? before : await read() };
  };
}

export function readKeyArgument(reading: Reading, shape: MutationShape, args: Args): readonly SqlValue[] {
  const { argument, list, member, isNodeId = false } = required(shape.key, 'the key argument');
  const value = member === undefined ? args[argument] : membersIn(args[argument])[member];
  const values = list ? listOf(value ?? []) : [value];
  const keys: SqlValue[] = [];
  values.forEach((each, index) => {
    const path = list ? `${argument}[${index}]` : joinPath(member === undefined ? '' : argument, member ?? argument);
    const key =
      each === null || each === undefined ? undefined : keyOrMissing(reading, shape.entity, each, path, isNodeId);
    if (key !== undefined) keys.push(key);
    else if (each === null || each === undefined) violate(reading, path, 'is required', 'REQUIRED');
  });
  return keys;
}

export function readKeyOf(
  reading: Reading,
  map: InputMap,
  entity: Entity,
  input: Args,
  path: string,
): SqlValue | undefined {
  for (const [name, role] of map) {
    if (role.kind !== 'column' || role.field.name !== entity.key.name) continue;
    const place = path === '' ? name : `${path}.${name}`;
    if (input[name] === undefined || input[name] === null) break;
    return keyOrMissing(reading, entity, input[name], place);
  }
  violate(reading, joinPath(path, entity.key.name), `is required to say which ${entity.name}`, 'REQUIRED');
  return undefined;
}

/** Values may repeat the key argument, but not change the key. */
export function checkKeyStays(
  reading: Reading,
  { entity, values }: MutationShape,
  { input, path }: { readonly input: Args; readonly path: string },
  key: SqlValue,
): void {
  if (path === '') return;
  for (const [name, role] of values) {
    const value = input[name];
    if (role.kind !== 'column' || role.field !== entity.key || value === undefined || value === null) continue;
    if (String(toKey(entity, value)) === String(key)) continue;
    violate(
      reading,
      `${path}.${name}`,
      `is ${JSON.stringify(value)}, and the key of ${entity.name} "${String(key)}" cannot be changed; leave it out`,
    );
  }
}

function keyOrMissing(
  reading: Reading,
  entity: Entity,
  value: unknown,
  path: string,
  isNodeId = false,
): SqlValue | undefined {
  const key = isNodeId ? (keyOfNodeId(entity, value) ?? undefined) : toKey(entity, value);
  // A malformed key matches no object; it gets the same error as an unknown key.
  if (key === undefined) reading.missing.push(missingText(entity, value, path));
  return key;
}

export async function findVisible(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow> {
  const row = await table.find(unit.session, key);
  if (row === undefined || !(await unit.guard.canFind(unit, table, row)))
    throw notFound(unit, [missingText(table.entity, key)]);
  return row;
}

export async function checkVersion(
  unit: WriteUnit,
  shape: MutationShape,
  args: Args,
  table: EntityTable,
  row: StoredRow,
): Promise<void> {
  if (shape.version === undefined) return;
  const expected = args[shape.version];
  if (typeof expected !== 'number') return;
  const field = shape.entity.fields.get(shape.version);
  // Learning whether a guess was right is reading.
  if (field?.auth?.read !== undefined && (await unit.guard.deniedFields(unit, table, row)).has(field.name))
    throw graphErrors.create('GRAPH_FIELD_FORBIDDEN', { field: `${shape.entity.name}.${field.name}` });
  const actual = field?.kind === 'column' ? row.get(field.column) : undefined;
  if (String(actual) === String(expected)) return;
  throw graphErrors.create('GRAPH_CONFLICT', {
    field: unit.field,
    type: shape.entity.name,
    // An upsert may have found it by another field.
    key: (await unit.guard.canFind(unit, table, row)) ? String(table.keyOf(row)) : '?',
    version: shape.version,
    actual: String(actual),
    expected: String(expected),
  });
}

/** Evaluates the rules on all written objects, nested ones included, after everything is written. */
export async function checkWritten(unit: WriteUnit): Promise<void> {
  for (const { entity, key, action, fields } of unit.toCheck) {
    if (!unit.guard.hasRule(entity, action)) continue;
    const table = tableOf(unit, entity.name);
    const row = await table.find(unit.session, key);
    if (row !== undefined) await unit.guard.check(unit, table, row, action, fields);
  }
}
