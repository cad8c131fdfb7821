// One call from text to something that decides: what rule lists and `@auth` use. Parsing and checking happen here,
// once; decisions are made per request or per row.
import { isProductError, ProductError } from '../error.ts';
import type { Expression } from './ast.ts';
import { checkExpression } from './check.ts';
import { type Decision, decideExpression, type ExpressionContext } from './evaluate.ts';
import { parseExpression } from './parse.ts';
import type { ExpressionScope } from './scope.ts';

/** An access expression that is known to be sound in its scope. */
export interface AccessExpression {
  readonly text: string;
  /** The checked tree, for compilers to SQL and to search views. */
  readonly expression: Expression;
  readonly warnings: readonly string[];
  /** Decides for one caller and row; never throws. */
  decide(context: ExpressionContext): Decision;
}

/**
 * Compiles an access expression.
 *
 * @param scope what it may speak about; its beans are used unless the context of a decision brings its own
 * @throws ProductError an `EXPRESSION_…` error whose `path` is `scope.location`
 */
export function compileExpression(text: string, scope: ExpressionScope = {}): AccessExpression {
  const { expression, warnings } = checkExpression(text, located(text, scope.location), scope);
  const { beans } = scope;
  return {
    text,
    expression,
    warnings,
    decide: (context) =>
      decideExpression(
        text,
        expression,
        beans === undefined || context.beans !== undefined ? context : { ...context, beans },
      ),
  };
}

function located(text: string, location: string | undefined): Expression {
  try {
    return parseExpression(text);
  } catch (error) {
    if (location === undefined || !isProductError(error)) throw error;
    throw relocate(error, location);
  }
}

/** The parser does not know where its text stands; the error gets the place here. */
function relocate(error: ProductError, location: string): ProductError {
  const { code, message, status, hint } = error;
  return new ProductError({ code, message, status, hint, path: location, cause: error });
}
