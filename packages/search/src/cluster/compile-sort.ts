// Compiles the order of hits for a search cluster, and where a page of them begins. Hits with equal values are ordered by their keys: the
// order of the index would reveal when documents were written.
import type { SortKey, SortValue } from '../collect/search-request.ts';
import { searchError } from '../errors/search-errors.ts';
import { keptNumber } from '../json/exact-json.ts';
import type { Json } from '../json/json.ts';
import { termToIp } from '../mapping/ip.ts';
import { isWhole, type MappedField } from '../mapping/field-type.ts';
import type { ClusterCompiler } from '../query/cluster/cluster-compiler.ts';
import { KEY_FIELD, ORDER_FIELD } from '../query/cluster/leaves.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import { SEARCH_VERDICTS, SORT_VERDICTS } from './search-verdicts.ts';

export interface CompiledSort {
  readonly sort: readonly Json[];
  /** The member `search_after`, where the request has one. */
  readonly after: readonly unknown[] | undefined;
}

/** A text after all keys. */
const LAST = '\u{10ffff}';
/** The greatest and the least whole number of 64 bits; a double holds neither. */
const MOST = keptNumber('9223372036854775807');
const LEAST = keptNumber('-9223372036854775808');

/**
 * @param keys those of the request; none: by score
 * @param after the values that the page begins behind, one a key
 * @throws ProductError SEARCH_NOT_ON_CLUSTER
 */
export function compileSort(
  keys: readonly SortKey[],
  after: readonly SortValue[] | undefined,
  at: ClusterCompiler,
): CompiledSort {
  const given = keys.length === 0 ? [{ kind: 'score' } as const] : keys;
  const compiled = given.map((key, place) => {
    const json = compileKey(key, at);
    return json === undefined ? undefined : { json, after: valueAfter(key, after?.[place], at) };
  });
  const kept = compiled.filter((each) => each !== undefined);
  const isUnique = given.some(({ kind }) => kind === 'id' || kind === 'doc');
  const ties = isUnique ? [] : [{ json: { [ORDER_FIELD]: 'asc' }, after: LAST }];
  const all = [...kept, ...ties];
  return { sort: all.map(({ json }) => json), after: after && all.map((each) => each.after) };
}

/** Undefined if all documents have the same value. */
function compileKey(key: SortKey, at: ClusterCompiler): Json | undefined {
  const { kind } = key;
  const order = key.order ?? (kind === 'score' ? 'desc' : 'asc');
  switch (kind) {
    case 'score':
      return { _score: order };
    case 'id':
    case 'doc':
      return { [KEY_FIELD]: order };
    case 'key':
      return { [ORDER_FIELD]: order };
    case 'constant':
      return undefined;
    case 'field':
      return fieldKey(key, order, at);
    case 'geo_distance': {
      const field = visibleField(key, at);
      if (field === undefined) return undefined;
      const { mode, plane, points } = key;
      return {
        _geo_distance: {
          [field.path]: points.map(({ lat, lon }) => ({ lat, lon })),
          order,
          unit: 'm',
          ...(mode === undefined ? {} : { mode }),
          ...(plane === true ? { distance_type: 'plane' } : {}),
        },
      };
    }
  }
}

function fieldKey(key: Extract<SortKey, { kind: 'field' }>, order: string, at: ClusterCompiler): Json | undefined {
  const field = visibleField(key, at);
  if (field === undefined) return undefined;
  const { missing = 'last', mode, sinceEpoch, whole } = key;
  if (whole === 'cut' || sinceEpoch === true) throw refuse(key, 'numbers are compared as the field has them');
  if (typeof missing === 'object' && field.family === 'ip')
    throw refuse(key, 'an address for missing ones is not sent');
  const place = typeof missing === 'object' ? missing.value : `_${missing}`;
  return { [field.path]: { order, missing: place, ...(mode === undefined ? {} : { mode }) } };
}

/** Undefined for an unmapped field, which no document has. */
function visibleField(
  key: Extract<SortKey, { kind: 'field' | 'geo_distance' }>,
  at: ClusterCompiler,
): MappedField | undefined {
  if (key.nested !== undefined) throw refuse(key, 'no index of a schema has nested objects');
  const field = at.fields.field(key.field);
  if (field !== undefined && at.fields.guard(key.field) !== undefined)
    throw refuse(key, reasonOf(SORT_VERDICTS[key.kind]));
  return field;
}

/** A value of `search_after` as the cluster compares it. */
function valueAfter(key: SortKey, value: SortValue | undefined, at: ClusterCompiler): unknown {
  if (value === undefined) return undefined;
  if (key.kind === 'geo_distance') throw refuse(key, reasonOf(SORT_VERDICTS.geo_distance));
  if (key.kind === 'id' || key.kind === 'doc') return String(value);
  if (key.kind !== 'field') return value;
  const field = at.fields.field(key.field);
  if (field === undefined) return value;
  if (typeof value === 'string') return field.family === 'ip' ? termToIp(value) : value;
  if (value !== null && isWhole(field) && !Number.isSafeInteger(value))
    throw refuse(key, reasonOf(SEARCH_VERDICTS.searchAfter));
  if (value !== null || key.type === 'keyword') return value;
  // The value that stands for a missing number.
  const isGreatest = (key.order !== 'desc') !== (key.missing === 'first');
  if (isWhole(field)) return isGreatest ? MOST : LEAST;
  return isGreatest ? 'Infinity' : '-Infinity';
}

function refuse({ kind }: SortKey, reason: string): Error {
  return searchError('SEARCH_NOT_ON_CLUSTER', { what: `a sort by [${kind}]`, reason });
}
