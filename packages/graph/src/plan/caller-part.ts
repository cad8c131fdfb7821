// The caller's side of a split rule: values of row-independent parts, and the keys that columns are compared with. They
// equal the values that a statement would bind. Not here: the row's side (row-part.ts).
import {
  type AccessExpression,
  childrenOf,
  evaluateExpression,
  type Expression,
  type ExpressionContext,
  type Principal,
} from '@lockstitch/kernel';
import type { Model } from '../schema/model.ts';
import { fromSortable, toStoredDecimal } from '../schema/decimal.ts';
import { toBound } from './bound-value.ts';
import { keyOf } from './rule-form.ts';
import { isNumber, type Operand } from './rule-operand.ts';
import { isList } from '../present.ts';

/** Parts that depend on neither row nor caller: `{'a', 'b'}`, `1 + 2`. */
export class Constants {
  readonly #places = new Map<Expression, number>();
  readonly #values: unknown[] = [];

  /** The value with that number. */
  at(place: number): unknown {
    return this.#values[place];
  }

  find(node: Expression, text: string): { readonly index: number; readonly now: unknown } {
    let index = this.#places.get(node);
    if (index === undefined) {
      index = this.#values.push(evaluatePart(text, node, { principal: NOBODY })) - 1;
      this.#places.set(node, index);
    }
    return { index, now: this.#values[index] };
  }
}

/** The caller's side of one rule. */
export class CallerPart {
  readonly #schema: Model['schema'];
  readonly #access: AccessExpression;

  constructor(schema: Model['schema'], access: AccessExpression) {
    this.#schema = schema;
    this.#access = access;
  }

  /** The key that equality compares a column with; null is equal to and different from nothing. */
  key(column: Extract<Operand, { kind: 'column' }>, value: unknown): string | null {
    const { field, storage } = column;
    if (storage === 'integer' && field?.typeName === 'ID') {
      if (typeof value !== 'string') return null;
      const bound = toBound(this.#schema, field, value);
      // A text that is not an integer differs from every integer key.
      return bound === null ? value : String(bound);
    }
    if (storage === 'decimal') {
      const stored = toStoredDecimal(value);
      return stored === null ? null : fromSortable(stored);
    }
    if (typeof value === 'string') return isNumber(storage) || storage === 'boolean' ? null : storable(value);
    const wanted = isNumber(storage) ? 'number' : 'boolean';
    const fits = typeof value === wanted && (isNumber(storage) || storage === 'boolean');
    return fits ? keyOf(value as number | boolean) : null;
  }

  keys(
    column: Extract<Operand, { kind: 'column' }>,
    list: unknown,
  ): { readonly keys: readonly string[]; readonly unknown: boolean } {
    if (!isList(list)) return { keys: [], unknown: true };
    const { field, storage } = column;
    // A statement binds only the list items that can be equal.
    const held = list.filter(
      (item) =>
        storage !== 'integer' ||
        field?.typeName !== 'ID' ||
        (typeof item === 'string' && toBound(this.#schema, field, item) !== null),
    );
    const keys = held.map((item) => this.key(column, item)).filter((key) => key !== null);
    return { keys, unknown: list.some((item) => item === null || item === undefined) };
  }

  truth(node: Expression, principal: Principal): boolean | null {
    const value = this.value(node, principal);
    return typeof value === 'boolean' ? value : null;
  }

  value(node: Expression, principal: Principal): unknown {
    return evaluatePart(this.#access.text, node, { principal });
  }
}

/** The principal for parts that do not depend on the caller. */
export const NOBODY: Principal = { name: '', authenticated: false, authorities: new Set(), attributes: {} };

/** A part that fails is null, and thus never grants access. */
export function evaluatePart(text: string, node: Expression, context: ExpressionContext): unknown {
  try {
    return evaluateExpression(text, node, context) ?? null;
  } catch {
    // The cause may hold values of the caller.
    return null;
  }
}

/** Whether a node's value depends on the caller. */
export function dependsOnCaller(node: Expression): boolean {
  if (node.kind === 'subject' || node.kind === 'variable' || node.kind === 'bean') return true;
  if (node.kind === 'call' && node.target === undefined) return true;
  return childrenOf(node).some(dependsOnCaller);
}

/** A text that a column can hold; null for others, which databases cannot compare. */
export function storable(text: string): string | null {
  return text.includes('\0') || !text.isWellFormed() ? null : text;
}
