// Adds or replaces words by others that mean the same. Rules come in Solr's format: `a, b => c` replaces, `a, b, c` makes
// the words equivalent. A rule of several words matches a run of tokens; its alternatives start at the run's position.
import type { Token } from './token.ts';
import type { TokenFilter } from './token-filters.ts';

interface Rule {
  readonly words: readonly string[];
  readonly outputs: readonly (readonly string[])[];
  readonly keep: boolean;
}

/**
 * Reads synonym rules and makes the filter.
 *
 * @param analyze how the words of a rule become terms: the filters that stand before this one
 * @throws Error naming a rule that cannot be read
 */
export function synonyms(lines: readonly string[], expand: boolean, analyze: (text: string) => string[]): TokenFilter {
  const byFirst = new Map<string, Rule[]>();
  const add = (words: readonly string[], outputs: readonly (readonly string[])[], keep: boolean): void => {
    if (words.length === 0) return;
    const rules = byFirst.get(words[0]!) ?? [];
    const same = rules.findIndex((rule) => rule.words.join(' ') === words.join(' '));
    if (same < 0) rules.push({ words, outputs, keep });
    else {
      const known = rules[same]!;
      rules[same] = { words, outputs: [...known.outputs, ...outputs], keep: known.keep || keep };
    }
    byFirst.set(words[0]!, rules);
  };
  for (const line of lines) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const sides = text.split('=>');
    if (sides.length > 2) throw new Error(`Invalid synonym rule: ${text}`);
    const left = words(sides[0]!, analyze);
    if (sides.length === 2) {
      const right = words(sides[1]!, analyze);
      for (const from of left) add(from, right, false);
    } else if (expand) {
      for (const from of left)
        add(
          from,
          left.filter((to) => to !== from),
          true,
        );
    } else {
      for (const from of left) add(from, [left[0]!], false);
    }
  }
  for (const rules of byFirst.values()) rules.sort((a, b) => b.words.length - a.words.length);
  return (tokens) => apply(tokens, byFirst);
}

function words(side: string, analyze: (text: string) => string[]): string[][] {
  return side
    .split(/(?<!\\),/)
    .map((part) => analyze(part.replace(/\\(.)/g, '$1').trim()))
    .filter((terms) => terms.length > 0);
}

function apply(tokens: readonly Token[], byFirst: ReadonlyMap<string, readonly Rule[]>): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at]!;
    const rule = byFirst
      .get(token.term)
      ?.find((candidate) => candidate.words.every((word, offset) => tokens[at + offset]?.term === word));
    if (rule === undefined) {
      found.push(token);
      at++;
      continue;
    }
    const run = tokens.slice(at, at + rule.words.length);
    if (rule.keep) found.push(...run);
    for (const output of rule.outputs) {
      output.forEach((term, offset) =>
        found.push({
          term,
          position: token.position + offset,
          start: token.start,
          end: run.at(-1)!.end,
          type: 'SYNONYM',
        }),
      );
    }
    at += run.length;
  }
  return found.sort((a, b) => a.position - b.position);
}
