// Fields below `_policy` that a document carries for its read rules, and their values; no caller ever sees them. The
// values are exact: never analysed or truncated. A value too long for a term is replaced by its hash. The queries over
// them are in lower-form.ts.
import { createHash } from 'node:crypto';
import { last, membersIn } from '@lockstitch/kernel';

import { keyOf, type RuleInput, toStoredDecimal, tupleOf } from '@lockstitch/graph';

/**
 * Object that holds the fields. A schema cannot use the name: GraphQL reserves names with two underscores, we those
 * with one.
 */
export const POLICY_FIELD = '_policy';

/** Item that marks a list as not null. */
export const LIST_MARK = '\u0001list';
/** Item that marks a list as holding null. */
export const NULL_MARK = '\u0001null';

/** Longest term in bytes; longer values are replaced by their hash. The index takes 32,766. */
const LONGEST = 8000;

export function fieldOf({ name }: RuleInput): string {
  return `${POLICY_FIELD}.${name}`;
}

/** Returns the term of a key. Equal keys have equal terms, different keys different ones. */
export function termOf(key: string): string {
  if (key.length * 3 <= LONGEST || Buffer.byteLength(key) <= LONGEST) return key;
  return `\u0001sha256:${createHash('sha256').update(key).digest('hex')}`;
}

export function mappingOf({ kind }: RuleInput): Readonly<Record<string, unknown>> {
  return kind === 'number' ? { type: 'double' } : { type: 'keyword', doc_values: false };
}

/**
 * Returns the policy fields of one document.
 *
 * @param json the inputs as the graph read them (LoadedDocument.inputs)
 */
export function readInputs(inputs: readonly RuleInput[], json: string): Readonly<Record<string, unknown>> {
  const read: Readonly<Record<string, unknown>> = JSON.parse(json);
  const fields: Record<string, unknown> = {};
  for (const input of inputs) {
    const path = input.name.split('.');
    const name = last(path);
    const own = path.length === 1 ? read : membersIn(read[path[1]!]);
    const value = printed(input, own[name] ?? null);
    if (value === undefined) continue;
    let object = fields;
    for (const step of path.slice(0, -1)) object = (object[step] ??= Object.create(null)) as Record<string, unknown>;
    object[name] = value;
  }
  return fields;
}

function printed({ kind }: RuleInput, value: unknown): unknown {
  if (value === null) return undefined;
  switch (kind) {
    case 'truth':
      return value === true ? 't' : 'f';
    case 'key':
      return termOf(keyOf(value as string | number | boolean));
    case 'text':
      // Longer texts have no exact form: their value is unknown, so they grant nothing.
      return Buffer.byteLength(value as string) > LONGEST ? undefined : value;
    case 'decimal':
      // Values that no caller can have (NaN, more digits than a Decimal) are unknown, like texts that are too long.
      return toStoredDecimal(value) ?? undefined;
    case 'number':
      return Number(value);
    case 'items': {
      const items = value as readonly (string | number | null)[];
      const keys = items.filter((item) => item !== null).map((item) => termOf(keyOf(item)));
      return [LIST_MARK, ...(items.includes(null) ? [NULL_MARK] : []), ...keys];
    }
    case 'tuples': {
      const rows = value as readonly Readonly<Record<string, string | number | boolean | null>>[];
      const tuples = rows
        .map((row) => Object.values(row))
        // Null equals nothing, so a tuple that contains null never matches.
        .filter((row) => !row.includes(null))
        .map((row) => termOf(tupleOf(row.map((part) => keyOf(part!)))));
      return [...new Set(tuples)].sort();
    }
  }
}
