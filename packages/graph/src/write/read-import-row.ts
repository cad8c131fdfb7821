// Reads one row of an import (JSON, or CSV with texts only) as column values and join rows, or lists its mistakes. Not
// here: writing it.
import { didYouMean, reasonOf } from '@lockstitch/kernel';
import {
  entityOf,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
  isStoredField,
} from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import { toKey, type Values } from './entity-table.ts';
import { createReading, readColumn } from './read-values.ts';
import { defaultOf } from './write-unit.ts';
import { hasMembers, listOf } from '../present.ts';

/** A row by field name. Relations by key: `postedBy: "ann"`, `taggedUsers: ["ann", "bob"]`. */
export type ImportRow = Readonly<Record<string, unknown>>;

/** An object that must exist. */
export interface ImportReference {
  readonly field: RelationField;
  readonly type: string;
  readonly key: SqlValue;
}

/** A row that has been read. */
export interface ReadRow {
  readonly values: Values;
  /** To-one relations in the row itself. */
  readonly references: ImportReference[];
  /** Join rows to insert. */
  readonly links: ImportReference[];
  /** Objects in lists of an interface or union. */
  readonly members: ImportReference[];
  /** Sentences; the row is written only if there are none. */
  readonly reasons: string[];
  /** Those of `reasons` that say what a new object lacks. */
  readonly lacks: Set<string>;
  /** The values of what the row names, without defaults. */
  readonly given: Values;
  /** The lists that the row names. */
  readonly lists: Set<RelationField>;
}

/** Reads one row. `now` is the time of the import, for defaults. */
export function readImportRow(model: Model, entity: Entity, row: ImportRow, now: string): ReadRow {
  const reasons: string[] = [];
  const values: Values = new Map();
  const references: ImportReference[] = [];
  const links: ImportReference[] = [];
  const members: ImportReference[] = [];
  const lacks = new Set<string>();
  const given: Values = new Map();
  const lists = new Set<RelationField>();
  const into: ReadRow = { values, references, links, members, reasons, lacks, given, lists };
  for (const name of Object.keys(row)) {
    if (entity.fields.has(name)) continue;
    reasons.push(`"${name}" is no field of ${entity.name}.${didYouMean(name, entity.fields.keys())}`);
  }
  for (const field of entity.fields.values()) {
    if (isStoredField(field) && field.readOnly) {
      if (Object.hasOwn(row, field.name)) reasons.push(`"${field.name}" is @readOnly and cannot be imported.`);
      continue;
    }
    const raw = Object.hasOwn(row, field.name) ? row[field.name] : undefined;
    if (field.kind === 'column') {
      const value = readCell(model, field, raw, now, into);
      if (value !== undefined) values.set(field.column, value);
      if (isGiven(field, raw) && value !== undefined) given.set(field.column, value);
    } else if (field.kind === 'relation') {
      readRelation(model, field, raw, into);
    } else if (raw !== undefined) reasons.push(`"${field.name}" is computed and cannot be imported.`);
  }
  return into;
}

/** Whether a row says what the value is: null only where the field takes it. */
function isGiven(field: ColumnField, raw: unknown): boolean {
  return raw !== undefined && (raw !== '' || field.storage === 'text');
}

function lack({ reasons, lacks }: Pick<ReadRow, 'reasons' | 'lacks'>, name: string): void {
  const reason = `"${name}" is required.`;
  reasons.push(reason);
  lacks.add(reason);
}

function readCell(
  model: Model,
  field: ColumnField,
  raw: unknown,
  now: string,
  { reasons, lacks }: ReadRow,
): SqlValue | undefined {
  const given = raw === '' && field.storage !== 'text' ? undefined : raw;
  if (given === undefined || (given === null && field.nullable)) {
    if (given === null) return null;
    const value = defaultOf(field, now);
    if (value === null && !field.nullable) lack({ reasons, lacks }, field.name);
    return value;
  }
  const reading = createReading(model);
  let value: SqlValue | undefined;
  try {
    value = readColumn(reading, field, given === null ? null : coerce(model, field, given), field.name);
  } catch (error) {
    // Scalars throw for values they reject.
    reasons.push(`"${field.name}": ${reasonOf(error)}`);
  }
  // A message of the application's own need not name the field.
  const own = field.constraint?.message;
  reasons.push(...reading.violations.map(({ path, message }) => (message === own ? `"${path}": ${message}` : message)));
  return value;
}

function coerce(model: Model, field: ColumnField, raw: unknown): unknown {
  if (field.list) {
    if (!Array.isArray(raw)) throw new TypeError('is no list: write a JSON array, or in CSV a|b.');
    return raw.map((each) => (each === null ? null : coerceOne(model, field, each)));
  }
  return coerceOne(model, field, raw);
}

function coerceOne(model: Model, field: ColumnField, raw: unknown): unknown {
  const type = model.schema.getType(field.typeName);
  if (type === undefined || !('coerceInputValue' in type)) {
    if (typeof raw !== 'object' || raw === null) throw new TypeError('is no object: write a JSON object.');
    return raw;
  }
  return type.coerceInputValue(fromText(field, raw));
}

/** CSV has only texts, so numbers and booleans are parsed. */
function fromText(field: ColumnField, raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  if (field.typeName === 'Int' || field.typeName === 'Float')
    return /^\s*-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(raw) ? Number(raw) : raw;
  if (field.typeName === 'Boolean') return raw === 'true' ? true : raw === 'false' ? false : raw;
  return raw;
}

function readRelation(model: Model, field: RelationField, raw: unknown, into: ReadRow): void {
  const { storage } = field;
  if (field.many && raw !== undefined && raw !== null) into.lists.add(field);
  const target = (): Entity => entityOf(model, field.target);
  if (storage.kind === 'inverse') {
    if (raw === undefined) return;
    into.reasons.push(`"${field.name}" is kept by ${field.target}.${field.inverse ?? ''}; give it there.`);
  } else if (storage.kind === 'polymorphicJoinTable') {
    readMembers(model, field, raw, into);
  } else if (storage.kind === 'joinTable') {
    if (raw === undefined || raw === null) return;
    for (const each of listOf(raw)) {
      const key = keyOf(target(), each);
      if (key === undefined) into.reasons.push(noTarget(field, target(), each));
      else into.links.push({ field, type: field.target, key });
    }
  } else if (raw === undefined || raw === null || raw === '') {
    // A null is wrong in an update too.
    if (!field.nullable && raw === null) into.reasons.push(`"${field.name}" is required.`);
    else if (!field.nullable) lack(into, field.name);
    for (const column of storage.kind === 'foreignKey' ? [storage.column] : [storage.typeColumn, storage.keyColumn]) {
      into.values.set(column, null);
      if (raw === null) into.given.set(column, null);
    }
  } else if (storage.kind === 'foreignKey') {
    const key = keyOf(target(), raw);
    if (key === undefined) into.reasons.push(noTarget(field, target(), raw));
    else {
      into.values.set(storage.column, key);
      into.given.set(storage.column, key);
      into.references.push({ field, type: field.target, key });
    }
  } else {
    const member = readMember(model, field, raw, into);
    if (member !== undefined) {
      for (const values of [into.values, into.given])
        values.set(storage.typeColumn, member.type).set(storage.keyColumn, String(member.key));
      into.references.push({ field, ...member });
    }
  }
}

function readMembers(model: Model, field: RelationField, raw: unknown, into: ReadRow): void {
  if (raw === undefined || raw === null) return;
  for (const each of listOf(raw)) {
    const member = readMember(model, field, each, into);
    if (member !== undefined) into.members.push({ field, ...member });
  }
}

/** `{ "type": "Photo", "key": "7" }`, or an object as in a response: `{ "__typename": "Photo", "id": "7" }`. */
function readMember(
  model: Model,
  field: RelationField,
  raw: unknown,
  { reasons }: ReadRow,
): { readonly type: string; readonly key: SqlValue } | undefined {
  const given = hasMembers(raw) ? raw : {};
  const type = given['__typename'] ?? given['type'];
  const isKnown = typeof type === 'string' && model.abstractTypes.get(field.target)?.includes(type) === true;
  const target = isKnown ? entityOf(model, type) : undefined;
  const named = given['key'] ?? (target && given[target.key.name]);
  if (target === undefined || named === undefined || named === null) {
    reasons.push(`"${field.name}" must be { "type": …, "key": … } with one of the types of ${field.target}.`);
    return undefined;
  }
  const key = toKey(target, named);
  if (key === undefined) reasons.push(noTarget(field, target, named));
  return key === undefined ? undefined : { type: target.name, key };
}

/** A key, or an object that contains it. */
function keyOf(target: Entity, raw: unknown): SqlValue | undefined {
  return toKey(target, hasMembers(raw) ? raw[target.key.name] : raw);
}

/** `"postedBy": no User has githubLogin "x".` */
export function noTarget(field: RelationField, target: Entity, key: unknown): string {
  const shown = typeof key === 'string' ? key : JSON.stringify(key);
  return `"${field.name}": no ${target.name} has ${target.key.name} "${shown}".`;
}
