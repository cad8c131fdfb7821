// The split form of a read rule, evaluated over inputs (values that the database computed for a row) and values of the
// caller. A copy of the rows, such as a search index, can evaluate it. Not here: splitting a rule (split-rule.ts).
import type { Principal } from '@lockstitch/kernel';
import type { Json } from '../sql/sql.ts';
import type { RowScope } from './rows.ts';
import { only } from '../present.ts';

/** A value or set of values of the row. */
export interface RuleInput {
  /** Dotted name, with the given prefix. */
  readonly name: string;
  readonly kind:
    /** true, false or null. */
    | 'truth'
    /** A value that is only tested for equality, as `keyOf` prints it. */
    | 'key'
    /** A text that is ordered or searched. */
    | 'text'
    /** A number that is ordered. */
    | 'number'
    /** A decimal that is ordered, as an order-preserving text. */
    | 'decimal'
    /** The items of a list column, by `keyOf`. */
    | 'items'
    /** Combinations of values of related rows, by `tupleOf`. */
    | 'tuples';
  /** Reads the input from a row. */
  readonly read: (scope: RowScope) => Json;
}

/** A rule over inputs, in three-valued logic; only true grants access. */
export type RuleForm =
  /** Independent of the row. */
  | { readonly kind: 'caller'; truth(principal: Principal): boolean | null }
  | { readonly kind: 'truth'; readonly input: RuleInput }
  /** Equal to one of the keys. Unknown if the input is absent, or if none is equal and some key is unknown. */
  | {
      readonly kind: 'equal';
      readonly input: RuleInput;
      keys(principal: Principal): { readonly keys: readonly string[]; readonly unknown: boolean };
    }
  | {
      readonly kind: 'order';
      readonly operator: '<' | '<=' | '>' | '>=';
      readonly input: RuleInput;
      value(principal: Principal): string | number | null;
    }
  | {
      readonly kind: 'text';
      readonly mode: 'startsWith' | 'endsWith' | 'contains';
      readonly input: RuleInput;
      value(principal: Principal): string | null;
    }
  /** The items contain the key. Unknown without a list, or if the list contains null but not the key. */
  | { readonly kind: 'holds'; readonly input: RuleInput; key(principal: Principal): string | null }
  /** Some related row satisfies a branch. `present` is not true if the owner of the related rows does not exist. */
  | {
      readonly kind: 'any';
      readonly present: RuleInput | undefined;
      readonly branches: readonly RowsBranch[];
    }
  | { readonly kind: 'and' | 'or'; readonly left: RuleForm; readonly right: RuleForm }
  | { readonly kind: 'not'; readonly operand: RuleForm }
  | {
      readonly kind: 'choose';
      readonly condition: RuleForm;
      readonly whenTrue: RuleForm;
      readonly whenFalse: RuleForm;
    };

/** Related rows that satisfy the caller-independent conditions, by the tuple of values compared with the caller. */
export interface RowsBranch {
  readonly input: RuleInput;
  /** The tuples that satisfy the branch; none if the caller cannot. */
  tuples(principal: Principal): readonly string[];
}

/** Whether a rule is independent of the row. */
export function isAboutCaller(form: RuleForm): boolean {
  switch (form.kind) {
    case 'caller':
      return true;
    case 'and':
    case 'or':
      return isAboutCaller(form.left) && isAboutCaller(form.right);
    case 'not':
      return isAboutCaller(form.operand);
    case 'choose':
      return isAboutCaller(form.condition) && isAboutCaller(form.whenTrue) && isAboutCaller(form.whenFalse);
    default:
      return false;
  }
}

/** A text that identifies a value for equality. */
export function keyOf(value: string | number | boolean): string {
  return typeof value === 'string' ? value : String(value);
}

/** A text that identifies a combination of keys. */
export function tupleOf(keys: readonly string[]): string {
  return only(keys) ?? JSON.stringify(keys);
}
