// Lowers a read rule to an SQL predicate with the evaluator's exact meaning: three-valued, null only where the rule
// writes null. A rule without such a form is rejected. Not here: collecting rules and evaluating the caller's parts
// (policy.ts).
import { dependsOnRow, type AccessExpression, type Expression } from '@lockstitch/kernel';
import type { Entity, Model, Storage } from '../schema/model.ts';
import type { Expr } from '../sql/sql.ts';
import {
  isNumber,
  type Operand,
  Operands,
  type Rule,
  storageOfElement,
  isFraction,
  isNoNumber,
} from './rule-operand.ts';
import { Aliases, countable, type RelatedRows, RowScope } from './rows.ts';
import { FALSE, fold, negate, TRUE, UNKNOWN } from './three-valued-logic.ts';

/**
 * Lowers a read rule without a caller, so that unsupported rules are reported at start-up.
 *
 * @throws ProductError GRAPH_POLICY_UNSUPPORTED
 */
export function checkReadRule(
  model: Pick<Model, 'entities' | 'schema'>,
  entity: Entity,
  access: AccessExpression,
): void {
  const lookup: PartLookup = (node) => (dependsOnRow(node) ? undefined : { index: 0, now: null });
  new Lowering(model, { access, entity }, new RowScope(entity, 't'), lookup).predicate(access.expression);
}

/** Looks up a row-independent node: its number and, if it shapes the plan, its value. Undefined for other nodes. */
export type PartLookup = (node: Expression) => { readonly index: number; readonly now: unknown } | undefined;

/** Lowers the rule of one entity. */
export class Lowering {
  readonly #model: Pick<Model, 'entities' | 'schema'>;
  readonly #rule: Rule;
  readonly #scope: RowScope;
  readonly #lookup: PartLookup;
  readonly #locals = new Map<string, RowScope>();
  readonly #operands: Operands;

  constructor(model: Pick<Model, 'entities' | 'schema'>, rule: Rule, scope: RowScope, lookup: PartLookup) {
    this.#model = model;
    this.#rule = rule;
    this.#scope = scope;
    this.#lookup = lookup;
    this.#operands = new Operands(model, rule, new Aliases(`${scope.alias}p`));
  }

  /** Binds a lambda's parameter to a row scope. */
  setLocal(name: string, scope: RowScope): void {
    this.#locals.set(name, scope);
  }

  /** Lowers a node that is not a truth value. */
  operand(node: Expression): Operand {
    return this.#operand(node);
  }

  /** Applies `value` to the rows of a to-many relation; null if their owner does not exist. */
  amongRows(target: Extract<Operand, { kind: 'rows' }>, value: (rows: RelatedRows) => Expr): Expr {
    return this.#operands.amongRows(target, value);
  }

  /** Lowers a truth value, with the caller's parts folded. */
  predicate(node: Expression): Expr {
    const part = this.#lookup(node);
    if (part !== undefined) return part.now === true ? TRUE : part.now === false ? FALSE : UNKNOWN;
    switch (node.kind) {
      case 'logical':
        return fold(node.operator, this.predicate(node.left), this.predicate(node.right));
      case 'not':
        return negate(this.predicate(node.operand));
      case 'compare':
        return this.#compare(node.operator, node.left, node.right);
      case 'in':
        return this.#among(node, node.left, node.right);
      case 'conditional': {
        const when = this.predicate(node.condition);
        const [whenTrue, whenFalse] = [this.predicate(node.whenTrue), this.predicate(node.whenFalse)];
        if (when.kind === 'literal') return when.value === null ? UNKNOWN : when.value === true ? whenTrue : whenFalse;
        return {
          kind: 'choose',
          branches: [
            { when, use: whenTrue },
            { when: { kind: 'not', operand: when }, use: whenFalse },
          ],
          otherwise: UNKNOWN,
        };
      }
      case 'quantifier':
        return this.#quantifier(node);
      case 'call':
        return this.#call(node);
      case 'field':
      case 'local':
      case 'member': {
        const operand = this.#operand(node);
        if (operand.kind === 'column' && operand.storage === 'boolean') return operand.expr;
        throw this.#operands.unsupported(node);
      }
      default:
        throw this.#operands.unsupported(node);
    }
  }

  #compare(operator: '==' | '!=' | '<' | '<=' | '>' | '>=', leftNode: Expression, rightNode: Expression): Expr {
    const [left, right] = [this.#operand(leftNode), this.#operand(rightNode)];
    if (operator === '==' || operator === '!=') {
      // Only a literal null tests for null.
      for (const [literal, other] of [
        [leftNode, right],
        [rightNode, left],
      ] as const) {
        if (literal.kind === 'literal' && literal.value === null) return this.#isNull(other, operator === '!=');
      }
    }
    const symbol = operator === '==' ? '=' : operator === '!=' ? '<>' : operator;
    if (left.kind === 'column' && right.kind === 'known') return this.#compareKnown(symbol, left, right);
    if (left.kind === 'known' && right.kind === 'column') return this.#compareKnown(MIRRORED[symbol], right, left);
    if (left.kind === 'column' && right.kind === 'column') {
      const storage = left.storage === right.storage ? left.storage : 'text';
      if (storage !== 'decimal' && (left.storage === 'decimal' || right.storage === 'decimal'))
        throw this.#operands.unsupported(leftNode);
      const text = (each: typeof left): Expr =>
        storage === 'text' && each.storage === 'integer' ? { kind: 'cast', to: 'text', operand: each.expr } : each.expr;
      if (
        storage === 'text' &&
        (isNumber(left.storage) || isNumber(right.storage)) &&
        left.field?.typeName !== 'ID' &&
        right.field?.typeName !== 'ID'
      )
        return { kind: 'compare', operator: symbol, left: left.expr, right: right.expr, storage: 'real' };
      return { kind: 'compare', operator: symbol, left: text(left), right: text(right), storage };
    }
    throw this.#operands.unsupported(leftNode);
  }

  #compareKnown(
    operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
    column: Extract<Operand, { kind: 'column' }>,
    known: Extract<Operand, { kind: 'known' }>,
  ): Expr {
    if (known.value === null && known.part !== undefined) return UNKNOWN;
    // The rule language treats an ID as text; its column may be an integer.
    const isNumericId = column.storage === 'integer' && column.field?.typeName === 'ID';
    const asText = isNumericId && operator !== '=' && operator !== '<>';
    // An integer key differs from any text that is not an integer, unless it is null.
    if (isNumericId && !asText && isNoNumber(known.value))
      return {
        kind: 'choose',
        branches: [
          { when: { kind: 'isNull', operand: column.expr, negated: true }, use: operator === '=' ? FALSE : TRUE },
        ],
        otherwise: UNKNOWN,
      };
    const left: Expr = asText ? { kind: 'cast', to: 'text', operand: column.expr } : column.expr;
    // An integer column is compared with a fraction as a real; a fraction cannot be bound as an integer.
    const storage: Storage = asText
      ? 'text'
      : column.storage === 'integer' && isFraction(known.value)
        ? 'real'
        : column.storage;
    return { kind: 'compare', operator, left, right: this.#operands.bind(known, column.field, storage), storage };
  }

  #isNull(operand: Operand, negated: boolean): Expr {
    if (operand.kind === 'column') return { kind: 'isNull', operand: operand.expr, negated };
    if (operand.kind === 'known') return (operand.value === null) === negated ? FALSE : TRUE;
    if (operand.kind === 'row') {
      const exists = this.#operands.existsAlong(operand);
      return negated ? exists : { kind: 'not', operand: exists };
    }
    return negated ? TRUE : FALSE;
  }

  #among(node: Expression, leftNode: Expression, rightNode: Expression): Expr {
    const left = this.#operand(leftNode);
    if (rightNode.kind === 'list' && this.#lookup(rightNode) === undefined) {
      // A list with row-dependent items: one comparison per item.
      return rightNode.items
        .map((item) => this.#compareOperands(left, this.#operand(item), node))
        .reduce((a, b) => fold('or', a, b), FALSE);
    }
    const right = this.#operand(rightNode);
    if (left.kind === 'column' && right.kind === 'known') {
      const list = right.value;
      // A value that is not a list is unknown, so its negation grants nothing either.
      if (!Array.isArray(list)) return UNKNOWN;
      const part = right.part!;
      const read = (value: unknown): string => this.#operands.listText(value, left);
      const listExpr: Expr = {
        kind: 'parameter',
        parameter: {
          kind: 'input',
          label: `policy ${this.#rule.entity.name}`,
          same: `list ${part} ${left.storage} ${left.field?.typeName === 'ID'}`,
          read: (inputs) => read(inputs.policy(part)),
        },
        storage: 'json',
      };
      const among: Expr = { kind: 'among', operand: left.expr, list: listExpr, storage: left.storage };
      return list.includes(null) ? fold('or', among, UNKNOWN) : among;
    }
    if (left.kind === 'known' && right.kind === 'column' && right.storage === 'json')
      return this.#amongStored(left, right);
    throw this.#operands.unsupported(node);
  }

  #compareOperands(left: Operand, right: Operand, node: Expression): Expr {
    if (left.kind === 'column' && right.kind === 'known') return this.#compareKnown('=', left, right);
    if (left.kind === 'known' && right.kind === 'column') return this.#compareKnown('=', right, left);
    if (left.kind === 'column' && right.kind === 'column')
      return { kind: 'compare', operator: '=', left: left.expr, right: right.expr, storage: left.storage };
    throw this.#operands.unsupported(node);
  }

  /** Tests whether a list column contains a value. */
  #amongStored(left: Extract<Operand, { kind: 'known' }>, right: Extract<Operand, { kind: 'column' }>): Expr {
    if (left.value === null) return UNKNOWN;
    const items = storageOfElement(right.field);
    const element = items === 'integer' && isFraction(left.value) ? 'real' : items;
    const among: Expr = {
      kind: 'among',
      operand: this.#operands.bind(left, undefined, element),
      list: right.expr,
      storage: element,
    };
    return {
      kind: 'choose',
      branches: [{ when: { kind: 'isNull', operand: right.expr, negated: true }, use: among }],
      otherwise: UNKNOWN,
    };
  }

  #quantifier(node: Extract<Expression, { kind: 'quantifier' }>): Expr {
    const target = this.#operand(node.target);
    if (target.kind !== 'rows') throw this.#operands.unsupported(node);
    // A relation to an interface or union has rows in several tables.
    if (!this.#model.entities.has(target.field.target)) throw this.#operands.unsupported(node);
    return this.#operands.amongRows(target, (rows) => {
      const shadowed = this.#locals.get(node.parameter);
      this.#locals.set(node.parameter, rows.scope);
      const body = this.predicate(node.body);
      if (shadowed === undefined) this.#locals.delete(node.parameter);
      else this.#locals.set(node.parameter, shadowed);
      const exists: Expr = {
        kind: 'exists',
        select: countable(rows, [node.quantifier === 'all' ? { kind: 'isNotTrue', operand: body } : body]),
      };
      return node.quantifier === 'any' ? exists : { kind: 'not', operand: exists };
    });
  }

  #call(node: Extract<Expression, { kind: 'call' }>): Expr {
    if (node.target === undefined) throw this.#operands.unsupported(node);
    const target = this.#operand(node.target);
    const [argument] = node.arguments;
    if (target.kind === 'rows' && node.name === 'isEmpty' && this.#model.entities.has(target.field.target))
      return this.#operands.amongRows(target, (rows) => ({
        kind: 'not',
        operand: { kind: 'exists', select: countable(rows, []) },
      }));
    if (node.name === 'contains' && argument !== undefined && target.kind === 'column' && target.storage === 'json') {
      const value = this.#operand(argument);
      if (value.kind === 'known') return this.#amongStored(value, target);
    }
    if (node.name === 'contains' && argument !== undefined && target.kind === 'known' && Array.isArray(target.value))
      return this.#among(node, argument, node.target);
    if (target.kind === 'column' && target.storage === 'text') {
      if (node.name === 'isEmpty')
        return {
          kind: 'compare',
          operator: '=',
          left: target.expr,
          right: { kind: 'literal', value: '' },
          storage: 'text',
        };
      if (
        argument !== undefined &&
        (node.name === 'startsWith' || node.name === 'endsWith' || node.name === 'contains')
      ) {
        const pattern = this.#textOf(this.#operand(argument), argument);
        return pattern === UNKNOWN ? UNKNOWN : { kind: 'text', mode: node.name, operand: target.expr, pattern };
      }
      if (argument !== undefined && node.name === 'equals') return this.#compare('==', node.target, argument);
    }
    if (
      target.kind === 'known' &&
      argument !== undefined &&
      (node.name === 'startsWith' || node.name === 'endsWith' || node.name === 'contains')
    ) {
      const operand = this.#textOf(target, node.target);
      const pattern = this.#textOf(this.#operand(argument), argument);
      return operand === UNKNOWN ? UNKNOWN : { kind: 'text', mode: node.name, operand, pattern };
    }
    throw this.#operands.unsupported(node);
  }

  #textOf(operand: Operand, node: Expression): Expr {
    if (operand.kind === 'known')
      return operand.value === null ? UNKNOWN : this.#operands.bind(operand, undefined, 'text');
    if (operand.kind === 'column' && operand.storage === 'text') return operand.expr;
    throw this.#operands.unsupported(node);
  }

  #operand(node: Expression): Operand {
    const part = this.#lookup(node);
    if (part !== undefined) return { kind: 'known', part: part.index, value: part.now };
    switch (node.kind) {
      case 'literal':
        return { kind: 'known', part: undefined, value: node.value };
      case 'field':
        return this.#operands.fieldOf(this.#scope, [], node.name, node);
      case 'local': {
        const scope = this.#locals.get(node.name);
        if (scope === undefined) throw this.#operands.unsupported(node);
        return { kind: 'row', scope, steps: [] };
      }
      case 'member': {
        const target = this.#operand(node.target);
        if (target.kind !== 'row') throw this.#operands.unsupported(node);
        return this.#operands.fieldOf(target.scope, target.steps, node.name, node);
      }
      case 'call': {
        if (node.target !== undefined && node.name === 'size') {
          const target = this.#operand(node.target);
          if (target.kind === 'rows' && this.#model.entities.has(target.field.target)) {
            const expr = this.#operands.amongRows(target, (rows) => ({ kind: 'count', select: countable(rows, []) }));
            return { kind: 'column', expr, storage: 'integer', field: undefined };
          }
        }
        throw this.#operands.unsupported(node);
      }
      case 'negate': {
        const operand = this.#operand(node.operand);
        if (operand.kind !== 'column') throw this.#operands.unsupported(node);
        return {
          ...operand,
          expr: { kind: 'arithmetic', operator: '-', left: { kind: 'literal', value: 0 }, right: operand.expr },
          storage: 'real',
          field: undefined,
        };
      }
      case 'arithmetic': {
        // Databases differ on division by zero.
        const { operator } = node;
        if (operator === '/' || operator === '%') throw this.#operands.unsupported(node);
        const [left, right] = [this.#operand(node.left), this.#operand(node.right)];
        const storage: Storage = 'real';
        const number = (each: Operand): Expr => {
          if (each.kind === 'column' && isNumber(each.storage)) return each.expr;
          if (each.kind === 'known') return this.#operands.bind(each, undefined, storage);
          throw this.#operands.unsupported(node);
        };
        return {
          kind: 'column',
          expr: { kind: 'arithmetic', operator, left: number(left), right: number(right) },
          storage,
          field: undefined,
        };
      }
      default:
        throw this.#operands.unsupported(node);
    }
  }
}

const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
