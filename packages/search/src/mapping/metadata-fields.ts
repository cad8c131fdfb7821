// Fields that every document has besides those of its mapping (`_id`, `_index` …), as fields that requests name, and fields with one
// value for all documents of an index: `_index`, `_type` and constant keywords.
import { builtIn } from '../analysis/built-in-analyzers.ts';
import { textOf } from '../json/json.ts';
import { DEFAULT_DATE_FORMAT, dateFormat } from './date-format.ts';
import type { Family } from './field-parameters.ts';
import type { MappedField } from './field-type.ts';

/** What a metadata field can be asked. */
interface Traits {
  readonly family: Family;
  readonly index: boolean;
  readonly docValues: boolean;
}

const TRAITS: Readonly<Record<string, Traits>> = {
  _feature: { family: 'none', index: false, docValues: false },
  _field_names: { family: 'none', index: true, docValues: false },
  _id: { family: 'id', index: true, docValues: true },
  _ignored: { family: 'keyword', index: true, docValues: false },
  _index: { family: 'constant', index: true, docValues: true },
  _routing: { family: 'keyword', index: true, docValues: false },
  _seq_no: { family: 'number', index: true, docValues: true },
  _source: { family: 'none', index: false, docValues: false },
  _type: { family: 'constant', index: true, docValues: true },
  _version: { family: 'none', index: false, docValues: false },
};

const KEYWORD = builtIn('keyword')!;

/** By name. */
export const METADATA_FIELDS: ReadonlyMap<string, MappedField> = new Map(
  Object.entries(TRAITS).map(([path, traits]) => [
    path,
    {
      path,
      type: path,
      definition: {},
      norms: false,
      positions: false,
      ignoreAbove: Infinity,
      ignoreMalformed: false,
      coerce: true,
      nullValue: undefined,
      copyTo: [],
      format: dateFormat(DEFAULT_DATE_FORMAT),
      analyzer: KEYWORD,
      searchAnalyzer: KEYWORD,
      searchQuoteAnalyzer: KEYWORD,
      normalizer: undefined,
      scalingFactor: 1,
      nestedPath: undefined,
      ...traits,
    },
  ]),
);

/** Whether it is a field that no mapping lists. */
export function isMetadata(field: MappedField): boolean {
  return field.path.startsWith('_') && METADATA_FIELDS.get(field.path) === field;
}

/** Whether all documents of an index have the same value in it. */
export function isConstant({ type }: MappedField): boolean {
  return type === '_index' || type === '_type' || type === 'constant_keyword';
}

/** The value that all documents of an index have in a field; undefined for a constant keyword that has none yet. */
export function constantOf({ type, definition }: MappedField, index: string): string | undefined {
  if (type === '_index') return index;
  if (type === '_type') return '_doc';
  return definition['value'] === undefined ? undefined : textOf(definition['value']);
}
