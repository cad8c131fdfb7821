// What the two query languages share: words that end in a star under `analyze_wildcard`, and which fields quoted words are for.
import { prefixQuery } from './as-you-type.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { lowerCase } from '../analysis/letter-case.ts';
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

/** A part of a word as an analyzer spells words: lower-cased, but neither cut nor stemmed. */
export function normalized(analyzer: Analyzer, text: string): string {
  if (analyzer.normalize !== undefined) return analyzer.normalize(text);
  return analyzer.analyze('Aa').terms[0] === 'Aa' ? text : lowerCase(text);
}

/** A pattern of `*`, `?` and escapes whose other characters are changed. */
export function normalizedPattern(pattern: string, change: (part: string) => string): string {
  return pattern
    .split(/(\\[^]|[*?]+)/)
    .map((part, at) => (at % 2 === 1 || part === '' ? part : change(part)))
    .join('');
}

/** A prefix whose text is analysed: the last of its words is the prefix, those before it stand as they are; undefined without words. */
export function analysedPrefix(
  field: MappedField,
  text: string,
  analyzer: Analyzer,
  options: { readonly operator: 'and' | 'or'; readonly rewrite?: Rewrite | undefined },
  context: QueryContext,
): Query | undefined {
  const slots = slotsOf(wordsOf(analyzer, text).words);
  const queries = slots.map((slot, at): Query => {
    const terms = slot.terms.map((term): Query =>
      at === slots.length - 1
        ? prefixQuery(field, term, context, { rewrite: options.rewrite })
        : { kind: 'term', field: field.path, term },
    );
    if (terms.length === 1) return terms[0]!;
    return at === slots.length - 1
      ? { kind: 'boolean', should: terms }
      : { kind: 'synonym', field: field.path, terms: slot.terms };
  });
  if (queries.length <= 1) return queries[0];
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
