// A large mapping in pieces, so that they can be merged with turns of the event loop in between: one after the other they mean what the
// whole does.
import { isObject, type Json } from '../json/json.ts';
import { inHashOrder } from '../text/java-order.ts';
import { asHashMap } from '../json/java-values.ts';

/** Fields of a piece at most, those beside others not counted: two milliseconds' worth. */
const TOGETHER = 200;

/** What a field with a locale counts as: the words of a new one take up to ten formatters, half a millisecond. */
const OF_LOCALE = 40;

/** The pieces of a definition, in the order in which Elasticsearch reads it. */
export function* piecesOf(definition: Json): Generator<Json, void> {
  const { properties, ...rest } = definition;
  if (!isObject(properties)) {
    yield asHashMap(definition);
    return;
  }
  yield { ...asHashMap(rest), properties: {} };
  for (const part of partsOf(properties)) yield { properties: part };
}

function* partsOf(properties: Json): Generator<Json, void> {
  let part: [string, unknown][] = [];
  let work = 0;
  for (const name of inHashOrder(Object.keys(properties))) {
    const value = properties[name];
    const inner = isObject(value) ? value['properties'] : undefined;
    const own = 1 + OF_LOCALE * localesIn(value);
    const isLarge = isObject(inner) && Math.max(Object.keys(inner).length, own) > TOGETHER;
    if (part.length > 0 && (work + own > TOGETHER || isLarge)) {
      yield Object.fromEntries(part);
      part = [];
      work = 0;
    }
    if (!isLarge) {
      work += own;
      part.push([name, asHashMap(value)]);
      continue;
    }
    yield Object.fromEntries([[name, { ...asHashMap({ ...(value as Json), properties: {} }) }]]);
    for (const each of partsOf(inner)) yield Object.fromEntries([[name, { properties: each }]]);
  }
  yield Object.fromEntries(part);
}

/** How many fields have a locale: a field, those in it, and its other fields. */
function localesIn(field: unknown): number {
  if (!isObject(field)) return 0;
  let count = field['locale'] === undefined ? 0 : 1;
  for (const inner of [field['properties'], field['fields']])
    if (isObject(inner)) for (const each of Object.values(inner)) count += localesIn(each);
  return count;
}
