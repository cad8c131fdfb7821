// Keys that are on, off, or on for callers that an expression grants.
import { compileExpression, type Principal } from '@lockstitch/kernel';

/** Returns the decision of such a key. The expression was checked with the configuration. */
export function readAccess(value: boolean | string): boolean | ((principal: Principal) => boolean) {
  if (typeof value === 'boolean') return value;
  const expression = compileExpression(value);
  return (principal) => expression.decide({ principal }).granted;
}
