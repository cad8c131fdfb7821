// Changes, removes and adds tokens after tokenization: one function a filter of Elasticsearch's. Synonyms and stop lists
// take their words as they were parsed; definitions are read in `build-token-filter.ts`.
import { foldToAscii } from './ascii-folding.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { lowerCase, upperCase } from './letter-case.ts';
import { fillReplacement } from './read-settings.ts';
import type { Stemmer } from './stem.ts';
import { TokenCount } from './token-count.ts';
import type { Token } from './token.ts';
import { illegalArgument } from '../request-error.ts';
import { WHITE_SPACE } from './white-space.ts';

/** Changes a list of tokens; positions keep the holes of removed words. */
export type TokenFilter = (tokens: Token[]) => Token[];

/** Replaces each term; an empty result keeps the empty term, as Lucene does. */
export function mapTerms(change: (term: string) => string): TokenFilter {
  return (tokens) => {
    for (const token of tokens) token.term = change(token.term);
    return tokens;
  };
}

/** `lowercase`. */
export const lowercase = mapTerms(lowerCase);

/** `lowercase` for Turkish: dotted and dotless i. */
export const turkishLowercase = mapTerms((term) => term.toLocaleLowerCase('tr'));

/** `uppercase`. */
export const uppercase = mapTerms(upperCase);

const space = new RegExp(`[${WHITE_SPACE}]`);

/** `trim`. */
export const trim = mapTerms((term) => {
  let [start, end] = [0, term.length];
  while (start < end && space.test(term[start]!)) start++;
  while (end > start && space.test(term[end - 1]!)) end--;
  return term.slice(start, end);
});

/** `reverse`. */
export const reverse = mapTerms((term) => Array.from(term).reverse().join(''));

/** `asciifolding`; with `preserveOriginal` the unfolded term stays beside the folded one. */
export function asciiFolding(preserveOriginal: boolean): TokenFilter {
  if (!preserveOriginal) return mapTerms(foldToAscii);
  return (tokens) =>
    tokens.flatMap((token) => {
      const folded = foldToAscii(token.term);
      return folded === token.term ? [token] : [{ ...token, term: folded }, token];
    });
}

/** `stop`: removes the words; the hole stays in the positions. */
export function stop(words: Iterable<string>, ignoreCase: boolean, removeTrailing = true): TokenFilter {
  const set = new Set(ignoreCase ? [...words].map((word) => word.toLowerCase()) : words);
  const isStop = (token: Token): boolean => set.has(ignoreCase ? token.term.toLowerCase() : token.term);
  return (tokens) => tokens.filter((token, at) => !isStop(token) || (!removeTrailing && at === tokens.length - 1));
}

/** `keep` words only. */
export function keep(words: Iterable<string>, ignoreCase: boolean): TokenFilter {
  const shown = (word: string): string => (ignoreCase ? word.toLowerCase() : word);
  const set = new Set([...words].map(shown));
  return (tokens) => tokens.filter((token) => set.has(shown(token.term)));
}

/** `keyword_marker` with a pattern: stemmers leave words alone that it matches as a whole. */
export function keywordPattern(whole: BoundedRegex): TokenFilter {
  return (tokens) => {
    const regex = whole.over(tokens.map(({ term }) => term));
    for (const token of tokens) {
      regex.lastIndex = 0;
      if (regex.test(token.term)) token.keyword = true;
    }
    return tokens;
  };
}

/** `keyword_marker`: stemmers leave these words alone. */
export function keywordMarker(words: Iterable<string>, ignoreCase: boolean): TokenFilter {
  const set = new Set(ignoreCase ? [...words].map((word) => word.toLowerCase()) : words);
  return (tokens) => {
    for (const token of tokens) {
      if (set.has(ignoreCase ? token.term.toLowerCase() : token.term)) token.keyword = true;
    }
    return tokens;
  };
}

/** `stemmer_override`: fixed stems for some words. */
export function stemmerOverride(rules: ReadonlyMap<string, string>): TokenFilter {
  return (tokens) => {
    for (const token of tokens) {
      const stem = rules.get(token.term);
      if (stem !== undefined) {
        token.term = stem;
        token.keyword = true;
      }
    }
    return tokens;
  };
}

/** `stemmer`, `snowball`, `porter_stem`. */
export function stem(stemmer: Stemmer): TokenFilter {
  return (tokens) => {
    for (const token of tokens) if (token.keyword !== true) token.term = stemmer(token.term);
    return tokens;
  };
}

/** `decimal_digit`: digits of every script as 0 to 9. */
export const decimalDigit = mapTerms(toDecimalDigits);

/** The term with its digits as 0 to 9. */
export function toDecimalDigits(term: string): string {
  return term.replace(/\p{Nd}/gu, (digit) => {
    // Decimal digits come in runs of ten that start at a code point whose value is 0 (Unicode §4.6).
    let zero = digit.codePointAt(0)!;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero--;
    return String(digit.codePointAt(0)! - zero);
  });
}

/** `possessive_english`: drops a trailing 's. */
export const englishPossessive = mapTerms((term) => term.replace(/['’＇][sS]$/, ''));

/** `elision`: drops French `l'`, `d'` … in front. */
export function elision(articles: Iterable<string>, ignoreCase = true): TokenFilter {
  const shown = (word: string): string => (ignoreCase ? word.toLowerCase() : word);
  const set = new Set([...articles].map(shown));
  return mapTerms((term) => {
    const at = term.search(/['’]/);
    return at > 0 && set.has(shown(term.slice(0, at))) ? term.slice(at + 1) : term;
  });
}

/** `apostrophe`: drops everything after an apostrophe (Turkish). */
export const apostrophe = mapTerms((term) => term.replace(/['’].*$/, ''));

/** `length`: keeps terms of so many characters. */
export function lengthFilter(min: number, max: number): TokenFilter {
  return (tokens) => tokens.filter((token) => token.term.length >= min && token.term.length <= max);
}

/** `truncate`. */
export function truncate(length: number): TokenFilter {
  return mapTerms((term) => term.slice(0, length));
}

/** `limit`: the first tokens only. */
export function limit(count: number): TokenFilter {
  return (tokens) => tokens.slice(0, count);
}

/** `unique`: the first of each term, or of each term at one position. */
export function unique(onlyOnSamePosition: boolean): TokenFilter {
  return (tokens) => {
    const seen = new Set<string>();
    // The steps of dropped tokens are lost, as in Lucene: what follows moves up.
    let before = -1;
    let at = -1;
    return tokens.filter((token) => {
      const key = onlyOnSamePosition ? `${token.position}\u0000${token.term}` : token.term;
      const step = token.position - before;
      before = token.position;
      if (seen.has(key)) return false;
      seen.add(key);
      at += step;
      token.position = at;
      return true;
    });
  };
}

/** `remove_duplicates`: same term at the same position. */
export const removeDuplicates = unique(true);

/** `ngram` of each token, all at the token's position. */
export function ngramFilter(min: number, max: number, preserveOriginal: boolean): TokenFilter {
  return grams(min, max, preserveOriginal, 'all');
}

/** `edge_ngram` of each token. */
export function edgeNgramFilter(
  min: number,
  max: number,
  preserveOriginal: boolean,
  side: 'front' | 'back',
): TokenFilter {
  return grams(min, max, preserveOriginal, side);
}

function grams(min: number, max: number, preserveOriginal: boolean, side: 'all' | 'front' | 'back'): TokenFilter {
  return (tokens) => {
    const made = new TokenCount(side === 'all' ? 'ngram' : 'edge_ngram');
    return tokens.flatMap((token) => {
      const characters = Array.from(token.term);
      const found: Token[] = [];
      const add = (from: number, size: number): void => {
        made.add(size);
        found.push({ ...token, term: characters.slice(from, from + size).join('') });
      };
      const sizes = Math.min(max, characters.length);
      if (side === 'all') {
        for (let from = 0; from < characters.length; from++) {
          for (let size = min; size <= max && from + size <= characters.length; size++) add(from, size);
        }
      } else {
        for (let size = min; size <= sizes; size++) add(side === 'front' ? 0 : characters.length - size, size);
      }
      const whole = characters.length;
      if (preserveOriginal && (whole < min || whole > max)) found.push(token);
      return found;
    });
  };
}

/** `shingle`: neighbouring words joined. */
export function shingle(options: {
  readonly min: number;
  readonly max: number;
  readonly unigrams: boolean;
  readonly unigramsIfNone: boolean;
  readonly separator: string;
  readonly filler: string;
}): TokenFilter {
  return (tokens) => {
    const slots: (Token | undefined)[] = [];
    const first = tokens[0]?.position ?? 0;
    for (const token of tokens) slots[token.position - first] ??= token;
    const found: Token[] = [];
    const made = new TokenCount('shingle');
    for (let at = 0; at < slots.length; at++) {
      const token = slots[at];
      if (token !== undefined && options.unigrams) found.push(token);
      for (let size = options.min; size <= options.max && at + size <= slots.length; size++) {
        const parts = slots.slice(at, at + size);
        const present = parts.filter((part) => part !== undefined);
        if (present.length === 0 || (token === undefined && present.length < 1)) continue;
        const term = Array.from(parts, (part) => part?.term ?? options.filler).join(options.separator);
        made.add(term.length);
        found.push({
          term,
          position: at + first,
          start: present[0]!.start,
          end: present.at(-1)!.end,
          type: 'shingle',
          positionLength: size,
        });
      }
    }
    if (!options.unigrams && found.length === 0 && options.unigramsIfNone) return tokens;
    if (!options.unigrams && found.length > 0) {
      // Without single words the joined ones count positions from their own start.
      for (const token of found) delete token.positionLength;
    }
    return found;
  };
}

/** `pattern_replace` on each term. */
export function patternReplaceFilter(pattern: BoundedRegex, replacement: string, all: boolean): TokenFilter {
  return (tokens) => {
    const regex = pattern.over(tokens.map(({ term }) => term));
    for (const token of tokens) {
      let [from, made] = [0, ''];
      for (const match of token.term.matchAll(regex)) {
        made += token.term.slice(from, match.index) + fillReplacement(replacement, match);
        from = match.index + match[0].length;
        if (!all) break;
      }
      token.term = made + token.term.slice(from);
    }
    return tokens;
  };
}

/** `cjk_width`: full-width ASCII and half-width katakana to their usual forms. */
export const cjkWidth = mapTerms((term) =>
  term.replace(/[\uFF01-\uFF5E\uFF65-\uFF9F]+/g, (run) => run.normalize('NFKC')),
);

/** `keep_types`: tokens of these types, or of all others. */
export function keepTypes(types: Iterable<string>, mode: 'include' | 'exclude'): TokenFilter {
  const set = new Set(types);
  return (tokens) => tokens.filter((token) => set.has(token.type) === (mode === 'include'));
}

/** One token of all different terms, sorted; none when it would be longer than `maxSize`. */
export function fingerprint(separator: string, maxSize = 255): TokenFilter {
  return (tokens) => {
    if (tokens.length === 0) return tokens;
    const term = [...new Set(tokens.map((token) => token.term))].sort().join(separator);
    if (term.length > maxSize) return [];
    return [{ term, position: 0, start: 0, end: tokens.at(-1)!.end, type: 'fingerprint' }];
  };
}

const PAYLOADS = { float: /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?\s*$/, int: /^[+-]?\d+$/ } as const;

/** `delimited_payload`: what stands behind a sign belongs to no word. It is checked, and not kept: only scripts could read it. */
export function delimitedPayload(delimiter: string, encoding: 'float' | 'int' | 'identity'): TokenFilter {
  return (tokens) => {
    for (const token of tokens) {
      const at = token.term.indexOf(delimiter);
      if (at < 0) continue;
      const payload = token.term.slice(at + 1);
      if (encoding !== 'identity' && !PAYLOADS[encoding].test(payload))
        throw illegalArgument(`[delimited_payload] cannot read [${payload.slice(0, 50)}] as [${encoding}]`);
      token.term = token.term.slice(0, at);
    }
    return tokens;
  };
}
