// Reads the coerced values of an input: column values to bind, and operations on related objects. Mistakes are
// collected. Does not query the database.
import { toText } from '@lockstitch/kernel';
import { getNamedType, isObjectType, isScalarType } from 'graphql';
import type { AskedRight } from './asked-rights.ts';
import { isStorable, isStorableTime } from '../plan/bound-value.ts';
import {
  entityOf,
  isGuaranteed,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
  isStoredField,
} from '../schema/model.ts';
import { SAFE_DIGITS, significantDigits, toDecimal, toStoredDecimal } from '../schema/decimal.ts';
import { inputType, leafType } from '../schema/declared-field.ts';
import { toStored, toStoredText } from '../schema/scalars.ts';
import type { SqlValue } from '../store/store.ts';
import { hasMoreCharacters, isLongerThan } from '../store/text-limit.ts';
import { checkConstraint } from './check-constraint.ts';
import { LONGEST_UNIQUE, toKey, type Values } from './entity-table.ts';
import { type InputMap, type InputBinding, mapInput, MEMBER_WORDS, NESTED_WORDS } from './input-map.ts';
import { listOf, membersIn, required } from '../present.ts';

/** Operations on the objects of a relation. */
export interface RelationWrite {
  readonly field: RelationField;
  readonly target: Entity;
  /** Path in the arguments, for messages. */
  readonly path: string;
  /** The to-one relation is set to null. */
  clear: boolean;
  /** Replaces the related objects. */
  set: SqlValue[] | undefined;
  readonly connect: SqlValue[];
  readonly disconnect: SqlValue[];
  /** Deletes the objects. */
  readonly remove: SqlValue[];
  /** Deletes the object of a to-one relation. */
  removeOnly: boolean;
  readonly create: ObjectWrite[];
}

/** An object of an interface or union. */
export interface MemberKey {
  readonly entity: Entity;
  readonly key: SqlValue;
}

/** Operations on the objects of a relation to an interface or union. */
export interface MemberWrite {
  readonly field: RelationField;
  readonly path: string;
  /** Replaces the related objects; for a to-one relation, the object or none. */
  set: readonly MemberKey[] | undefined;
  readonly connect: MemberKey[];
  readonly disconnect: MemberKey[];
}

/** The values of one object. */
export interface ObjectWrite {
  readonly columns: Values;
  readonly relations: readonly RelationWrite[];
  readonly members: readonly MemberWrite[];
  /** Names of the fields that the caller gave, for field rules. */
  readonly given: ReadonlySet<string>;
}

/** A key that must exist, and its path. */
export interface Reference {
  readonly entity: Entity;
  readonly key: SqlValue;
  readonly path: string;
  /** A foreign key checks it: the database rejects an unknown key. */
  readonly guarded: boolean;
  /** It is written into the row of the object, so that its target must stay until the end of the transaction. */
  readonly inRow: boolean;
}

/** An invalid value: where it is, and what is wrong with it as a sentence. */
export interface Violation {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Collects the results of reading. */
export interface Reading {
  readonly model: Model;
  /** Invalid values. */
  readonly violations: Violation[];
  /** Sentences about keys that no object can have. */
  readonly missing: string[];
  readonly references: Reference[];
  /** What the mutation asks to do. */
  readonly rights: AskedRight[];
}

/** Creates a reading. */
export function createReading(model: Model): Reading {
  return { model, violations: [], missing: [], references: [], rights: [] };
}

/** Adds a violation; `reason` continues a sentence that starts with the path. */
export function violate(reading: Reading, path: string, reason: string, code = 'INVALID'): void {
  reading.violations.push({ path, code, message: `"${path}" ${reason}.` });
}

type Input = Readonly<Record<string, unknown>>;
type Mode = 'create' | 'update';

/** Reads the values of one object. `given` names a relation that the parent object fills. */
export function readValues(
  reading: Reading,
  map: InputMap,
  entity: Entity,
  input: Input,
  mode: Mode,
  path: string,
  filled?: string,
): ObjectWrite {
  const columns: Values = new Map();
  const relations: RelationWrite[] = [];
  const members: MemberWrite[] = [];
  const given = new Set<string>();
  for (const [name, binding] of map) {
    const value = input[name];
    if (value === undefined) continue;
    const place = joinPath(path, name);
    given.add(binding.field.name);
    if (binding.kind === 'column') {
      if (binding.field.isKey && mode === 'update') continue;
      const stored = readColumn(reading, binding.field, value, place);
      if (stored !== undefined) columns.set(binding.field.column, stored);
      continue;
    }
    if (binding.kind === 'member' || binding.kind === 'members') {
      members.push(readMembers(reading, binding, value, mode, place));
      continue;
    }
    const target = entityOf(reading.model, binding.field.target);
    const write = emptyWrite(binding.field, target, place);
    if (binding.kind === 'keys') readKeys(reading, write, value, mode);
    else if (binding.kind === 'create') readCreated(reading, write, value, binding.input.name);
    else readNested(reading, write, value, binding.input.name, mode);
    relations.push(write);
  }
  if (mode === 'create') requireFields(reading, entity, given, path, filled);
  return { columns, relations, members, given };
}

export function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function emptyWrite(field: RelationField, target: Entity, path: string): RelationWrite {
  const lists = { connect: [], disconnect: [], remove: [], create: [] };
  return { field, target, path, clear: false, set: undefined, removeOnly: false, ...lists };
}

function requireFields(
  reading: Reading,
  entity: Entity,
  given: ReadonlySet<string>,
  path: string,
  filled?: string,
): void {
  for (const field of entity.fields.values()) {
    if (!isStoredField(field) || field.readOnly || field.nullable || given.has(field.name) || field.name === filled)
      continue;
    if (field.kind === 'column' && field.default !== undefined) continue;
    if (field.kind === 'relation' && (field.storage.kind !== 'foreignKey' || field.many)) continue;
    violate(reading, joinPath(path, field.name), `is required for a new ${entity.name}`, 'REQUIRED');
  }
}

/** The sequence continues from the largest key; one near the maximum would leave no keys for other objects. */
const LARGEST_KEY = 2 ** 52;

/** The column's value to bind; undefined if a mistake was found. */
export function readColumn(reading: Reading, field: ColumnField, value: unknown, path: string): SqlValue | undefined {
  const wrong = (reason: string, code?: string): undefined => {
    violate(reading, path, reason, code);
  };
  if (value === null)
    return field.nullable
      ? null
      : wrong(`must not be null${field.default === undefined ? '' : '; leave it out to get its default'}`, 'REQUIRED');
  const { constraint } = field;
  if (constraint !== undefined && !checkConstraint(constraint, value, path, reading)) return undefined;
  if (field.isKey) {
    const key = toKey({ key: field }, value);
    const isNumber = typeof key === 'number' || typeof key === 'bigint';
    const isCounted = field.default?.kind === 'identity' && !field.unmanaged;
    if (isCounted && isNumber && (key > LARGEST_KEY || key < -LARGEST_KEY))
      return wrong(`is further from 0 than a key may be: ${LARGEST_KEY}`);
    if (key === undefined && typeof value === 'string' && isLongerThan(value, LONGEST_UNIQUE))
      return wrong(`is longer than the ${LONGEST_UNIQUE} bytes that a key may have`);
    if (field.longest !== undefined && typeof key === 'string' && hasMoreCharacters(key, field.longest))
      return wrong(`is longer than the ${field.longest} characters that its column takes`);
    return key === undefined || key === '' ? wrong('cannot be a key') : key;
  }
  if (field.storage === 'json') {
    const stored = toStoredJson(reading.model, field.typeName, value);
    let storable = true;
    let finite = true;
    const text = JSON.stringify(stored, (name, each: unknown) => {
      storable &&= isStorable(name) && (typeof each !== 'string' || isStorable(each));
      finite &&= typeof each !== 'number' || Number.isFinite(each);
      return typeof each === 'bigint' ? String(each) : each;
    });
    if (!finite) return wrong('holds a number that is too large');
    return storable ? text : wrong('holds the character U+0000 or half of a surrogate pair, which cannot be stored');
  }
  return checkScalar(field, toScalar(reading.model, field, value), wrong);
}

function toScalar(model: Model, field: ColumnField, value: unknown): unknown {
  // A DateTime keeps its milliseconds; a Date or Time is stored as its scalar prints it: `1998-06-12`.
  if (value instanceof Date && field.storage === 'timestamp') return value;
  return toStored(leafType(model.schema, field.typeName), value);
}

/** A list or embedded object, with every scalar in stored form: a Date is a day, not a time. */
function toStoredJson(model: Model, typeName: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((each) => toStoredJson(model, typeName, each));
  const type = model.schema.getType(typeName);
  if (isScalarType(type)) return toStored(type, value);
  if (!isObjectType(type) || typeof value !== 'object') return value;
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      Object.hasOwn(fields, name) ? toStoredJson(model, getNamedType(fields[name]!.type).name, each) : each,
    ]),
  );
}

/** Digits behind the point of a number or decimal; its column would round away others than it takes. */
function digitsBehindPoint(value: unknown): number {
  return toDecimal(toText(value))?.split('.')[1]?.length ?? 0;
}

function tooFine(scale: number): string {
  return `has more than the ${scale} ${scale === 1 ? 'digit' : 'digits'} behind the point that its column takes`;
}

/** Whether an SQLite column of numbers would store a double that is read as another number. */
function isRounded(decimal: string, doubles: 'all' | 'fractions'): boolean {
  if (significantDigits(decimal) <= SAFE_DIGITS) return false;
  return doubles === 'all' || decimal.includes('.') || BigInt.asIntN(64, BigInt(decimal)) !== BigInt(decimal);
}

const ROUNDED = `has more than the ${SAFE_DIGITS} digits that its column keeps`;

function checkScalar(field: ColumnField, value: unknown, wrong: (reason: string) => undefined): SqlValue | undefined {
  switch (field.storage) {
    case 'timestamp': {
      const time = value instanceof Date ? value : new Date(value as string);
      // Other years do not sort as ISO text, and PostgreSQL has no year 0.
      return isStorableTime(time) ? time.toISOString() : wrong('is no time between the years 1 and 9999');
    }
    case 'integer': {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      if (typeof value !== 'bigint' && typeof value !== 'string') return wrong('is no whole number');
      try {
        const whole = BigInt(value);
        const number = Number(whole);
        if (Number.isSafeInteger(number)) return number;
        if (field.doubles !== undefined) return wrong(ROUNDED);
        return BigInt.asIntN(64, whole) === whole ? whole : wrong('does not fit into 64 bits');
      } catch {
        return wrong('is no whole number');
      }
    }
    case 'decimal':
      if (field.scale !== undefined && digitsBehindPoint(value) > field.scale) return wrong(tooFine(field.scale));
      if (field.doubles !== undefined && isRounded(toDecimal(toText(value)) ?? '0', field.doubles))
        return wrong(ROUNDED);
      return toStoredDecimal(value) ?? wrong('is no decimal number');
    case 'real':
      if (field.scale !== undefined && digitsBehindPoint(value) > field.scale) return wrong(tooFine(field.scale));
      return typeof value === 'number' && Number.isFinite(value) ? value : wrong('is no finite number');
    case 'boolean':
      return typeof value === 'boolean' ? value : wrong('is neither true nor false');
    case 'text':
    case 'json': {
      const text = toStoredText(value);
      if (text.includes('\0')) return wrong('holds the character U+0000, which cannot be stored');
      if (!text.isWellFormed()) return wrong('holds half of a surrogate pair, which is no character');
      if (field.longest !== undefined && hasMoreCharacters(text, field.longest))
        return wrong(`is longer than the ${field.longest} characters that its column takes`);
      return field.unique && isLongerThan(text, LONGEST_UNIQUE)
        ? wrong(`is longer than the ${LONGEST_UNIQUE} bytes that a unique text may have`)
        : text;
    }
  }
}

function readKeys(reading: Reading, write: RelationWrite, value: unknown, mode: Mode): void {
  const { field, path } = write;
  if (!field.many) {
    if (value === null) clearOne(reading, write);
    else readKey(reading, write, value, path, write.connect);
    return;
  }
  const keys: SqlValue[] = [];
  readKeyList(reading, write, value, path, keys);
  if (mode === 'create') write.connect.push(...keys);
  else write.set = keys;
}

function readMembers(
  reading: Reading,
  binding: Extract<InputBinding, { kind: 'member' | 'members' }>,
  value: unknown,
  mode: Mode,
  path: string,
): MemberWrite {
  const { field } = binding;
  const write: MemberWrite = { field, path, set: undefined, connect: [], disconnect: [] };
  if (binding.kind === 'members') {
    for (const word of MEMBER_WORDS) {
      const list = membersIn(value)[word] ?? undefined;
      if (list === undefined) continue;
      const keys = readMemberList(reading, listOf(list), `${path}.${word}`);
      if (word === 'set') write.set = keys;
      else write[word].push(...keys);
    }
  } else if (binding.list) {
    const keys = readMemberList(reading, listOf(value ?? []), path);
    if (mode === 'create') write.connect.push(...keys);
    else write.set = keys;
  } else if (value === null) {
    write.set = [];
    if (!field.nullable) violate(reading, path, 'must not be null', 'REQUIRED');
  } else write.set = readMemberList(reading, [value], path, true);
  return write;
}

function readMemberList(reading: Reading, list: readonly unknown[], path: string, inRow = false): readonly MemberKey[] {
  return list.flatMap((value, index) => {
    const place = inRow ? '' : `[${index}]`;
    const given = Object.entries(membersIn(value)).filter(([, key]) => key !== null && key !== undefined);
    const [only] = given;
    if (given.length !== 1 || only === undefined) {
      violate(reading, `${path}${place}`, 'must name one object, by its type and key');
      return [];
    }
    const [name, raw] = only;
    const entity = entityOf(reading.model, name);
    const where = `${path}${place}.${name}`;
    const key = toKey(entity, raw);
    if (key === undefined) {
      reading.missing.push(missingText(entity, raw, where));
      return [];
    }
    reading.references.push({ entity, key, path: where, guarded: false, inRow });
    return [{ entity, key }];
  });
}

function clearOne(reading: Reading, write: RelationWrite): void {
  write.clear = true;
  if (!write.field.nullable) violate(reading, write.path, 'must not be null', 'REQUIRED');
}

function readKeyList(reading: Reading, write: RelationWrite, value: unknown, path: string, into: SqlValue[]): void {
  const list = value === null ? [] : listOf(value);
  list.forEach((each, index) => readKey(reading, write, each, `${path}[${index}]`, into));
}

function readKey(reading: Reading, write: RelationWrite, value: unknown, path: string, into: SqlValue[]): void {
  if (value === null) {
    violate(reading, path, 'must not be null', 'REQUIRED');
    return;
  }
  const key = toKey(write.target, value);
  if (key === undefined) {
    reading.missing.push(missingText(write.target, value, path));
    return;
  }
  const inRow = write.field.storage.kind === 'foreignKey' && into === write.connect;
  const guarded = inRow && isGuaranteed(write.field, write.target);
  reading.references.push({ entity: write.target, key, path, guarded, inRow });
  into.push(key);
}

/** `no User has githubLogin "x" ("input.postedBy").` */
export function missingText(entity: Entity, key: unknown, path?: string): string {
  return `no ${entity.name} has ${entity.key.name} "${toText(key)}"${path === undefined ? '' : ` ("${path}")`}.`;
}

function readCreated(reading: Reading, write: RelationWrite, value: unknown, inputName: string): void {
  if (value === null) {
    if (!write.field.many) clearOne(reading, write);
    return;
  }
  const { model } = reading;
  const map = mapInput(inputType(model.schema, inputName), write.target, model) as InputMap;
  listOf(value).forEach((each, index) => {
    const path = Array.isArray(value) ? `${write.path}[${index}]` : write.path;
    if (each === null) violate(reading, path, 'must not be null', 'REQUIRED');
    else
      write.create.push(readValues(reading, map, write.target, membersIn(each), 'create', path, write.field.inverse));
  });
}

function readNested(reading: Reading, write: RelationWrite, value: unknown, inputName: string, mode: Mode): void {
  if (value === null) {
    if (write.field.many) violate(reading, write.path, 'must not be null', 'REQUIRED');
    else clearOne(reading, write);
    return;
  }
  const given = membersIn(value);
  const words = NESTED_WORDS.filter(
    (word) => given[word] !== undefined && given[word] !== null && given[word] !== false,
  );
  const { field } = write;
  if (words.length === 0 && mode === 'create' && field.storage.kind === 'foreignKey' && !field.nullable)
    violate(reading, write.path, `must say which ${write.target.name}, or create one`);
  if (!field.many && words.length > 1) {
    violate(reading, write.path, `takes one of ${words.join(', ')}, not several`);
    return;
  }
  for (const word of words) {
    const path = `${write.path}.${word}`;
    if (word === 'create') {
      const { create } = inputType(reading.model.schema, inputName).getFields();
      const nested = { ...write, path };
      readCreated(reading, nested, given[word], getNamedType(required(create, `${inputName}.create`).type).name);
    } else if (write.field.many) {
      const into = word === 'set' ? (write.set ??= []) : word === 'delete' ? write.remove : write[word];
      readKeyList(reading, write, given[word], path, into);
    } else if (word === 'connect' || word === 'set') readKey(reading, write, given[word], path, write.connect);
    else if (word === 'disconnect') clearOne(reading, write);
    else write.removeOnly = true;
  }
}
