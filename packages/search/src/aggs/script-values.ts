// The values that scripts of pipelines compute with, and what their signs do to them, as in Painless.
import { scriptFailure } from '../errors/request-error.ts';

/** A value during evaluation; `int` and `double` differ, as Painless divides whole numbers without remainder. */
export type Value =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'values'; readonly value: readonly number[] }
  | { readonly kind: 'null'; readonly value: null };

/** A double. */
export const number = (value: number): Value => ({ kind: 'double', value });
/** Nothing. */
export const NULL: Value = { kind: 'null', value: null };

/** A truth. */
export const boolean = (value: boolean): Value => ({ kind: 'boolean', value });

/** What a condition says. @throws RequestError for a value that is no boolean */
export function truth(value: Value): boolean {
  if (value.kind === 'boolean') return value.value;
  throw scriptFailure(`a script asks whether [${nameOf(value)}] is true, which is no boolean`);
}

/** The number of a value. @throws RequestError for one that is none */
export function numeric(value: Value): number {
  if (value.kind === 'int' || value.kind === 'double') return value.value;
  throw scriptFailure(`a script computes with [${nameOf(value)}], which is no number`);
}

const nameOf = ({ kind }: Value): string => (kind === 'int' || kind === 'double' ? 'a number' : kind);

/** Applies a binary operator. @param isNegation whether it is a unary minus, written as 0 - value */
export function operate(sign: string, left: Value, right: Value, isNegation = false): Value {
  if (sign === '==' || sign === '!=') return boolean(isSame(left, right) === (sign === '=='));
  const [a, b] = [numeric(left), numeric(right)];
  switch (sign) {
    case '<':
      return boolean(a < b);
    case '<=':
      return boolean(a <= b);
    case '>':
      return boolean(a > b);
    case '>=':
      return boolean(a >= b);
  }
  if (right.kind !== 'int' || (left.kind !== 'int' && !isNegation))
    return number(isNegation ? -b : arithmetic(sign, a, b));
  if ((sign === '/' || sign === '%') && b === 0) throw scriptFailure('a script divides by zero: [/ by zero]');
  const value = arithmetic(sign, a, b);
  if (!Number.isSafeInteger(Math.trunc(value))) throw scriptFailure('a script computes a whole number beyond 2^53');
  return { kind: 'int', value: Math.trunc(value) };
}

function arithmetic(sign: string, a: number, b: number): number {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return a % b;
  }
}

function isSame(a: Value, b: Value): boolean {
  if (a.kind === 'null' || b.kind === 'null') return a.kind === b.kind;
  return a.value === b.value;
}
