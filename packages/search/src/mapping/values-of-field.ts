// The values that a mapped field got from a document's source.
import type { Json } from '../json/json.ts';
import { type ValuePath, valuesAt } from '../json/values-at.ts';
import type { MappedField } from './field-type.ts';
import type { Mapping } from './mapping.ts';

/** The values of a field in a source, `null_value` for null; multi-fields read those of the field they belong to. */
export function valuesOfField(field: MappedField, source: Json, mapping: Mapping): unknown[] {
  let values = valuesAt(source, field.path.split('.'), field.nullValue);
  for (
    let dot = field.path.lastIndexOf('.');
    values.length === 0 && dot > 0;
    dot = field.path.lastIndexOf('.', dot - 1)
  ) {
    const parent = mapping.fields.get(field.path.slice(0, dot));
    if (parent === undefined) break;
    values = valuesAt(source, parent.path.split('.'), field.nullValue);
  }
  return values;
}

/** The field that a multi-field belongs to; others are their own. */
export function ownerOf(field: MappedField, mapping: Mapping): MappedField {
  const parent = mapping.fields.get(field.path.slice(0, Math.max(0, field.path.lastIndexOf('.'))));
  return parent === undefined ? field : ownerOf(parent, mapping);
}

/** Where a source holds the values of a field: its own, and those of fields that are copied to it. */
export function pathsOfField(field: MappedField, mapping: Mapping): readonly ValuePath[] {
  const owner = ownerOf(field, mapping);
  const isPoint = owner.family === 'geo';
  return [
    { path: owner.path, ifNull: field.nullValue, isPoint },
    ...mapping.copiedTo(owner.path).map((path) => ({ path, isPoint })),
  ];
}
