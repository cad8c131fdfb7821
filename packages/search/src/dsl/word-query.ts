// What the two query languages share: words that end in a star or in a tilde, and which fields quoted words are for.
import { prefixQuery } from './as-you-type.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import { lowerCase } from '../analysis/letter-case.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import { failedQuery, illegalArgument } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';
import { slotsOf } from './analyzed-query.ts';
import { constantTerms } from './constant-query.ts';
import { fuzzyTerm, patternField } from './field-query.ts';
import { unmapped } from './lenient.ts';
import { type WeightedField } from './multi-match.ts';
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
function analysedPrefix(
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

/** Options of words near a word, as both languages have them. */
export interface FuzzyWordOptions {
  readonly analyzer?: string | undefined;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
}

/** A feature has no analyzer, which `simple_query_string` does not expect. */
function requireAnalyzer(field: MappedField | undefined): void {
  if (field?.type !== 'rank_feature' && field?.type !== 'rank_features') return;
  const parser = 'org.elasticsearch.index.search.SimpleQueryStringQueryParser';
  const reason = `Cannot invoke "org.apache.lucene.analysis.Analyzer.normalize(String, String)" because the return value of "${parser}.getAnalyzer(org.elasticsearch.index.mapper.MappedFieldType)" is null`;
  throw failedQuery(reason, undefined, 'null_pointer_exception');
}

/** The words of a field near a word. @param isAnalyzed whether the field needs an analyzer */
export function fuzzyWord(
  name: string,
  text: string,
  edits: 0 | 1 | 2,
  options: FuzzyWordOptions,
  isAnalyzed: boolean,
  context: QueryContext,
): Query {
  const { analyzer, fuzzyMaxExpansions, fuzzyPrefixLength, fuzzyTranspositions } = options;
  if (isAnalyzed) requireAnalyzer(context.mapping.field(name));
  const field = patternField(name, 'fuzzy', context);
  if (field === undefined) return unmapped(name);
  const term =
    field.family === 'text' || analyzer !== undefined
      ? normalized(namedAnalyzer(analyzer, field, context), text)
      : (field.normalizer?.(text) ?? text);
  return fuzzyTerm(field.path, term, {
    fuzziness: edits,
    prefixLength: fuzzyPrefixLength,
    maxExpansions: fuzzyMaxExpansions,
    transpositions: fuzzyTranspositions,
  });
}

/** Options of words that begin so, as both languages have them. */
export interface PrefixWordOptions {
  readonly analyzer?: string | undefined;
  readonly analyzeWildcard: boolean;
  readonly operator: 'and' | 'or';
  readonly rewrite?: Rewrite | undefined;
}

/**
 * The words of a field that begin so; undefined for a text without words.
 *
 * @param isAnalyzed whether the analyzer of the options is for keywords, too
 */
export function prefixWord(
  name: string,
  text: string,
  options: PrefixWordOptions,
  isAnalyzed: boolean,
  context: QueryContext,
): Query | undefined {
  const { analyzeWildcard, analyzer, operator, rewrite } = options;
  const own = context.mapping.field(name);
  if (isAnalyzed) requireAnalyzer(own);
  if (own?.family === 'constant') return constantTerms(own, [`${text}*`], context);
  const field = patternField(name, 'prefix', context);
  if (field === undefined) return unmapped(isAnalyzed ? name : text);
  if (field.family !== 'text' && (!isAnalyzed || analyzer === undefined))
    return prefixQuery(field, field.normalizer?.(text) ?? text, context, { rewrite });
  const used = namedAnalyzer(analyzer, field, context);
  if (analyzeWildcard) return analysedPrefix(field, text, used, { operator, rewrite }, context);
  return prefixQuery(field, normalized(used, text), context, { rewrite });
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
