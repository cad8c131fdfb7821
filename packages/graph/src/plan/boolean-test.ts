// What is asked of a truth value that may be unknown: of one that is known already, and of a predicate in SQL.
import type { Expr } from '../sql/sql.ts';

/** A question that unknown has an answer to. */
export type Test = 'isTrue' | 'isFalse' | 'isNotTrue' | 'isNotFalse';
/** The same question of the negation. */
export const NEGATED_TEST: Readonly<Record<Test, Test>> = {
  isTrue: 'isFalse',
  isFalse: 'isTrue',
  isNotTrue: 'isNotFalse',
  isNotFalse: 'isNotTrue',
};

/** The answer for a value. */
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

/** The question as a predicate. */
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

/** A predicate as a value that is 1, 0 or null in SQLite and a boolean in PostgreSQL. */
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
