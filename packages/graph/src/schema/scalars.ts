// Which custom scalars work out of the box, and how each is stored and printed. Parsing and validation come from the
// graphql-scalars library; an application's own scalars come by registration and are stored as text.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GraphQLError, type GraphQLScalarType } from 'graphql';
import { bigIntScalar } from './big-int.ts';
import { decimalScalar } from './decimal.ts';
import type { Storage } from './model.ts';
import { registeredScalar, type Resolvers } from './resolvers.ts';

const require = createRequire(import.meta.url);

interface KnownScalar {
  readonly storage: Storage;
  readonly specifiedBy?: string;
}

const KNOWN: Readonly<Record<string, KnownScalar>> = {
  DateTime: { storage: 'timestamp' },
  Date: { storage: 'text' },
  Time: { storage: 'text' },
  JSON: { storage: 'json' },
  BigInt: { storage: 'integer' },
  Decimal: { storage: 'decimal' },
  UUID: { storage: 'text' },
  URL: { storage: 'text' },
  EmailAddress: { storage: 'text' },
};

const BUILT_IN: Readonly<Record<string, Storage>> = {
  String: 'text',
  ID: 'text',
  Int: 'integer',
  Float: 'real',
  Boolean: 'boolean',
};

/** How a scalar's values are stored; undefined for a scalar nobody knows. `isCustom`: the application registered it under that name. */
export function storageOfScalar(name: string, isCustom: boolean): Storage | undefined {
  if (isCustom && name === 'Decimal') return 'text';
  return (
    (Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined) ??
    (isKnownScalar(name) ? KNOWN[name]!.storage : undefined)
  );
}

/** What is known of the order of scalars' values. */
export interface ScalarOrders {
  readonly resolvers: Resolvers;
  /** Those that the schema marks with @ordered. */
  readonly ordered: ReadonlySet<string>;
}

/**
 * Tells whether the order in which a scalar's values are stored is one that they have. Of a scalar that the application registered nobody knows,
 * unless it is kept as a time or a number: texts put 100 before 9.5.
 */
export function hasOrder(name: string, { resolvers, ordered }: ScalarOrders): boolean {
  if (name === 'JSON') return false;
  if (ordered.has(name) || Object.hasOwn(BUILT_IN, name)) return true;
  const isCustom = registeredScalar(resolvers, name) !== undefined;
  const storage = storageOfScalar(name, isCustom);
  return storage !== undefined && (!isCustom || (storage !== 'text' && storage !== 'json'));
}

/** Tells whether `scalar <name>` alone is enough. */
export function isKnownScalar(name: string): boolean {
  return Object.hasOwn(KNOWN, name);
}

/** Names that `scalar` may declare without registration. */
export const KNOWN_SCALARS: readonly string[] = Object.keys(KNOWN);

/** Gives a declared scalar the behaviour of a registered or known one. */
export function adoptScalar(declared: GraphQLScalarType, behaviour: GraphQLScalarType): void {
  // A scalar made with graphql 16 has the three older functions only.
  const { coerceOutputValue, coerceInputValue } = behaviour as Partial<GraphQLScalarType>;
  declared.coerceOutputValue = coerceOutputValue ?? behaviour.serialize;
  declared.coerceInputValue = coerceInputValue ?? behaviour.parseValue;
  declared.coerceInputLiteral = behaviour.coerceInputLiteral;
  declared.valueToLiteral = behaviour.valueToLiteral;
  declared.serialize = behaviour.serialize;
  declared.parseValue = behaviour.parseValue;
  declared.parseLiteral = behaviour.parseLiteral;
  declared.specifiedByURL ??= behaviour.specifiedByURL;
}

/** Gives a known scalar (`DateTime`) its behaviour. */
export function adoptKnownScalar(declared: GraphQLScalarType): void {
  if (declared.name === 'BigInt') return adoptScalar(declared, bigIntScalar);
  if (declared.name === 'Decimal') return adoptScalar(declared, decimalScalar);
  adoptScalar(declared, loadScalar(declared.name));
  if (declared.name === 'DateTime') readPlainTimes(declared);
  if (declared.name === 'UUID') readInLowerCase(declared);
}

/** Where graphql-scalars keeps a scalar's own module, below its entry's folder. */
const MODULES: Readonly<Record<string, string>> = {
  DateTime: 'iso-date/DateTime',
  Date: 'iso-date/Date',
  Time: 'iso-date/Time',
  JSON: 'json/JSON',
};

/**
 * Loads one scalar only. The library exports nothing but its entry, whose 84 modules cost 80 ms and 8 MB; the modules of
 * single scalars are there all the same. Should a version move them, the entry is loaded.
 */
function loadScalar(name: string): GraphQLScalarType {
  const entry = require.resolve('graphql-scalars');
  const own = join(dirname(entry), 'scalars', `${MODULES[name] ?? name}.js`);
  const library = require(existsSync(own) ? own : entry) as Readonly<Record<string, GraphQLScalarType>>;
  return library[`GraphQL${name}`]!;
}

/** A day that its month has in every year, and what o'clock. */
const DAY_AND_CLOCK =
  '(?:02-(?:0[1-9]|1\\d|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01]))' +
  'T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
/** A time in UTC; the library accepts it too, after asking four regular expressions. */
const PLAIN_TIME = new RegExp(`^\\d{4}-${DAY_AND_CLOCK}(?:\\.\\d+)?Z$`);
/** A time word for word as it is stored and printed. */
const STORED_TIME = new RegExp(`^(?!0000)\\d{4}-${DAY_AND_CLOCK}\\.\\d{3}Z$`);

/** Scalars that are the known `DateTime`. */
const timeScalars = new WeakSet<object>();

/** Tells whether a scalar is the known `DateTime`, not one that an application registered under that name. */
export function readsTimes(scalar: object): boolean {
  return timeScalars.has(scalar);
}

/** Tells whether a text is a time as JavaScript's clients print it, which is also how it is stored. False for some that are. */
export function isStoredTime(text: string): boolean {
  return text.length === 24 && STORED_TIME.test(text);
}

function readPlainTimes(declared: GraphQLScalarType): void {
  timeScalars.add(declared);
  const read = declared.coerceInputValue.bind(declared);
  declared.coerceInputValue = (value) =>
    typeof value === 'string' && PLAIN_TIME.test(value) ? new Date(value) : read(value);
}

/** RFC 9562 §4: a UUID is read in either case and written in lower case; in both, one would be two keys. */
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
  // The library lets a brace stand that closes nothing.
  if (String(uuid).endsWith('}')) throw new GraphQLError(`Value is not a valid UUID: ${String(uuid)}`);
  return String(uuid).toLowerCase();
}

/**
 * Turns a coerced input value into what is stored and bound: a Date becomes ISO text, a URL its href.
 *
 * @param type the scalar the value was coerced by
 * @param value its internal value; lists and null are the caller's
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
