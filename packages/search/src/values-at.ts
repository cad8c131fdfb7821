// What stands at a dotted path of a JSON document, and the values that a mapped field got from there.
import { isObject, type Json } from './json.ts';
import type { Mapping } from './mapping/mapping.ts';
import type { MappedField } from './mapping/field-type.ts';

/** The values at a dotted path, through objects and arrays; members may themselves be spelled with dots. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  if (path.length === 0) return value === undefined || value === null ? [] : [value];
  if (!isObject(value)) return [];
  const found: unknown[] = [];
  for (let size = 1; size <= path.length; size++) {
    const key = path.slice(0, size).join('.');
    if (Object.hasOwn(value, key)) found.push(...valuesAt(value[key], path.slice(size)));
  }
  return found;
}

/** The values of a field in a source; multi-fields read those of the field they belong to. */
export function valuesOfField(field: MappedField, source: Json, mapping: Mapping): unknown[] {
  let values = valuesAt(source, field.path.split('.'));
  for (
    let dot = field.path.lastIndexOf('.');
    values.length === 0 && dot > 0;
    dot = field.path.lastIndexOf('.', dot - 1)
  ) {
    const parent = mapping.fields.get(field.path.slice(0, dot));
    if (parent === undefined) break;
    values = valuesAt(source, parent.path.split('.'));
  }
  return values;
}
