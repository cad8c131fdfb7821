// Text of an access expression to tokens. Knows no grammar: words stay words, whatever they mean.
import { expressionErrors } from '../errors.ts';

export interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'symbol' | 'end';
  /** The word, symbol or digits as written; for strings the text without quotes and with `''` made `'`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The longest expression that is read, in characters. A policy beyond this belongs in code. */
const MAX_EXPRESSION_LENGTH = 4096;

// `{`, `[` and `=` are tokens so that the parser can name what is not supported.
const PATTERN =
  /\s+|([\p{L}_$][\p{L}\p{N}_$]*)|(\d+(?:\.\d+)?)|('(?:[^']|'')*'|"(?:[^"]|"")*")|(&&|\|\||==|!=|<=|>=|\?\.|\?:|[-+*/%!<>().,?:#@{}[\]=^])/uy;

/** Splits an expression into tokens; the last one is always `end`. */
export function tokenize(text: string): readonly Token[] {
  if (text.length > MAX_EXPRESSION_LENGTH)
    throw expressionErrors.create('EXPRESSION_TOO_LARGE', {
      reason: `it has ${text.length} characters, the limit is ${MAX_EXPRESSION_LENGTH}`,
    });
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(text);
    if (match === null) throw syntaxError(text, at, unreadable(text, at));
    const end = at + match[0].length;
    const [, word, number, string, symbol] = match;
    if (word !== undefined) tokens.push({ kind: 'word', text: word, start: at, end });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, start: at, end });
    else if (string !== undefined) tokens.push({ kind: 'string', text: unquote(string), start: at, end });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol, start: at, end });
    at = end;
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return tokens;
}

/** An EXPRESSION_SYNTAX error pointing at an offset of the text. */
export function syntaxError(text: string, offset: number, reason: string) {
  return expressionErrors.create('EXPRESSION_SYNTAX', { text, reason, column: offset + 1 });
}

function unquote(quoted: string): string {
  const quote = quoted[0]!;
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}

function unreadable(text: string, at: number): string {
  const character = text[at]!;
  if (character === "'" || character === '"') return `the string has no closing ${character}`;
  if (character === '&' || character === '|')
    return `one "${character}" means nothing here, write "${character}${character}"`;
  if (/[`\u2018-\u201f]/.test(character)) return `${character} is no quotation mark here, write ' or "`;
  return `"${character}" means nothing here`;
}
