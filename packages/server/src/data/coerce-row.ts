// Makes of a CSV row, whose values are all text, a row of a type: numbers, booleans and lists by the field's type, an empty
// value as no value. What cannot be read that way is left as text, so that the import names it with its reason.
import type { Entity, Field } from '@lockstitch/graph';

/** Separates the values of a list in one CSV cell. */
const LIST_SEPARATOR = '|';

/** Coerces the values of one CSV row; columns that the type does not have are left for the import to refuse. */
export function coerceCsvRow(entity: Entity, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    const field = entity.fields.get(name);
    if (typeof value !== 'string' || field === undefined) coerced[name] = value;
    else if (value !== '') coerced[name] = isList(field) ? readList(field, value) : readScalar(field, value);
  }
  return coerced;
}

function isList(field: Field): boolean {
  return field.kind === 'column' ? field.list : field.kind === 'relation' && field.many;
}

function readList(field: Field, text: string): unknown {
  if (text.startsWith('[')) return parseJson(text);
  return text.split(LIST_SEPARATOR).map((item) => readScalar(field, item.trim()));
}

function readScalar(field: Field, text: string): unknown {
  if (field.kind !== 'column') return text;
  // A list is stored as JSON, its items are not.
  const storage = field.list && field.typeName === 'Boolean' ? 'boolean' : field.storage;
  switch (storage) {
    case 'integer':
    case 'real':
      // IDs stay text whatever holds them.
      return field.typeName === 'ID' || text.trim() === '' || !Number.isFinite(Number(text)) ? text : Number(text);
    case 'boolean': {
      const word = text.toLowerCase();
      return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : text;
    }
    case 'json':
      return field.list ? text : parseJson(text);
    default:
      return text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
