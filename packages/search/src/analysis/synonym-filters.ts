// The token filters `synonym` and `synonym_graph`: where the words stand that mean the same as others. `synonym` lays them over the
// words of the text, so that a phrase of several words loses its end; the graph gives each alternative a path of its own.
import { illegalArgument } from '../errors/request-error.ts';
import { HARD } from './part-definition.ts';
import { flag, type Option, text, texts } from './part-options.ts';
import { MOST_RUN_WORDS, type SynonymMatch, SynonymRules } from './synonyms.ts';
import { TokenCount } from './token-count.ts';
import { defineFilter, identity, type TokenFilter, type TokenFilterDefinition } from './token-filter.ts';
import type { Token } from './token.ts';

/** A word that is laid over those of the text. */
interface Laid {
  readonly term: string;
  /** Of the whole match, for an alternative of one word; undefined: that of the word it lies on. */
  readonly end: number | undefined;
  readonly length: number;
}

/** `synonym` (Lucene's SynonymFilter). */
function synonyms(rules: SynonymRules): TokenFilter {
  return (tokens) => {
    const made = new TokenCount('synonym');
    const found: Token[] = [];
    // By token: what is laid over it. Alternatives that are longer than what they stand for reach over the tokens behind.
    const laid: Laid[][] = [];
    let position = -1;
    let before = -1;
    const put = (at: number, keeps: boolean): void => {
      const token = tokens[at];
      let step = 1;
      if (token !== undefined) {
        const increment = token.position - before;
        before = token.position;
        if (keeps) {
          position += increment;
          found.push({ ...token, position });
          step = 0;
        }
      }
      const { start, end } = token ?? tokens.at(-1)!;
      for (const each of laid[at] ?? []) {
        made.add(each.term.length);
        position += step;
        step = 0;
        const length = token === undefined || each.length === 1 ? {} : { positionLength: each.length };
        found.push({ term: each.term, position, start, end: each.end ?? end, type: 'SYNONYM', ...length });
      }
    };
    for (let at = 0; at < tokens.length;) {
      const match = rules.at(tokens, at);
      if (match === undefined) {
        put(at++, true);
        continue;
      }
      const { count, runs, keep } = match;
      for (const run of runs)
        run.forEach((term, offset) => {
          const isWhole = run.length === 1;
          (laid[at + offset] ??= []).push({
            term,
            end: isWhole ? tokens[at + count - 1]?.end : undefined,
            length: isWhole && keep ? count : 1,
          });
        });
      for (let each = 0; each < count; each++) put(at++, keep);
    }
    for (let at = tokens.length; at < laid.length; at++) put(at, false);
    return found;
  };
}

/** `synonym_graph` (Lucene's SynonymGraphFilter). */
function synonymGraph(rules: SynonymRules): TokenFilter {
  return (tokens) => {
    const made = new TokenCount('synonym_graph');
    const found: Token[] = [];
    // Nodes of the graph: the last that a token left, and the next that one can leave.
    let last = -1;
    let next = 0;
    let before = -1;
    for (let at = 0; at < tokens.length;) {
      const match = rules.at(tokens, at);
      if (match === undefined) {
        const token = tokens[at++]!;
        last += token.position - before;
        before = token.position;
        next = last + (token.positionLength ?? 1);
        found.push({ ...token, position: last });
        continue;
      }
      const { count } = match;
      const own = tokens.slice(at, at + count);
      for (const term of match.runs.flat()) made.add(term.length);
      const paths = pathsOf(match, own);
      const start = next;
      const inner = paths.reduce((sum, path) => sum + path.length - 1, 0);
      const end = start + inner + 1;
      // The first words of all paths, then the rest of each: the nodes between them are numbered path by path.
      let node = start;
      const rest: Token[] = [];
      for (const path of paths) {
        const nodes = [start, ...path.slice(1).map(() => ++node), end];
        path.forEach((token, place) => {
          const placed = { ...token, position: nodes[place]!, positionLength: nodes[place + 1]! - nodes[place]! };
          if (place === 0) found.push(placed);
          else rest.push(placed);
        });
      }
      found.push(...rest);
      last = found.at(-1)?.position ?? last;
      next = end;
      before = own.at(-1)?.position ?? before;
      at += count;
    }
    return found;
  };
}

/** The alternatives, and the words of the text where they stay. */
function pathsOf({ runs, keep }: SynonymMatch, own: readonly Token[]): readonly (readonly Token[])[] {
  const start = own[0]?.start ?? 0;
  const end = own.at(-1)?.end ?? 0;
  const paths = runs.map((run) => run.map((term): Token => ({ term, position: 0, start, end, type: 'SYNONYM' })));
  return keep ? [...paths, own] : paths;
}

/** Estimated maximum number of replacements of one word. */
function mostAlternatives(lines: readonly string[]): number {
  const alternatives = new Map<string, number>();
  let most = 0;
  for (const line of lines) {
    const [left = '', right] = line.split('=>');
    const runs = left.split(',');
    const added = right === undefined ? runs.length - 1 : right.split(',').length;
    for (const run of runs) {
      const key = run.trim();
      const count = (alternatives.get(key) ?? 0) + added;
      alternatives.set(key, count);
      most = Math.max(most, count);
    }
  }
  return most;
}

const OPTIONS = {
  synonyms: {
    ...texts,
    // One without is refused where it is used.
    read: (definition, key, part) => (definition[key] === undefined ? undefined : texts.read(definition, key, part)),
  } satisfies Option<readonly string[] | undefined>,
  // A flag for reloading files, of which there are none.
  updateable: flag(false),
  expand: flag(true),
  lenient: flag(false),
  format: text(''),
};

function synonymFilter(
  create: (rules: SynonymRules) => TokenFilter,
  traits: { forSynonyms?(): TokenFilter } = {},
): TokenFilterDefinition {
  return defineFilter({
    options: OPTIONS,
    needsChain: true,
    ...traits,
    cost: ({ synonyms: lines = [] }) => Math.max(HARD, mostAlternatives(lines)),
    build({ expand, format, lenient, synonyms: lines }, { analyzer, limits }) {
      const analyze = analyzer();
      if (lines === undefined)
        throw illegalArgument('synonym requires either `synonyms` or `synonyms_path` to be configured');
      const options = {
        expand,
        // An index that exists is opened with whatever it holds.
        lenient: lenient || !limits.strict,
        format: format === 'wordnet' ? ('wordnet' as const) : ('solr' as const),
      };
      const rules = new SynonymRules(options, analyze, limits.strict ? MOST_RUN_WORDS : Infinity);
      limits.countSynonyms(lines);
      limits.run(rules.add(lines));
      return create(rules);
    },
  });
}

export const SYNONYM_FILTERS = {
  // Rules of a list behind it know nothing of it (SynonymTokenFilterFactory.getSynonymFilter).
  synonym: synonymFilter(synonyms, { forSynonyms: () => identity }),
  synonym_graph: synonymFilter(synonymGraph),
};
