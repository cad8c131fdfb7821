// A key that is on, off, or on for those whom an expression grants it.
import { compileExpression, type Principal } from '@lockstitch/kernel';

/** Reads such a key; the expression has been checked with the configuration. */
export function readAccess(value: boolean | string): boolean | ((principal: Principal) => boolean) {
  if (typeof value === 'boolean') return value;
  const expression = compileExpression(value);
  return (principal) => expression.decide({ principal }).granted;
}
