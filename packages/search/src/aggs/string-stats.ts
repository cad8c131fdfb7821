// `string_stats`: how long the values of a keyword field are, and how evenly their characters are spread (Shannon's entropy). Characters are
// UTF-16 units, as in Elasticsearch.
import { type Json, textOf } from '../json/json.ts';
import { isNumeric, printTerm } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import type { Aggregator } from './aggregator.ts';
import type { MetricOptions } from './metrics.ts';
import { columnField, terms, unsuitable } from '../columns/values.ts';

/** What was seen of the values of one bucket above. */
class Lengths {
  count = 0;
  total = 0;
  min = Infinity;
  max = 0;
  readonly characters = new Map<string, number>();

  add(text: string): void {
    this.count++;
    this.total += text.length;
    this.min = Math.min(this.min, text.length);
    this.max = Math.max(this.max, text.length);
    tick(text.length * 32);
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!;
      this.characters.set(character, (this.characters.get(character) ?? 0) + 1);
    }
  }

  /** Each character with its share, the most frequent first. */
  distribution(): (readonly [string, number])[] {
    return [...this.characters]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .map(([character, count]) => [character, count / this.total] as const);
  }
}

/** Makes the aggregation. */
export function stringStatsAggregator(options: MetricOptions & { readonly showsDistribution: boolean }): Aggregator {
  const buckets: (Lengths | undefined)[] = [];
  const { print } = options;
  return {
    name: options.name,
    typeName: 'string_stats',
    meta: options.meta,
    needsScores: false,
    open(scope) {
      const field = columnField(options.field, scope.mapping);
      if (field === undefined) {
        const { missing } = options;
        return missing === undefined
          ? undefined
          : (_, bucket) => (buckets[bucket] ??= new Lengths()).add(textOf(missing));
      }
      if (isNumeric(field) || field.family === 'geo') throw unsuitable(field, options.field, 'string_stats');
      const source = terms(scope, field, options.missing);
      if (source === undefined) return undefined;
      const texts: string[] = [];
      const termOf = (ordinal: number): string => (texts[ordinal] ??= printTerm(field, source.term(ordinal)));
      return (doc, bucket) => source.each(doc, (ordinal) => (buckets[bucket] ??= new Lengths()).add(termOf(ordinal)));
    },
    result(bucket) {
      const lengths = buckets[bucket];
      if (lengths === undefined)
        return {
          count: 0,
          min_length: null,
          max_length: null,
          avg_length: null,
          entropy: 0,
          ...(options.showsDistribution ? { distribution: null } : {}),
        };
      const { count, min, max, total } = lengths;
      const distribution = lengths.distribution();
      const average = total / count;
      // Without characters it would be the zero below zero.
      const entropy = Math.abs(distribution.reduce((sum, [, share]) => sum + share * Math.log2(share), 0));
      const found: Json = {
        count,
        min_length: min,
        max_length: max,
        avg_length: average,
        entropy,
        ...(options.showsDistribution ? { distribution: Object.fromEntries(distribution) } : {}),
      };
      if (print === undefined) return found;
      return {
        ...found,
        // The names are Elasticsearch's.
        min_length_as_string: print(min),
        max_as_string: print(max),
        avg_length_as_string: print(average),
        entropy_string: print(entropy),
        ...(options.showsDistribution
          ? { distribution_string: Object.fromEntries(distribution.map(([key, share]) => [key, print(share)])) }
          : {}),
      };
    },
  };
}
