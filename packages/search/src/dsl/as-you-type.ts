// What prefixes and phrases mean on a field: on one of type `search_as_you_type` and on its shingles, prefixes are terms of the sub-field
// `_index_prefix`, and words in a row are terms of a shingle. The rules are those of Elasticsearch's SearchAsYouTypeFieldMapper.
import { MOST_PREFIX_CHARACTERS } from '../mapping/search-as-you-type.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import type { Slot } from './analyzed-query.ts';
import type { QueryContext } from './context.ts';

/** The query for words that begin so. */
export function prefixQuery(
  field: MappedField,
  prefix: string,
  context: QueryContext,
  options: { readonly rewrite?: Rewrite | undefined; readonly caseInsensitive?: boolean | undefined } = {},
): Query {
  const { rewrite, caseInsensitive = false } = options;
  const held = prefix === '' || prefix.length > MOST_PREFIX_CHARACTERS ? undefined : beginningsOf(field, context);
  if (held === undefined || caseInsensitive) {
    const begun: Query = {
      kind: 'prefix',
      field: (held ?? field).path,
      prefix,
      ...(rewrite === undefined ? {} : { rewrite }),
      ...(caseInsensitive ? { caseInsensitive } : {}),
    };
    return held === undefined || held === field ? begun : { kind: 'constant_score', query: begun };
  }
  const query: Query = { kind: 'term', field: held.path, term: prefix };
  const scores = field === held || (rewrite !== undefined && rewrite !== 'constant_score');
  return scores ? query : { kind: 'constant_score', query };
}

/** The field of type `search_as_you_type` that a field is, or is a part of. */
export function asYouType(field: MappedField, context: QueryContext): MappedField | undefined {
  const parent = /^(.+)\._(?:[2-4]gram|index_prefix)$/.exec(field.path)?.[1];
  const whole = parent === undefined ? field : context.mapping.field(parent);
  return whole?.type === 'search_as_you_type' ? whole : undefined;
}

function beginningsOf(field: MappedField, context: QueryContext): MappedField | undefined {
  if (field.type === 'prefix') return field;
  const whole = asYouType(field, context);
  return whole === undefined ? undefined : context.mapping.field(`${whole.path}._index_prefix`);
}

/** Words in a row, looked for as shingles of as many words as they have; undefined where the field itself is asked. */
export function shinglePhrase(field: MappedField, slots: readonly Slot[], context: QueryContext): Query | undefined {
  const found = shinglesOf(field, slots, context);
  if (found === undefined) return undefined;
  const { shingles, path } = found;
  if (shingles.length === 1) return { kind: 'term', field: path, term: shingles[0]! };
  return { kind: 'phrase', field: path, terms: shingles.map((term, position) => ({ position, terms: [term] })) };
}

/** The same where the last word is only begun. */
export function shinglePrefix(
  field: MappedField,
  slots: readonly Slot[],
  maxExpansions: number,
  context: QueryContext,
): Query | undefined {
  const isShingle = /\._[2-4]gram$/.test(field.path) && asYouType(field, context) !== undefined;
  const found = isShingle ? ownShingles(field, slots) : shinglesOf(field, slots, context);
  if (found === undefined) return undefined;
  const { shingles, path } = found;
  const last = shingles.at(-1) ?? '';
  const before = shingles.slice(0, -1);
  if (last.length > MOST_PREFIX_CHARACTERS) {
    const terms = before.map((term, position) => ({ position, terms: [term] }));
    return { kind: 'phrase', field: path, terms, prefix: { position: before.length, texts: [last], maxExpansions } };
  }
  const begun = { kind: 'term', field: beginningsOf(field, context)?.path ?? path, term: last } as const;
  if (before.length === 0) return { kind: 'synonym', field: begun.field, terms: [last] };
  const clauses = [...before.map((term) => ({ kind: 'term', field: path, term }) as const), begun];
  return { kind: 'span', field: path, norms: field.norms, source: { kind: 'near', clauses, slop: 0, inOrder: true } };
}

interface Shingles {
  readonly path: string;
  readonly shingles: readonly string[];
}

function ownShingles(field: MappedField, slots: readonly Slot[]): Shingles | undefined {
  return isRow(slots) ? { path: field.path, shingles: slots.map(({ terms }) => terms[0]!) } : undefined;
}

function shinglesOf(field: MappedField, slots: readonly Slot[], context: QueryContext): Shingles | undefined {
  if (field.type !== 'search_as_you_type' || slots.length < 2 || !isRow(slots)) return undefined;
  let width = slots.length;
  while (width > 2 && context.mapping.field(`${field.path}._${width}gram`) === undefined) width--;
  const words = slots.map(({ terms }) => terms[0]!);
  const shingles = words.slice(width - 1).map((_, at) => words.slice(at, at + width).join(' '));
  return { path: `${field.path}._${width}gram`, shingles };
}

/** Whether it is one word after the other, without gaps and alternatives. */
function isRow(slots: readonly Slot[]): boolean {
  return slots.every(({ position, terms }, at) => position === slots[0]!.position + at && terms.length === 1);
}
