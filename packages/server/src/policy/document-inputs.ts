// What a document carries for its read rules: fields below `_policy`, which no caller ever sees, and the values in them. They
// are exact: nothing is analysed or cut off, and what is too long for a term is stood for by its hash. What is asked of them
// is lower-form.ts.
import { createHash } from 'node:crypto';

import { keyOf, type RuleInput, toStoredDecimal, tupleOf } from '@lockstitch/graph';

/** The object that holds the fields. No field of a schema can have the name: GraphQL reserves two underscores, we one. */
export const POLICY_FIELD = '_policy';

/** Stands among the items of a list that is not null. */
export const LIST_MARK = '\u0001list';
/** Stands among the items of a list that holds null. */
export const NULL_MARK = '\u0001null';

/** Bytes of a term beyond which its hash stands for it; the index takes 32,766. */
const LONGEST = 8000;

/** The field of an input. */
export function fieldOf({ name }: RuleInput): string {
  return `${POLICY_FIELD}.${name}`;
}

/** The term of a key: equal keys have equal terms, others different ones. */
export function termOf(key: string): string {
  if (key.length * 3 <= LONGEST || Buffer.byteLength(key) <= LONGEST) return key;
  return `\u0001sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** How the index keeps an input. */
export function mappingOf({ kind }: RuleInput): Readonly<Record<string, unknown>> {
  return kind === 'number' ? { type: 'double' } : { type: 'keyword', doc_values: false };
}

/**
 * The fields of one document.
 *
 * @param json what the graph read of the inputs (LoadedDocument.inputs)
 */
export function readInputs(inputs: readonly RuleInput[], json: string): Readonly<Record<string, unknown>> {
  const read = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const fields: Record<string, unknown> = {};
  for (const input of inputs) {
    const path = input.name.split('.');
    const own = path.length === 1 ? read : (read[path[1]!] as Readonly<Record<string, unknown>> | null);
    const value = printed(input, own?.[path.at(-1)!] ?? null);
    if (value === undefined) continue;
    let object = fields;
    for (const step of path.slice(0, -1)) object = (object[step] ??= {}) as Record<string, unknown>;
    object[path.at(-1)!] = value;
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
      // Longer texts have no exact form: nothing is known of them, and nothing granted.
      return Buffer.byteLength(value as string) > LONGEST ? undefined : value;
    case 'decimal':
      // Nothing is known of what callers cannot have, as of texts that are too long: NaN, or more digits than a Decimal has.
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
        // Null equals nothing, so a combination with it is never found.
        .filter((row) => !row.includes(null))
        .map((row) => termOf(tupleOf(row.map((part) => keyOf(part!)))));
      return [...new Set(tuples)].sort();
    }
  }
}
