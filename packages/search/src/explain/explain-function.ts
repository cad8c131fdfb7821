// How the functions of a `function_score` explain what they give a document (Elasticsearch's ScoreFunction and CombineFunction).
import { javaDouble, javaFloat } from '../json/java-values.ts';
import { hasBit } from '../index/bits.ts';
import type { Explanation } from '../query/explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { FunctionScoreQuery, ScoreFunction } from '../query/kinds/function-score.ts';

const { fround } = Math;
const MAX_FLOAT = 3.4028234663852886e38;

function told(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { value, description, details };
}

/** @param valueOf computes the function for the document */
export function explainFunction(
  definition: ScoreFunction,
  segment: SegmentView,
  doc: number,
  valueOf: (definition: ScoreFunction) => number,
): Explanation {
  const { function: computed, weight } = definition;
  const bare = { function: computed } as ScoreFunction;
  const part =
    computed === undefined
      ? told(1, 'constant score 1.0 - no function provided')
      : explainComputed(computed, segment, doc, valueOf(bare));
  if (weight === undefined) return part;
  return told(fround(part.value * fround(weight)), 'product of:', [part, told(weight, 'weight')]);
}

function explainComputed(
  computed: NonNullable<ScoreFunction['function']>,
  segment: SegmentView,
  doc: number,
  value: number,
): Explanation {
  switch (computed.kind) {
    case 'field_value_factor': {
      const { factor = 1, field, missing, modifier = 'none' } = computed;
      const otherwise = missing === undefined ? '' : `?:${javaDouble(missing)}`;
      return told(
        value,
        `field value function: ${modifier}(doc['${field}'].value${otherwise} * factor=${javaFloat(factor)})`,
      );
    }
    case 'random':
      return told(value, `random score function (seed: ${computed.seed}, field: ${computed.field?.path ?? '_id'})`);
    case 'decay': {
      const { decay = 0.5, field, scale, shape } = computed;
      const distance = distanceOf(computed, segment, doc);
      const text =
        shape === 'gauss'
          ? `exp(-0.5*pow(${distance},2.0)/${javaDouble((-0.5 * scale ** 2) / Math.log(decay))})`
          : shape === 'exp'
            ? `exp(- ${distance} * ${javaDouble(-Math.log(decay) / scale)})`
            : `max(0.0, ((${javaDouble(scale / (1 - decay))} - ${distance})/${javaDouble(scale / (1 - decay))})`;
      return told(value, `Function for field ${field}:`, [told(value, text)]);
    }
  }
}

/** The distances of a document's values from the origin, as they are computed. */
function distanceOf(
  computed: NonNullable<ScoreFunction['function']> & { readonly kind: 'decay' },
  segment: SegmentView,
  doc: number,
): string {
  const { field, multiValueMode = 'min', offset = 0, origin } = computed;
  const mode = multiValueMode.toUpperCase();
  const far = `(=origin)) - ${javaDouble(offset)}(=offset), 0)`;
  if (typeof origin === 'number') {
    const texts = valuesAt(segment.number(field), doc, (column, at) => column.values[at]!).map(
      (value) =>
        `Math.max(Math.abs(${javaDouble(value)}(=doc value) - ${javaDouble(origin)}(=origin))) - ${javaDouble(offset)}(=offset), 0)`,
    );
    return `${mode}[${texts.length === 0 ? '0.0' : texts.join(', ')}]`;
  }
  const texts = valuesAt(segment.geo(field), doc, (column, at) => {
    const [lat, lon] = [column.lat[at]!, column.lon[at]!];
    return `Math.max(arcDistance(${javaDouble(lat)}, ${javaDouble(lon)}(=doc value),${javaDouble(origin.lat)}, ${javaDouble(origin.lon)}${far}`;
  });
  return `${mode} of: [${texts.length === 0 ? '0.0' : texts.join(', ')}]`;
}

/** What a document has in a column. */
export function valuesAt<
  C extends { readonly starts: Uint32Array | undefined; readonly exists: Int32Array | undefined },
  T,
>(column: C | undefined, doc: number, read: (column: C, at: number) => T): readonly T[] {
  if (column === undefined) return [];
  const { exists, starts } = column;
  if (starts === undefined) return exists === undefined || hasBit(exists, doc) ? [read(column, doc)] : [];
  return Array.from({ length: starts[doc + 1]! - starts[doc]! }, (_, at) => read(column, starts[doc]! + at));
}

/** The score of the query and the value of the functions together. */
export function combineFunctions(
  mode: NonNullable<FunctionScoreQuery['boostMode']>,
  query: Explanation,
  factor: Explanation,
  maxBoost = MAX_FLOAT,
): Explanation {
  const capped = told(Math.min(fround(factor.value), maxBoost), 'min of:', [factor, told(maxBoost, 'maxBoost')]);
  const [a, b] = [fround(query.value), fround(capped.value)];
  switch (mode) {
    case 'multiply':
      return told(fround(a * b), 'function score, product of:', [query, capped]);
    case 'replace':
      return capped;
    case 'sum':
      return told(fround(a + b), 'sum of', [query, capped]);
    case 'avg':
      return told(fround(fround(a + b) / 2), 'avg of', [query, capped]);
    case 'min':
      return told(Math.min(a, b), 'min of', [query, capped]);
    case 'max':
      return told(Math.max(a, b), 'max of:', [query, capped]);
  }
}
