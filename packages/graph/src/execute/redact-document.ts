// The text of an operation for traces: without the values that clients wrote into it, and without comments.
import { Lexer, Source, type Token, TokenKind } from 'graphql';

/** What stands in place of a value. */
const REDACTED: Readonly<Partial<Record<string, string>>> = {
  [TokenKind.INT]: '0',
  [TokenKind.FLOAT]: '0.0',
  [TokenKind.STRING]: '""',
  [TokenKind.BLOCK_STRING]: '""',
};

/** Longest text, in characters. */
const LONGEST = 10_000;

/** A document that cannot be read is cut where that shows. */
export function redactDocument(document: string): string {
  const lexer = new Lexer(new Source(document));
  let text = '';
  let end = 0;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF && text.length < LONGEST; token = lexer.advance()) {
      text += between(document, end, token) + (REDACTED[token.kind] ?? document.slice(token.start, token.end));
      end = token.end;
    }
  } catch {
    return `${text} …`;
  }
  return text;
}

function between(document: string, end: number, { start }: Token): string {
  return document.slice(end, start).replaceAll(/#[^\n\r]*/g, '');
}
