// Limits the nesting of brackets in documents and variables. Parsing, validation and coercion recurse once per level,
// so this is checked before them. Not here: nesting of fields (limits.ts).
import { Lexer, Source, TokenKind } from 'graphql';
import { graphErrors } from '../errors.ts';
import type { Limits } from './limits.ts';
import { hasMembers } from '../present.ts';

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Counts the tokens of a document and the nesting of its braces, brackets and parentheses, before it is parsed.
 *
 * @throws ProductError GRAPH_TOO_NESTED, GRAPH_TOO_MANY_TOKENS; GraphQLError for an invalid token
 */
export function checkTokens(text: string, limits: Limits): void {
  // A token has at least one character, and a level one opening bracket; short documents need no lexer.
  if (text.length <= limits.tokens && hasFewerOpenings(text, limits.nesting)) return;
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  let tokens = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    if (++tokens > limits.tokens) throw graphErrors.create('GRAPH_TOO_MANY_TOKENS', { limit: limits.tokens });
    if (CLOSING.has(kind)) depth--;
    else if (OPENING.has(kind) && ++depth > limits.nesting)
      throw graphErrors.create('GRAPH_TOO_NESTED', { what: 'document', limit: limits.nesting });
  }
}

function hasFewerOpenings(text: string, limit: number): boolean {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // { [ (
    if ((code === 0x7b || code === 0x5b || code === 0x28) && ++count >= limit) return false;
  }
  return true;
}

/**
 * Limits the nesting of variable values.
 *
 * @throws ProductError GRAPH_TOO_NESTED
 */
export function checkVariableNesting(value: unknown, limits: Limits, level = 0): void {
  if (!hasMembers(value)) return;
  if (level > limits.nesting)
    throw graphErrors.create('GRAPH_TOO_NESTED', { what: 'variables', limit: limits.nesting });
  for (const name in value) {
    const each = value[name];
    if (typeof each === 'object') checkVariableNesting(each, limits, level + 1);
  }
}
