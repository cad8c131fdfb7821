// The options of char filters, tokenizers, token filters and analyzers: their kinds, their defaults, and how each is read. Values are read
// as Elasticsearch reads settings (Settings.getAsInt, getAsBoolean, getAsList, get): as texts, whatever JSON says.
import { asString, isObject, type Json, nearOrKnown, notANumber, textOf, toList } from '../json/json.ts';
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { stopWordList } from './stop-words.ts';

/** A part whose definition is read. */
export interface NamedPart {
  readonly name: string;
  /** Whether it is given by its name alone: then options that a definition must have may be missing. */
  readonly isPlain: boolean;
  /** How the error begins that nothing has its name: `Custom Analyzer [mine] failed to find`; undefined where it is given by itself. */
  readonly missing?: string | undefined;
}

/** An option of a part. */
export interface Option<Value> {
  readonly kind: 'flag' | 'integer' | 'text' | 'words' | 'list' | 'pattern' | 'patternFlags' | 'script';
  /** As documents show it; undefined: none. */
  readonly fallback?: unknown;
  /** @throws RequestError for a value that it cannot have */
  read(definition: Json, key: string, part: NamedPart): Value;
}

/** Options by name, in the order in which they are read. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of options by name. */
export type Values<Of extends Options> = {
  readonly [Key in keyof Of]: Of[Key] extends Option<infer Value> ? Value : never;
};

/** Reads the options of a definition. @throws RequestError */
export function readOptions<Of extends Options>(options: Of, definition: Json, part: NamedPart): Values<Of> {
  const values = Object.entries(options).map(([key, option]) => [key, option.read(definition, key, part)] as const);
  return Object.fromEntries(values) as Values<Of>;
}

/** @throws RequestError for a member that is no option: it would do nothing */
export function checkMembers(kind: string, name: string, definition: Json, options: Options): void {
  for (const key of Object.keys(definition))
    if (key !== 'type' && !Object.hasOwn(options, key))
      throw illegalArgument(
        `[${key}] of the ${kind} [${name}] is not supported${nearOrKnown(key, ['type', ...Object.keys(options)])}`,
      );
}

/** A setting as text; undefined where it is not given. An object is none: its members are settings of their own. */
function settingText(value: unknown): string | undefined {
  if (value === undefined || value === null || isObject(value)) return undefined;
  if (!Array.isArray(value)) return textOf(value);
  return `[${value.map(textOf).join(', ')}]`;
}

const MAX_INTEGER = 2 ** 31 - 1;

/** An integer of 32 bits. */
export function integer(fallback: number): Option<number> {
  return {
    kind: 'integer',
    fallback,
    read(definition, key) {
      const text = settingText(definition[key]);
      if (text === undefined) return fallback;
      const found = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
      if (found >= -MAX_INTEGER - 1 && found <= MAX_INTEGER) return found;
      throw new RequestError(
        'SEARCH_ILLEGAL_ARGUMENT',
        'settings_exception',
        `Failed to parse int setting [${key}] with value [${text}]`,
        { causedBy: notANumber(text) },
      );
    },
  };
}

/** `true` or `false`. */
export function flag(fallback: boolean): Option<boolean> {
  return {
    kind: 'flag',
    fallback,
    read(definition, key) {
      const text = settingText(definition[key]);
      if (text === undefined) return fallback;
      if (text === 'true' || text === 'false') return text === 'true';
      throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
    },
  };
}

/** A text. */
export function text(fallback: string, kind: 'text' | 'pattern' | 'patternFlags' = 'text'): Option<string> {
  return { kind, fallback, read: (definition, key) => settingText(definition[key]) ?? fallback };
}

/** A text, or undefined where there is none. */
export const optionalText: Option<string | undefined> = {
  kind: 'text',
  read: (definition, key) => settingText(definition[key]),
};

/** One character (UTF-16 unit). @param reason why another text is refused */
export function character(
  fallback: string,
  reason: (key: string, text: string, name: string) => string,
): Option<string> {
  return {
    kind: 'text',
    fallback,
    read(definition, key, { name }) {
      const found = settingText(definition[key]) ?? fallback;
      if (found.length !== 1) throw illegalArgument(reason(key, found, name));
      return found;
    },
  };
}

/** One value or several, a text of them with commas between; none when it is missing (Settings.getAsList). */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') return toList(value);
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Several values as they are given. */
export const list: Option<readonly unknown[]> = { kind: 'list', read: (definition, key) => listOf(definition[key]) };

/** Several values as texts. */
export const texts: Option<readonly string[]> = {
  kind: 'list',
  read: (definition, key) => listOf(definition[key]).map(textOf),
};

/** Patterns; commas part none of them. */
export const patterns: Option<readonly string[]> = {
  kind: 'list',
  read: (definition, key) => toList(definition[key] ?? []).map(textOf),
};

/** Several texts. @throws RequestError for other values */
export const strings: Option<readonly string[]> = {
  kind: 'list',
  read: (definition, key) => listOf(definition[key]).map((each) => asString(each, key)),
};

/** Words, as they stand or by the name of a list: `_english_`. */
export function words(fallback = '_none_'): Option<readonly string[]> {
  return {
    kind: 'words',
    fallback,
    read: (definition, key) =>
      listOf(definition[key] ?? fallback).flatMap((word) => {
        const found = asString(word, 'stopwords');
        if (!/^_.*_$/.test(found)) return [found];
        const named = stopWordList(found);
        if (named === undefined) throw illegalArgument(`Unknown stop word list [${found}]`);
        return named;
      }),
  };
}

/** Words, or undefined where there are none. */
export const optionalWords: Option<readonly string[] | undefined> = {
  ...words(),
  read: (definition, key, part) =>
    definition[key] === undefined || definition[key] === null ? undefined : words().read(definition, key, part),
};

/** An option that a definition must have; without it the part stands only where it is given by its name alone. */
export function required<Value>(option: Option<Value>, reason: (name: string) => string): Option<Value> {
  return {
    kind: option.kind,
    read(definition, key, part) {
      const given = definition[key];
      // An empty text is no list.
      const isMissing = given === undefined || given === null || (option.kind === 'list' && given === '');
      if (!part.isPlain && isMissing) throw illegalArgument(reason(part.name));
      return option.read(definition, key, part);
    },
  };
}

const MAX_TOKEN_LENGTH = 2 ** 20;

/** Characters of a token at most, for tokenizers of a grammar. */
export const tokenLength: Option<number> = {
  ...integer(255),
  read(definition, key, part) {
    const found = integer(255).read(definition, key, part);
    if (found <= 0) throw illegalArgument('maxTokenLength must be greater than zero');
    if (found > MAX_TOKEN_LENGTH) throw illegalArgument(`maxTokenLength may not exceed ${MAX_TOKEN_LENGTH}`);
    return found;
  },
};

/** The same for tokenizers that look at one character after the other. */
export function runLength(fallback = 255): Option<number> {
  return {
    ...integer(fallback),
    read(definition, key, part) {
      const found = integer(fallback).read(definition, key, part);
      if (found > 0 && found <= MAX_TOKEN_LENGTH) return found;
      throw illegalArgument(`maxTokenLen must be greater than 0 and less than ${MAX_TOKEN_LENGTH} passed: ${found}`);
    },
  };
}
