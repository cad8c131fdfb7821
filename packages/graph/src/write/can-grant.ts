// Whether a rule can grant a caller anything: three-valued evaluation without a row. Every part that reads the row may come
// out as anything, except where the caller's side decides it.
import { type AccessExpression, dependsOnRow, type Expression, type Principal } from '@lockstitch/kernel';
import { evaluatePart } from '../plan/caller-part.ts';

/** The possible values of a condition. */
interface Outcomes {
  readonly true: boolean;
  readonly false: boolean;
  readonly unknown: boolean;
}

const ANY: Outcomes = { true: true, false: true, unknown: true };
const NEVER_TRUE: Outcomes = { true: false, false: true, unknown: true };

/** Whether the rule is true for the caller on at least one imaginable row. */
export function canGrant(rule: AccessExpression, principal: Principal): boolean {
  return outcomesOf(rule, principal).true;
}

/** Whether the rule is true for the caller on every row. */
export function grantsAll(rule: AccessExpression, principal: Principal): boolean {
  const { false: isFalse, unknown } = outcomesOf(rule, principal);
  return !isFalse && !unknown;
}

function outcomesOf({ expression, text }: AccessExpression, principal: Principal): Outcomes {
  /** The value of a part that does not depend on the row. */
  const valueOf = (node: Expression): unknown => evaluatePart(text, node, { principal });
  /** Whether a side of a comparison is null for this caller; a null written out asks for null. */
  const isNull = (node: Expression): boolean =>
    node.kind !== 'literal' && !dependsOnRow(node) && valueOf(node) === null;

  const outcomes = (node: Expression): Outcomes => {
    if (!dependsOnRow(node)) {
      const value = valueOf(node);
      return { true: value === true, false: value === false, unknown: typeof value !== 'boolean' };
    }
    switch (node.kind) {
      case 'logical': {
        const [left, right] = [outcomes(node.left), outcomes(node.right)];
        return node.operator === 'and' ? both(left, right) : opposite(both(opposite(left), opposite(right)));
      }
      case 'not':
        return opposite(outcomes(node.operand));
      case 'conditional': {
        const condition = outcomes(node.condition);
        const branches = [
          ...(condition.true ? [outcomes(node.whenTrue)] : []),
          ...(condition.false ? [outcomes(node.whenFalse)] : []),
        ];
        return {
          true: branches.some((each) => each.true),
          false: branches.some((each) => each.false),
          unknown: condition.unknown || branches.some((each) => each.unknown),
        };
      }
      case 'quantifier':
        // Of an empty list, `all` and `none` are true.
        return node.quantifier === 'any' && !outcomes(node.body).true ? NEVER_TRUE : ANY;
      case 'compare':
        if (node.left.kind === 'literal' && node.left.value === null) return ANY;
        if (node.right.kind === 'literal' && node.right.value === null) return ANY;
        return isNull(node.left) || isNull(node.right) ? NEVER_TRUE : ANY;
      case 'in': {
        if (isNull(node.left) || isNull(node.right)) return NEVER_TRUE;
        const list = dependsOnRow(node.right) ? undefined : valueOf(node.right);
        return Array.isArray(list) && list.length === 0 ? NEVER_TRUE : ANY;
      }
      default:
        return ANY;
    }
  };
  return outcomes(expression);
}

function both(left: Outcomes, right: Outcomes): Outcomes {
  return {
    true: left.true && right.true,
    false: left.false || right.false,
    unknown: (left.unknown && (right.unknown || right.true)) || (right.unknown && left.true),
  };
}

function opposite(of: Outcomes): Outcomes {
  return { true: of.false, false: of.true, unknown: of.unknown };
}
