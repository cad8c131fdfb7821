// The tokens of Lucene's query language, as its classic parser finds them (QueryParser.jj): the longest one counts, of equals the first.

/** Kinds by Lucene's names. */
export type TokenKind =
  | 'AND'
  | 'OR'
  | 'NOT'
  | 'PLUS'
  | 'MINUS'
  | 'BAREOPER'
  | 'LPAREN'
  | 'RPAREN'
  | 'COLON'
  | 'STAR'
  | 'CARAT'
  | 'QUOTED'
  | 'TERM'
  | 'FUZZY_SLOP'
  | 'PREFIXTERM'
  | 'WILDTERM'
  | 'REGEXPTERM'
  | 'RANGEIN_START'
  | 'RANGEEX_START'
  | 'NUMBER'
  | 'RANGE_TO'
  | 'RANGEIN_END'
  | 'RANGEEX_END'
  | 'RANGE_QUOTED'
  | 'RANGE_GOOP'
  | 'EOF';

export interface QueryToken {
  readonly kind: TokenKind;
  readonly image: string;
  /** Where it begins. */
  readonly at: number;
}

// Loops over one class, with escapes between them: a loop over alternatives takes stack for every character, and a long text ends it.
const START = String.raw`(?:[^ \t\n\r\u3000+\-!():^[\]"{}~*?\\/]|\\[^])`;
const REST = escaping(String.raw`[^ \t\n\r\u3000!():^[\]"{}~*?\\/]`);

/** Any number of characters of a class and of escaped ones. */
function escaping(characters: string): string {
  return String.raw`${characters}*(?:\\[^]${characters}*)*`;
}

const all = (...rules: readonly (readonly [TokenKind, string])[]): readonly (readonly [TokenKind, RegExp])[] =>
  rules.map(([kind, source]) => [kind, new RegExp(source, 'y')]);

const DEFAULT = all(
  ['AND', 'AND|&&'],
  ['OR', String.raw`OR|\|\|`],
  ['NOT', 'NOT|!'],
  ['PLUS', String.raw`\+`],
  ['MINUS', '-'],
  ['BAREOPER', String.raw`[+\-!][ \t\n\r\u3000]`],
  ['LPAREN', String.raw`\(`],
  ['RPAREN', String.raw`\)`],
  ['COLON', ':'],
  ['STAR', String.raw`\*`],
  ['CARAT', String.raw`\^`],
  ['QUOTED', `"${escaping(String.raw`[^"\\]`)}"`],
  ['TERM', START + REST],
  ['FUZZY_SLOP', String.raw`~(?:\d+(?:\.\d+)?)?${REST}`],
  ['PREFIXTERM', String.raw`\*|${START}${REST}\*`],
  ['WILDTERM', `(?:${START}|[*?])${escaping(String.raw`[^ \t\n\r\u3000!():^[\]"{}~\\/]`)}`],
  ['REGEXPTERM', String.raw`/[^/]*(?:(?<=\\)/[^/]*)*/`],
  ['RANGEIN_START', String.raw`\[`],
  ['RANGEEX_START', String.raw`\{`],
);
const SPACE = /[ \t\n\r\u3000]*/y;
const BOOST = all(['NUMBER', String.raw`\d+(?:\.\d+)?`]);
const RANGE = all(
  ['RANGE_TO', 'TO'],
  ['RANGEIN_END', String.raw`\]`],
  ['RANGEEX_END', String.raw`\}`],
  ['RANGE_QUOTED', String.raw`"[^"]+(?:(?<=\\)"[^"]*)*"`],
  ['RANGE_GOOP', String.raw`[^ \]}]+`],
);

/** What a token is followed by; where it is not named, what was before. */
const NEXT: Partial<Readonly<Record<TokenKind, typeof DEFAULT>>> = {
  CARAT: BOOST,
  NUMBER: DEFAULT,
  RANGEIN_START: RANGE,
  RANGEEX_START: RANGE,
  RANGEIN_END: DEFAULT,
  RANGEEX_END: DEFAULT,
};

/** The tokens of a text, the last one `EOF`. @param fail what to do with a character that begins none */
export function queryTokens(text: string, fail: (at: number) => never): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  let rules = DEFAULT;
  for (let at = 0; ;) {
    SPACE.lastIndex = at;
    // White space ends a boost before it begins.
    if (rules !== BOOST) at += SPACE.exec(text)?.[0].length ?? 0;
    if (at >= text.length) break;
    let best: QueryToken | undefined;
    for (const [kind, rule] of rules) {
      rule.lastIndex = at;
      const image = imageOf(rule, text) ?? fail(at);
      if (image.length > (best?.image.length ?? 0)) best = { kind, image, at };
    }
    if (best === undefined) return fail(at);
    tokens.push(best);
    at += best.image.length;
    rules = NEXT[best.kind] ?? rules;
  }
  tokens.push({ kind: 'EOF', image: '<EOF>', at: text.length });
  return tokens;
}

/** What a rule finds, empty for nothing; undefined where millions of escapes take more stack than there is. */
function imageOf(rule: RegExp, text: string): string | undefined {
  try {
    return rule.exec(text)?.[0] ?? '';
  } catch {
    return undefined;
  }
}

/** Removes the backslashes of escaped characters. @param fail called for an incomplete escape */
export function withoutEscapes(text: string, fail: (reason: string) => never): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(u)|([^])|$)/g, (_, hex?: string, half?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (half !== undefined) return fail('Truncated unicode escape sequence.');
    return character ?? fail('Term can not end with escape character.');
  });
}
