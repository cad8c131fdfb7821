// Vocabulary for option tables, and the validator that reports every mistake at once. A table must have the keys of its
// type (`KeysOf`): an option added to the type and not to its table does not compile.
import { didYouMean, isOneOf, listOf, membersIn, suggest, toText } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';

/** Called with each mistake: one sentence without a full stop. */
type Report = (mistake: string) => void;

/** The shape of a value. The type parameter exists at compile time only. */
export interface Shape<T = unknown> {
  /** Text for messages: `true or false`. */
  readonly expects: string;
  /** Returns whether a value has this shape at first sight; only then is it checked in depth. */
  takes(value: unknown): boolean;
  /** Reports what is wrong inside a value of this shape. */
  check?(value: unknown, place: string, report: Report): void;
  /** Keys of a group, item of a list or map, shapes of a union: for code that walks a table. */
  readonly keys?: Readonly<Record<string, Shape>>;
  readonly item?: Shape;
  readonly shapes?: readonly Shape[];
  readonly valueType?: T;
}

/** A shape for each key of a type. */
export type KeysOf<T> = { readonly [Key in keyof Required<T>]: Shape<Exclude<T[Key], undefined>> };

export const flag: Shape<boolean> = { expects: 'true or false', takes: (value) => typeof value === 'boolean' };

/** Exactly one value: `false`, `true`. */
export const only = <const T extends boolean>(one: T): Shape<T> => ({
  expects: String(one),
  takes: (value) => value === one,
});

/** A non-empty text. */
export const text: Shape<string> = {
  expects: 'a text that is not empty',
  takes: (value) => typeof value === 'string' && value !== '',
};

/** Any text, also empty; used for secrets, which messages never quote. */
export const anyText: Shape<string> = { expects: 'a text', takes: (value) => typeof value === 'string' };

/** A text that matches an expression. */
export const textLike = <T extends string = string>(expects: string, form: RegExp): Shape<T> => ({
  expects,
  takes: (value) => typeof value === 'string' && form.test(value),
});

/** A path of this server. */
export const path = textLike('a path that starts with "/"', /^\/(?![/\\])[\x21-\x7e]*$/);

/** The name of a header or cookie (RFC 9110 §5.6.2). */
export const token = textLike('a name of letters, digits and -', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);

export const choice = <const Words extends readonly string[]>(...words: Words): Shape<Words[number]> => ({
  expects: `one of ${words.join(', ')}`,
  takes: (value) => typeof value === 'string',
  check(value, place, report) {
    if (isOneOf(words, value)) return;
    const word = toText(value).slice(0, 32);
    report(`"${place}" is "${word}", but must be one of ${words.join(', ')}.${didYouMean(word, words)}`);
  },
});

/** A list of words in one text: `no-referrer, same-origin`. */
export const words = (...known: readonly string[]): Shape<string> => ({
  expects: `one or more of ${known.join(', ')}`,
  takes: (value) => typeof value === 'string',
  check(value, place, report) {
    const wrong = toText(value)
      .split(',')
      .find((each) => !known.includes(each.trim()));
    if (wrong !== undefined) checkValue(choice(...known), wrong.trim(), place, report);
  },
});

/** A method in upper case. Methods of the application are allowed; misspelt ones of HTTP and WebDAV are not. */
export const method: Shape<string> = {
  ...textLike('an HTTP method in upper case', /^[A-Z][A-Z-]*$/),
  check(value, place, report) {
    const given = toText(value);
    const meant = METHODS.includes(given) ? '' : didYouMean(given, METHODS);
    if (meant !== '') report(`"${place}" is "${given}", which is no HTTP method.${meant}`);
  },
};
const METHODS: readonly string[] = (
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT QUERY ACL BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE ' +
  'MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH ' +
  'SUBSCRIBE UNBIND UNCHECKOUT UNLINK UNLOCK UNSUBSCRIBE UPDATE UPDATEREDIRECTREF'
).split(' ');

/** A number within bounds; never NaN. */
export const number = (minimum: number, maximum: number, isWhole = false): Shape<number> => ({
  expects: `a ${isWhole ? 'whole ' : ''}number from ${minimum}${maximum >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`}`,
  takes: (value) =>
    typeof value === 'number' && value >= minimum && value <= maximum && (!isWhole || Number.isSafeInteger(value)),
});

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): Shape<number> =>
  number(minimum, maximum, true);

/** A number whose bounds are checked elsewhere. */
export const anyNumber: Shape<number> = { expects: 'a number', takes: (value) => typeof value === 'number' };

/** Milliseconds, greater than 0; at most a hundred years, so that dates can be made of them. */
export const milliseconds = number(1, 3_155_760_000_000);

export const bytes: Shape<Uint8Array> = {
  expects: 'bytes (a Buffer or Uint8Array)',
  takes: (value) => value instanceof Uint8Array,
};

export const list = <T>(item: Shape<T>): Shape<readonly T[]> => ({
  expects: `a list, each ${item.expects}`,
  item,
  takes: Array.isArray,
  check(value, place, report) {
    for (const [index, each] of listOf(value).entries()) checkValue(item, each, `${place}[${index}]`, report);
  },
});

/** An object with free keys. */
export const map = <T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  expects: `an object, each value ${item.expects}`,
  item,
  takes: isObject,
  check(value, place, report) {
    for (const [name, each] of Object.entries(membersIn(value))) checkValue(item, each, join(place, name), report);
  },
});

/** An object with these keys and no others. */
export const group = <T>(keys: KeysOf<T>, ...required: readonly (keyof T & string)[]): Shape<T> => ({
  expects: `an object with ${Object.keys(keys).join(', ')}`,
  keys,
  takes: isObject,
  check(value, place, report) {
    const given = membersIn(value);
    for (const key of Object.keys(given)) {
      if (!Object.hasOwn(keys, key))
        report(`${nameOf(place)} has the unknown key "${key}".${hintFor(key, Object.keys(keys))}`);
    }
    for (const [key, shape] of Object.entries<Shape>(keys)) {
      const each = given[key];
      if (each !== undefined) checkValue(shape, each, join(place, key), report);
      else if (isOneOf(required, key)) report(`"${join(place, key)}" is missing; it must be ${shape.expects}`);
    }
  },
});

/** An object of the application or of another part, identified by its methods; other members are allowed. */
export const withMethods = <T>(what: string, ...methods: readonly (keyof T & string)[]): Shape<T> => ({
  expects: `${what} (an object with ${methods.join(', ')})`,
  takes(value) {
    if (Array.isArray(value) || value === null) return false;
    const [first = ''] = methods;
    return (typeof value === 'object' || typeof value === 'function') && first in value;
  },
  check(value, place, report) {
    const missing = methods.filter((method) => Object(value)[method] === undefined);
    if (missing.length > 0) report(`"${place}" lacks ${missing.join(', ')}; it must be ${what}`);
  },
});

export const callable = <T>(signature: string): Shape<T> => ({
  expects: `a function ${signature}`,
  takes: (value) => typeof value === 'function',
});

/** A value with its own test. */
export const testedBy = <T>(expects: string, takes: (value: unknown) => boolean): Shape<T> => ({ expects, takes });

/** The first of several shapes that accepts the value. */
export const oneOf = <Shapes extends readonly Shape[]>(
  ...shapes: Shapes
): Shape<Shapes[number] extends Shape<infer T> ? T : never> => ({
  expects: shapes.map(({ expects }) => expects).join(', or '),
  shapes,
  takes: (value) => shapes.some((shape) => shape.takes(value)),
  check(value, place, report) {
    shapes.find((shape) => shape.takes(value))?.check?.(value, place, report);
  },
});

/** A shape with another test at first sight. */
export const when = <T>(takes: (value: unknown) => boolean, shape: Shape<T>): Shape<T> => ({ ...shape, takes });

/** Returns every mistake in a value, in order. */
export function findMistakes(shape: Shape, value: unknown, place = ''): readonly string[] {
  const mistakes: string[] = [];
  checkValue(shape, value, place, (mistake) => mistakes.push(mistake));
  return mistakes;
}

/**
 * Rejects options with mistakes; missing options are not mistakes.
 *
 * @param where name of the function: `createSessions`
 * @throws ProductError SECURITY_CONFIG_INVALID with every mistake
 */
export function requireOptions(where: string, shape: Shape, options: unknown): void {
  refuseOptions(findMistakes(shape, options, where));
}

/** @throws ProductError SECURITY_CONFIG_INVALID with every mistake */
export function refuseOptions(mistakes: readonly string[]): void {
  const [first] = mistakes;
  if (first === undefined) return;
  const several = mistakes.map((mistake, index) => `\n${index + 1}. ${mistake}`).join('');
  const reason = mistakes.length === 1 ? first : `it has ${mistakes.length} mistakes:${several}`;
  throw securityErrors.create('SECURITY_CONFIG_INVALID', { reason }, { detail: mistakes });
}

/** Rejects a builder function that is async: what it adds after its first `await` would be lost. */
export function refusePromise(where: string, returned: unknown): void {
  if (!(returned instanceof Promise)) return;
  // The function is rejected as such, whatever its promise does.
  returned.catch(() => undefined);
  refuseOptions([`the function given to ${where} is async; await before it, and let it return at once`]);
}

function checkValue(shape: Shape, value: unknown, place: string, report: Report): void {
  if (shape.takes(value)) shape.check?.(value, place, report);
  else
    report(
      `"${place === '' ? 'the security configuration' : place}" is ${describe(value, shape)}, but must be ${shape.expects}`,
    );
}

function hintFor(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known);
  return meant === '' ? ` Known: ${known.join(', ')}` : meant;
}

/** `chain 2` is the name in explain and all other messages. */
function nameOf(place: string): string {
  if (place === '') return 'the security configuration';
  const chain = /^chains\[(\d+)\]$/.exec(place)?.[1];
  return chain === undefined ? place : `chain ${Number(chain) + 1}`;
}

function join(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}

/** A Map, a Date or a promise that was not awaited has no keys of its own, and would pass as empty options. */
function isObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Describes a value without quoting text that may be a secret in the wrong place. */
function describe(value: unknown, shape: Shape): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Promise) return 'a promise that was not awaited';
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  if (value === '') return 'an empty text';
  const words = wordsOf(shape);
  const isWord = words.length > 0 && (words.includes(value) || suggest(value, words) !== undefined);
  return isWord ? `the text "${value.slice(0, 32)}"` : 'a text';
}

/** Plain words that a shape accepts, or that are mistaken for them. */
function wordsOf(shape: Shape): readonly string[] {
  if (shape.shapes !== undefined) return shape.shapes.flatMap(wordsOf);
  if (shape === flag) return ['true', 'false'];
  return shape.expects === 'true' || shape.expects === 'false' ? [shape.expects] : [];
}
