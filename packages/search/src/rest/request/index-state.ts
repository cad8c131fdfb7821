// What the REST layer remembers about an index beside its settings: whether it is closed, and the name of its one mapping
// type. Kept in the index's definition, so it is as durable as the mapping.
import type { Index } from '../../engine/engine-api.ts';
import type { IndexDefinition } from '../../settings/index-definition.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import { isObject, type Json } from '../../json/json.ts';
import { mappingOf } from '../../fetch/target.ts';
import { RequestError } from '../../errors/request-error.ts';

/** Beside `settings` in `definition.custom`. */
export interface IndexState {
  readonly closed?: boolean;
  /** As given with `include_type_name`; `_doc` when never given. */
  readonly typeName?: string;
}

function customOf({ custom }: IndexDefinition): Json {
  return isObject(custom) ? custom : {};
}

/** Whether the index is closed: it is there, but neither read nor written. */
export function isClosed(index: Index): boolean {
  return customOf(index.definition)['closed'] === true;
}

/** Whether wildcards skip the index by default. */
export function isHidden({ definition }: Index): boolean {
  const value = settingsOf(definition)['hidden'];
  return value === true || value === 'true';
}

/** @throws RequestError index_closed_exception when the index is closed */
export function checkIsOpen(index: Index): void {
  if (!isClosed(index)) return;
  throw new RequestError('SEARCH_CLOSED_INDEX', 'index_closed_exception', 'closed', {
    fields: { index_uuid: index.uuid, index: index.name },
    hint: `Open it first: POST /${index.name}/_open.`,
  });
}

/** The name of the mapping type; undefined when none was ever given. */
export function typeNameOf(index: Index): string | undefined {
  const name = customOf(index.definition)['typeName'];
  return typeof name === 'string' ? name : undefined;
}

/** The `_type` of an answer: as the request says it, the index's own for `_all`, else `_doc`. */
export function shownType(index: Index, given: string | undefined): string {
  return (given === '_all' ? typeNameOf(index) : given) ?? '_doc';
}

/** The type of an index with a mapping; undefined while its first document may still name one. */
export function ownTypeOf(index: Index): string | undefined {
  return typeNameOf(index) ?? (Object.keys(mappingOf(index).toJSON()).length > 0 ? '_doc' : undefined);
}

/** Whether documents of an index are of a type, as far as the request and the index name one. */
export function hasType(index: Index, given: string | undefined): boolean {
  if (given === undefined || given === '_doc' || given === '_all') return true;
  const own = ownTypeOf(index);
  return own === undefined || given === own;
}

/** The definition's `custom` with a change, for `updateDefinition`. */
export function changedCustom(index: Index, change: IndexState & { readonly settings?: Json }): Json {
  return { ...customOf(index.definition), ...change };
}
