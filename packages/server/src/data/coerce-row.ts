// Converts a CSV row, whose values are all text, to the field types: numbers, booleans and lists; an empty value
// becomes null. Values that do not convert stay text, so that the import reports them.
import type { Entity, Field } from '@lockstitch/graph';

/** Separator of list items in one CSV cell. */
const LIST_SEPARATOR = '|';

/** Converts one CSV row. Unknown columns are left for the import to reject. */
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
  // An object of an interface or union is `{"type": …, "key": …}`.
  if (field.kind !== 'column') return text.startsWith('{') ? parseJson(text) : text;
  // A list is stored as JSON, its items are not.
  const storage = field.list && field.typeName === 'Boolean' ? 'boolean' : field.storage;
  switch (storage) {
    case 'integer':
    case 'real':
      // IDs stay text, even if they look like numbers, and so do numbers that a double may not hold.
      return field.typeName === 'ID' ||
        field.typeName === 'BigInt' ||
        text.trim() === '' ||
        !Number.isFinite(Number(text))
        ? text
        : Number(text);
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
    return JSON.parse(text);
  } catch {
    // The import reports text where JSON is needed.
    return text;
  }
}
