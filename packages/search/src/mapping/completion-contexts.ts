// The `contexts` of a completion field: their definitions, those of a document's inputs, and those that a suggestion selects.
import {
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  textOf,
  toList,
} from '../json/json.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';
import { valuesAt } from '../json/values-at.ts';
import { cellsAround, geohash, hashLength } from './geohash.ts';
import { parsePoint } from './geo.ts';

/** One context of a field, as its mapping defines it. */
export type ContextMapping =
  | { readonly kind: 'category'; readonly name: string; readonly path: string | undefined }
  | { readonly kind: 'geo'; readonly name: string; readonly path: string | undefined; readonly precision: number };

/** Name and value of a context of an input. */
export type Context = readonly [name: string, value: string];

/** A context that a suggestion selects, exactly or by prefix. */
export interface WantedContext {
  readonly name: string;
  readonly value: string;
  readonly isPrefix: boolean;
  /** Multiplies the weights of inputs. */
  readonly boost: number;
}

/** Default precision of a geo context, in letters of its geohash. */
const DEFAULT_PRECISION = 6;

const read = new WeakMap<Json, readonly ContextMapping[]>();

/** Parses the contexts of a completion field. @throws RequestError for an invalid context */
export function contextMappings(definition: Json): readonly ContextMapping[] {
  let found = read.get(definition);
  if (found === undefined) read.set(definition, (found = readMappings(definition['contexts'])));
  return found;
}

function readMappings(given: unknown): readonly ContextMapping[] {
  if (given === undefined || given === null) return [];
  const found = toList(given).map((each): ContextMapping => {
    const body = asObject(each, 'contexts');
    checkKeys(body, 'contexts', ['name', 'type', 'path', 'precision']);
    if (body['name'] === undefined) throw parsingError('Failed to parse [contexts]: [name] is missing');
    const name = asString(body['name'], 'name');
    const path = body['path'] === undefined ? undefined : asString(body['path'], 'path');
    const type = asString(body['type'] ?? '', 'type').toLowerCase();
    if (type === 'geo')
      return {
        kind: 'geo',
        name,
        path,
        precision: hashLength(body['precision'], DEFAULT_PRECISION, `context [${name}]`),
      };
    if (type !== 'category') throw parsingError(`unknown context type [${type}]; it is one of [category, geo]`);
    if (body['precision'] !== undefined) throw parsingError(`[precision] of the context [${name}] is for type [geo]`);
    return { kind: 'category', name, path };
  });
  const names = found.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw parsingError(`the context [${twice}] is defined twice`);
  return found;
}

function mappingOf(mappings: readonly ContextMapping[], name: string): ContextMapping {
  const found = mappings.find((each) => each.name === name);
  if (found === undefined)
    throw illegalArgument(
      `Unknown context name [${name}], must be one of [${mappings.map((each) => each.name).join(', ')}]`,
    );
  return found;
}

/** The points of a geo context: one, or a list. */
function pointsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) && typeof value[0] !== 'number' ? value : [value];
}

function categoryOf(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw parsingError(`the context [${name}] must be a text, a number or a boolean, but was [${textOf(value)}]`);
}

/**
 * Returns the contexts of the inputs of one value: those it names, and those from other fields of the document.
 *
 * @throws RequestError for unknown contexts, and if the field has contexts and the value has none
 */
export function contextsOfValue(
  mappings: readonly ContextMapping[],
  field: string,
  given: unknown,
  source: Json,
): readonly Context[] {
  if (mappings.length === 0) {
    if (given !== undefined) throw illegalArgument(`contexts field is not supported for field: [${field}]`);
    return [];
  }
  const named = given === undefined ? {} : asObject(given, 'contexts');
  for (const name of Object.keys(named)) mappingOf(mappings, name);
  const found = new Map<string, Context>();
  for (const mapping of mappings) {
    const values = [
      ...(named[mapping.name] === undefined ? [] : [named[mapping.name]]),
      ...(mapping.path === undefined ? [] : valuesAt(source, mapping.path.split('.'))),
    ];
    for (const value of values)
      for (const each of mapping.kind === 'geo' ? pointsOf(value) : toList(value)) {
        if (each === null) continue;
        const text = mapping.kind === 'geo' ? hashOf(each, mapping.precision) : categoryOf(each, mapping.name);
        found.set(`${mapping.name}=${text}`, [mapping.name, text]);
      }
  }
  if (found.size === 0) throw illegalArgument(`Contexts are mandatory in context enabled completion field [${field}]`);
  return [...found.values()];
}

function hashOf(value: unknown, letters: number): string {
  const { lat, lon } = parsePoint(value);
  return geohash(lat, lon, letters);
}

/** Parses `contexts` of a suggestion, of which an input needs one. @throws RequestError for unknown contexts */
export function readWantedContexts(mappings: readonly ContextMapping[], json: unknown): readonly WantedContext[] {
  return Object.entries(asObject(json, 'contexts')).flatMap(([name, value]) => {
    const mapping = mappingOf(mappings, name);
    const entries = mapping.kind === 'geo' ? pointsOf(value) : toList(value);
    return entries.flatMap((each) => wanted(mapping, each));
  });
}

function wanted(mapping: ContextMapping, entry: unknown): readonly WantedContext[] {
  const { name } = mapping;
  const body: Json = isObject(entry) && entry['context'] !== undefined ? entry : { context: entry };
  const known = mapping.kind === 'geo' ? ['precision', 'neighbours'] : ['prefix'];
  checkKeys(body, `contexts.${name}`, ['context', 'boost', ...known]);
  const boost = body['boost'] === undefined ? 1 : asInteger(body['boost'], 'boost');
  if (boost <= 0) throw illegalArgument('boost must be greater than 0');
  if (mapping.kind === 'category') {
    const isPrefix = body['prefix'] === true || body['prefix'] === 'true';
    return [{ name, value: categoryOf(body['context'], name), isPrefix, boost }];
  }
  const point = parsePoint(body['context']);
  const letters = Math.min(mapping.precision, hashLength(body['precision'], mapping.precision, `context [${name}]`));
  const cells = new Set([geohash(point.lat, point.lon, letters)]);
  const neighbours = body['neighbours'] === undefined ? undefined : toList(body['neighbours']);
  if (neighbours === undefined) {
    if (letters === mapping.precision) for (const cell of cellsAround(point.lat, point.lon, letters)) cells.add(cell);
  } else {
    for (const each of neighbours) {
      const shorter = hashLength(typeof each === 'number' ? asNumber(each, 'neighbours') : each, letters, 'neighbours');
      if (shorter < letters) for (const cell of cellsAround(point.lat, point.lon, shorter)) cells.add(cell);
    }
  }
  return [...cells].map((value) => ({ name, value, isPrefix: value.length < mapping.precision, boost }));
}

/** Returns the selected contexts of an input, the greatest boost first, and that boost. */
export function matchContexts(
  own: readonly Context[],
  asked: readonly WantedContext[],
): { readonly contexts: readonly Context[]; readonly boost: number } | undefined {
  const boosts = own.map(([ownName, ownValue]) =>
    asked.reduce((most, { name, value, isPrefix, boost }) => {
      const fits = name === ownName && (isPrefix ? ownValue.startsWith(value) : ownValue === value);
      return fits ? Math.max(most, boost) : most;
    }, 0),
  );
  const boost = Math.max(0, ...boosts);
  if (boost === 0) return undefined;
  const places = own.map((_, at) => at).filter((at) => boosts[at]! > 0);
  places.sort((a, b) => boosts[b]! - boosts[a]!);
  return { contexts: places.map((at) => own[at]!), boost };
}
