// Checks that a response contains only values of their types. SQLite columns accept any value and a file may be
// damaged; such values must become errors. Each response key of a checked type has one regular expression over the
// whole text: 1 µs for a page of 25 (10 % of it on SQLite). On SQLite the checks stop once the columns have been
// verified (execute/verified-columns.ts). After a match, graphql-js executes the operation again, field by field.
import { getNullableType, type GraphQLOutputType, isEnumType, isListType, isNonNullType, isScalarType } from 'graphql';
import { DAMAGED_KEY, type Json, type ValueForm } from '../sql/sql.ts';
import { withoutValues } from './json-values.ts';

const DAY = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const FORMS: Readonly<Record<string, string>> = {
  DateTime: `"${DAY}T${CLOCK}\\.\\d{3}Z"`,
  Date: `"${DAY}"`,
  Time: `"${CLOCK}(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)"`,
  UUID: '"[\\da-fA-F]{8}-(?:[\\da-fA-F]{4}-){3}[\\da-fA-F]{12}"',
  LocalDateTime: `"${DAY}T${CLOCK}(?:\\.\\d{1,6})?"`,
  LocalTime: `"(?:${CLOCK}(?:\\.\\d{1,6})?|24:00:00)"`,
  Duration: '"P[-\\dYMDTHS.]+"',
  Bytes: '"[A-Za-z0-9+/]*=*"',
  // 32 bits.
  Int: '-?(?:\\d{1,9}|1\\d{9}|20\\d{8}|21[0-3]\\d{7}|214[0-6]\\d{6}|2147[0-3]\\d{5}|21474[0-7]\\d{4}|214748[0-2]\\d{3}|2147483[0-5]\\d{2}|21474836[0-3]\\d|214748364[0-8])(?=[,}\\]])',
  // SQLite prints infinity as 9.0e+999.
  Float: '-?(?!9\\.0e\\+999)\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?(?=[,}\\]])',
  Decimal: '"-?(?:0|[1-9]\\d*)(?:\\.\\d*[1-9])?"',
  Boolean: '(?:true|false)',
  BigInt: '(?:-?\\d+(?=[,}\\]])|"-?\\d+")',
  JSON: `(?!\\{"\\${DAMAGED_KEY}")`,
};

/** How damaged JSON begins. */
const DAMAGED = `{"${DAMAGED_KEY}"`;

/** Any list. */
const STORED_LIST = '\\[';

/** The regular expression of a type's JSON; undefined if any text is valid. */
export function valuePatternOf(type: GraphQLOutputType): string | undefined {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const inner = getNullableType(bare.ofType);
    const element = isListType(inner) ? undefined : valuePatternOf(inner);
    if (element === undefined || element === FORMS['JSON']) return STORED_LIST;
    const each = isNonNullType(bare.ofType) ? `(?:${element})` : `(?:${element}|null)`;
    // jsonb prints a space after each comma.
    return `\\[(?:${each}(?:, ?${each})*)?\\]`;
  }
  if (isEnumType(bare))
    return `"(?:${bare
      .getValues()
      .map(({ name }) => name)
      .join('|')})"`;
  return isScalarType(bare) && Object.hasOwn(FORMS, bare.name) ? FORMS[bare.name] : undefined;
}

/** Tells whether a column is known to contain only valid values. */
export interface VerifiedColumns {
  /** Incremented when earlier results become invalid. */
  readonly generation: number;
  /** `length`: that of the response, for which it may take as long as checking it. */
  holds(form: ValueForm, length: number): boolean;
}

/** The checks of one statement's responses. */
export class ResponseChecks {
  /** The patterns of the checks; compiled when one is first needed, since most plans never need any. */
  readonly #patterns: readonly string[];
  #checks: readonly RegExp[] | undefined;
  readonly #forms: readonly ValueForm[];
  /** Keys of JSON values alone. Members of these may be called like other keys. */
  readonly #jsonKeys: readonly string[];
  /** The generation in which all columns were trusted. */
  #trusted = -1;

  constructor(body: Json) {
    const keys = formsByKey(body);
    const checked = [...keys].flatMap(([key, forms = []]) =>
      forms.some((form) => typeof form !== 'string') ? [{ key, forms }] : [],
    );
    this.#patterns = checked.map(({ key, forms }) => {
      const patterns = new Set(forms.map((form) => (typeof form === 'string' ? form : form.pattern)));
      return `"${key}":(?!${[...patterns].join('|')})`;
    });
    this.#jsonKeys = checked.flatMap(({ key, forms }) =>
      forms.every((form) => (typeof form === 'string' ? form === 'null' : form.pattern === FORMS['JSON'])) ? [key] : [],
    );
    this.#forms = checked.flatMap(({ forms }) => forms.filter((form) => typeof form !== 'string'));
  }

  /** Whether a response contains only valid values. `trust`: undefined if a column can change at any time. */
  pass(text: string | Buffer, trust: VerifiedColumns | undefined): boolean {
    if (this.#patterns.length === 0) return true;
    if (trust !== undefined) {
      const { generation } = trust;
      if (this.#trusted === generation) return true;
      let known = true;
      // Asks for every column, so that all verifications start.
      for (const form of this.#forms) known = trust.holds(form, text.length) && known;
      if (known) {
        this.#trusted = generation;
        return true;
      }
    }
    // The patterns are ASCII, so other bytes need no decoding.
    this.#checks ??= this.#patterns.map((pattern) => new RegExp(pattern));
    const plain = typeof text === 'string' ? text : text.toString('latin1');
    try {
      if (!this.#checks.some((check) => check.test(plain))) return true;
      if (this.#jsonKeys.length === 0) return false;
      const outside = withoutValues(plain, this.#jsonKeys, DAMAGED);
      return !this.#checks.some((check) => check.test(outside));
    } catch {
      // The list is too long for the regular expression; graphql-js checks it.
      return false;
    }
  }
}

/** Response key → allowed values; undefined if any is valid. A string is text that the statement prints itself. */
function formsByKey(body: Json): ReadonlyMap<string, readonly (string | ValueForm)[] | undefined> {
  const keys = new Map<string, readonly (string | ValueForm)[] | undefined>();
  const walk = (json: Json): readonly (string | ValueForm)[] | undefined => {
    switch (json.kind) {
      case 'value':
        if (json.form === undefined) return undefined;
        return [json.form, ...(json.form.others ?? []), ...(json.nullable ? ['null'] : [])];
      case 'object':
        for (const { key, value } of json.members) {
          const forms = walk(value);
          const known = keys.has(key) ? keys.get(key) : [];
          keys.set(key, forms === undefined || known === undefined ? undefined : [...known, ...forms]);
        }
        return ['\\{'];
      case 'one': {
        const forms = walk(json.element);
        return forms && [...forms, 'null'];
      }
      case 'beforeDeadline':
      case 'with':
        return walk(json.value);
      case 'list':
        walk(json.element);
        return ['\\['];
      case 'choose': {
        const branches = [...json.branches.map(({ use }) => walk(use)), walk(json.otherwise)];
        return branches.includes(undefined) ? undefined : branches.flatMap((each) => each ?? []);
      }
      case 'constant':
        return json.text === 'null' ? ['null'] : undefined;
      default:
        return undefined;
    }
  };
  walk(body);
  return keys;
}
