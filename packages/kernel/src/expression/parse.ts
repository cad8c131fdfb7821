// Text of an access expression to its tree: Spring's operators and words, case-insensitive, with the precedence of
// SpEL (or, and, comparison, sum, product, unary). Does not know which names exist: that is check.ts.
// One difference from SpEL, on purpose: the word `not` binds looser than comparisons, so `not owner == 'a'` reads as
// it looks; on booleans both readings have the same value.
import { byWord } from '../words.ts';
import { expressionErrors } from '../errors.ts';
import type { ArithmeticOperator, CompareOperator, Expression } from './ast.ts';
import { syntaxError, type Token, tokenize } from './tokenize.ts';

/** How deep an expression may nest. Bounds the stack of every walker. */
const MAX_DEPTH = 64;
/** How many nodes an expression may have. */
const MAX_NODES = 1000;

const COMPARE_WORDS: Readonly<Record<string, CompareOperator>> = byWord({
  '==': '== eq',
  '!=': '!= ne',
  '<': '< lt',
  '<=': '<= le',
  '>': '> gt',
  '>=': '>= ge',
});
const SUM_WORDS: Readonly<Record<string, ArithmeticOperator>> = { '+': '+', '-': '-' };
const PRODUCT_WORDS: Readonly<Record<string, ArithmeticOperator>> = {
  '*': '*',
  '/': '/',
  '%': '%',
  div: '/',
  mod: '%',
};
/** Operators of other languages, and what is written here. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  matches: 'Use startsWith, endsWith or contains.',
  like: "Use startsWith, endsWith or contains: name.contains('x').",
  ilike: "Write name.toLowerCase().contains('x').",
  instanceof: 'Compare a value instead.',
  between: 'Write a <= x and x <= b.',
  is: 'Write x == null or x != null.',
  equals: 'Write ==.',
  contains: "Write tags.contains('x'), or 'x' in tags.",
  startswith: "Write path.startsWith('x').",
  endswith: "Write path.endsWith('x').",
  has: "Write tags.contains('x'), or 'x' in tags.",
  xor: 'Write a != b.',
};
const QUANTIFIERS: ReadonlySet<string> = new Set(['any', 'all', 'none']);

/**
 * Parses an access expression.
 *
 * @throws ProductError EXPRESSION_SYNTAX, EXPRESSION_UNSUPPORTED, EXPRESSION_TOO_LARGE
 */
export function parseExpression(text: string): Expression {
  if (text.trim() === '') throw syntaxError(text, 0, 'it is blank');
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Expression {
    const expression = this.#expression();
    const token = this.#peek();
    if (token.kind !== 'end') throw this.#unexpected(token, 'the expression is complete before');
    return expression;
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw expressionErrors.create('EXPRESSION_TOO_LARGE', { reason: `it nests deeper than ${MAX_DEPTH} levels` });
    const condition = this.#or();
    const result = this.#takeSymbol('?') ? this.#conditional(condition) : condition;
    this.#depth -= 1;
    return result;
  }

  #conditional(condition: Expression): Expression {
    const whenTrue = this.#expression();
    this.#expect(':');
    const whenFalse = this.#expression();
    return this.#node({
      kind: 'conditional',
      condition,
      whenTrue,
      whenFalse,
      start: condition.start,
      end: whenFalse.end,
    });
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#takeSymbol('||') || this.#takeWord('or')) {
      const right = this.#and();
      left = this.#node({ kind: 'logical', operator: 'or', left, right, start: left.start, end: right.end });
    }
    return left;
  }

  #and(): Expression {
    let left = this.#looseNot();
    while (this.#takeSymbol('&&') || this.#takeWord('and')) {
      const right = this.#looseNot();
      left = this.#node({ kind: 'logical', operator: 'and', left, right, start: left.start, end: right.end });
    }
    return left;
  }

  #looseNot(): Expression {
    const token = this.#peek();
    if (!this.#takeWord('not')) return this.#comparison();
    return this.#nested(() => {
      const operand = this.#looseNot();
      return this.#node({ kind: 'not', operand, start: token.start, end: operand.end });
    });
  }

  #comparison(): Expression {
    const left = this.#sum();
    const token = this.#peek();
    if (this.#takeWord('in')) {
      const right = this.#sum();
      return this.#node({ kind: 'in', left, right, start: left.start, end: right.end });
    }
    if (this.#isWord('not') && this.#isWord('in', 1)) {
      this.#at += 2;
      const right = this.#sum();
      const operand = this.#node({ kind: 'in', left, right, start: left.start, end: right.end });
      return this.#node({ kind: 'not', operand, start: left.start, end: right.end });
    }
    const operator = this.#operator(COMPARE_WORDS);
    if (operator !== undefined) {
      const right = this.#sum();
      return this.#node({ kind: 'compare', operator, left, right, start: left.start, end: right.end });
    }
    if (token.kind === 'word') {
      const word = token.text.toLowerCase();
      if (Object.hasOwn(FOREIGN_WORDS, word))
        throw this.#unsupported(token, `the operator "${token.text}"`, FOREIGN_WORDS[word]!);
    }
    if (token.kind === 'symbol' && token.text === '=') {
      if (this.#tokens[this.#at + 1]!.text === '>')
        throw this.#unsupported(token, 'an arrow function', 'Name it first: any(x, x.login == authentication.name).');
      throw this.#unsupported(token, 'an assignment', 'Compare with == instead.');
    }
    return left;
  }

  #sum(): Expression {
    let left = this.#product();
    for (let operator = this.#operator(SUM_WORDS); operator !== undefined; operator = this.#operator(SUM_WORDS)) {
      const right = this.#product();
      left = this.#node({ kind: 'arithmetic', operator, left, right, start: left.start, end: right.end });
    }
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    for (
      let operator = this.#operator(PRODUCT_WORDS);
      operator !== undefined;
      operator = this.#operator(PRODUCT_WORDS)
    ) {
      const right = this.#unary();
      left = this.#node({ kind: 'arithmetic', operator, left, right, start: left.start, end: right.end });
    }
    return left;
  }

  #unary(): Expression {
    const token = this.#peek();
    if (this.#takeSymbol('!') || this.#takeWord('not'))
      return this.#nested(() => {
        const operand = this.#unary();
        return this.#node({ kind: 'not', operand, start: token.start, end: operand.end });
      });
    if (this.#takeSymbol('-'))
      return this.#nested(() => {
        const operand = this.#unary();
        return this.#node({ kind: 'negate', operand, start: token.start, end: operand.end });
      });
    return this.#postfix(this.#primary());
  }

  #postfix(primary: Expression | undefined): Expression {
    let target = primary;
    for (;;) {
      const token = this.#peek();
      const safe = token.kind === 'symbol' && token.text === '?.';
      if (!safe && !(token.kind === 'symbol' && token.text === '.')) {
        if (token.kind === 'symbol' && token.text === '[')
          throw this.#unsupported(token, 'an index or a selection', 'Use a member, "in", or any(x, …).');
        if (token.kind === 'symbol' && token.text === '?:')
          throw this.#unsupported(token, 'the operator "?:"', 'Write a != null ? a : b.');
        // `#this` alone: nothing follows that would give it a meaning.
        if (target === undefined)
          throw this.#unsupported(token, '"#this" on its own', 'Name the function: #this.hasRole(…).');
        return target;
      }
      this.#at += 1;
      const name = this.#peek();
      if (name.kind !== 'word')
        throw this.#unsupported(name, 'a selection or projection', 'Use a member name, or any(x, …) on a list.');
      this.#at += 1;
      target = this.#member(target, name, safe);
    }
  }

  #member(target: Expression | undefined, name: Token, safe: boolean): Expression {
    const start = target?.start ?? name.start;
    if (!this.#isSymbol('(')) {
      if (target === undefined) return this.#node({ kind: 'name', name: name.text, start, end: name.end });
      return this.#node({ kind: 'member', target, name: name.text, safe, start, end: name.end });
    }
    if (target !== undefined && QUANTIFIERS.has(name.text)) return this.#quantifier(target, name);
    const { items, end } = this.#arguments();
    return this.#node({ kind: 'call', target, name: name.text, arguments: items, start, end });
  }

  #quantifier(target: Expression, name: Token): Expression {
    this.#expect('(');
    const parameter = this.#peek();
    const usage = `${name.text}(x, …) needs a name first, and then a condition on it: ${name.text}(x, x.login == authentication.name)`;
    if (parameter.kind !== 'word') throw syntaxError(this.#text, parameter.start, usage);
    this.#at += 1;
    if (!this.#isSymbol(',')) throw syntaxError(this.#text, parameter.start, usage);
    this.#expect(',');
    const body = this.#expression();
    const end = this.#expect(')').end;
    const quantifier = name.text as 'any' | 'all' | 'none';
    return this.#node({
      kind: 'quantifier',
      quantifier,
      target,
      parameter: parameter.text,
      body,
      start: target.start,
      end,
    });
  }

  /** A primary; undefined for `#this` and `#root`, which only stand in front of a function of the language. */
  #primary(): Expression | undefined {
    const token = this.#peek();
    switch (token.kind) {
      case 'string':
        this.#at += 1;
        return this.#node({ kind: 'literal', value: token.text, start: token.start, end: token.end });
      case 'number':
        this.#at += 1;
        return this.#node({ kind: 'literal', value: Number(token.text), start: token.start, end: token.end });
      case 'word':
        this.#at += 1;
        return this.#word(token);
      case 'symbol':
        this.#at += 1;
        return this.#symbol(token);
      case 'end':
        throw syntaxError(this.#text, token.start, 'it ends where a value is missing');
    }
  }

  #word(token: Token): Expression {
    const { text, start, end } = token;
    switch (text.toLowerCase()) {
      case 'true':
        return this.#node({ kind: 'literal', value: true, start, end });
      case 'false':
        return this.#node({ kind: 'literal', value: false, start, end });
      case 'null':
        return this.#node({ kind: 'literal', value: null, start, end });
      default:
    }
    if (text === 'T' && this.#isSymbol('('))
      throw this.#unsupported(token, 'a type reference T(…)', 'Ask a named bean instead: @clock.hour().');
    if (text === 'new' && this.#peek().kind === 'word')
      throw this.#unsupported(token, 'a constructor', 'Ask a named bean instead: @clock.hour().');
    return this.#member(undefined, token, false);
  }

  #symbol(token: Token): Expression | undefined {
    switch (token.text) {
      case '(': {
        const inner = this.#expression();
        if (this.#isSymbol(','))
          throw this.#unsupported(token, 'a list in round brackets', "Write it in square ones: ['A', 'B'].");
        this.#expect(')');
        return inner;
      }
      case '{':
      case '[': {
        const { items, end } = this.#items(token.text === '{' ? '}' : ']');
        return this.#node({ kind: 'list', items, start: token.start, end });
      }
      case '=':
        throw this.#unsupported(token, 'a third "="', 'Compare with == or !=.');
      case '>':
        throw this.#unsupported(token, 'the operator "<>"', 'Write !=.');
      case '#': {
        const name = this.#name('a variable');
        if (name.text === 'this' || name.text === 'root') return undefined;
        return this.#node({ kind: 'variable', name: name.text, start: token.start, end: name.end });
      }
      case '@': {
        const name = this.#name('a bean');
        return this.#node({ kind: 'bean', name: name.text, start: token.start, end: name.end });
      }
      default:
        throw this.#unexpected(token, 'a value is missing before');
    }
  }

  #name(what: string): Token {
    const token = this.#peek();
    if (token.kind !== 'word') throw syntaxError(this.#text, token.start, `the name of ${what} is missing`);
    this.#at += 1;
    return token;
  }

  #arguments(): { readonly items: readonly Expression[]; readonly end: number } {
    this.#expect('(');
    return this.#items(')');
  }

  #items(closing: ')' | '}' | ']'): { readonly items: readonly Expression[]; readonly end: number } {
    const items: Expression[] = [];
    if (!this.#isSymbol(closing)) {
      do items.push(this.#expression());
      while (this.#takeSymbol(','));
    }
    return { items, end: this.#expect(closing).end };
  }

  #operator<Operator>(words: Readonly<Record<string, Operator>>): Operator | undefined {
    const token = this.#peek();
    if (token.kind !== 'symbol' && token.kind !== 'word') return undefined;
    const key = token.text.toLowerCase();
    if (!Object.hasOwn(words, key)) return undefined;
    this.#at += 1;
    return words[key];
  }

  #nested(parse: () => Expression): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw expressionErrors.create('EXPRESSION_TOO_LARGE', { reason: `it nests deeper than ${MAX_DEPTH} levels` });
    const node = parse();
    this.#depth -= 1;
    return node;
  }

  #node(node: Expression): Expression {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES)
      throw expressionErrors.create('EXPRESSION_TOO_LARGE', { reason: `it has more than ${MAX_NODES} parts` });
    return Object.freeze(node);
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #isSymbol(symbol: string): boolean {
    const token = this.#peek();
    return token.kind === 'symbol' && token.text === symbol;
  }

  #isWord(word: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === 'word' && token.text.toLowerCase() === word;
  }

  #takeSymbol(symbol: string): boolean {
    if (!this.#isSymbol(symbol)) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#at += 1;
    return true;
  }

  #expect(symbol: string): Token {
    const token = this.#peek();
    if (!this.#takeSymbol(symbol))
      throw token.kind === 'end'
        ? syntaxError(this.#text, token.start, `"${symbol}" is missing`)
        : this.#unexpected(token, `"${symbol}" is missing before`);
    return token;
  }

  #unexpected(token: Token, reason: string): Error {
    return syntaxError(this.#text, token.start, `${reason} "${token.text}"`);
  }

  #unsupported(token: Token, what: string, instead: string): Error {
    return expressionErrors.create('EXPRESSION_UNSUPPORTED', {
      text: this.#text,
      what,
      column: token.start + 1,
      instead,
    });
  }
}
