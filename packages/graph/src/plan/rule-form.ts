// A read rule as something that keeps a copy of rows can decide it: over inputs, which are values of a row that the database
// computed, and values of the caller. Not here: how a rule is brought into this form (split-rule.ts).
import type { Principal } from '@lockstitch/kernel';
import type { Json } from '../sql/sql.ts';
import type { RowScope } from './rows.ts';

/** One value, or one set of values, of the row. */
export interface RuleInput {
  /** Dotted, with the prefix it was asked for with. */
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
    /** An exact number that is ordered: kept as a text that sorts as the numbers do. */
    | 'decimal'
    /** The items of a list column, by `keyOf`. */
    | 'items'
    /** Combinations of values of related rows, by `tupleOf`. */
    | 'tuples';
  /** Reads it from a row. */
  readonly read: (scope: RowScope) => Json;
}

/** A rule over inputs. `true`, `false` and unknown are kept apart all the way; only true grants. */
export type RuleForm =
  /** Says the same for every row. */
  | { readonly kind: 'caller'; truth(principal: Principal): boolean | null }
  | { readonly kind: 'truth'; readonly input: RuleInput }
  /** Equal to one of the keys; unknown where the input is absent, and with an unknown key where none is equal. */
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
  /** The key is among the items; unknown without a list, and where the list holds null and not the key. */
  | { readonly kind: 'holds'; readonly input: RuleInput; key(principal: Principal): string | null }
  /** Some related row satisfies one of the branches. `present` is not true where there is no row they could belong to. */
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

/** Related rows that satisfy what does not depend on the caller, by the combination of values that is compared with him. */
export interface RowsBranch {
  readonly input: RuleInput;
  /** The tuples that satisfy it; none when the caller cannot. */
  tuples(principal: Principal): readonly string[];
}

/** Whether a rule says the same for every row. */
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

/** One text for each value that equality tells apart. */
export function keyOf(value: string | number | boolean): string {
  return typeof value === 'string' ? value : String(value);
}

/** One text for each combination of keys. */
export function tupleOf(keys: readonly string[]): string {
  return keys.length === 1 ? keys[0]! : JSON.stringify(keys);
}
