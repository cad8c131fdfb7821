// Constant folding in three-valued logic while a predicate is built.
import type { Expr } from '../sql/sql.ts';

export const TRUE: Expr = { kind: 'literal', value: true };
export const FALSE: Expr = { kind: 'literal', value: false };
export const UNKNOWN: Expr = { kind: 'literal', value: null };

/** Three-valued AND or OR; constants are folded. */
export function fold(operator: 'and' | 'or', left: Expr, right: Expr): Expr {
  const decisive = operator === 'or';
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if (one.kind !== 'literal') continue;
    if (one.value === decisive) return one;
    if (one.value === !decisive) return other;
  }
  const operands = [left, right].flatMap((each) => (each.kind === operator ? each.operands : [each]));
  return { kind: operator, operands };
}

/** Three-valued NOT. */
export function negate(operand: Expr): Expr {
  if (operand.kind === 'literal')
    return operand.value === null ? UNKNOWN : { kind: 'literal', value: operand.value !== true };
  return { kind: 'not', operand };
}
