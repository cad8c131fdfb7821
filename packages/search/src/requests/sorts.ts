// Orders of hits, as people ask them, right and wrong.
import type { Kind, Words } from './words.ts';

const SORTS: Kind = {
  right: [
    () => '_score',
    () => '_doc',
    (w) => ({ [w.keyword()]: { order: w.random.pick(['asc', 'desc']), unmapped_type: 'keyword' } }),
    (w) => ({ [w.number()]: { order: 'desc', missing: '_first', unmapped_type: 'long' } }),
    (w) => ({ [w.number()]: { order: 'asc', mode: w.random.pick(['max', 'avg', 'sum']), unmapped_type: 'long' } }),
    (w) => ({ [w.date()]: { order: 'desc', missing: '_last', unmapped_type: 'date' } }),
    (w) => w.column(),
    (w) => ({ [w.random.pick(['_id', '_index'])]: w.random.pick(['asc', 'desc']) }),
    (w) => ({ _geo_distance: { [w.of('geo_point')]: [1, 1], unit: 'km', ignore_unmapped: true } }),
    (w) => ({ [w.number()]: { order: 'asc', mode: 'min', nested: { path: w.of('nested') }, unmapped_type: 'long' } }),
  ],
  risky: [
    (w) => ({ [w.date()]: { numeric_type: 'date_nanos', order: 'desc' } }),
    (w) => ({ [w.date()]: { numeric_type: 'date_nanos', missing: '_first' } }),
  ],
  wrong: [
    (w) => ({ [w.text()]: 'asc' }),
    (w) => ({ [w.field()]: 'sideways' }),
    (w) => ({ [w.keyword()]: { mode: 'avg' } }),
    (w) => ({ [w.number()]: { missing: w.word() } }),
    (w) => ({ [w.number()]: { missing: 1e300, numeric_type: 'date_nanos' } }),
    (w) => ({ [w.date()]: { numeric_type: 'date_nanos', missing: 0.5 } }),
    (w) => ({ [w.of('geo_point')]: 'asc' }),
    (w) => ({ _geo_distance: { [w.number()]: [1, 1] } }),
    () => ({ _script: { type: 'number', script: '1', order: 'asc' } }),
    () => 'absent',
  ],
};

/** Makes a key to sort by. */
export function randomSort(words: Words): unknown {
  return words.make(SORTS, () => '_doc');
}
