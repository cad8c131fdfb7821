// Scores changed by functions of the document.
import { FunctionScoreWeight } from '../function-score.ts';
import type { FieldTypes } from '../lucene/nested-scope.ts';
import type { Query, QueryNode } from '../query.ts';
import { COMPOUND, type QueryKind } from '../query-kind.ts';
import type { Json } from '../../json/json.ts';
import type { ClusterCompiler } from '../cluster/cluster-compiler.ts';
import { originOf } from '../cluster/leaves.ts';
import { both, RED } from '../cluster/on-cluster.ts';
import { limited } from '../cluster/verdict.ts';

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
  cluster: {
    ...both(
      limited(
        'weights and decay functions (of dates, to the millisecond that the format of the field can say); without min_score',
        'random_score depends on shards and names of indices; a document whose field_value_factor fails, visible or not, ends the search; min_score computes while it filters',
      ),
    ),
    compile: compileOnCluster,
    samples: {
      sent: [
        { kind: 'function_score', query: RED, functions: [{ weight: 2, filter: RED }] },
        {
          kind: 'function_score',
          query: RED,
          functions: [{ function: { kind: 'decay', shape: 'gauss', field: 'n', origin: 1, scale: 2 } }],
        },
      ],
      refused: [
        { kind: 'function_score', query: RED, functions: [{ function: { kind: 'random', seed: 1 } }] },
        { kind: 'function_score', query: RED, functions: [{ function: { kind: 'field_value_factor', field: 'n' } }] },
        {
          kind: 'function_score',
          query: RED,
          functions: [
            { weight: 0, function: { kind: 'field_value_factor', field: 'n', modifier: 'square', missing: 1 } },
          ],
        },
        {
          kind: 'function_score',
          query: RED,
          functions: [{ function: { kind: 'decay', shape: 'exp', field: 'at', origin: 64_800_000, scale: 1000 } }],
        },
        { kind: 'function_score', query: RED, functions: [{ weight: 2 }], minScore: 1 },
      ],
    },
  },
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

function compileOnCluster(query: FunctionScoreQuery, at: ClusterCompiler): Json {
  const { boostMode = 'multiply', functions, maxBoost, minScore, scoreMode = 'multiply' } = query;
  if (minScore !== undefined) at.refuse(query);
  return {
    function_score: {
      query: at.scored(query.query),
      functions: functions.map(({ filter, function: definition, weight }) => ({
        ...(filter === undefined ? {} : { filter: at.filter(filter) }),
        ...(weight === undefined ? {} : { weight }),
        ...(definition === undefined ? {} : functionOnCluster(definition, query, at)),
      })),
      score_mode: scoreMode,
      boost_mode: boostMode,
      ...(maxBoost === undefined || !Number.isFinite(maxBoost) ? {} : { max_boost: maxBoost }),
    },
  };
}

function functionOnCluster(
  definition: NonNullable<ScoreFunction['function']>,
  query: FunctionScoreQuery,
  at: ClusterCompiler,
): Json {
  // A factor may be infinite or negative for a hidden document, and fail.
  if (definition.kind !== 'decay') return at.refuse(query);
  const { field: path } = definition;
  const field = at.fields.field(path);
  // A field that the view shows in some documents only would score by its value in the others.
  if (field === undefined || at.fields.guard(path) !== undefined) return at.refuse(query);
  const { decay = 0.5, multiValueMode = 'min', offset = 0, shape } = definition;
  const origin = originOf(field, definition.origin);
  const isDate = field.family === 'date';
  const isSaid = !isDate || [definition.scale, offset].every(Number.isInteger);
  if (origin === undefined || !isSaid) return at.refuse(query);
  const unit = isDate ? 'ms' : typeof definition.origin === 'number' ? undefined : 'm';
  const distance = (value: number): number | string => (unit === undefined ? value : `${value}${unit}`);
  const body = { origin, scale: distance(definition.scale), offset: distance(offset), decay };
  return { [shape]: { [path]: body, multi_value_mode: multiValueMode } };
}
