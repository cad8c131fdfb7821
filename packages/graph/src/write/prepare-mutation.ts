// Prepares the kinds of mutation: reads the arguments before the transaction, and returns the work to do in it. Not
// here: the transaction, the feed and constraint errors (writer.ts).
import { graphErrors } from '../errors.ts';
import { columnsOfField, entityOf, type ColumnField, type Entity, type RelationField } from '../schema/model.ts';
import { keyOfNodeId } from '../plan/node-id.ts';
import type { MaybePromise, Row, SqlValue } from '../store/store.ts';
import { checkRights, rightsOf, rightsOfRelated, rightsToJoin } from './asked-rights.ts';
import { deleteRows } from './delete-rows.ts';
import { type EntityTable, type StoredRow, toKey } from './entity-table.ts';
import type { InputMap } from './input-map.ts';
import { findEmptyConditions, type MatchRows } from './match-rows.ts';
import type { FilterPlace, MutationShape } from './mutation-shape.ts';
import {
  createReading,
  joinPath,
  missingText,
  type ObjectWrite,
  readColumn,
  type Reading,
  type Reference,
  readValues,
  violate,
} from './read-values.ts';
import { ownColumns, updateAlike } from './update-alike.ts';
import { restoreRows } from './restore-rows.ts';
import { createObject, createObjects, connectObjects, disconnectObjects, updateObject } from './write-object.ts';
import { notFound, type ReadUnit, type RowGuard, tableOf, updateRow, type WriteUnit } from './write-unit.ts';
import { first, listOf, membersIn, required } from '../present.ts';

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

type Args = Readonly<Record<string, unknown>>;

/** Reads the arguments of a mutation field; mistakes are added to the reading. */
export function prepareMutation(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { binding, entity } = shape;
  switch (binding.kind) {
    case 'create':
      return prepareCreate(shape, args, reading);
    case 'update':
      return prepareUpdate(shape, args, reading);
    case 'upsert':
      return prepareUpsert(shape, args, reading);
    case 'delete':
      return prepareDelete(shape, args, reading);
    case 'restore':
    case 'purge':
      return prepareOfDeleted(shape, binding.kind, args, reading);
    case 'connect':
    case 'disconnect':
      return preparePair(shape, args, reading, entity, binding);
  }
}

function inputsOf(shape: MutationShape, args: Args): readonly { readonly input: Args; readonly path: string }[] {
  if (shape.input === 'arguments' || shape.input === undefined) return [{ input: args, path: '' }];
  const { argument, list } = shape.input;
  const value = args[argument] ?? (list ? [] : {});
  if (!list) return [{ input: membersIn(value), path: argument }];
  return listOf(value).map((input, index) => ({ input: membersIn(input), path: `${argument}[${index}]` }));
}

function prepareCreate(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  const writes = inputsOf(shape, args).map(({ input, path }) =>
    readValues(reading, shape.values, entity, input, 'create', path),
  );
  for (const write of writes) reading.rights.push(...rightsOf(entity, 'create', write));
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows = await createObjects(
      unit,
      entity,
      writes.map((write) => ({ write })),
    );
    const keys = rows.map((row) => table.keyOf(row));
    await checkWritten(unit);
    return { kind: 'rows', value: await answer({ entity: entity.name, keys, many: isMany(shape) }) };
  };
}

function isMany(shape: MutationShape): boolean {
  return 'many' in shape.binding && shape.binding.many;
}

function prepareUpdate(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  const inputs = inputsOf(shape, args);
  const writes = inputs.map(({ input, path }) => readValues(reading, shape.values, entity, input, 'update', path));
  for (const write of writes) reading.rights.push(...rightsOf(entity, 'update', write));
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, async (unit, table, found) => {
      const write = first(writes);
      const columns = table.rereads ? undefined : ownColumns(write);
      if (columns !== undefined && (await updateAlike(unit, table, found, write.given, columns))) return;
      for (const row of found.map(table.toRow)) {
        await unit.guard.check(unit, table, row, 'update', write.given);
        await updateObject(unit, entity, row, write);
      }
      await checkWritten(unit);
    });
  const targets: { readonly key: SqlValue; readonly write: ObjectWrite }[] = [];
  if (shape.key === undefined) {
    inputs.forEach(({ input, path }, index) => {
      const key = readKeyOf(reading, shape.values, entity, input, path);
      if (key !== undefined) targets.push({ key, write: writes[index]! });
    });
  } else {
    for (const key of readKeyArgument(reading, shape, args)) targets.push({ key, write: first(writes) });
    for (const { key } of targets) checkKeyStays(reading, shape, first(inputs), key);
  }
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    for (const { key, write } of targets) {
      const before = await findVisible(unit, table, key);
      await unit.guard.check(unit, table, before, 'update', write.given);
      await checkVersion(unit, shape, args, table, before);
      await updateObject(unit, entity, before, write);
    }
    await checkWritten(unit);
    const keys = targets.map((target) => target.key);
    if (shape.answers === 'count') return { kind: 'scalar', value: keys.length };
    return { kind: 'rows', value: await answer({ entity: entity.name, keys, many: isMany(shape) }) };
  };
}

/** A write by filter: the rows are found first, so that writing does not change which rows match. */
function prepareFiltered(
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

function prepareUpsert(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  const inputs = inputsOf(shape, args);
  const updates = inputs.map(({ input, path }) => readValues(reading, shape.values, entity, input, 'update', path));
  for (const write of updates)
    reading.rights.push({ entity, action: 'create', fields: write.given, orUpdate: true }, ...rightsOfRelated(write));
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const keys: SqlValue[] = [];
    for (const [index, { input, path }] of inputs.entries()) {
      const match = await findMatch(unit, table, shape, input);
      let row: StoredRow;
      let write = updates[index]!;
      /** The same for a hidden object as for none: nothing tells callers who can create none which of the two it is. */
      const checkCreate = (): void => {
        checkRights(unit, [{ entity, action: 'create', fields: write.given }]);
      };
      if (match === undefined) {
        checkCreate();
        const creating = createReading(unit.model);
        write = readValues(creating, shape.values, entity, input, 'create', path);
        checkReading(creating, unit.field);
        row = await createObject(unit, entity, write);
      } else {
        const { row: existing, fields } = match;
        // The row, or its value, is hidden from the caller: the value counts as taken, as in a create.
        const isKnown =
          (await unit.guard.canSee(unit, table, existing)) &&
          (await unit.guard.deniedFields(unit, table, existing)).isDisjointFrom(new Set(fields));
        if (!isKnown) {
          checkCreate();
          throw taken(unit, entity, fields);
        }
        await unit.guard.check(unit, table, existing, 'update', write.given);
        await checkVersion(unit, shape, args, table, existing);
        row = await updateObject(unit, entity, existing, write);
      }
      keys.push(table.keyOf(row));
    }
    await checkWritten(unit);
    return { kind: 'rows', value: await answer({ entity: entity.name, keys, many: isMany(shape) }) };
  };
}

function prepareDelete(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  reading.rights.push({ entity, action: 'delete', fields: [] });
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, async (unit, table, found) => {
      const rows = found.map(table.toRow);
      for (const row of rows) await unit.guard.check(unit, table, row, 'delete');
      await deleteRows(unit, table, rows);
      await checkWritten(unit);
    });
  const keys = readKeyArgument(reading, shape, args);
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows: StoredRow[] = [];
    for (const key of new Set(keys)) {
      const row = await findVisible(unit, table, key);
      await unit.guard.check(unit, table, row, 'delete');
      await checkVersion(unit, shape, args, table, row);
      rows.push(row);
    }
    const value =
      shape.answers === 'rows' ? await answer({ entity: entity.name, keys, many: isMany(shape) }) : undefined;
    await deleteRows(unit, table, rows);
    await checkWritten(unit);
    if (shape.answers === 'rows') return { kind: 'rows', value };
    const scalar = { boolean: true, count: rows.length, key: String(keys[0]) }[shape.answers];
    return { kind: 'scalar', value: scalar };
  };
}

/** Restores deleted objects, or removes the rows of objects, deleted or not. */
function prepareOfDeleted(shape: MutationShape, kind: 'restore' | 'purge', args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  // Restoring takes back what the right to delete allows.
  const action = kind === 'purge' ? 'purge' : 'delete';
  reading.rights.push({ entity, action, fields: [] });
  const write = async (unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> => {
    for (const row of rows) await unit.guard.check(unit, table, row, action);
    if (kind === 'purge') await deleteRows(unit, table, rows, true);
    else await restoreRows(unit, table, rows);
    await checkWritten(unit);
  };
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, (unit, table, found) =>
      write(unit, table, found.map(table.toRow)),
    );
  const keys = readKeyArgument(reading, shape, args);
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows: StoredRow[] = [];
    for (const key of new Set(keys)) {
      const living = kind === 'purge' ? await table.find(unit.session, key) : undefined;
      const row = living ?? (await findDeleted(unit, table, key));
      if (row === undefined || !(await unit.guard.canFind(unit, table, row)))
        throw notFound(unit, [missingText(entity, key)]);
      await checkVersion(unit, shape, args, table, row);
      rows.push(row);
    }
    await write(unit, table, rows);
    if (shape.answers === 'rows')
      return { kind: 'rows', value: await answer({ entity: entity.name, keys, many: isMany(shape) }) };
    const scalar = { boolean: true, count: rows.length, key: String(keys[0]) }[shape.answers];
    return { kind: 'scalar', value: scalar };
  };
}

/** A deleted row that the caller may see. */
async function findDeleted(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow | undefined> {
  const row = await table.findDeleted(unit.session, key);
  return row !== undefined && (await unit.guard.canSeeDeleted(unit, table, row)) ? row : undefined;
}

function preparePair(
  shape: MutationShape,
  args: Args,
  reading: Reading,
  entity: Entity,
  binding: Extract<MutationShape['binding'], { relation: string }>,
): MutationWork {
  const field = entity.fields.get(binding.relation);
  if (field?.kind !== 'relation') throw new Error(`${entity.name}.${binding.relation} is no relation.`);
  const target = entityOf(reading.model, field.target);
  reading.rights.push({ entity, action: 'update', fields: [field.name] });
  if (binding.kind === 'connect' || field.storage.kind === 'joinTable')
    reading.rights.push(...rightsToJoin(field, target));
  const [key] = readKeyArgument(reading, shape, args);
  const place = required(shape.other, 'the key of the other object');
  const wanted = args[place.argument];
  const write = first(
    readValues(
      reading,
      new Map([[place.argument, { kind: 'keys', field, list: field.many }]]),
      entity,
      { [place.argument]: field.many && !place.list ? [wanted] : wanted },
      // As for a new object, the keys are added to the existing ones.
      'update',
      '',
    ).relations,
  );
  const others = [...(write.set ?? []), ...write.connect];
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const row = await findVisible(unit, table, key!);
    await unit.guard.check(unit, table, row, 'update', [field.name]);
    const connects = binding.kind === 'connect';
    if (field.storage.kind === 'joinTable') {
      const otherTable = tableOf(unit, target.name);
      await updateRow(unit, table, row, new Map(), { beyondRow: true });
      for (const other of others) {
        const otherRow = await findVisible(unit, otherTable, other);
        if (connects) await connectObjects(unit, table, row, field, otherRow);
        else await disconnectObjects(unit, table, row, field, otherRow);
      }
    } else {
      const holds = field.storage.kind === 'foreignKey' ? row.get(field.storage.column) : undefined;
      const isOurs = holds !== undefined && String(holds) === String(others[0]);
      const change = connects
        ? { ...write, set: undefined, connect: others }
        : { ...write, set: undefined, connect: [], clear: isOurs, disconnect: field.many ? others : [] };
      // Another one is written again: whether the version rises must not tell which one it is.
      const stays = !connects && !isOurs && field.storage.kind === 'foreignKey' && holds !== undefined;
      await updateObject(unit, entity, row, {
        columns: new Map(stays && field.storage.kind === 'foreignKey' ? [[field.storage.column, holds]] : []),
        relations: [change],
        members: [],
        given: new Set([field.name]),
      });
    }
    await checkWritten(unit);
    return { kind: 'rows', value: await answer({ entity: entity.name, keys: [key!], many: false }) };
  };
}

function readKeyArgument(reading: Reading, shape: MutationShape, args: Args): readonly SqlValue[] {
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

function readKeyOf(reading: Reading, map: InputMap, entity: Entity, input: Args, path: string): SqlValue | undefined {
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
function checkKeyStays(
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

/** @throws GRAPH_INPUT_INVALID, GRAPH_NOT_FOUND with all mistakes that reading found */
export function checkReading(reading: Pick<Reading, 'violations' | 'missing'>, field: string): void {
  if (reading.violations.length > 0) {
    const list = reading.violations.map(({ message }) => message).join(' ');
    throw graphErrors.create('GRAPH_INPUT_INVALID', { field, list }, { facts: { violations: reading.violations } });
  }
  if (reading.missing.length > 0) throw notFound({ field }, reading.missing);
}

/**
 * Checks that all referenced objects exist and are readable; reports all that are not. A reference with a foreign key
 * to a fully readable type needs no check beforehand: `afterRefusal` finds it after a violation.
 */
export async function checkReferences(
  unit: ReadUnit & Pick<WriteUnit, 'field'>,
  guard: RowGuard,
  reading: Reading,
  afterRefusal = false,
): Promise<void> {
  const missing: string[] = [];
  const asked = reading.references.filter(
    ({ guarded, entity }) => afterRefusal || !guarded || guard.hasRule(entity, 'read'),
  );
  for (const [entity, references] of Map.groupBy(asked, (reference) => reference.entity)) {
    const table = tableOf(unit, entity.name);
    const found = new Map<string, StoredRow>();
    const groups = Map.groupBy(references, (reference) => !afterRefusal && needsLock(reference));
    for (const [locks, some] of groups) {
      const keys = some.map((reference) => reference.key);
      const { column } = entity.key;
      const rows = await (locks ? table.shareBy(unit.session, column, keys) : table.findBy(unit.session, column, keys));
      for (const row of rows) found.set(String(table.keyOf(row)), row);
    }
    for (const { key, path } of references) {
      const row = found.get(String(key));
      if (row === undefined || !(await guard.canFind(unit, table, row))) missing.push(missingText(entity, key, path));
    }
  }
  if (missing.length > 0) throw notFound(unit, missing);
}

/**
 * Whether only a lock prevents that the object is deleted before the reference to it is committed: no foreign key waits
 * for a deletion that keeps the row, or exists at all. Tables of others may grant no right to lock.
 */
function needsLock({ entity, guarded, inRow }: Reference): boolean {
  return inRow && !guarded && (entity.softDelete !== undefined || !entity.unmanaged);
}

async function findVisible(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow> {
  const row = await table.find(unit.session, key);
  if (row === undefined || !(await unit.guard.canFind(unit, table, row)))
    throw notFound(unit, [missingText(table.entity, key)]);
  return row;
}

/** The existing object of an upsert, and the names of the fields that found it. */
interface Match {
  readonly row: StoredRow;
  readonly fields: readonly string[];
}

/** Finds it by the given key, else by the first given unique value, else by the first given unique combination. */
async function findMatch(
  unit: WriteUnit,
  table: EntityTable,
  shape: MutationShape,
  input: Args,
): Promise<Match | undefined> {
  const given = new Map(
    [...shape.values].flatMap(([name, role]) => (input[name] == null ? [] : [[role.field, input[name]]])),
  );
  const columns = [...given].flatMap(([field, value]) => (field.kind === 'column' ? [{ field, value }] : []));
  const match = columns.find(({ field }) => field.isKey) ?? columns.find(({ field }) => field.unique);
  if (match === undefined) return findByCombination(unit, table, given);
  const value = match.field.isKey
    ? toKey(table.entity, match.value)
    : readColumn(createReading(unit.model), match.field, match.value, match.field.name);
  if (value === undefined || value === null) return undefined;
  const row = match.field.isKey
    ? await table.find(unit.session, value)
    : (await table.claimBy(unit.session, match.field.column, [value]))[0];
  return row === undefined ? undefined : { row, fields: [match.field.name] };
}

async function findByCombination(
  unit: WriteUnit,
  table: EntityTable,
  given: ReadonlyMap<ColumnField | RelationField, unknown>,
): Promise<Match | undefined> {
  const bound = new Map<string, { readonly name: string; readonly value: SqlValue }>();
  for (const [field, value] of given) {
    const [column, ...others] = columnsOfField(field);
    if (column === undefined || others.length > 0) continue;
    const read =
      field.kind === 'column'
        ? readColumn(createReading(unit.model), field, value, field.name)
        : typeof value === 'object'
          ? undefined
          : toKey(entityOf(unit.model, field.target), value);
    if (read !== undefined && read !== null) bound.set(column, { name: field.name, value: read });
  }
  const index = table.entity.indexes.find(({ unique, columns }) => unique && columns.every((name) => bound.has(name)));
  if (index === undefined) return undefined;
  const found = index.columns.map((column) => [column, required(bound.get(column), column)] as const);
  const [row] = await table.claimAll(unit.session, new Map(found.map(([column, { value }]) => [column, value])));
  return row === undefined ? undefined : { row, fields: found.map(([, { name }]) => name) };
}

async function checkVersion(
  unit: WriteUnit,
  shape: MutationShape,
  args: Args,
  table: EntityTable,
  row: StoredRow,
): Promise<void> {
  if (shape.version === undefined) return;
  const expected = args[shape.version] as number | null | undefined;
  if (expected === undefined || expected === null) return;
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
async function checkWritten(unit: WriteUnit): Promise<void> {
  for (const { entity, key, action, fields } of unit.toCheck) {
    if (!unit.guard.hasRule(entity, action)) continue;
    const table = tableOf(unit, entity.name);
    const row = await table.find(unit.session, key);
    if (row !== undefined) await unit.guard.check(unit, table, row, action, fields);
  }
}

/** Word by word what `translate` (writer.ts) makes of the database's violation. */
function taken(unit: WriteUnit, entity: Entity, fields: readonly string[]): Error {
  const names = fields.join(' and ');
  return graphErrors.create(
    'GRAPH_NOT_UNIQUE',
    { field: unit.field, type: entity.name, names },
    { path: first(fields) },
  );
}
