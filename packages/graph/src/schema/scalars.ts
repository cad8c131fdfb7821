// The custom scalars that need no registration, and how each is stored and serialized. graphql-scalars parses and
// validates them. Scalars that an application registers are stored as text.
import { byWord, toText } from '@lockstitch/kernel';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GraphQLError, type GraphQLScalarType } from 'graphql';
import { bigIntScalar } from './big-int.ts';
import { decimalScalar } from './decimal.ts';
import type { Storage } from './model.ts';
import { TEXT_SCALARS } from './text-scalars.ts';
import { registeredScalar, type Resolvers } from './resolvers.ts';

const require = createRequire(import.meta.url);

const KNOWN: Readonly<Record<string, Storage>> = byWord({
  timestamp: 'DateTime',
  text: `
    Date Time UUID URL EmailAddress LocalDateTime LocalTime Duration Bytes`,
  json: 'JSON',
  integer: 'BigInt',
  decimal: 'Decimal',
});

const BUILT_IN: Readonly<Record<string, Storage>> = {
  String: 'text',
  ID: 'text',
  Int: 'integer',
  Float: 'real',
  Boolean: 'boolean',
};

/** The storage of a scalar; undefined if it is unknown. `isCustom`: the application registered it under that name. */
export function storageOfScalar(name: string, isCustom: boolean): Storage | undefined {
  if (isCustom && name === 'Decimal') return 'text';
  return (
    (Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined) ?? (isKnownScalar(name) ? KNOWN[name] : undefined)
  );
}

/** Inputs of hasOrder. */
export interface ScalarOrders {
  readonly resolvers: Resolvers;
  /** Scalars marked with @ordered. */
  readonly ordered: ReadonlySet<string>;
}

/**
 * Whether the storage order of a scalar is the order of its values. That is unknown for a registered scalar, unless it
 * is stored as a time or number: as texts, 100 sorts before 9.5.
 */
export function hasOrder(name: string, { resolvers, ordered }: ScalarOrders): boolean {
  if (name === 'JSON') return false;
  if ((name === 'Duration' || name === 'Bytes') && registeredScalar(resolvers, name) === undefined) return false;
  if (ordered.has(name) || Object.hasOwn(BUILT_IN, name)) return true;
  const isCustom = registeredScalar(resolvers, name) !== undefined;
  const storage = storageOfScalar(name, isCustom);
  return storage !== undefined && (!isCustom || (storage !== 'text' && storage !== 'json'));
}

/** Whether `scalar <name>` needs no registration. */
export function isKnownScalar(name: string): boolean {
  return Object.hasOwn(KNOWN, name);
}

/** Names of scalars that need no registration. */
export const KNOWN_SCALARS: readonly string[] = Object.keys(KNOWN);

/** Gives a declared scalar the coercion functions of another. */
export function adoptScalar(declared: GraphQLScalarType, behaviour: GraphQLScalarType): void {
  // A scalar created with graphql 16 has only the three older functions.
  const { coerceOutputValue, coerceInputValue }: Partial<GraphQLScalarType> = behaviour;
  declared.coerceOutputValue = coerceOutputValue ?? behaviour.serialize;
  declared.coerceInputValue = coerceInputValue ?? behaviour.parseValue;
  declared.coerceInputLiteral = behaviour.coerceInputLiteral;
  declared.valueToLiteral = behaviour.valueToLiteral;
  declared.serialize = behaviour.serialize;
  declared.parseValue = behaviour.parseValue;
  declared.parseLiteral = behaviour.parseLiteral;
  declared.specifiedByURL ??= behaviour.specifiedByURL;
}

/** Gives a known scalar (`DateTime`) its coercion functions. */
export function adoptKnownScalar(declared: GraphQLScalarType): void {
  if (declared.name === 'BigInt') return adoptScalar(declared, bigIntScalar);
  if (declared.name === 'Decimal') return adoptScalar(declared, decimalScalar);
  const text = TEXT_SCALARS[declared.name];
  if (text !== undefined) return adoptScalar(declared, text);
  adoptScalar(declared, loadScalar(declared.name));
  if (declared.name === 'DateTime') readPlainTimes(declared);
  if (declared.name === 'UUID') readInLowerCase(declared);
}

/** Modules of single scalars, below the entry's folder of graphql-scalars. */
const MODULES: Readonly<Record<string, string>> = {
  DateTime: 'iso-date/DateTime',
  Date: 'iso-date/Date',
  Time: 'iso-date/Time',
  JSON: 'json/JSON',
  // What a gateway names an object by (federation.ts).
  _Any: 'json/JSON',
};

/**
 * Loads one scalar. The package exports only its entry, whose 84 modules cost 80 ms and 8 MB. The modules of single
 * scalars can be required by path; if a version moves them, the entry is loaded.
 */
function loadScalar(name: string): GraphQLScalarType {
  const entry = require.resolve('graphql-scalars');
  const own = join(dirname(entry), 'scalars', `${MODULES[name] ?? name}.js`);
  const library: Readonly<Record<string, GraphQLScalarType>> = require(existsSync(own) ? own : entry);
  return library[`GraphQL${name === '_Any' ? 'JSON' : name}`]!;
}

/** A day that exists in every year, and a time of day. */
const DAY_AND_CLOCK =
  '(?:02-(?:0[1-9]|1\\d|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01]))' +
  'T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
/** A time in UTC. The library accepts it too, after four regular expressions. */
const PLAIN_TIME = new RegExp(`^\\d{4}-${DAY_AND_CLOCK}(?:\\.\\d+)?Z$`);
/** A time exactly as it is stored and serialized. */
const STORED_TIME = new RegExp(`^(?!0000)\\d{4}-${DAY_AND_CLOCK}\\.\\d{3}Z$`);

/** The known `DateTime` scalars. */
const timeScalars = new WeakSet<object>();

/** Whether a scalar is the known `DateTime`, not a registered one of that name. */
export function readsTimes(scalar: object): boolean {
  return timeScalars.has(scalar);
}

/** Whether a text is a time as JavaScript prints it, which is also the stored form. May be false for a stored time. */
export function isStoredTime(text: string): boolean {
  return text.length === 24 && STORED_TIME.test(text);
}

function readPlainTimes(declared: GraphQLScalarType): void {
  timeScalars.add(declared);
  const read = declared.coerceInputValue.bind(declared);
  declared.coerceInputValue = (value) =>
    typeof value === 'string' && PLAIN_TIME.test(value) ? new Date(value) : read(value);
}

/** RFC 9562 §4: a UUID is read in either case and written in lower case. Keeping both would make two keys of one. */
function readInLowerCase(declared: GraphQLScalarType): void {
  const readValue = declared.coerceInputValue.bind(declared);
  const { coerceInputLiteral, parseLiteral } = declared;
  declared.coerceInputValue = (value) => toLowerCase(readValue(value));
  declared.coerceInputLiteral = (node) =>
    toLowerCase(
      coerceInputLiteral === undefined
        ? parseLiteral.call(declared, node, undefined)
        : coerceInputLiteral.call(declared, node),
    );
}

function toLowerCase(uuid: unknown): string {
  // The library accepts an unmatched closing brace.
  if (toText(uuid).endsWith('}')) throw new GraphQLError(`Value is not a valid UUID: ${toText(uuid)}`);
  return toText(uuid).toLowerCase();
}

/**
 * Converts a coerced input value to its stored form: a Date becomes ISO text, a URL its href.
 *
 * @param type the scalar that coerced the value
 * @param value the coerced value, not a list
 */
export function toStored(
  type: { readonly name: string; coerceOutputValue(value: unknown): unknown },
  value: unknown,
): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  const printed = type.coerceOutputValue(value);
  return printed instanceof Date ? printed.toISOString() : printed;
}

/** The text that a column of texts or JSON holds of a value, not null: a text as it is, anything else as JSON. */
export function toStoredText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return String(value);
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
