// The scripts of `condition` and `predicate_token_filter`: one expression about a token, as Painless writes it, that is true or false. It
// has comparisons, arithmetic of whole numbers, `&&`, `||`, `!`, `? :`, methods of texts and `params`. Anything else is refused by name.
import { RequestError } from '../errors/request-error.ts';
import type { Token } from './token.ts';

/** A token beside the one before it, whose position tells the increment. */
export interface TokenInText {
  readonly token: Token;
  readonly before: number;
}

type Value = number | string | boolean;
type Type = 'number' | 'text' | 'boolean';
type Params = Readonly<Record<string, Value>>;

/** A part of an expression. Its type is known before it runs. */
interface Node {
  readonly type: Type;
  readonly run: (at: TokenInText) => Value;
}

/** What a script asks of tokens: `token.position` and `token.getPosition()` are the same. */
const MEMBERS: Readonly<Record<string, Node>> = {
  term: { type: 'text', run: ({ token }) => token.term },
  type: { type: 'text', run: ({ token }) => token.type },
  position: { type: 'number', run: ({ token }) => token.position },
  positionIncrement: { type: 'number', run: ({ token, before }) => token.position - before },
  positionLength: { type: 'number', run: ({ token }) => token.positionLength ?? 1 },
  startOffset: { type: 'number', run: ({ token }) => token.start },
  endOffset: { type: 'number', run: ({ token }) => token.end },
  keyword: { type: 'boolean', run: ({ token }) => token.keyword === true },
};

interface Method {
  readonly takes: readonly Type[];
  readonly type: Type;
  readonly of: (text: string, other: string) => Value;
}

/** Methods of texts. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['length', { takes: [], type: 'number', of: (text) => text.length }],
  ['isEmpty', { takes: [], type: 'boolean', of: (text) => text === '' }],
  ['toString', { takes: [], type: 'text', of: (text) => text }],
  ['trim', { takes: [], type: 'text', of: (text) => text.trim() }],
  ['toLowerCase', { takes: [], type: 'text', of: (text) => text.toLowerCase() }],
  ['toUpperCase', { takes: [], type: 'text', of: (text) => text.toUpperCase() }],
  ['startsWith', { takes: ['text'], type: 'boolean', of: (text, other) => text.startsWith(other) }],
  ['endsWith', { takes: ['text'], type: 'boolean', of: (text, other) => text.endsWith(other) }],
  ['contains', { takes: ['text'], type: 'boolean', of: (text, other) => text.includes(other) }],
  ['equals', { takes: ['text'], type: 'boolean', of: (text, other) => text === other }],
  [
    'equalsIgnoreCase',
    { takes: ['text'], type: 'boolean', of: (text, other) => text.toLowerCase() === other.toLowerCase() },
  ],
  ['indexOf', { takes: ['text'], type: 'number', of: (text, other) => text.indexOf(other) }],
]);

const SIGNS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

const WORD =
  /\s+|\/\/[^\n]*|(\d+|[A-Za-z_]\w*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:(),.[\];])|(.)/gy;

const MOST_CHARACTERS = 10_000;
const MOST_DEPTH = 60;

/** Whether a number is an int of Java, the only kind that scripts compute with. */
export function isInt(value: number): boolean {
  return (value | 0) === value;
}

/** Reads a script. @throws RequestError `script_exception` for what it cannot say */
export function parseTokenScript(source: string, params: Params): (at: TokenInText) => boolean {
  const { run, type } = new TokenScript(source, params).parse();
  if (type !== 'boolean') throw scriptError(source, `Cannot cast from [${type}] to [boolean].`);
  return (at) => run(at) === true;
}

function scriptError(source: string, reason: string): RequestError {
  return new RequestError('SEARCH_UNSUPPORTED', 'script_exception', 'compile error', {
    fields: { script: source.slice(0, 200), lang: 'painless' },
    causedBy: { type: 'illegal_argument_exception', reason },
    hint: `Scripts about tokens are one expression here: members of [token] (${Object.keys(MEMBERS).join(', ')}), methods of texts (${[...METHODS.keys()].join(', ')}), [params], numbers, comparisons, [&&], [||], [!] and [? :].`,
  });
}

class TokenScript {
  readonly #source: string;
  readonly #params: Params;
  readonly #words: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(source: string, params: Params) {
    this.#source = source;
    this.#params = params;
    if (source.length > MOST_CHARACTERS) throw this.#error(`a script has at most [${MOST_CHARACTERS}] characters`);
    this.#words = Array.from(source.matchAll(WORD), ([, word, other]) => {
      if (other !== undefined) throw this.#error(`unexpected character [${other}].`);
      return word ?? '';
    }).filter((word) => word !== '');
  }

  parse(): Node {
    this.#takes('return');
    const found = this.#choice();
    this.#takes(';');
    if (this.#at < this.#words.length) throw this.#error(`unexpected token [${this.#words[this.#at]}].`);
    return found;
  }

  #error(reason: string): RequestError {
    return scriptError(this.#source, reason);
  }

  #takes(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#takes(word))
      throw this.#error(`unexpected token [${this.#words[this.#at] ?? '<EOF>'}] was expecting [${word}].`);
  }

  #checked(node: Node, type: Type): Node {
    if (node.type !== type) throw this.#error(`Cannot cast from [${node.type}] to [${type}].`);
    return node;
  }

  #choice(): Node {
    if (++this.#depth > MOST_DEPTH) throw this.#error(`a script nests at most [${MOST_DEPTH}] deep`);
    const condition = this.#binary(0);
    this.#depth--;
    if (!this.#takes('?')) return condition;
    this.#checked(condition, 'boolean');
    const yes = this.#choice();
    this.#expect(':');
    const no = this.#checked(this.#choice(), yes.type);
    return { type: yes.type, run: (at) => (condition.run(at) === true ? yes.run(at) : no.run(at)) };
  }

  #binary(level: number): Node {
    const signs = SIGNS[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const sign = signs.find((each) => this.#takes(each));
      if (sign === undefined) return left;
      left = this.#joined(sign, left, this.#binary(level + 1));
    }
  }

  #joined(sign: string, left: Node, right: Node): Node {
    if (sign === '==' || sign === '!=') {
      this.#checked(right, left.type);
      return { type: 'boolean', run: (at) => (left.run(at) === right.run(at)) === (sign === '==') };
    }
    if (sign === '&&' || sign === '||') {
      this.#checked(left, 'boolean');
      this.#checked(right, 'boolean');
      // The right side runs only where the left one does not decide.
      return { type: 'boolean', run: (at) => (left.run(at) === (sign === '&&') ? right.run(at) : sign === '||') };
    }
    this.#checked(left, 'number');
    this.#checked(right, 'number');
    const isComparison = /[<>]/.test(sign);
    return {
      type: isComparison ? 'boolean' : 'number',
      run: (at) => this.#computed(sign, Number(left.run(at)), Number(right.run(at))),
    };
  }

  #computed(sign: string, a: number, b: number): Value {
    switch (sign) {
      case '<':
        return a < b;
      case '<=':
        return a <= b;
      case '>':
        return a > b;
      case '>=':
        return a >= b;
      case '+':
        return (a + b) | 0;
      case '-':
        return (a - b) | 0;
      case '*':
        return Math.imul(a, b);
      default:
        if (b === 0) throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'script_exception', 'runtime error: / by zero');
        return sign === '/' ? (a / b) | 0 : a % b;
    }
  }

  #unary(): Node {
    if (++this.#depth > MOST_DEPTH) throw this.#error(`a script nests at most [${MOST_DEPTH}] deep`);
    let found: Node;
    if (this.#takes('!')) {
      const inner = this.#checked(this.#unary(), 'boolean');
      found = { type: 'boolean', run: (at) => inner.run(at) !== true };
    } else if (this.#takes('-')) {
      const inner = this.#checked(this.#unary(), 'number');
      found = { type: 'number', run: (at) => -Number(inner.run(at)) | 0 };
    } else found = this.#called(this.#primary());
    this.#depth--;
    return found;
  }

  #primary(): Node {
    const word = this.#words[this.#at++];
    if (word === undefined) throw this.#error('unexpected end of script.');
    if (word === '(') {
      const inner = this.#choice();
      this.#expect(')');
      return inner;
    }
    if (/^\d/.test(word)) {
      // A zero before other digits would make it octal.
      if (!isInt(Number(word)) || /^0\d/.test(word)) throw this.#error(`Invalid int constant [${word}].`);
      return constant(Number(word));
    }
    if (/^['"]/.test(word)) return constant(word.slice(1, -1).replaceAll(/\\(.)/g, '$1'));
    if (word === 'true' || word === 'false') return constant(word === 'true');
    if (word === 'token') return this.#member();
    if (word === 'params') return this.#param();
    throw this.#error(`cannot resolve symbol [${word}]`);
  }

  #member(): Node {
    this.#expect('.');
    const name = this.#words[this.#at++] ?? '';
    const getter = /^(?:get|is)([A-Z])(\w*)$/.exec(name);
    const member = getter === null ? name : `${getter[1]?.toLowerCase()}${getter[2]}`;
    const found = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined;
    if (found === undefined) throw this.#error(`member [${name}] of [token] not found.`);
    if (getter !== null) {
      this.#expect('(');
      this.#expect(')');
    }
    return found;
  }

  #param(): Node {
    let name: string;
    if (this.#takes('.')) name = this.#words[this.#at++] ?? '';
    else {
      this.#expect('[');
      name = (this.#words[this.#at++] ?? '').slice(1, -1);
      this.#expect(']');
    }
    const value = Object.hasOwn(this.#params, name) ? this.#params[name] : undefined;
    if (value === undefined) throw this.#error(`parameter [${name}] not found.`);
    return constant(value);
  }

  /** The methods that are called on a text. */
  #called(of: Node): Node {
    let found = of;
    while (this.#takes('.')) {
      const name = this.#words[this.#at++] ?? '';
      const method = METHODS.get(name);
      if (method === undefined || found.type !== 'text') throw this.#error(`member method [${name}] not found.`);
      this.#expect('(');
      const given = method.takes.map((type) => this.#checked(this.#choice(), type));
      this.#expect(')');
      const text = found;
      found = {
        type: method.type,
        run: (at) => method.of(String(text.run(at)), String(given[0]?.run(at))),
      };
    }
    return found;
  }
}

function constant(value: Value): Node {
  return {
    type: typeof value === 'number' ? 'number' : typeof value === 'string' ? 'text' : 'boolean',
    run: () => value,
  };
}
