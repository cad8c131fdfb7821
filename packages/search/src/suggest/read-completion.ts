// Parses and checks a completion suggestion without an index; its contexts need the mapping of the field.
import { editsFor } from '../dsl/field-query.ts';
import { type Json, textOf } from '../json/json.ts';
import { checked, FLAG, INTEGER, parseObject, TEXT } from '../json/object-parser.ts';
import { illegalArgument, parseException } from '../errors/request-error.ts';

/** A parsed completion suggestion. */
export interface CompletionOptions {
  readonly field: string;
  readonly analyzer: string | undefined;
  readonly size: number;
  readonly shardSize: number;
  readonly isUnique: boolean;
  readonly fuzzy: FuzzyOptions | undefined;
  /** Of a regular expression. */
  readonly flags: string;
  readonly contexts: Json | undefined;
}

export interface FuzzyOptions {
  readonly edits: 0 | 1 | 2;
  readonly transpositions: boolean;
  readonly minLength: number;
  readonly prefixLength: number;
  readonly isUnicodeAware: boolean;
}

const notNegative = (name: string): typeof INTEGER =>
  checked(INTEGER, (value) => {
    if (value < 0) throw illegalArgument(`${name} must not be negative`);
  });

const FUZZY = {
  fuzziness: { kind: 'value', read: editsOf },
  transpositions: FLAG,
  min_length: notNegative('fuzzyMinLength'),
  prefix_length: notNegative('fuzzyPrefixLength'),
  unicode_aware: FLAG,
  max_determinized_states: notNegative('maxDeterminizedStates'),
} as const;

const REGEX = {
  flags: { kind: 'value', read: (value: unknown) => (value === null ? 'ALL' : textOf(value)) },
  max_determinized_states: notNegative('maxDeterminizedStates'),
} as const;

const COMPLETION = {
  fuzzy: { kind: 'objectOrBoolean', read: readFuzzy },
  regex: { kind: 'object', read: (value: unknown) => parseObject(value as Json, 'regex', REGEX) },
  field: TEXT,
  analyzer: TEXT,
  size: checked(INTEGER, (value) => {
    if (value <= 0) throw illegalArgument('size must be positive');
  }),
  shard_size: INTEGER,
  contexts: { kind: 'object', read: (value: unknown) => value as Json },
  skip_duplicates: FLAG,
} as const;

/** Reads the options of `completion`. @throws RequestError */
export function readCompletion(options: Json): CompletionOptions {
  const { analyzer, contexts, field, fuzzy, regex, size = 5, ...rest } = parseObject(options, 'completion', COMPLETION);
  if (field === undefined) throw parseException('the required field option [field] is missing');
  if (field === '') throw illegalArgument('suggestion field name is empty');
  return {
    field,
    analyzer,
    size,
    shardSize: rest.shard_size ?? size,
    isUnique: rest.skip_duplicates ?? false,
    fuzzy,
    flags: regex?.flags ?? 'ALL',
    contexts,
  };
}

function readFuzzy(json: unknown): FuzzyOptions | undefined {
  if (json === false) return undefined;
  const given = parseObject(json === true ? {} : (json as Json), 'fuzzy', FUZZY);
  return {
    edits: given.fuzziness ?? 1,
    transpositions: given.transpositions ?? true,
    minLength: given.min_length ?? 3,
    prefixLength: given.prefix_length ?? 1,
    isUnicodeAware: given.unicode_aware ?? false,
  };
}

/** Without a text to measure, AUTO is one edit (Fuzziness.asDistance). */
function editsOf(fuzziness: unknown): 0 | 1 | 2 {
  if (fuzziness === null || typeof fuzziness === 'boolean')
    throw illegalArgument(`Can't parse fuzziness on token: [VALUE_${textOf(fuzziness).toUpperCase()}]`);
  return /^AUTO/i.test(textOf(fuzziness)) ? 1 : editsFor(fuzziness, '');
}
