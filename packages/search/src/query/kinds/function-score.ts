// Scores changed by functions of the document.
import { FunctionScoreWeight } from '../function-score.ts';
import type { FieldTypes } from '../lucene/nested-scope.ts';
import type { Query, QueryNode } from '../query.ts';
import { COMPOUND, type QueryKind } from '../query-kind.ts';

export type ScoreModifier =
  | 'none'
  | 'log'
  | 'log1p'
  | 'log2p'
  | 'ln'
  | 'ln1p'
  | 'ln2p'
  | 'square'
  | 'sqrt'
  | 'reciprocal';

/** Which of several distances counts. */
export type MultiValueMode = 'min' | 'max' | 'avg' | 'sum' | 'median';

/** The field that decides chance, and how its values are spelled. */
export interface RandomField {
  readonly path: string;
  readonly as: 'term' | 'whole' | 'double' | 'nanos';
}

/** One function of a `function_score`; without a function, `weight` alone is its value. */
export interface ScoreFunction {
  readonly filter?: Query;
  readonly weight?: number;
  readonly function?:
    | {
        readonly kind: 'field_value_factor';
        readonly field: string;
        readonly factor?: number;
        readonly modifier?: ScoreModifier;
        /** The value of documents without one; without it such a document is an error, as in Elasticsearch. */
        readonly missing?: number;
      }
    | {
        readonly kind: 'decay';
        readonly shape: 'gauss' | 'exp' | 'linear';
        readonly field: string;
        /** Numbers and milliseconds; for a point, `origin` is a point and the distances are metres. */
        readonly origin: number | { readonly lat: number; readonly lon: number };
        readonly scale: number;
        readonly offset?: number;
        readonly decay?: number;
        readonly multiValueMode?: MultiValueMode;
      }
    /** By the id where there is no field. */
    | { readonly kind: 'random'; readonly seed: number; readonly field?: RandomField };
}

export interface FunctionScoreQuery extends QueryNode {
  readonly kind: 'function_score';
  readonly query: Query;
  readonly functions: readonly ScoreFunction[];
  readonly scoreMode?: 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
  readonly boostMode?: 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
  readonly maxBoost?: number;
  readonly minScore?: number;
}

export const functionScore: QueryKind<FunctionScoreQuery> = {
  ...COMPOUND,
  children: ({ functions, query }) => ({
    matching: [query],
    other: functions.flatMap(({ filter }) => filter ?? []),
  }),
  caching: () => 'none',
  compile: (query, at) =>
    new FunctionScoreWeight(
      at.statistics,
      at.build(query.query),
      query,
      query.functions.map((definition) => ({
        definition,
        filter: definition.filter === undefined ? undefined : at.unscored().build(definition.filter),
      })),
    ),
  lucene: (source, { read, types }) => ({
    kind: 'function',
    query: read(source.query),
    filters: source.functions.map(({ filter }) => (filter === undefined ? undefined : read(filter))),
    functions: source.functions.map((each) => `{${className(each, types)}}`),
    source,
  }),
};

const FUNCTIONS = 'org.elasticsearch.common.lucene.search.function.';

/** The Java class of a function, which prints without its fields. */
function className({ filter, function: definition, weight }: ScoreFunction, types: FieldTypes): string {
  if (filter !== undefined) return `${FUNCTIONS}FunctionScoreQuery$FilterScoreFunction`;
  if (weight !== undefined || definition === undefined) return `${FUNCTIONS}WeightFactorFunction`;
  switch (definition.kind) {
    case 'field_value_factor':
      return `${FUNCTIONS}FieldValueFactorFunction`;
    case 'random':
      return `${FUNCTIONS}RandomScoreFunction`;
    case 'decay': {
      const kind = types.field(definition.field)?.type === 'geo_point' ? 'Geo' : 'Numeric';
      return `org.elasticsearch.index.query.functionscore.DecayFunctionBuilder$${kind}FieldDataScoreFunction`;
    }
  }
}
