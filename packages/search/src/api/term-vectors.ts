// The words of documents, field by field, with where they stand and how frequent they are: what `_termvectors` and `_mtermvectors` answer
// once the documents have been read. The words are made anew from the source.
import type { Analyzer } from '../analysis/analyzer.ts';
import { globMatches } from '../glob.ts';
import { asString, isObject, type Json, textOf } from '../json.ts';
import { type MappedField, toTerm } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { TermTotals } from '../query/term-totals.ts';
import { type Allowance, checkTime, isLimit, spend, withBudget } from '../request-budget.ts';
import { whole } from '../large-json.ts';
import { illegalArgument } from '../request-error.ts';
import { causeOf } from '../error-shape.ts';
import { valuesOfField } from '../mapping/values-of-field.ts';
import type { SearchTarget } from './target.ts';

/** What is to be shown of a document's words. */
export interface WantedVectors {
  /** Patterns; undefined: the fields that keep their vectors, or all of a document that is given. */
  readonly fields: readonly string[] | undefined;
  readonly offsets: boolean;
  readonly positions: boolean;
  readonly termStatistics: boolean;
  readonly fieldStatistics: boolean;
  /** Names of analyzers by field. */
  readonly analyzers: Json;
}

/** A document whose words are asked for, or what is answered without them. */
export type AskedVectors =
  | { readonly kind: 'answered'; readonly answer: Json }
  | {
      readonly kind: 'words';
      /** What the answer says before the words. */
      readonly head: Json;
      /** The place of its index among the targets. */
      readonly target: number;
      /** As stored, or given in the request. */
      readonly source: Uint8Array | Json;
      readonly wanted: WantedVectors;
    };

const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** Steps that a word takes from the text into the answer. */
const WORD_STEPS = 500;

/** Answers for one document. @throws RequestError when its words cannot be told */
export function runVectors(asked: AskedVectors, targets: readonly SearchTarget[], allowance: Allowance): Json {
  return withBudget(allowance, () => answerFor(asked, totalsOf(targets)));
}

/** Answers for many documents; what is wrong with one is told in its place. */
export function runManyVectors(
  asked: readonly AskedVectors[],
  targets: readonly SearchTarget[],
  allowance: Allowance,
): Json {
  return withBudget(allowance, () => {
    const totals = totalsOf(targets);
    const docs = asked.map((each): Json => {
      checkTime();
      try {
        return answerFor(each, totals);
      } catch (error) {
        if (isLimit(error) || each.kind === 'answered') throw error;
        const { _index, _type, _id = null } = each.head;
        const cause = causeOf(error).error;
        return { _index, _type, _id, error: { root_cause: [cause], ...cause } };
      }
    });
    return { docs };
  });
}

interface OfTarget {
  readonly mapping: Mapping;
  /** Counted on first use, and once for all documents. */
  totals(): TermTotals;
}

function totalsOf(targets: readonly SearchTarget[]): readonly OfTarget[] {
  return targets.map((each) => {
    let found: TermTotals | undefined;
    return { mapping: each.target.mapping, totals: () => (found ??= new TermTotals(each.searcher)) };
  });
}

function answerFor(asked: AskedVectors, targets: readonly OfTarget[]): Json {
  if (asked.kind === 'answered') return asked.answer;
  const { source, wanted, head } = asked;
  const parsed: unknown = source instanceof Uint8Array ? JSON.parse(decoder.decode(source)) : whole(source);
  const given = !(source instanceof Uint8Array);
  return { ...head, term_vectors: vectors(targets[asked.target]!, isObject(parsed) ? parsed : {}, given, wanted) };
}

function vectors(of: OfTarget, source: Json, given: boolean, wanted: WantedVectors): Json {
  const { mapping } = of;
  const printed: Record<string, unknown> = {};
  for (const field of [...mapping.fields.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if ((field.family !== 'text' && field.family !== 'keyword') || !field.index) continue;
    const isWanted =
      wanted.fields?.some((pattern) => globMatches(pattern, field.path)) ??
      (given || !['no', 'undefined'].includes(String(field.definition['term_vector'])));
    if (!isWanted) continue;
    const values = valuesOfField(field, source, mapping).filter((value) => !isObject(value));
    if (values.length > 0) printed[field.path] = vector(field, values, of, wanted);
  }
  return printed;
}

function vector(field: MappedField, values: readonly unknown[], of: OfTarget, wanted: WantedVectors): Json {
  const name = wanted.analyzers[field.path];
  let analyzer: Analyzer | undefined = field.family === 'text' ? field.analyzer : undefined;
  if (name !== undefined) {
    analyzer = of.mapping.analysis.analyzer(asString(name, 'per_field_analyzer'));
    if (analyzer === undefined) throw illegalArgument(`No analyzer [${textOf(name)}] found for field [${field.path}]`);
  }
  const terms = new Map<string, { position: number; start: number; end: number }[]>();
  let position = 0;
  let offset = 0;
  for (const value of values) {
    const text = textOf(value);
    const add = (term: string, at: number, start: number, end: number): void => {
      const list = terms.get(term);
      const token = { position: position + at, start: offset + start, end: offset + end };
      if (list === undefined) terms.set(term, [token]);
      else list.push(token);
    };
    if (analyzer === undefined) {
      if (text.length <= field.ignoreAbove) add(toTerm(field, value), 0, 0, text.length);
      position++;
    } else {
      const found = analyzer.analyze(text);
      found.terms.forEach((term, at) => add(term, found.positions[at]!, found.starts[at]!, found.ends[at]!));
      position += found.endPosition + analyzer.positionIncrementGap;
      spend(found.terms.length * WORD_STEPS);
    }
    offset += text.length + 1;
  }
  const sorted = [...terms]
    .map(([term, tokens]) => ({ term, tokens, bytes: encoder.encode(term) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const totals = wanted.fieldStatistics ? of.totals().ofField(field.path) : undefined;
  return {
    ...(totals === undefined
      ? {}
      : {
          field_statistics: {
            sum_doc_freq: totals.sumDocFreq,
            doc_count: totals.docCount,
            sum_ttf: totals.sumTotalTermFreq,
          },
        }),
    terms: Object.fromEntries(
      sorted.map(({ term, tokens }) => {
        const frequencies = wanted.termStatistics ? of.totals().ofTerm(field.path, term) : undefined;
        return [
          term,
          {
            ...(frequencies === undefined || frequencies.docFreq === 0
              ? {}
              : { doc_freq: frequencies.docFreq, ttf: frequencies.total }),
            term_freq: tokens.length,
            ...(wanted.positions || wanted.offsets
              ? {
                  tokens: tokens.map((token) => ({
                    ...(wanted.positions ? { position: token.position } : {}),
                    ...(wanted.offsets ? { start_offset: token.start, end_offset: token.end } : {}),
                  })),
                }
              : {}),
          },
        ];
      }),
    ),
  };
}
