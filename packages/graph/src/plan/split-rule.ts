// Splits a read rule into the row's side (inputs that the database computes with the rule's exact meaning) and the
// caller's side. A copy of the rows, such as a search index, can then evaluate the rule for any caller. A rule without
// such a form is rejected, never approximated. Not here: inputs (row-part.ts), the caller's values (caller-part.ts),
// and evaluation.
import { compileExpression, dependsOnRow, type Expression, type Principal } from '@lockstitch/kernel';
import { toStoredDecimal } from '../schema/decimal.ts';
import { entityOf, type Entity, type Field, type Model } from '../schema/model.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import { CallerPart, dependsOnCaller, NOBODY, storable } from './caller-part.ts';
import { EXISTS, type Quantifier, RowPart, type Taken } from './row-part.ts';
import { keyOf, type RowsBranch, type RuleForm, type RuleInput, tupleOf } from './rule-form.ts';
import { isNumber, type Rule, storageOfElement } from './rule-operand.ts';
import { holds, NEGATED_TEST, type Test } from './boolean-test.ts';

/** A rule and its inputs. */
export interface SplitRule {
  readonly text: string;
  readonly form: RuleForm;
  readonly inputs: readonly RuleInput[];
}

/**
 * Splits the read rule of a type or field.
 *
 * @param prefix prefix of the inputs' names
 * @param taken state shared by rules of the same row; appended to
 * @throws ProductError GRAPH_RULE_UNSPLIT
 */
export function splitRule(
  model: Pick<Model, 'entities' | 'schema'>,
  entity: Entity,
  at: Entity | Field,
  prefix: string,
  taken: Taken,
): SplitRule | undefined {
  const text = at.auth?.read;
  if (text === undefined) return undefined;
  const access = compileExpression(text, { row: rowShapeOf(entity, model) });
  const splitter = new Splitter(model, { access, entity }, prefix, taken);
  return { text, form: splitter.form(access.expression), inputs: splitter.inputs };
}

/** Maximum number of branches per relation; each is a set of values per row. */
const MAX_BRANCHES = 16;

/** The conditions on a related row, without and with the caller. */
interface Branch {
  readonly conditions: readonly { readonly node: Expression; readonly test: Test }[];
  readonly caller: readonly ((principal: Principal) => boolean)[];
  readonly atoms: readonly { readonly value: Expression; readonly keys: KeysOf }[];
}

type KeysOf = (principal: Principal) => readonly string[];

class Splitter {
  readonly #model: Pick<Model, 'entities'>;
  readonly #row: RowPart;
  readonly #caller: CallerPart;

  constructor(model: Pick<Model, 'entities' | 'schema'>, rule: Rule, prefix: string, taken: Taken) {
    this.#model = model;
    this.#row = new RowPart(model, rule, prefix, taken);
    this.#caller = new CallerPart(model.schema, rule.access);
  }

  get inputs(): readonly RuleInput[] {
    return this.#row.inputs;
  }

  form(node: Expression): RuleForm {
    if (!dependsOnRow(node)) return { kind: 'caller', truth: (principal) => this.#caller.truth(node, principal) };
    if (!dependsOnCaller(node)) return { kind: 'truth', input: this.#row.truthInput(node) };
    switch (node.kind) {
      case 'logical':
        return { kind: node.operator, left: this.form(node.left), right: this.form(node.right) };
      case 'not':
        return { kind: 'not', operand: this.form(node.operand) };
      case 'conditional':
        return {
          kind: 'choose',
          condition: this.form(node.condition),
          whenTrue: this.form(node.whenTrue),
          whenFalse: this.form(node.whenFalse),
        };
      case 'compare':
        return this.#compare(node);
      case 'in':
        return this.#in(node, node.left, node.right);
      case 'quantifier':
        return this.#quantifier(node);
      case 'call':
        return this.#call(node);
      default:
        throw this.#row.unsplit(node);
    }
  }

  #compare(node: Expression & { readonly kind: 'compare' }): RuleForm {
    const { left, right } = node;
    if (!dependsOnRow(right)) return this.#compareWith(node, node.operator, left, right);
    if (!dependsOnRow(left)) return this.#compareWith(node, MIRRORED[node.operator], right, left);
    throw this.#row.unsplit(node);
  }

  #compareWith(
    node: Expression,
    operator: (typeof MIRRORED)[keyof typeof MIRRORED],
    row: Expression,
    caller: Expression,
  ): RuleForm {
    const column = this.#row.column(row, node);
    if (operator === '==' || operator === '!=') {
      const input = this.#row.valueInput('key', row, column);
      const form: RuleForm = {
        kind: 'equal',
        input,
        keys: (principal) => {
          const key = this.#caller.key(column, this.#caller.value(caller, principal));
          return { keys: key === null ? [] : [key], unknown: key === null };
        },
      };
      return operator === '==' ? form : { kind: 'not', operand: form };
    }
    if (column.storage === 'decimal')
      return {
        kind: 'order',
        operator,
        input: this.#row.valueInput('decimal', row, column),
        value: (principal) => toStoredDecimal(this.#caller.value(caller, principal)),
      };
    // The rule language treats an ID as text; its column may be an integer. Integers beyond 2^53 have no exact double.
    if (column.field?.typeName === 'BigInt') throw this.#row.unsplit(node);
    const number = isNumber(column.storage) && column.field?.typeName !== 'ID';
    if (!number && column.storage !== 'text' && column.field?.typeName !== 'ID') throw this.#row.unsplit(node);
    return {
      kind: 'order',
      operator,
      input: this.#row.valueInput(number ? 'number' : 'text', row, column),
      value: (principal) => {
        const value = this.#caller.value(caller, principal);
        if (typeof value === 'string') return number ? null : storable(value);
        return number && typeof value === 'number' ? value : null;
      },
    };
  }

  #in(node: Expression, left: Expression, right: Expression): RuleForm {
    if (!dependsOnCaller(left) && !dependsOnRow(right)) {
      const column = this.#row.column(left, node);
      return {
        kind: 'equal',
        input: this.#row.valueInput('key', left, column),
        keys: (principal) => this.#caller.keys(column, this.#caller.value(right, principal)),
      };
    }
    if (!dependsOnRow(left) && !dependsOnCaller(right) && right.kind !== 'list') {
      const column = this.#row.column(right, node, true);
      const element = storageOfElement(column.field);
      if (element !== 'text' && element !== 'integer') throw this.#row.unsplit(node);
      return {
        kind: 'holds',
        input: this.#row.valueInput('items', right, column),
        key: (principal) => {
          const value = this.#caller.value(left, principal);
          return typeof value === (element === 'text' ? 'string' : 'number') ? keyOf(value as string | number) : null;
        },
      };
    }
    if (right.kind === 'list') {
      // One comparison per item, as in SQL.
      return right.items
        .map((item): Expression => ({
          kind: 'compare',
          operator: '==',
          left,
          right: item,
          start: node.start,
          end: node.end,
        }))
        .map((each) => this.form(each))
        .reduce((a, b): RuleForm => ({ kind: 'or', left: a, right: b }), { kind: 'caller', truth: () => false });
    }
    throw this.#row.unsplit(node);
  }

  #call(node: Expression & { readonly kind: 'call' }): RuleForm {
    const { target } = node;
    const [argument] = node.arguments;
    if (target === undefined || argument === undefined || node.arguments.length !== 1) throw this.#row.unsplit(node);
    if (node.name === 'contains' && !dependsOnRow(target)) {
      const probe = this.#row.operandOf(argument);
      // `text.contains(column)` has no form, and a value of the caller may be a text. For a list of the caller, `in` is
      // unambiguous.
      const list = dependsOnCaller(target) ? undefined : this.#caller.value(target, NOBODY);
      if (probe.kind !== 'column' || !Array.isArray(list)) throw this.#row.unsplit(node);
      const column = this.#row.column(argument, node);
      const keys = this.#caller.keys(column, list);
      return { kind: 'equal', input: this.#row.valueInput('key', argument, column), keys: () => keys };
    }
    if (dependsOnCaller(target) || dependsOnRow(argument)) throw this.#row.unsplit(node);
    const operand = this.#row.operandOf(target);
    if (operand.kind !== 'column') throw this.#row.unsplit(node);
    if (node.name === 'contains' && operand.storage === 'json') return this.#in(node, argument, target);
    if (operand.storage !== 'text') throw this.#row.unsplit(node);
    if (node.name === 'equals') return this.#compareWith(node, '==', target, argument);
    if (node.name !== 'startsWith' && node.name !== 'endsWith' && node.name !== 'contains')
      throw this.#row.unsplit(node);
    return {
      kind: 'text',
      mode: node.name,
      input: this.#row.valueInput('text', target, operand),
      value: (principal) => {
        const value = this.#caller.value(argument, principal);
        return typeof value === 'string' ? storable(value) : null;
      },
    };
  }

  #quantifier(node: Quantifier): RuleForm {
    if (dependsOnCaller(node.target)) throw this.#row.unsplit(node);
    const target = this.#row.operandOf(node.target);
    if (target.kind !== 'rows' || !this.#model.entities.has(target.field.target)) throw this.#row.unsplit(node);
    const entity = entityOf(this.#model, target.field.target);
    const test = node.quantifier === 'all' ? 'isNotTrue' : 'isTrue';
    const branches = this.#branches(node, entity, node.body, test);
    // Only along to-one relations can the owner of the related rows be missing.
    const chain = node.target.kind === 'member' ? node.target.target : undefined;
    const present =
      target.steps.length === 0 || chain === undefined
        ? undefined
        : this.#row.truthInput({
            kind: 'compare',
            operator: '!=',
            left: chain,
            right: nullAt(node),
            start: node.start,
            end: node.end,
          });
    const any: RuleForm = {
      kind: 'any',
      present,
      branches: branches.map((branch) => this.#rowsBranch(node, entity, branch)),
    };
    return node.quantifier === 'any' ? any : { kind: 'not', operand: any };
  }

  #rowsBranch(node: Quantifier, entity: Entity, branch: Branch): RowsBranch {
    const { atoms, caller, conditions } = branch;
    const values = atoms.map(({ value }) => value);
    return {
      input: this.#row.tuplesInput(node, entity, conditions, values),
      tuples: (principal) => {
        if (caller.some((test) => !test(principal))) return [];
        return atoms
          .reduce<readonly (readonly string[])[]>(
            (tuples, { keys }) => keys(principal).flatMap((key) => tuples.map((tuple) => [...tuple, key])),
            [atoms.length === 0 ? [EXISTS] : []],
          )
          .map(tupleOf);
      },
    };
  }

  /** The alternatives by which a related row passes a test, as a disjunction. */
  #branches(at: Quantifier, entity: Entity, node: Expression, test: Test): Branch[] {
    const none: Branch = { conditions: [], caller: [], atoms: [] };
    if (!dependsOnRow(node))
      return [{ ...none, caller: [(principal) => holds(this.#caller.truth(node, principal), test)] }];
    if (!dependsOnCaller(node)) return [{ ...none, conditions: [{ node, test }] }];
    switch (node.kind) {
      case 'not':
        return this.#branches(at, entity, node.operand, NEGATED_TEST[test]);
      case 'logical': {
        const left = this.#branches(at, entity, node.left, test);
        const right = this.#branches(at, entity, node.right, test);
        const both = (node.operator === 'and') === (test === 'isTrue' || test === 'isNotFalse');
        const joined = both
          ? left.flatMap((a) =>
              right.map((b) => ({
                conditions: [...a.conditions, ...b.conditions],
                caller: [...a.caller, ...b.caller],
                atoms: [...a.atoms, ...b.atoms],
              })),
            )
          : [...left, ...right];
        if (joined.length > MAX_BRANCHES) throw this.#row.unsplit(node);
        return joined;
      }
      case 'compare': {
        const [row, caller] = dependsOnRow(node.left) ? [node.left, node.right] : [node.right, node.left];
        if (dependsOnRow(caller) || dependsOnCaller(row)) throw this.#row.unsplit(node);
        const wanted =
          (node.operator === '==' && (test === 'isTrue' || test === 'isNotFalse')) ||
          (node.operator === '!=' && (test === 'isFalse' || test === 'isNotTrue'));
        if (!wanted) throw this.#row.unsplit(node);
        const column = this.#row.localColumn(at, entity, row);
        const keys: KeysOf = (principal) => {
          const key = this.#caller.key(column, this.#caller.value(caller, principal));
          return key === null ? [] : [key];
        };
        const equal: Branch = { ...none, atoms: [{ value: row, keys }] };
        if (test === 'isTrue' || test === 'isFalse') return [equal];
        // Unknown passes too, so either side may be null.
        const isNull = (of: Expression): Expression => ({ ...node, operator: '==', left: of, right: nullAt(node) });
        return [
          equal,
          { ...none, conditions: [{ node: isNull(row), test: 'isTrue' }] },
          { ...none, caller: [(principal) => keys(principal).length === 0] },
        ];
      }
      case 'in': {
        if (test !== 'isTrue' || dependsOnRow(node.right) || dependsOnCaller(node.left)) throw this.#row.unsplit(node);
        const column = this.#row.localColumn(at, entity, node.left);
        const keys: KeysOf = (principal) => this.#caller.keys(column, this.#caller.value(node.right, principal)).keys;
        return [{ ...none, atoms: [{ value: node.left, keys }] }];
      }
      default:
        throw this.#row.unsplit(node);
    }
  }
}

const MIRRORED = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function nullAt({ start, end }: Expression): Expression {
  return { kind: 'literal', value: null, start, end };
}
