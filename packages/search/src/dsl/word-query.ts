// What the two query languages share: words that end in a star under `analyze_wildcard`, and which fields quoted words are for.
import type { Analyzer } from '../analysis/analyzer.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Query, Rewrite } from '../query/query.ts';
import { illegalArgument } from '../request-error.ts';
import type { QueryContext } from './context.ts';
import { slotsOf } from './analyzed-query.ts';
import type { WeightedField } from './text-query.ts';
import { wordsOf } from './token-graph.ts';

/** The analyzer of that name, or the one that the field is searched with. @throws RequestError when there is none */
export function namedAnalyzer(name: string | undefined, field: MappedField, context: QueryContext): Analyzer {
  const found = name === undefined ? field.searchAnalyzer : context.mapping.analysis.analyzer(name);
  if (found === undefined) throw illegalArgument(`analyzer [${name}] not found`);
  return found;
}

/** A prefix whose text is analysed: the last of its words is the prefix, those before it stand as they are. */
export function analysedPrefix(
  field: MappedField,
  text: string,
  analyzer: Analyzer,
  options: { readonly operator: 'and' | 'or'; readonly rewrite?: Rewrite | undefined },
): Query {
  const slots = slotsOf(wordsOf(analyzer, text).words);
  const rewrite = options.rewrite === undefined ? {} : { rewrite: options.rewrite };
  const queries = slots.map((slot, at): Query => {
    const terms = slot.terms.map((term): Query =>
      at === slots.length - 1
        ? { kind: 'prefix', field: field.path, prefix: term, ...rewrite }
        : { kind: 'term', field: field.path, term },
    );
    if (terms.length === 1) return terms[0]!;
    return at === slots.length - 1
      ? { kind: 'boolean', should: terms }
      : { kind: 'synonym', field: field.path, terms: slot.terms };
  });
  if (queries.length === 0) return { kind: 'match_none' };
  if (queries.length === 1) return queries[0]!;
  return { kind: 'boolean', ...(options.operator === 'and' ? { must: queries } : { should: queries }) };
}

/** The fields for words in quotes: with the suffix where a field of that name is mapped (`quote_field_suffix`). */
export function quotedFields(
  fields: readonly WeightedField[],
  suffix: string | undefined,
  context: QueryContext,
): readonly WeightedField[] {
  if (suffix === undefined) return fields;
  return fields.map((field) =>
    context.mapping.field(`${field.name}${suffix}`) === undefined
      ? field
      : { ...field, name: `${field.name}${suffix}` },
  );
}
