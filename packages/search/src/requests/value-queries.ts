// Queries about values of fields and about documents, as people ask them, right and wrong. Those about words of texts are in
// text-queries.ts.
import type { Kinds, Make, Words } from './words.ts';

/** A body for a field with values. */
const ofColumn =
  (body: (words: Words, field: string) => unknown): Make =>
  (words) => {
    const field = words.column();
    return { [field]: body(words, field) };
  };

const ofString =
  (body: (words: Words) => unknown): Make =>
  (words) => ({ [words.random.once(3) ? words.text() : words.keyword()]: body(words) });

/** Expressions that no automaton is made of, or too large a one. */
const REGEXPS: readonly string[] = ['(', '[a', 'a{9999}', '(a|b){200}', `(${'a|'.repeat(300)}b){20}`, 'a\\'];

const POINTS = ['1,1', { lat: 1, lon: 1 }, [1, 1]] as const;

export const VALUE_QUERIES: Kinds = {
  match_all: { right: [() => ({}), () => ({ boost: 2 })], wrong: [() => ({ boost: -1 }), () => ({ bost: 1 })] },
  match_none: { right: [() => ({})], wrong: [() => ({ field: 'x' })] },
  type: { right: [() => ({ value: '_doc' })], wrong: [() => ({})] },
  term: {
    right: [ofColumn((w, field) => w.valueOf(field)), ofColumn((w, field) => ({ value: w.valueOf(field), boost: 2 }))],
    wrong: [
      (w) => ({ [w.number()]: w.word() }),
      (w) => ({ [w.date()]: w.word() }),
      (w) => ({ [w.of('boolean')]: w.word() }),
      (w) => ({ [w.of('ip')]: w.word() }),
      (w) => ({ [w.number()]: 1e40 }),
      ofColumn(() => ({ value: [1] })),
      (w) => ({ [w.keyword()]: 'long '.repeat(9000) }),
    ],
  },
  terms: {
    right: [
      ofColumn((w, field) => [w.valueOf(field), w.valueOf(field)]),
      (w) => ({ [w.keyword()]: { index: w.index.name, id: w.id(), path: w.field() } }),
      (w) => ({ [w.number()]: [w.random.int(5), w.random.int(5)], boost: 2 }),
    ],
    risky: [
      // What is looked up in a document may be no value for the field.
      (w) => ({ [w.number()]: { index: w.index.name, id: w.id(), path: w.column() } }),
      (w) => ({ [w.number()]: { index: w.index.name, id: w.id(), path: w.keyword() } }),
      // Or too many.
      (w) => ({ [w.number()]: { index: w.index.name, id: w.id(), path: w.number() } }),
      (w) => ({ [w.date()]: { index: w.index.name, id: w.id(), path: w.text() } }),
    ],
    wrong: [
      (w) => ({ [w.keyword()]: { index: 'absent', id: w.id(), path: w.field() } }),
      (w) => ({ [w.number()]: [w.word()] }),
      (w) => ({ [w.keyword()]: Array.from({ length: 65_537 }, (_, at) => `t${at}`) }),
    ],
  },
  terms_set: {
    right: [
      (w) => ({ [w.keyword()]: { terms: [w.word(), w.word()], minimum_should_match_field: w.number() } }),
      (w) => ({ [w.text()]: { terms: [w.word(), w.word(), 'a'], minimum_should_match_field: w.number() } }),
    ],
    wrong: [
      (w) => ({ [w.keyword()]: { terms: [w.word()], minimum_should_match_field: w.text() } }),
      (w) => ({ [w.keyword()]: { terms: [w.word()], minimum_should_match_script: { source: '1' } } }),
      (w) => ({ [w.keyword()]: { terms: [w.word()] } }),
    ],
  },
  range: {
    right: [
      (w) => ({ [w.keyword()]: { gte: w.word() } }),
      (w) => ({ [w.number()]: { gte: w.random.int(5), lt: 4 } }),
      (w) => ({ [w.date()]: { gte: '2026-01-01||/y', format: 'yyyy-MM-dd' } }),
      (w) => ({ [w.date()]: { gte: '2026-01-01T00:00:00.000000002Z', lt: '2026-01-02||/M', time_zone: '+01:00' } }),
      (w) => ({ [w.of('range')]: { gt: 1, lt: 4, relation: w.random.pick(['intersects', 'contains', 'within']) } }),
      (w) => ({ [w.of('ip')]: { gte: '10.0.0.0', lt: '10.0.0.5' } }),
    ],
    wrong: [
      (w) => ({ [w.number()]: { gte: w.word() } }),
      (w) => ({ [w.number()]: { gte: 1e308, lt: '-Infinity' } }),
      (w) => ({ [w.date()]: { gte: w.word() } }),
      (w) => ({ [w.date()]: { gte: '9999999-01-01', lt: '2026-01-01||+1q' } }),
      (w) => ({ [w.date()]: { gte: 'now', time_zone: 'Mars' } }),
      (w) => ({ [w.number()]: { gte: 1, relation: 'near' } }),
    ],
  },
  exists: {
    right: [(w) => ({ field: w.field() }), (w) => ({ field: w.pattern() })],
    wrong: [() => ({}), () => ({ field: 7 })],
  },
  prefix: {
    right: [
      ofString((w) => w.word().slice(0, 1)),
      ofString((w) => ({ value: w.word().slice(0, 1).toLowerCase(), rewrite: 'top_terms_1' })),
      ofString((w) => ({ value: w.word().slice(0, 1), case_insensitive: true })),
    ],
    wrong: [(w) => ({ [w.number()]: '1' }), ofString((w) => ({ value: w.word(), rewrite: 'never' }))],
  },
  wildcard: {
    right: [
      ofString((w) => `*${w.word().slice(1, 3)}*`),
      ofString((w) => ({ value: `${w.word().slice(0, 1)}?*`, rewrite: 'scoring_boolean' })),
    ],
    wrong: [(w) => ({ [w.date()]: '2*' }), ofString(() => '*?'.repeat(600)), ofString(() => 'a\\')],
  },
  regexp: {
    right: [
      ofString(
        (w) =>
          `${w
            .word()
            .slice(0, 1)
            .replaceAll(/[^\p{L}\p{N}]/gu, '.')}.*`,
      ),
      ofString(() => ({ value: '[a-m].*', flags: 'ALL', max_determinized_states: 1000 })),
    ],
    // Whether there are too many states must not depend on the words that are matched.
    risky: [
      ofString((w) => ({ value: `${w.plainWord().slice(0, 3)}.*`, max_determinized_states: 1 + w.random.int(3) })),
    ],
    wrong: [ofString((w) => w.random.pick(REGEXPS)), ofString(() => 'a'.repeat(1001)), (w) => ({ [w.number()]: '.*' })],
  },
  fuzzy: {
    right: [ofString((w) => ({ value: w.word().toLowerCase(), max_expansions: 1 + w.random.int(2) }))],
    wrong: [ofString((w) => ({ value: w.word(), fuzziness: w.noNumber() })), (w) => ({ [w.number()]: 'x' })],
  },
  ids: {
    right: [(w) => ({ values: [w.id(), w.id()] }), (w) => ({ values: w.index.ids.slice(0, 6) })],
    wrong: [() => ({ values: [{}] }), () => ({})],
  },
  distance_feature: {
    needs: 'date',
    right: [
      (w) => ({ field: w.date(), origin: '2026-01-01', pivot: '30d' }),
      (w) => ({ field: w.of('geo_point'), origin: w.random.pick(POINTS), pivot: '100km' }),
    ],
    wrong: [
      (w) => ({ field: w.date(), origin: w.word(), pivot: '30d' }),
      (w) => ({ field: w.date(), origin: '2026-01-01', pivot: w.random.pick(['-1d', '0d', 'x']) }),
      (w) => ({ field: w.number(), origin: 1, pivot: 1 }),
    ],
  },
  rank_feature: {
    needs: 'rank_feature',
    right: [
      (w) => ({ field: w.of('rank_feature'), boost: 2 }),
      (w) => ({ field: w.of('rank_feature'), saturation: { pivot: 8 } }),
      (w) => ({ field: w.of('rank_feature'), log: { scaling_factor: 4 } }),
      (w) => ({ field: w.of('rank_feature'), sigmoid: { pivot: 7, exponent: 0.6 } }),
    ],
    wrong: [
      (w) => ({ field: w.number() }),
      (w) => ({ field: w.of('rank_feature'), log: { scaling_factor: -4 } }),
      (w) => ({ field: w.of('rank_feature'), saturation: {}, log: { scaling_factor: 4 } }),
    ],
  },
  geo_distance: {
    needs: 'geo_point',
    right: [
      (w) => ({
        distance: '150km',
        [w.of('geo_point')]: w.random.pick(POINTS),
        ...(w.random.once(2) ? { ignore_unmapped: true } : {}),
      }),
    ],
    wrong: [
      (w) => ({ distance: '-1km', [w.of('geo_point')]: '1,1' }),
      (w) => ({ distance: '1km', [w.of('geo_point')]: '95,200' }),
      (w) => ({ distance: '1km', [w.number()]: '1,1' }),
    ],
  },
  geo_bounding_box: {
    needs: 'geo_point',
    right: [(w) => ({ [w.of('geo_point')]: { top_left: { lat: 2, lon: 0 }, bottom_right: '0,2' } })],
    wrong: [
      (w) => ({ [w.of('geo_point')]: { top_left: '0,0', bottom_right: '2,2' } }),
      (w) => ({ [w.keyword()]: { top_left: '2,0', bottom_right: '0,2' } }),
    ],
  },
  geo_polygon: {
    needs: 'geo_point',
    right: [(w) => ({ [w.of('geo_point')]: { points: ['0,0', '2,0', '2,2', '0,2'] } })],
    wrong: [(w) => ({ [w.of('geo_point')]: { points: ['0,0', '1,1'] } }), (w) => ({ [w.text()]: { points: [] } })],
  },
};
