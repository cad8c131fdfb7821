// Translates Java's regular expressions to JavaScript: escapes, nested classes, quoted text, inline flags, and the meaning of `\s`, `\b` and
// case-insensitive matching. Syntax without an equivalent is refused by name.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { propertyMembers } from './java-properties.ts';
import { characterAt, codePointAt } from '../text/code-points.ts';

/** Flags of Java by their letters in `(?…)`, and `l` for `LITERAL`. */
const FLAGS = ['i', 'm', 's', 'x', 'u', 'U', 'd', 'l'] as const;

export type JavaFlag = (typeof FLAGS)[number];

function flagsIn(letters: string): readonly JavaFlag[] {
  return FLAGS.filter((flag) => letters.includes(flag));
}

/** An expression of JavaScript. */
export interface TranslatedRegex {
  readonly source: string;
  /** Those of `m`, `u` and `v` that it needs: `v` for nested classes. */
  readonly flags: string;
}

const LINE_ENDS = String.raw`\n\x0b\f\r\x85\u2028\u2029`;
const BLANKS = String.raw`\x20\t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000`;
/** Word characters for `\b`, which covers all letters whatever `\w` means. */
const OF_WORD = String.raw`[\p{L}\p{Nd}_]`;
const SPACE = String.raw`\x20\t\n\x0b\f\r`;
const UNICODE_WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;

/** Maximum characters of a range to which the other case is added. */
const MOST_CASES = 500;

/** One item of a class: members, or a nested class. */
interface ClassItem {
  readonly text: string;
  /** Whether it needs the flag `v`. */
  readonly isClass: boolean;
}

/** @throws RequestError pattern_syntax_exception, or for syntax without an equivalent */
export function translateJava(source: string, flags: ReadonlySet<JavaFlag>): TranslatedRegex {
  return new JavaTranslator(source, flags).translate();
}

/** Escapes a character inside and outside of a class, for both `u` and `v`. */
function escaped(character: string): string {
  if (/[\w\u0080-\u{10ffff}]/u.test(character)) return character;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

class JavaTranslator {
  readonly #source: string;
  #flags: ReadonlySet<JavaFlag>;
  readonly #isMultiline: boolean;
  #at = 0;
  #needsV = false;
  /** Whether the last piece was a quantifier. */
  #isRepeated = false;

  constructor(source: string, flags: ReadonlySet<JavaFlag>) {
    this.#source = source;
    const [, inline = ''] = /^\(\?([imsxuUd]+)\)/.exec(source) ?? [];
    this.#flags = flags;
    this.#isMultiline = flags.has('m') || inline.includes('m');
  }

  translate(): TranslatedRegex {
    const source = this.#flags.has('l')
      ? Array.from(this.#source, (each) => this.#literal(each)).join('')
      : this.#alternatives(0);
    return { source, flags: `${this.#isMultiline ? 'm' : ''}${this.#needsV ? 'v' : 'u'}` };
  }

  /** Up to the end of a group. */
  #alternatives(depth: number): string {
    const outer = this.#flags;
    let text = '';
    while (this.#at < this.#source.length) {
      if (this.#source[this.#at] === ')') {
        if (depth === 0) throw this.#wrong("Unmatched closing ')'", this.#at - 1);
        this.#flags = outer;
        return text;
      }
      const from = this.#at;
      text += this.#piece(depth, text);
      this.#isRepeated = '*+?{'.includes(this.#source[from]!);
    }
    if (depth > 0) throw this.#wrong('Unclosed group', this.#source.length);
    return text;
  }

  #piece(depth: number, before: string): string {
    const from = this.#at;
    const character = characterAt(this.#source, from);
    this.#at += character.length;
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[':
        return this.#class(from).text;
      case '\\':
        return this.#escape();
      case '.':
        if (this.#flags.has('s')) return '[^]';
        return this.#flags.has('d') ? String.raw`[^\n]` : String.raw`[^\n\r\x85\u2028\u2029]`;
      case '|':
        return character;
      case '^':
      case '$':
        if (this.#flags.has('m') && !this.#isMultiline) throw unsupported(this.#source, '[m] behind its beginning');
        return character;
      case '*':
      case '+':
      case '?':
      case '{':
        return this.#quantifier(character, from, before);
      case '#':
        if (!this.#flags.has('x')) return this.#literal(character);
        this.#at = this.#source.indexOf('\n', from);
        if (this.#at < 0) this.#at = this.#source.length;
        return '';
      default:
        return this.#flags.has('x') && /\s/.test(character) ? '' : this.#literal(character);
    }
  }

  #literal(character: string): string {
    const cases = this.#casesOf(character);
    if (cases.length > 0) return `[${character}${cases}]`;
    return '^$\\.*+?()[]{}|/'.includes(character) ? `\\${character}` : character;
  }

  /** The other cases of a character, if case is ignored. */
  #casesOf(character: string): string {
    if (!this.#flags.has('i') || (!this.#flags.has('u') && !this.#flags.has('U') && !/[a-zA-Z]/.test(character)))
      return '';
    return [...new Set([character.toLowerCase(), character.toUpperCase()])]
      .filter((each) => each !== character && each.length === character.length)
      .join('');
  }

  #group(depth: number): string {
    const rest = this.#source.slice(this.#at);
    const [opening = ''] = /^\?(?:[:=!]|<[=!]|<[a-zA-Z][a-zA-Z0-9]*>)/.exec(rest) ?? [];
    const outer = this.#flags;
    let shown = `(${opening}`;
    if (opening === '' && rest.startsWith('?')) {
      const [whole, on = '', , off = '', end] = /^\?([imsxuUd]*)(-([imsxuUd]*))?([:)])/.exec(rest) ?? [];
      if (whole === undefined) throw this.#unknownGroup(rest);
      this.#flags = new Set([...this.#flags, ...flagsIn(on)].filter((flag) => !off.includes(flag)));
      this.#at += whole.length;
      // Until the end of the enclosing group.
      if (end === ')') return '';
      shown = '(?:';
    } else this.#at += opening.length;
    const inner = this.#alternatives(depth + 1);
    this.#flags = outer;
    this.#at++;
    return `${shown}${inner})`;
  }

  #unknownGroup(rest: string): Error {
    if (rest.startsWith('?>')) return unsupported(this.#source, 'groups that give nothing back [(?>]');
    return this.#wrong(rest.startsWith('?<') ? 'Unknown look-behind group' : 'Unknown inline modifier', this.#at + 1);
  }

  #quantifier(character: string, from: number, before: string): string {
    if (character === '{') {
      const [count] = /^\d+(?:,\d*)?\}/.exec(this.#source.slice(this.#at)) ?? [];
      if (count === undefined) throw this.#wrong('Illegal repetition', from + 1);
      this.#at += count.length;
      return `{${count}${this.#lazy()}`;
    }
    if (before === '' || before.endsWith('|') || this.#isRepeated)
      throw this.#wrong(`Dangling meta character '${character}'`, from);
    return character + this.#lazy();
  }

  /** The suffix of a quantifier: lazy or possessive. */
  #lazy(): string {
    const next = this.#source[this.#at];
    if (next === '+') throw unsupported(this.#source, 'repetitions that give nothing back [++]');
    if (next !== '?') return '';
    this.#at++;
    return '?';
  }

  /** An escape outside of a class. */
  #escape(): string {
    const next = this.#source[this.#at];
    switch (next) {
      case 'Q':
        return this.#quoted()
          .map((each) => this.#literal(each))
          .join('');
      case 'b':
      case 'B':
        this.#at++;
        return boundary(next === 'b');
      case 'A':
      case 'z':
      case 'Z':
        this.#at++;
        return next === 'A' ? '(?<![^])' : '(?![^])';
      case 'R':
        this.#at++;
        return String.raw`(?:\r\n|[${LINE_ENDS}])`;
      case 'k':
        throw unsupported(this.#source, 'back-references');
      default:
    }
    if (next !== undefined && /[1-9]/.test(next)) throw unsupported(this.#source, 'back-references');
    const members = this.#classEscape();
    if (members !== undefined) return members.text;
    return this.#literal(this.#character());
  }

  /** `\Q…\E`; without `\E`, until the end of the pattern. */
  #quoted(): string[] {
    const end = this.#source.indexOf('\\E', this.#at);
    const text = this.#source.slice(this.#at + 1, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#source.length : end + 2;
    return Array.from(text);
  }

  /** Escapes of several characters; undefined for those of one. */
  #classEscape(): ClassItem | undefined {
    const [whole, letter = '', long, short] =
      /^(?:([dDwWsShHvV])|[pP](?:\{([^}]*)\}|(.)))/u.exec(this.#source.slice(this.#at)) ?? [];
    if (whole === undefined) return undefined;
    const isNegated = /^[DWSHVP]/.test(whole);
    const members =
      letter === ''
        ? propertyMembers((long ?? short ?? '').trim(), this.#flags.has('i'), this.#flags.has('U'))
        : this.#membersOf(letter.toLowerCase());
    this.#at += whole.length;
    if (members === undefined) throw this.#wrong(`Unknown character property name {${long ?? short}}`, this.#at - 1);
    return { text: `[${isNegated ? '^' : ''}${members}]`, isClass: isNegated };
  }

  #membersOf(letter: string): string {
    const isUnicode = this.#flags.has('U');
    switch (letter) {
      case 'd':
        return isUnicode ? String.raw`\p{Nd}` : '0-9';
      case 'w':
        return isUnicode ? UNICODE_WORD : 'a-zA-Z0-9_';
      case 's':
        return isUnicode ? String.raw`\p{White_Space}` : SPACE;
      case 'h':
        return BLANKS;
      default:
        return LINE_ENDS;
    }
  }

  /** An escape of one character. */
  #character(): string {
    const rest = this.#source.slice(this.#at);
    const [hex, long, two, four = ''] = /^(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest) ?? [];
    if (hex !== undefined) {
      this.#at += hex.length;
      const point = Number.parseInt(long ?? two ?? four, 16);
      if (point > 0x10_ff_ff) throw this.#wrong('Hexadecimal codepoint is too big', this.#at - 1);
      return String.fromCodePoint(point);
    }
    const [octal, digits = ''] = /^0([0-3]?[0-7]{1,2})/.exec(rest) ?? [];
    if (octal !== undefined) {
      this.#at += octal.length;
      return String.fromCodePoint(Number.parseInt(digits, 8));
    }
    const [control, name = ''] = /^c(.)/s.exec(rest) ?? [];
    if (control !== undefined) {
      this.#at += control.length;
      return String.fromCharCode(name.charCodeAt(0) ^ 64);
    }
    const next = this.#source.codePointAt(this.#at);
    if (next === undefined) throw this.#wrong('Unexpected internal error', this.#at);
    const character = String.fromCodePoint(next);
    this.#at += character.length;
    const named = { t: '\t', n: '\n', r: '\r', f: '\f', a: '\u0007', e: '\u001b' }[character];
    if (named !== undefined) return named;
    if (/[a-zA-Z0-9]/.test(character)) throw this.#wrong('Illegal/unsupported escape sequence', this.#at - 1);
    return character;
  }

  /** A class after its bracket. @param from start of the outermost class */
  #class(from: number): ClassItem {
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at++;
    let operand: ClassItem[] = [];
    const operands = [operand];
    for (let isFirst = true; ; isFirst = false) {
      const next = this.#source[this.#at];
      if (next === undefined) throw this.#wrong('Unclosed character class', this.#source.length - 1);
      if (next === ']' && !isFirst) break;
      if (this.#source.startsWith('&&', this.#at)) {
        this.#at += 2;
        operands.push((operand = []));
        continue;
      }
      operand.push(...this.#classItems(from));
    }
    this.#at++;
    const texts = operands.filter((items) => items.length > 0).map((items) => items.map(({ text }) => text).join(''));
    const isPlain = texts.length === 1 && operands.every((items) => items.every(({ isClass }) => !isClass));
    if (!isPlain) this.#needsV = true;
    const inner = texts.length === 1 ? texts[0]! : texts.map((text) => `[${text}]`).join('&&');
    return { text: `[${isNegated ? '^' : ''}${inner}]`, isClass: true };
  }

  #classItems(from: number): readonly ClassItem[] {
    if (this.#source[this.#at] === '[') {
      this.#at++;
      return [this.#class(from)];
    }
    if (this.#flags.has('x') && /\s/.test(this.#source[this.#at]!)) {
      this.#at++;
      return [];
    }
    if (this.#source.startsWith('\\Q', this.#at)) {
      this.#at++;
      return this.#quoted().map((each) => this.#member(each));
    }
    if (this.#source[this.#at] === '\\') {
      this.#at++;
      const found = this.#classEscape();
      // Anything but a nested class is written as its members.
      if (found !== undefined) return [found.isClass ? found : { text: found.text.slice(1, -1), isClass: false }];
      this.#at--;
    }
    const first = this.#classCharacter();
    const next = this.#source[this.#at + 1];
    if (this.#source[this.#at] !== '-' || next === undefined || next === ']' || next === '[')
      return [this.#member(first)];
    const dash = this.#at++;
    if (/^\\[dDwWsShHvVpP]/.test(this.#source.slice(this.#at))) {
      this.#at = dash + 1;
      return [this.#member(first), this.#member('-')];
    }
    const last = this.#classCharacter();
    if (codePointAt(last) < codePointAt(first)) throw this.#wrong('Illegal character range', this.#at - 1);
    return [{ text: `${escaped(first)}-${escaped(last)}${this.#otherCases(first, last)}`, isClass: false }];
  }

  #classCharacter(): string {
    if (this.#source[this.#at] === '\\') {
      this.#at++;
      return this.#character();
    }
    const character = characterAt(this.#source, this.#at);
    this.#at += character.length;
    return character;
  }

  #member(character: string): ClassItem {
    return { text: escaped(character) + this.#casesOf(character), isClass: false };
  }

  /** The other case of the letters of a range. */
  #otherCases(first: string, last: string): string {
    if (!this.#flags.has('i')) return '';
    const codes = [codePointAt(first), codePointAt(last)] as const;
    let cases = '';
    for (let code = codes[0]; code <= Math.min(codes[1], codes[0] + MOST_CASES); code++)
      cases += this.#casesOf(String.fromCodePoint(code));
    return cases;
  }

  /** Java's PatternSyntaxException. @param at position; not shown if negative */
  #wrong(reason: string, at: number): Error {
    const where = at < 0 ? '' : ` near index ${at}`;
    const pointer = at >= 0 && at < this.#source.length ? `\n${' '.repeat(at)}^` : '';
    return new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'pattern_syntax_exception',
      `${reason}${where}\n${this.#source}${pointer}`,
    );
  }
}

/** `\b` and `\B`. */
function boundary(isEdge: boolean): string {
  return isEdge
    ? `(?:(?<=${OF_WORD})(?!${OF_WORD})|(?<!${OF_WORD})(?=${OF_WORD}))`
    : `(?:(?<=${OF_WORD})(?=${OF_WORD})|(?<!${OF_WORD})(?!${OF_WORD}))`;
}

function unsupported(source: string, what: string): Error {
  return illegalArgument(`pattern [${source}] is refused: ${what} are not supported`);
}
