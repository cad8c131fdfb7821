// Why a document matches a query, or does not, and what its score is made of: Lucene's tree and words. The scores are those of the
// compiled query; what is added here is who says what of them.
import { javaFloat } from '../json/java-values.ts';
import { hasBit } from '../index/bits.ts';
import type { Explanation } from '../query/explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { compile } from '../query/compile.ts';
import type { Query } from '../query/query.ts';
import { type Scorer, scorerAt, type Weight } from '../query/scorer.ts';
import type { FieldTypes } from '../query/lucene/nested-scope.ts';
import type { Statistics } from '../query/statistics.ts';
import { combineFunctions, explainFunction, valuesAt } from './explain-function.ts';
import { createExpand } from './expand-lucene.ts';
import { type LuceneQuery, printLucene } from '../query/lucene/lucene-query.ts';
import { rewriteLucene } from './rewrite-lucene.ts';
import { toLucene, toLuceneSearch } from './to-lucene.ts';

const { fround } = Math;

/** Explains a document for a query. @param path of the nested field whose element it is; a root document without it */
export function explainQuery(
  query: Query,
  types: FieldTypes,
  statistics: Statistics,
  segment: SegmentView,
  doc: number,
  path?: string,
): Explanation {
  const explainer = new Explainer(statistics, segment);
  const rewritten = rewriteLucene(
    path === undefined ? toLuceneSearch(query, types) : toLucene(query, types),
    createExpand(statistics, types),
  );
  return explainer.explain(rewritten, { doc, boost: 1, path });
}

/** What a query becomes before it is searched, as text; what it was where it becomes one that finds nothing. */
export function printRewritten(query: Query, types: FieldTypes, statistics: Statistics): string {
  const whole = toLuceneSearch(query, types);
  const rewritten = rewriteLucene(whole, createExpand(statistics, types));
  return printLucene(rewritten.kind === 'none' ? toLucene(query, types) : rewritten);
}

/** Which document is explained, and where in the tree. */
interface Place {
  readonly doc: number;
  /** The product of the boosts above. */
  readonly boost: number;
  /** The nested path the document belongs to; undefined: roots. */
  readonly path: string | undefined;
}

function told(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { value, description, details };
}

function failed(description: string, details: readonly Explanation[] = []): Explanation {
  return { value: 0, description, details, fails: true };
}

function withoutScore(query: LuceneQuery): LuceneQuery {
  return query.kind === 'constant' || query.kind === 'boost' ? withoutScore(query.query) : query;
}

class Explainer {
  private readonly statistics: Statistics;
  private readonly segment: SegmentView;

  constructor(statistics: Statistics, segment: SegmentView) {
    this.statistics = statistics;
    this.segment = segment;
  }

  explain(query: LuceneQuery, place: Place): Explanation {
    switch (query.kind) {
      case 'none':
        return failed(query.reason);
      case 'boost':
        return this.explain(query.query, { ...place, boost: fround(place.boost * fround(query.boost)) });
      case 'all':
      case 'constant':
      case 'set':
        return this.constant(query, printLucene(query), place);
      case 'fixed':
        return this.constant(query, query.checkedBy ?? query.text, place);
      case 'scored': {
        const weight = this.weight(query.source, place);
        const { doc } = place;
        return weight.explain(this.segment, doc) ?? failed(weight.explainMiss(this.segment, doc) ?? query.absent);
      }
      case 'bool':
        return this.bool(query, place);
      case 'dis_max':
        return this.disMax(query, place);
      case 'function':
        return this.functionScore(query, place);
      case 'boosting':
        return this.boosting(query, place);
      case 'join':
        return this.join(query, place);
      case 'covering': {
        const [least] = valuesAt(this.segment.number(query.field), place.doc, ({ values }, at) => values[at]!);
        if (least === undefined) return failed('minimumNumberMatch has no value on the current document');
        const parts = query.queries.map((each) => this.explain(each, place));
        const scorer = this.scorer(query.source, place);
        const needed = Math.max(1, Math.trunc(least));
        const matching = parts.filter(({ fails }) => fails !== true).length;
        const counts = `${matching} matches for ${needed} required matches`;
        return scorer === undefined ? failed(counts, parts) : told(scorer.score(), `${counts}, sum of:`, parts);
      }
    }
  }

  private weight(source: Query, { boost, path }: Place): Weight {
    const query = boost === 1 ? source : { ...source, boost };
    return compile(query, this.statistics, path);
  }

  /** A scorer that stands at the document; undefined where it does not match. */
  private scorer(source: Query, place: Place): Scorer | undefined {
    const scorer = scorerAt(this.weight(source, place), this.segment, place.doc);
    scorer?.check(true);
    return scorer;
  }

  private matches(query: LuceneQuery, place: Place): boolean {
    switch (query.kind) {
      case 'all':
        return true;
      case 'none':
        return false;
      case 'boost':
      case 'constant':
        return this.matches(query.query, place);
      case 'dis_max':
        return query.queries.some((each) => this.matches(each, place));
      case 'bool': {
        const of = (occur: string): readonly boolean[] =>
          query.clauses.filter((clause) => clause.occur === occur).map((clause) => this.matches(clause.query, place));
        const required = [...of('+'), ...of('#')];
        const optional = of('').filter((matches) => matches).length;
        const least = required.length === 0 ? Math.max(1, query.minimum) : query.minimum;
        return required.every((matches) => matches) && !of('-').includes(true) && optional >= least;
      }
      default:
        return this.scorer(query.source, { ...place, boost: 1 }) !== undefined;
    }
  }

  private absent(text: string, { doc }: Place): Explanation {
    return failed(`${text} doesn't match id ${this.statistics.restricted ? '' : this.segment.base + doc}`.trimEnd());
  }

  /** What scores all documents alike: Lucene's ConstantScoreWeight. */
  private constant(query: LuceneQuery, text: string, place: Place): Explanation {
    if (!this.matches(query, place)) return this.absent(text, place);
    return told(place.boost, place.boost === 1 ? text : `${text}^${javaFloat(place.boost)}`);
  }

  private bool(query: LuceneQuery & { readonly kind: 'bool' }, place: Place): Explanation {
    const details: Explanation[] = [];
    let failing = false;
    let matching = 0;
    let optional = 0;
    for (const { occur, query: clause } of query.clauses) {
      const isScored = occur === '+' || occur === '';
      // Without a score, a clause is a set of documents that could be cached: constant scores and boosts around it are left out.
      const inner = withoutScore(clause);
      const part = isScored
        ? this.explain(clause, place)
        : this.constant(inner, printLucene(inner), { ...place, boost: 1 });
      const text = printLucene(clause);
      if (part.fails === true) {
        if (occur !== '+' && occur !== '#') continue;
        details.push(failed(`no match on required clause (${text})`, [part]));
        failing = true;
      } else if (occur === '-') {
        details.push(failed(`match on prohibited clause (${text})`, [part]));
        failing = true;
      } else {
        details.push(isScored ? part : told(0, 'match on required clause, product of:', [told(0, '# clause'), part]));
        matching++;
        if (occur === '') optional++;
      }
    }
    if (failing) return failed('Failure to meet condition(s) of required/prohibited clause(s)', details);
    if (matching === 0) return failed('No matching clauses', details);
    if (optional < query.minimum)
      return failed(`Failure to match minimum number of optional clauses: ${query.minimum}`, details);
    return told(this.scorer(query.source, place)?.score() ?? 0, 'sum of:', details);
  }

  private disMax({ queries, tieBreaker }: LuceneQuery & { readonly kind: 'dis_max' }, place: Place): Explanation {
    const details = queries.map((each) => this.explain(each, place)).filter(({ fails }) => fails !== true);
    if (details.length === 0) return failed('No matching clause');
    const best = details.reduce((most, { value }) => Math.max(most, value), 0);
    const others = details.reduce((sum, { value }) => sum + value, 0) - best;
    const description = tieBreaker === 0 ? 'max of:' : `max plus ${javaFloat(tieBreaker)} times others of:`;
    return told(fround(best + others * fround(tieBreaker)), description, details);
  }

  private boosting(query: LuceneQuery & { readonly kind: 'boosting' }, place: Place): Explanation {
    const inner = this.explain(query.positive, { ...place, boost: 1 });
    if (inner.fails === true) return inner;
    const negative = printLucene(query.negative);
    let part = inner;
    if (this.matches(query.negative, place)) {
      const factor = told(query.factor, `Matched boosting query score(${negative})`);
      const value = inner.value * fround(query.factor);
      part = { ...told(value, 'product of:', [inner, factor]), isDouble: true };
    }
    const weight = `weight(${printLucene(query)})`;
    if (place.boost === 1) return { ...part, description: `${weight}, result of:`, details: [part] };
    return told(fround(part.value * place.boost), `${weight}, product of:`, [told(place.boost, 'boost'), part]);
  }

  private functionScore(query: LuceneQuery & { readonly kind: 'function' }, place: Place): Explanation {
    const first = this.explain(query.query, place);
    if (first.fails === true) return first;
    const { functions, minScore, boostMode = 'multiply', scoreMode = 'multiply', maxBoost } = query.source;
    const valueOf = (some: typeof functions): number =>
      this.scorer(
        {
          kind: 'function_score',
          query: { kind: 'match_all' },
          functions: some,
          scoreMode,
          boostMode: 'replace',
          maxBoost: Infinity,
        },
        { ...place, boost: 1 },
      )?.score() ?? 1;
    let explanation = first;
    if (functions.length > 0) {
      const parts = functions.flatMap((definition, at): Explanation[] => {
        const filter = query.filters[at];
        if (filter !== undefined && !this.matches(filter, place)) return [];
        const { filter: _, ...bare } = definition;
        const part = explainFunction(bare, this.segment, place.doc, (each) => valueOf([each]));
        if (filter === undefined) return [part];
        return [
          told(part.value, 'function score, product of:', [told(1, `match filter: ${printLucene(filter)}`), part]),
        ];
      });
      const single = functions.length === 1 && query.filters[0] === undefined ? parts[0] : undefined;
      const factor =
        parts.length === 0
          ? told(1, 'No function matched')
          : (single ?? told(valueOf(functions), `function score, score mode [${scoreMode}]`, parts));
      explanation = combineFunctions(boostMode, first, factor, maxBoost);
    }
    if (minScore !== undefined && minScore > explanation.value)
      return failed(
        `Score value is too low, expected at least ${javaFloat(minScore)} but got ${javaFloat(explanation.value)}`,
        [explanation],
      );
    return explanation;
  }

  private join(query: LuceneQuery & { readonly kind: 'join' }, place: Place): Explanation {
    const { segment, statistics } = this;
    const scorer = this.scorer(query.source, place);
    if (scorer === undefined) return failed('Not a match');
    const score = scorer.score();
    const parents = place.path === undefined ? segment.roots : segment.core.documentsOfPath(place.path);
    let first = place.doc;
    if (parents !== undefined) while (first > 0 && !hasBit(parents, first - 1)) first--;
    const isScored = query.source.scoreMode !== 'none';
    const inner = { boost: isScored ? place.boost : 0, path: query.path };
    const elements = segment.core.documentsOfPath(query.path);
    let count = 0;
    let best: Explanation | undefined;
    for (let doc = first; doc < place.doc; doc++) {
      if (elements === undefined || !hasBit(elements, doc)) continue;
      const part = this.explain(query.query, { ...inner, doc });
      if (part.fails === true) continue;
      count++;
      if (best === undefined || part.value > best.value) best = part;
    }
    const range = statistics.restricted
      ? ''
      : ` in range from ${segment.base + first} to ${segment.base + place.doc - 1}`;
    return told(score, `Score based on ${count} child docs${range}, best match:`, best === undefined ? [] : [best]);
  }
}
