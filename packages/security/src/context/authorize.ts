// Method security: guards a function with an access expression, wherever it is called from. The caller is that of the
// current security context.
import { compileExpression, type ExpressionScope } from '@lockstitch/kernel';
import { ANONYMOUS_AUTHENTICATION } from '../authorization/anonymous-filter.ts';
import { accessDenied } from '../authorization/authorization-filter.ts';
import type { SecurityContextHolder } from './security-context.ts';

/** Guards functions: `guard("hasRole('ADMIN')")(deleteUser)`. */
export type Authorize = (expression: string, parameters?: readonly string[]) => Guard;

/** Guards one function. */
export type Guard = <Arguments extends readonly unknown[], T>(
  guarded: (...given: Arguments) => T,
) => (...given: Arguments) => T;

/**
 * Creates `authorize` for one context holder. In the expression the arguments are `#a0`, `#a1`, … or, with
 * `parameters`, have these names. A denial is thrown as AccessDeniedError (code SECURITY_FORBIDDEN) before the function
 * runs; outside a request the caller is anonymous.
 *
 * @throws ProductError EXPRESSION_… immediately, if the expression is invalid
 */
export function createAuthorize(holder: SecurityContextHolder, scope: ExpressionScope = {}): Authorize {
  return (expression, parameters = []) => {
    const rule = compileExpression(expression, scope);
    return (guarded) =>
      (...given) => {
        const { principal, login } = holder.get()?.authentication ?? ANONYMOUS_AUTHENTICATION;
        const variables: Record<string, unknown> = {};
        for (const [index, value] of given.entries()) variables[parameters[index] ?? `a${index}`] = value;
        if (rule.decide({ principal, login, variables }).granted) return guarded(...given);
        throw accessDenied(principal.name);
      };
  };
}
