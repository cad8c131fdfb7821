// The language of the scripts that pipelines take: expressions of numbers, as they are written in Painless and in Lucene's expressions, with
// `if`, `return` and names for values, and nothing else. Scripts are read into a tree and computed by walking it: there is no loop, no object
// and no call but to the functions listed here. Everything else that Painless can say is refused with the word that was not understood.
import { tick } from '../tasks/request-budget.ts';
import { illegalArgument, reduceError, scriptFailure } from '../errors/request-error.ts';
import { MOVING_FUNCTIONS } from './moving-functions.ts';
import { scriptError, type Token, tokens } from './script-tokens.ts';
import { boolean, NULL, number, numeric, operate, truth, type Value } from './script-values.ts';
import { checkCast, checkNumbers, common, type Type } from './script-types.ts';

/** What a script is computed with. */
export interface Inputs {
  /** By name: numbers of the bucket, which are doubles, and `params` of the request. */
  readonly params: ReadonlyMap<string, number | boolean | null>;
  /** Variables for numbers of the bucket. */
  readonly doubles: ReadonlySet<string>;
  /** The values of a window, for scripts of `moving_fn`. */
  readonly values?: readonly number[];
}

/** A script ready to be computed. */
export interface BucketScript {
  /** @throws RequestError for a value that the script cannot work with */
  run(inputs: Inputs): number | boolean | null;
}

/** An expression. Its type is what is known before it is computed: parameters may be anything. */
interface Node {
  (inputs: Inputs, locals: Map<string, Value>): Value;
  readonly type: Type;
}

/** What a script is to answer. */
export type AnswerType = 'Number' | 'boolean' | 'double';

/** Computes a statement; undefined: it returned nothing, and the next one follows. */
type Statement = (inputs: Inputs, locals: Map<string, Value>) => Value | undefined;

const MOST_CHARACTERS = 10_000;
const MOST_DEPTH = 60;
/** What a word of a script takes, and a value of a window in a function of it, in steps. */
const WORD_STEPS = 16;
const VALUE_STEPS = 8;
/** Functions of numbers; those of `kept` answer a whole number for whole ones. */
const MATH: Readonly<
  Record<string, { readonly of: (...values: number[]) => number; readonly count: number; readonly kept?: true }>
> = {
  abs: { of: Math.abs, count: 1, kept: true },
  max: { of: Math.max, count: 2, kept: true },
  min: { of: Math.min, count: 2, kept: true },
  sqrt: { of: Math.sqrt, count: 1 },
  cbrt: { of: Math.cbrt, count: 1 },
  pow: { of: Math.pow, count: 2 },
  exp: { of: Math.exp, count: 1 },
  log: { of: Math.log, count: 1 },
  ln: { of: Math.log, count: 1 },
  log10: { of: Math.log10, count: 1 },
  log1p: { of: Math.log1p, count: 1 },
  floor: { of: Math.floor, count: 1 },
  ceil: { of: Math.ceil, count: 1 },
  // Java's: half goes up.
  round: { of: (value) => Math.floor(value + 0.5), count: 1 },
  signum: { of: Math.sign, count: 1 },
  sin: { of: Math.sin, count: 1 },
  cos: { of: Math.cos, count: 1 },
  tan: { of: Math.tan, count: 1 },
  hypot: { of: Math.hypot, count: 2 },
};

const CONSTANTS: Readonly<Record<string, number>> = {
  'Math.PI': Math.PI,
  'Math.E': Math.E,
  'Double.NaN': Number.NaN,
  'Double.MAX_VALUE': Number.MAX_VALUE,
  'Double.POSITIVE_INFINITY': Infinity,
  'Double.NEGATIVE_INFINITY': -Infinity,
};

const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

class ScriptParser {
  readonly #script: string;
  readonly #tokens: readonly Token[];
  /** Lucene's expressions: all numbers are doubles, and names need no `params`. */
  readonly #isExpression: boolean;
  readonly #answer: AnswerType | undefined;
  readonly #locals = new Map<string, Type>();
  #at = 0;
  #depth = 0;

  constructor(script: string, isExpression: boolean, answer: AnswerType | undefined) {
    this.#answer = isExpression ? undefined : answer;
    this.#script = script;
    this.#tokens = tokens(script);
    this.#isExpression = isExpression;
  }

  /** The names that an expression reads. */
  readonly variables = new Set<string>();

  /** How many words and signs it has. */
  get words(): number {
    return this.#tokens.length;
  }

  /** The whole script. */
  parse(): Statement {
    const statements: Statement[] = [];
    while (this.#token.kind !== 'end') statements.push(this.#statement());
    if (statements.length === 0) throw this.#error('a script has at least one expression');
    return inTurn(statements);
  }

  get #token(): Token {
    return this.#tokens[this.#at]!;
  }

  #error(reason: string): Error {
    return scriptError(this.#script, this.#token.at, reason);
  }

  #takes(text: string): boolean {
    const { kind, text: found } = this.#token;
    if (found !== text || kind === 'text' || kind === 'end') return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#error(`[${text}] is expected`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MOST_DEPTH) throw this.#error(`a script nests at most [${MOST_DEPTH}] deep`);
    const found = read();
    this.#depth--;
    return found;
  }

  #statement(): Statement {
    return this.#nested(() => {
      if (this.#takes('if')) return this.#if();
      if (this.#takes('return')) {
        const value = this.#expression();
        this.#endStatement();
        return this.#answered(value);
      }
      const { text } = this.#token;
      if ((text === 'def' || text === 'double' || text === 'boolean') && this.#tokens[this.#at + 1]!.kind === 'name') {
        this.#at++;
        const name = this.#token.text;
        this.#at++;
        this.#expect('=');
        const value = this.#expression();
        this.#endStatement();
        if (text !== 'def') checkCast(this.#script, value.type, text);
        this.#locals.set(name, text);
        return (inputs, locals) => {
          const found = value(inputs, locals);
          locals.set(name, text === 'double' && found.kind === 'int' ? number(found.value) : found);
          return undefined;
        };
      }
      const value = this.#expression();
      this.#endStatement();
      // The last expression is what a script answers.
      return this.#token.kind === 'end' ? this.#answered(value) : () => undefined;
    });
  }

  #answered(value: Node): Statement {
    if (this.#answer !== undefined) checkCast(this.#script, value.type, this.#answer);
    return value;
  }

  /** An expression. The types of Lucene's expressions are all double, and are not checked. */
  #typed(type: Type, run: (inputs: Inputs, locals: Map<string, Value>) => Value): Node {
    return Object.assign(run, { type: this.#isExpression ? ('def' as const) : type });
  }

  #condition(value: Node): void {
    checkCast(this.#script, value.type, 'boolean');
  }

  #endStatement(): void {
    if (!this.#takes(';') && this.#token.kind !== 'end' && this.#token.text !== '}')
      throw this.#error('unexpected token');
  }

  #if(): Statement {
    this.#expect('(');
    const condition = this.#expression();
    this.#condition(condition);
    this.#expect(')');
    const then = this.#block();
    const otherwise = this.#takes('else') ? (this.#takes('if') ? this.#if() : this.#block()) : undefined;
    return (inputs, locals) => (truth(condition(inputs, locals)) ? then(inputs, locals) : otherwise?.(inputs, locals));
  }

  #block(): Statement {
    if (!this.#takes('{')) return this.#statement();
    const statements: Statement[] = [];
    while (!this.#takes('}')) {
      if (this.#token.kind === 'end') throw this.#error('[}] is expected');
      statements.push(this.#statement());
    }
    return inTurn(statements);
  }

  #expression(): Node {
    return this.#nested(() => {
      const condition = this.#binary(0);
      if (!this.#takes('?')) return condition;
      const then = this.#expression();
      this.#expect(':');
      const otherwise = this.#expression();
      this.#condition(condition);
      return this.#typed(common(this.#script, then.type, otherwise.type), (inputs, locals) =>
        truth(condition(inputs, locals)) ? then(inputs, locals) : otherwise(inputs, locals),
      );
    });
  }

  #binary(level: number): Node {
    const signs = LEVELS[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { kind, text } = this.#token;
      if (kind !== 'sign' || !signs.includes(text)) return left;
      this.#at++;
      const right = this.#binary(level + 1);
      const first = left;
      if (text === '&&' || text === '||') {
        this.#condition(first);
        this.#condition(right);
        left = this.#typed('boolean', (inputs, locals) =>
          boolean(truth(first(inputs, locals)) === (text === '&&') ? truth(right(inputs, locals)) : text === '||'),
        );
      } else {
        const type = checkNumbers(this.#script, text, first.type, right.type);
        left = this.#typed(type, (inputs, locals) => operate(text, first(inputs, locals), right(inputs, locals)));
      }
    }
  }

  #unary(): Node {
    return this.#nested(() => {
      if (this.#takes('!')) {
        const inner = this.#unary();
        this.#condition(inner);
        return this.#typed('boolean', (inputs, locals) => boolean(!truth(inner(inputs, locals))));
      }
      if (this.#takes('-')) {
        const inner = this.#unary();
        const type = checkNumbers(this.#script, '-', 'int', inner.type);
        return this.#typed(type, (inputs, locals) =>
          operate('-', { kind: 'int', value: 0 }, inner(inputs, locals), true),
        );
      }
      if (this.#takes('+')) return this.#unary();
      return this.#primary();
    });
  }

  #primary(): Node {
    const { kind, text } = this.#token;
    if (kind === 'number') {
      this.#at++;
      const isWhole = /^\d+[lL]?$/.test(text) && !this.#isExpression;
      const value: Value = { kind: isWhole ? 'int' : 'double', value: Number(text.replace(/[dDfFlL]$/, '')) };
      if (isWhole && !Number.isSafeInteger(value.value)) throw this.#error('a whole number beyond 2^53');
      return this.#typed(isWhole ? 'int' : 'double', () => value);
    }
    if (this.#takes('(')) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (kind !== 'name') throw this.#error(kind === 'end' ? 'an expression is expected' : 'unexpected token');
    this.#at++;
    return this.#name(text);
  }

  #name(name: string): Node {
    if (name === 'true' || name === 'false') return this.#typed('boolean', () => boolean(name === 'true'));
    if (name === 'null') return this.#typed('null', () => NULL);
    if (name === 'params') return this.#param();
    // Functions of windows are there for `moving_fn` alone, whose scripts answer a double.
    if (name === 'MovingFunctions' && (this.#answer === 'double' || this.#answer === undefined)) return this.#moving();
    if (name === 'Math' || name === 'Double') return this.#static(name);
    if (name === 'values') {
      if (this.#takes('.')) {
        this.#expect('length');
        return this.#typed('int', ({ values }) => ({ kind: 'int', value: windowOf(values).length }));
      }
      return this.#typed('def', ({ values }) => ({ kind: 'values', value: windowOf(values) }));
    }
    const local = this.#locals.get(name);
    if (local !== undefined) return this.#typed(local, (_, locals) => locals.get(name) ?? NULL);
    if (this.#isExpression) {
      if (Object.hasOwn(MATH, name) && this.#token.text === '(') return this.#math(name);
      this.variables.add(name);
      return this.#typed('def', (inputs) => paramValue(inputs, name, true));
    }
    this.#at--;
    throw this.#error(`cannot resolve symbol [${name}]`);
  }

  #param(): Node {
    let name: string;
    if (this.#takes('.')) {
      name = this.#token.text;
      if (this.#token.kind !== 'name') throw this.#error('the name of a parameter is expected');
      this.#at++;
    } else {
      this.#expect('[');
      const { kind, text } = this.#token;
      if (kind !== 'text') throw this.#error('the name of a parameter is expected');
      name = text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
      this.#at++;
      this.#expect(']');
    }
    if (this.#token.text === '.' || this.#token.text === '(') throw this.#error('numbers have no members');
    return this.#typed('def', (inputs) => paramValue(inputs, name, false));
  }

  #static(owner: string): Node {
    this.#expect('.');
    const name = this.#token.text;
    this.#at++;
    const constant = `${owner}.${name}`;
    if (Object.hasOwn(CONSTANTS, constant)) return this.#typed('double', () => number(CONSTANTS[constant]!));
    if (owner === 'Double' && (name === 'isNaN' || name === 'isFinite' || name === 'isInfinite')) {
      const [argument] = this.#arguments(1, name);
      return this.#typed('boolean', (inputs, locals) => {
        const value = numeric(argument!(inputs, locals));
        return boolean(
          name === 'isNaN'
            ? Number.isNaN(value)
            : name === 'isFinite'
              ? Number.isFinite(value)
              : Math.abs(value) === Infinity,
        );
      });
    }
    if (owner === 'Math' && Object.hasOwn(MATH, name)) return this.#math(name);
    this.#at--;
    throw this.#error(`[${constant}] is not known`);
  }

  #math(name: string): Node {
    const { of, count, kept } = MATH[name]!;
    const given = this.#arguments(count, name);
    const isRound = name === 'round';
    for (const { type } of given) checkCast(this.#script, type, 'double');
    const isKept = isRound || (kept === true && given.every(({ type }) => type === 'int'));
    return this.#typed(isKept ? 'int' : 'double', (inputs, locals) => {
      const values = given.map((each) => each(inputs, locals));
      const whole = isRound || (kept === true && values.every((value) => value.kind === 'int'));
      return { kind: whole ? 'int' : 'double', value: of(...values.map(numeric)) };
    });
  }

  #moving(): Node {
    this.#expect('.');
    const name = this.#token.text;
    const found = Object.hasOwn(MOVING_FUNCTIONS, name) ? MOVING_FUNCTIONS[name] : undefined;
    if (found === undefined) throw this.#error(`[MovingFunctions.${name}] is not known`);
    this.#at++;
    const given = this.#arguments(found.settings + 1, name);
    return this.#typed('double', (inputs, locals) => {
      const [values, ...settings] = given.map((each) => each(inputs, locals));
      if (values?.kind !== 'values') throw scriptFailure(`[MovingFunctions.${name}] takes [values] first`);
      tick(VALUE_STEPS * values.value.length);
      try {
        return number(
          found.of(
            values.value,
            ...settings.map((each) => (each.kind === 'boolean' ? Number(each.value) : numeric(each))),
          ),
        );
      } catch (error) {
        throw error instanceof RangeError ? scriptFailure(error.message) : error;
      }
    });
  }

  #arguments(count: number, name: string): readonly Node[] {
    this.#expect('(');
    const given: Node[] = [];
    while (!this.#takes(')')) {
      if (given.length > 0) this.#expect(',');
      given.push(this.#expression());
    }
    if (given.length !== count)
      throw this.#error(`[${name}] takes [${count}] arguments, and [${given.length}] were given`);
    return given;
  }
}

function inTurn(statements: readonly Statement[]): Statement {
  return (inputs, locals) => {
    for (const statement of statements) {
      const found = statement(inputs, locals);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function windowOf(values: readonly number[] | undefined): readonly number[] {
  if (values === undefined) throw scriptFailure('[values] is there in scripts of [moving_fn] only');
  return values;
}

function paramValue({ params, doubles }: Inputs, name: string, isExpression: boolean): Value {
  const value = params.get(name);
  // Variables that nobody sets are zero.
  if (value === undefined && isExpression) return { kind: 'double', value: 0 };
  if (value === undefined || value === null) return NULL;
  if (typeof value === 'boolean') return boolean(value);
  return { kind: Number.isSafeInteger(value) && !doubles.has(name) && !isExpression ? 'int' : 'double', value };
}

/**
 * Reads a script.
 *
 * @param lang `painless`, or `expression`, where names need no `params` and every number is a double
 * @param answer what a script in Painless is to answer; undefined: anything
 * @throws RequestError naming what is not understood
 */
export function parseBucketScript(script: string, lang: string, answer?: AnswerType): BucketScript {
  if (lang !== 'painless' && lang !== 'expression')
    throw reduceError(
      `script_lang not supported [${lang}]; it is one of [painless, expression]`,
      'illegal_argument_exception',
    );
  if (script.length > MOST_CHARACTERS)
    throw illegalArgument(
      `exceeded max allowed inline script size in bytes [${MOST_CHARACTERS}] with size [${script.length}] for a script of a pipeline`,
    );
  const parser = new ScriptParser(script, lang === 'expression', answer);
  const statement = parser.parse();
  return {
    run(inputs) {
      tick(WORD_STEPS * parser.words);
      const unused =
        lang === 'expression' ? [...inputs.params.keys()].find((name) => !parser.variables.has(name)) : undefined;
      if (unused !== undefined)
        throw reduceError(
          `The variable [${unused}] does not exist in the executable expressions script.`,
          'illegal_argument_exception',
        );
      const found = statement(inputs, new Map());
      // A script that returns nothing answers the default of its type.
      if (found === undefined) return answer === 'boolean' ? false : answer === 'double' ? 0 : null;
      if (found.kind === 'values') throw scriptFailure('a script answers a number or a boolean, not [values]');
      return found.value;
    },
  };
}
