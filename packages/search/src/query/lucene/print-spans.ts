// How span queries and intervals print in Lucene.
import type { IntervalSource } from '../kinds/intervals.ts';
import type { SpanQuery, SpanSource } from '../kinds/span.ts';
import { printPattern } from './print-words.ts';

/** A query of spans; what counts as another field is masked as it. @param source its own by default */
export function printSpanQuery({ shownAs, source: own }: SpanQuery, source: SpanSource = own): string {
  return masked(source.shownAs === undefined ? shownAs : undefined, printSpans(source));
}

const masked = (shownAs: string | undefined, text: string): string =>
  shownAs === undefined ? text : `mask(${text}) as ${shownAs}`;

export const printSpans = (source: SpanSource): string => masked(source.shownAs, printOwn(source));

/** As what they are. */
function printOwn(source: SpanSource): string {
  const inner = printSpans;
  switch (source.kind) {
    case 'term':
      return `${source.field}:${source.term}`;
    case 'pattern':
      return `SpanMultiTermQueryWrapper(${printPattern(source.query)})`;
    case 'gap':
      return `SpanGap(:${source.width})`;
    case 'or':
      if (source.none !== undefined) return `SpanMatchNoDocsQuery("${source.none}")`;
      return `spanOr([${source.clauses.map(inner).join(', ')}])`;
    case 'near':
      return `spanNear([${source.clauses.map(inner).join(', ')}], ${source.slop}, ${source.inOrder})`;
    case 'not':
      return `spanNot(${inner(source.include)}, ${inner(source.exclude)}, ${source.pre}, ${source.post})`;
    case 'first':
      return `spanFirst(${inner(source.match)}, ${source.end})`;
    case 'containing':
      return `SpanContaining(${inner(source.big)}, ${inner(source.little)})`;
    case 'within':
      return `SpanWithin(${inner(source.big)}, ${inner(source.little)})`;
  }
}

/** The field of a source's words. */
const fieldOf = (source: SpanSource): string | undefined => source.shownAs ?? ownFieldOf(source);

/** The same of what they are, and not of what they are masked as. */
export function ownFieldOf(source: SpanSource): string | undefined {
  switch (source.kind) {
    case 'term':
      return source.field;
    case 'pattern':
      return source.query.field;
    case 'gap':
      return undefined;
    case 'or':
    case 'near':
      return source.clauses.map(fieldOf).find((field) => field !== undefined);
    case 'not':
      return fieldOf(source.include);
    case 'first':
      return fieldOf(source.match);
    default:
      return fieldOf(source.big);
  }
}

/** Intervals, without their field. */
export function printIntervals(source: IntervalSource): string {
  const all = (sources: readonly IntervalSource[]): string => sources.map(printIntervals).join(',');
  switch (source.kind) {
    case 'none':
      return 'no_match';
    case 'terms':
      return source.terms.length === 1 ? source.terms[0]! : `or(${source.terms.join(',')})`;
    case 'pattern': {
      const { query } = source;
      if (query.kind === 'prefix') return `MultiTerm(${query.prefix}*)`;
      return `MultiTerm(${query.kind === 'fuzzy' ? query.term : query.pattern})`;
    }
    case 'any':
      return `or(${all(source.sources)})`;
    case 'ordered':
      return `ORDERED(${all(source.sources)})`;
    case 'unordered':
      return `UNORDERED(${all(source.sources)})`;
    case 'block':
      return `BLOCK(${all(source.sources)})`;
    case 'max_gaps':
      return `MAXGAPS/${source.gaps}(${printIntervals(source.source)})`;
    case 'extend':
      return `EXTEND(${printIntervals(source.source)},${source.before},0)`;
    case 'filter':
      return `${source.how.toUpperCase()}(${printIntervals(source.source)},${printIntervals(source.reference)})`;
  }
}
