// Lowers a read rule for one caller to two queries: the documents where it is true, and those where it is false.
// Documents in neither set are unknown, as in SQL three-valued logic.
import type { RuleForm } from '@lockstitch/graph';
import { type Principal } from '@lockstitch/kernel';
import type { Query } from '@lockstitch/search';

import { fieldOf, LIST_MARK, NULL_MARK, termOf } from './document-inputs.ts';

export interface Lowered {
  readonly isTrue: Query;
  readonly isFalse: Query;
}

export const ALL: Query = { kind: 'match_all' };
export const NONE: Query = { kind: 'match_none' };

const TRUE: Lowered = { isTrue: ALL, isFalse: NONE };
const FALSE: Lowered = { isTrue: NONE, isFalse: ALL };
const UNKNOWN: Lowered = { isTrue: NONE, isFalse: NONE };

export function lowerForm(form: RuleForm, principal: Principal): Lowered {
  switch (form.kind) {
    case 'caller': {
      const truth = form.truth(principal);
      return truth === null ? UNKNOWN : truth ? TRUE : FALSE;
    }
    case 'truth': {
      const field = fieldOf(form.input);
      return { isTrue: anyOf(field, ['t']), isFalse: anyOf(field, ['f']) };
    }
    case 'equal': {
      const field = fieldOf(form.input);
      const { keys, unknown } = form.keys(principal);
      const isTrue = anyOf(field, keys.map(termOf));
      if (unknown) return { isTrue, isFalse: NONE };
      // SQL's `IN ()` compares nothing and is false, also for null.
      return { isTrue, isFalse: keys.length === 0 ? ALL : without({ kind: 'exists', field }, isTrue) };
    }
    case 'order':
      return lowerOrder(form, form.value(principal));
    case 'text': {
      const value = form.value(principal);
      if (value === null) return UNKNOWN;
      const field = fieldOf(form.input);
      const isTrue: Query =
        form.mode === 'startsWith'
          ? { kind: 'prefix', field, prefix: value }
          : { kind: 'wildcard', field, pattern: `*${escaped(value)}${form.mode === 'contains' ? '*' : ''}` };
      return { isTrue, isFalse: without({ kind: 'exists', field }, isTrue) };
    }
    case 'holds': {
      const key = form.key(principal);
      if (key === null) return UNKNOWN;
      const field = fieldOf(form.input);
      const isTrue = anyOf(field, [termOf(key)]);
      return { isTrue, isFalse: without(anyOf(field, [LIST_MARK]), either(isTrue, anyOf(field, [NULL_MARK]))) };
    }
    case 'any': {
      const isTrue = form.branches
        .map((branch) => anyOf(fieldOf(branch.input), branch.tuples(principal).map(termOf)))
        .reduce(either, NONE);
      const present = form.present === undefined ? ALL : anyOf(fieldOf(form.present), ['t']);
      return { isTrue: both(present, isTrue), isFalse: without(present, isTrue) };
    }
    case 'and':
    case 'or': {
      const [left, right] = [lowerForm(form.left, principal), lowerForm(form.right, principal)];
      return form.kind === 'and'
        ? { isTrue: both(left.isTrue, right.isTrue), isFalse: either(left.isFalse, right.isFalse) }
        : { isTrue: either(left.isTrue, right.isTrue), isFalse: both(left.isFalse, right.isFalse) };
    }
    case 'not': {
      const { isTrue, isFalse } = lowerForm(form.operand, principal);
      return { isTrue: isFalse, isFalse: isTrue };
    }
    case 'choose': {
      const condition = lowerForm(form.condition, principal);
      const whenTrue = lowerForm(form.whenTrue, principal);
      const whenFalse = lowerForm(form.whenFalse, principal);
      const pick = (side: 'isTrue' | 'isFalse'): Query =>
        either(both(condition.isTrue, whenTrue[side]), both(condition.isFalse, whenFalse[side]));
      return { isTrue: pick('isTrue'), isFalse: pick('isFalse') };
    }
  }
}

function lowerOrder(
  { input, operator }: RuleForm & { readonly kind: 'order' },
  value: string | number | null,
): Lowered {
  if (value === null) return UNKNOWN;
  const field = fieldOf(input);
  const lower = operator === '>' || operator === '>=';
  const inclusive = operator === '<=' || operator === '>=';
  const bounds = lower ? { includeFrom: inclusive } : { includeTo: inclusive };
  const isTrue: Query =
    typeof value === 'number'
      ? { kind: 'number_range', field, ...(lower ? { from: value } : { to: value }), ...bounds }
      : { kind: 'term_range', field, ...(lower ? { from: value } : { to: value }), ...bounds };
  return { isTrue, isFalse: without({ kind: 'exists', field }, isTrue) };
}

function anyOf(field: string, terms: readonly string[]): Query {
  if (terms.length === 0) return NONE;
  return terms.length === 1 ? { kind: 'term', field, term: terms[0]! } : { kind: 'terms', field, terms };
}

/** Intersects two queries. Chains stay one level deep, because the nesting of queries is limited. */
export function both(left: Query, right: Query): Query {
  if (left.kind === 'match_all' || right.kind === 'match_none') return right;
  if (right.kind === 'match_all' || left.kind === 'match_none') return left;
  return { kind: 'boolean', filter: [...partsOf(left, 'filter'), ...partsOf(right, 'filter')] };
}

function either(left: Query, right: Query): Query {
  if (left.kind === 'match_none' || right.kind === 'match_all') return right;
  if (right.kind === 'match_none' || left.kind === 'match_all') return left;
  return { kind: 'boolean', should: [...partsOf(left, 'should'), ...partsOf(right, 'should')] };
}

/** Returns the clauses of a boolean query that has no other kind of clause. */
function partsOf(query: Query, clause: 'filter' | 'should'): readonly Query[] {
  if (query.kind !== 'boolean' || Object.keys(query).length !== 1) return [query];
  return query[clause] ?? [query];
}

function without(all: Query, some: Query): Query {
  if (some.kind === 'match_none') return all;
  if (some.kind === 'match_all') return NONE;
  return { kind: 'boolean', filter: [all], mustNot: [some] };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}
