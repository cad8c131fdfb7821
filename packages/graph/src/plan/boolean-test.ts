// SQL's boolean tests (IS TRUE, IS NOT FALSE …) of a known truth value and of a predicate.
import type { Expr } from '../sql/sql.ts';

/** A test that is true or false even for unknown. */
export type Test = 'isTrue' | 'isFalse' | 'isNotTrue' | 'isNotFalse';
/** The equivalent test of the negated value. */
export const NEGATED_TEST: Readonly<Record<Test, Test>> = {
  isTrue: 'isFalse',
  isFalse: 'isTrue',
  isNotTrue: 'isNotFalse',
  isNotFalse: 'isNotTrue',
};

/** Tests a known value. */
export function holds(truth: boolean | null, test: Test): boolean {
  switch (test) {
    case 'isTrue':
      return truth === true;
    case 'isFalse':
      return truth === false;
    case 'isNotTrue':
      return truth !== true;
    case 'isNotFalse':
      return truth !== false;
  }
}

/** Tests a predicate in SQL. */
export function tested(predicate: Expr, test: Test): Expr {
  switch (test) {
    case 'isTrue':
      return predicate;
    case 'isFalse':
      return { kind: 'not', operand: predicate };
    case 'isNotTrue':
      return { kind: 'isNotTrue', operand: predicate };
    case 'isNotFalse':
      return { kind: 'isNotTrue', operand: { kind: 'not', operand: predicate } };
  }
}

/** The value of a predicate: 1, 0 or null in SQLite, a boolean in PostgreSQL. */
export function truthExpr(predicate: Expr): Expr {
  return {
    kind: 'choose',
    branches: [
      { when: predicate, use: { kind: 'literal', value: true } },
      { when: { kind: 'not', operand: predicate }, use: { kind: 'literal', value: false } },
    ],
    otherwise: { kind: 'literal', value: null },
  };
}
