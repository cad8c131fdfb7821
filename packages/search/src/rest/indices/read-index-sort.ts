// Reads `index.sort.*`: in which order an index keeps its documents. What the order does is in index/index-sort.ts.
import { noColumn } from '../../columns/values.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import type { IndexSortKey } from '../../index/index-sort.ts';
import { textOf } from '../../json/json.ts';
import { hasColumn, hasFielddata, type MappedField } from '../../mapping/field-type.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { isConstant } from '../../mapping/metadata-fields.ts';
import { nanosPath } from '../../mapping/nanos.ts';

/** Reads the keys of the order; none where nothing is said. @param flat settings without the `index` prefix @throws RequestError for what no index can be sorted by */
export function readIndexSort(flat: ReadonlyMap<string, unknown>, mapping: Mapping): readonly IndexSortKey[] {
  const fields = listOf(flat.get('sort.field')) ?? [];
  const option = <T extends string>(name: string, read: (text: string) => T): readonly T[] | undefined => {
    const given = listOf(flat.get(`sort.${name}`))?.map(read);
    if (given !== undefined && given.length !== fields.length)
      throw illegalArgument(
        `index.sort.field:[${fields.join(', ')}] index.sort.${name}:[${given.join(', ')}], size mismatch`,
      );
    return given;
  };
  const orders = option('order', readOrder);
  const modes = option('mode', readMode);
  const missing = option('missing', readMissing);
  const keys = new Map<string, IndexSortKey>();
  fields.forEach((name, at) => {
    const descending = orders?.[at] === 'desc';
    const column = columnOf(name, mapping);
    const mode = (modes?.[at] ?? (descending ? 'MAX' : 'MIN')) === 'MAX' ? 'max' : 'min';
    // Documents that an earlier key finds equal are equal by the same value again, in any direction.
    const identity = `${mode} ${column}`;
    if (!keys.has(identity))
      keys.set(identity, { column, descending, mode, missing: missing?.[at] === '_first' ? 'first' : 'last' });
  });
  if (keys.size > MOST_KEYS)
    throw illegalArgument(
      `index.sort.field: an index is sorted by at most [${MOST_KEYS}] keys but there were [${keys.size}]. Name fewer fields.`,
    );
  return [...keys.values()];
}

/** Keys of an order at most: each takes eight bytes a document while a segment is sorted. */
const MOST_KEYS = 16;

/** A list, or its texts in one, divided by commas. */
function listOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map(textOf);
  return textOf(value)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function readOrder(text: string): 'asc' | 'desc' {
  const order = text.toLowerCase();
  if (order !== 'asc' && order !== 'desc') throw illegalArgument(`Illegal sort order:${text}`);
  return order;
}

function readMode(text: string): string {
  const mode = text.toUpperCase();
  if (!['SUM', 'AVG', 'MEDIAN', 'MIN', 'MAX'].includes(mode)) throw illegalArgument(`Illegal sort mode: ${text}`);
  if (mode !== 'MIN' && mode !== 'MAX')
    throw illegalArgument(`Illegal index sort mode:[${mode}], must be one of [MAX, MIN]`);
  return mode;
}

function readMissing(text: string): string {
  if (text !== '_first' && text !== '_last')
    throw illegalArgument(`Illegal missing value:[${text}], must be one of [_last, _first]`);
  return text;
}

/** Types that have columns, and no order that an index could keep. */
const UNSORTABLE: readonly string[] = ['half_float', 'scaled_float', '_id', 'flattened', 'wildcard'];

/** The column that holds the values of a field. */
function columnOf(name: string, mapping: Mapping): string {
  const field = mapping.field(name);
  if (field === undefined) throw illegalArgument(`unknown index sort field:[${name}]`);
  if (field.family === 'geo')
    throw illegalArgument("can't sort on geo_point field without using specific sorting feature, like geo_distance");
  if (field.type === 'binary') throw illegalArgument("can't sort on binary field");
  if (UNSORTABLE.includes(field.type) || hasFielddata(field) || isConstant(field) || isRange(field))
    throw illegalArgument(`invalid index sort field:[${name}]`);
  if (!hasColumn(field)) {
    const { message: reason } = noColumn(field, mapping);
    throw illegalArgument(`docvalues not found for index sort field:[${name}]`, {
      causedBy: { type: 'illegal_argument_exception', reason },
    });
  }
  return field.type === 'date_nanos' ? nanosPath(field.path) : field.path;
}

function isRange({ type }: MappedField): boolean {
  return type.endsWith('_range');
}
