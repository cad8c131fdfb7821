// A large mapping in pieces, so that they can be merged with turns of the event loop in between: one after the other they mean what the
// whole does.
import { isObject, type Json } from '../json/json.ts';
import { inHashOrder } from '../text/java-order.ts';
import { asHashMap } from '../json/java-values.ts';

/** Fields of a piece at most, those beside others not counted: two milliseconds' worth. */
const TOGETHER = 200;

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
  for (const name of inHashOrder(Object.keys(properties))) {
    const value = properties[name];
    const inner = isObject(value) ? value['properties'] : undefined;
    const isLarge = isObject(inner) && Object.keys(inner).length > TOGETHER;
    if (part.length === TOGETHER || isLarge) {
      yield Object.fromEntries(part);
      part = [];
    }
    if (!isLarge) {
      part.push([name, asHashMap(value)]);
      continue;
    }
    yield Object.fromEntries([[name, { ...asHashMap({ ...(value as Json), properties: {} }) }]]);
    for (const each of partsOf(inner)) yield Object.fromEntries([[name, { properties: each }]]);
  }
  yield Object.fromEntries(part);
}
