// Prepares the kinds of mutation: reads the arguments before the transaction, and returns the work to do in it. Not
// here: the transaction, the feed and constraint errors (writer.ts).
import { graphErrors } from '../errors.ts';
import { columnsOfField, entityOf, type ColumnField, type Entity, type RelationField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import { checkRights, rightsOf, rightsOfRelated, rightsToJoin } from './asked-rights.ts';
import { type EntityTable, type StoredRow, toKey } from './entity-table.ts';
import type { MutationShape } from './mutation-shape.ts';
import {
  type Args,
  checkKeyStays,
  checkVersion,
  checkWritten,
  findVisible,
  isMany,
  type MutationWork,
  prepareFiltered,
  readKeyArgument,
  readKeyOf,
} from './mutation-targets.ts';
import { prepareRemoval } from './prepare-removal.ts';
import {
  createReading,
  missingText,
  type ObjectWrite,
  readColumn,
  type Reading,
  type Reference,
  readValues,
} from './read-values.ts';
import { ownColumns, updateAlike } from './update-alike.ts';
import { createObject, createObjects, connectObjects, disconnectObjects, updateObject } from './write-object.ts';
import { notFound, type ReadUnit, type RowGuard, tableOf, updateRow, type WriteUnit } from './write-unit.ts';
import { first, listOf, membersIn, required } from '../present.ts';

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
    case 'restore':
    case 'purge':
      return prepareRemoval(shape, binding.kind, args, reading);
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
    for (const [index, write] of writes.entries()) {
      const { input, path } = required(inputs[index], 'the input of a write');
      const key = readKeyOf(reading, shape.values, entity, input, path);
      if (key !== undefined) targets.push({ key, write });
    }
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

function prepareUpsert(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  const inputs = inputsOf(shape, args);
  const updates = inputs.map(({ input, path }) => {
    const write = readValues(reading, shape.values, entity, input, 'update', path);
    return { input, path, write };
  });
  for (const { write } of updates)
    reading.rights.push({ entity, action: 'create', fields: write.given, orUpdate: true }, ...rightsOfRelated(write));
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const keys: SqlValue[] = [];
    for (const { input, path, write: update } of updates) {
      const match = await findMatch(unit, table, shape, input);
      let row: StoredRow;
      let write = update;
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
    const named = required(key, 'the key');
    const row = await findVisible(unit, table, named);
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
    return { kind: 'rows', value: await answer({ entity: entity.name, keys: [named], many: false }) };
  };
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

/** Word by word what `translate` (writer.ts) makes of the database's violation. */
function taken(unit: WriteUnit, entity: Entity, fields: readonly string[]): Error {
  const names = fields.join(' and ');
  return graphErrors.create(
    'GRAPH_NOT_UNIQUE',
    { field: unit.field, type: entity.name, names },
    { path: first(fields) },
  );
}
