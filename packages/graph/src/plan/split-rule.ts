// A read rule split in two: what the row contributes (inputs, which the database computes with the rule's exact meaning) and
// what the caller does. A copy of rows kept elsewhere, in a search index say, can then decide the rule by looking values up,
// whoever asks. What has no such form is refused, never approximated. Not here: how inputs are read (rule-inputs.ts) and how
// a copy is asked.
import {
  type AccessExpression,
  compileExpression,
  dependsOnRow,
  type Expression,
  type Principal,
} from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { ColumnField, Entity, Field, Model, Storage } from '../schema/model.ts';
import { and, type Json } from '../sql/sql.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import { CallerPart, type Constants, dependsOnCaller, NOBODY, storable } from './caller-part.ts';
import { Lowering, type PartLookup } from './lower-rule.ts';
import { keyOf, type RowsBranch, type RuleForm, type RuleInput, tupleOf } from './rule-form.ts';
import { RowScope } from './rows.ts';
import { listOf } from './selection.ts';
import { isNumber, type Operand, type Rule, storageOfElement } from './rule-operand.ts';
import { holds, OPPOSITE, type Test, tested, truthExpr } from './truth-test.ts';

/** A rule and the inputs it takes. */
export interface SplitRule {
  readonly text: string;
  readonly form: RuleForm;
  readonly inputs: readonly RuleInput[];
}

/**
 * Splits the read rule of a type or of one of its fields.
 *
 * @param prefix of the names of the inputs
 * @param taken what exists already for the same row; added to
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

/** What rules about the same row share. */
export interface Taken {
  /** By what they read. */
  readonly taken: Map<string, RuleInput>;
  readonly constants: Constants;
}

/** Branches of one relation at most: each is a set of values for every row. */
const MAX_BRANCHES = 16;

/** The key of a row of which nothing is compared. */
const EXISTS = 'true';
const EXISTING: Json = { kind: 'constant', text: `"${EXISTS}"` };

/** What a related row must satisfy, without and with the caller. */
interface Branch {
  readonly conditions: readonly { readonly node: Expression; readonly test: Test }[];
  readonly caller: readonly ((principal: Principal) => boolean)[];
  readonly atoms: readonly { readonly value: Expression; readonly keys: KeysOf }[];
}

type KeysOf = (principal: Principal) => readonly string[];

class Splitter {
  readonly inputs: RuleInput[] = [];
  readonly #model: Pick<Model, 'entities' | 'schema'>;
  readonly #access: AccessExpression;
  readonly #caller: CallerPart;
  readonly #rule: Rule;
  readonly #prefix: string;
  readonly #taken: Map<string, RuleInput>;
  readonly #constants: Constants;

  constructor(model: Pick<Model, 'entities' | 'schema'>, rule: Rule, prefix: string, { taken, constants }: Taken) {
    this.#constants = constants;
    this.#model = model;
    this.#rule = rule;
    this.#access = rule.access;
    this.#caller = new CallerPart(model.schema, rule.access);
    this.#prefix = prefix;
    this.#taken = taken;
  }

  form(node: Expression): RuleForm {
    if (!dependsOnRow(node)) return { kind: 'caller', truth: (principal) => this.#caller.truth(node, principal) };
    if (!dependsOnCaller(node)) return { kind: 'truth', input: this.#truthInput(node) };
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
        throw this.#unsplit(node);
    }
  }

  #compare(node: Expression & { readonly kind: 'compare' }): RuleForm {
    const { left, right } = node;
    if (!dependsOnRow(right)) return this.#compareWith(node, node.operator, left, right);
    if (!dependsOnRow(left)) return this.#compareWith(node, MIRRORED[node.operator], right, left);
    throw this.#unsplit(node);
  }

  #compareWith(
    node: Expression,
    operator: (typeof MIRRORED)[keyof typeof MIRRORED],
    row: Expression,
    caller: Expression,
  ): RuleForm {
    const column = this.#column(row, node);
    if (operator === '==' || operator === '!=') {
      const input = this.#valueInput('key', row, column);
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
    // An ID is text to the language, and may be a number in its column; whole numbers beyond 2^53 have no double.
    if (column.field?.typeName === 'BigInt') throw this.#unsplit(node);
    const number = isNumber(column.storage) && column.field?.typeName !== 'ID';
    if (!number && column.storage !== 'text' && column.field?.typeName !== 'ID') throw this.#unsplit(node);
    return {
      kind: 'order',
      operator,
      input: this.#valueInput(number ? 'number' : 'text', row, column),
      value: (principal) => {
        const value = this.#caller.value(caller, principal);
        if (typeof value === 'string') return number ? null : storable(value);
        return number && typeof value === 'number' ? value : null;
      },
    };
  }

  #in(node: Expression, left: Expression, right: Expression): RuleForm {
    if (!dependsOnCaller(left) && !dependsOnRow(right)) {
      const column = this.#column(left, node);
      return {
        kind: 'equal',
        input: this.#valueInput('key', left, column),
        keys: (principal) => this.#caller.keys(column, this.#caller.value(right, principal)),
      };
    }
    if (!dependsOnRow(left) && !dependsOnCaller(right) && right.kind !== 'list') {
      const column = this.#column(right, node, true);
      const element = storageOfElement(column.field);
      if (element !== 'text' && element !== 'integer') throw this.#unsplit(node);
      return {
        kind: 'holds',
        input: this.#valueInput('items', right, column),
        key: (principal) => {
          const value = this.#caller.value(left, principal);
          return typeof value === (element === 'text' ? 'string' : 'number') ? keyOf(value as string | number) : null;
        },
      };
    }
    if (right.kind === 'list') {
      // One comparison each, as in SQL.
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
    throw this.#unsplit(node);
  }

  #call(node: Expression & { readonly kind: 'call' }): RuleForm {
    const { target } = node;
    const [argument] = node.arguments;
    if (target === undefined || argument === undefined || node.arguments.length !== 1) throw this.#unsplit(node);
    if (node.name === 'contains' && !dependsOnRow(target)) {
      const probe = this.#operandOf(argument);
      // A text that contains a column has no form, and what the caller has may be a text: of a list of his, `in` is asked.
      const list = dependsOnCaller(target) ? undefined : this.#caller.value(target, NOBODY);
      if (probe.kind !== 'column' || !Array.isArray(list)) throw this.#unsplit(node);
      const column = this.#column(argument, node);
      const keys = this.#caller.keys(column, list);
      return { kind: 'equal', input: this.#valueInput('key', argument, column), keys: () => keys };
    }
    if (dependsOnCaller(target) || dependsOnRow(argument)) throw this.#unsplit(node);
    const operand = this.#operandOf(target);
    if (operand.kind !== 'column') throw this.#unsplit(node);
    if (node.name === 'contains' && operand.storage === 'json') return this.#in(node, argument, target);
    if (operand.storage !== 'text') throw this.#unsplit(node);
    if (node.name === 'equals') return this.#compareWith(node, '==', target, argument);
    if (node.name !== 'startsWith' && node.name !== 'endsWith' && node.name !== 'contains') throw this.#unsplit(node);
    return {
      kind: 'text',
      mode: node.name,
      input: this.#valueInput('text', target, operand),
      value: (principal) => {
        const value = this.#caller.value(argument, principal);
        return typeof value === 'string' ? storable(value) : null;
      },
    };
  }

  #quantifier(node: Expression & { readonly kind: 'quantifier' }): RuleForm {
    if (dependsOnCaller(node.target)) throw this.#unsplit(node);
    const target = this.#operandOf(node.target);
    if (target.kind !== 'rows' || !this.#model.entities.has(target.field.target)) throw this.#unsplit(node);
    const entity = this.#model.entities.get(target.field.target)!;
    const test = node.quantifier === 'all' ? 'isNotTrue' : 'isTrue';
    const branches = this.#branches(node, entity, node.body, test);
    // Only a chain of to-one relations can lead to no row that could have the related ones.
    const chain = node.target.kind === 'member' ? node.target.target : undefined;
    const present =
      target.steps.length === 0 || chain === undefined
        ? undefined
        : this.#truthInput({
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

  #rowsBranch(node: Expression & { readonly kind: 'quantifier' }, entity: Entity, branch: Branch): RowsBranch {
    const { atoms, caller, conditions } = branch;
    const columns = atoms.map(({ value }) => this.#localColumn(node, entity, value));
    const described = JSON.stringify([
      'tuples',
      this.#textOf(node.target),
      node.parameter,
      atoms.map(({ value }) => this.#textOf(value)),
      conditions.map(({ node: each, test }) => [this.#textOf(each), test]),
    ]);
    const input = this.#input('tuples', described, (scope) => {
      const lowering = this.#lowering(scope);
      const target = lowering.operand(node.target);
      if (target.kind !== 'rows') throw this.#unsplit(node);
      const list = lowering.amongRows(target, (rows) => {
        lowering.setLocal(node.parameter, rows.scope);
        const where = conditions.map(({ node: each, test }) => tested(lowering.predicate(each), test));
        const page = { orderBy: [], limit: undefined, offset: undefined };
        const json = listOf(rows, and(rows.where, ...where), page, (scope) => {
          lowering.setLocal(node.parameter, scope);
          if (atoms.length === 0) return { kind: 'object', members: [{ key: 'v', value: EXISTING }] };
          return {
            kind: 'object',
            members: atoms.map(({ value }, at) => ({
              key: `v${at}`,
              value: valueJson(lowering.operand(value), columns[at]!, () => this.#unsplit(node)),
            })),
          };
        });
        return { kind: 'json', json };
      });
      return { kind: 'value', expr: list, format: 'json', nullable: true };
    });
    return {
      input,
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

  /** The ways in which a related row can pass a test. */
  #branches(at: Expression & { readonly kind: 'quantifier' }, entity: Entity, node: Expression, test: Test): Branch[] {
    const none: Branch = { conditions: [], caller: [], atoms: [] };
    if (!dependsOnRow(node))
      return [{ ...none, caller: [(principal) => holds(this.#caller.truth(node, principal), test)] }];
    if (!dependsOnCaller(node)) return [{ ...none, conditions: [{ node, test }] }];
    switch (node.kind) {
      case 'not':
        return this.#branches(at, entity, node.operand, OPPOSITE[test]);
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
        if (joined.length > MAX_BRANCHES) throw this.#unsplit(node);
        return joined;
      }
      case 'compare': {
        const [row, caller] = dependsOnRow(node.left) ? [node.left, node.right] : [node.right, node.left];
        if (dependsOnRow(caller) || dependsOnCaller(row)) throw this.#unsplit(node);
        const wanted =
          (node.operator === '==' && (test === 'isTrue' || test === 'isNotFalse')) ||
          (node.operator === '!=' && (test === 'isFalse' || test === 'isNotTrue'));
        if (!wanted) throw this.#unsplit(node);
        const column = this.#localColumn(at, entity, row);
        const keys: KeysOf = (principal) => {
          const key = this.#caller.key(column, this.#caller.value(caller, principal));
          return key === null ? [] : [key];
        };
        const equal: Branch = { ...none, atoms: [{ value: row, keys }] };
        if (test === 'isTrue' || test === 'isFalse') return [equal];
        // Unknown passes, too: without a value on either side.
        const isNull = (of: Expression): Expression => ({ ...node, operator: '==', left: of, right: nullAt(node) });
        return [
          equal,
          { ...none, conditions: [{ node: isNull(row), test: 'isTrue' }] },
          { ...none, caller: [(principal) => keys(principal).length === 0] },
        ];
      }
      case 'in': {
        if (test !== 'isTrue' || dependsOnRow(node.right) || dependsOnCaller(node.left)) throw this.#unsplit(node);
        const column = this.#localColumn(at, entity, node.left);
        const keys: KeysOf = (principal) => this.#caller.keys(column, this.#caller.value(node.right, principal)).keys;
        return [{ ...none, atoms: [{ value: node.left, keys }] }];
      }
      default:
        throw this.#unsplit(node);
    }
  }

  readonly #lookup: PartLookup = (node) =>
    dependsOnRow(node) ? undefined : this.#constants.find(node, this.#access.text);

  #lowering(scope: RowScope): Lowering {
    return new Lowering(this.#model, this.#rule, scope, this.#lookup);
  }

  #operandOf(node: Expression): Operand {
    return this.#lowering(new RowScope(this.#rule.entity, 't')).operand(node);
  }

  /** A node of the row that is one value (or, with `list`, one list of values). */
  #column(row: Expression, node: Expression, list = false): Extract<Operand, { kind: 'column' }> {
    if (dependsOnCaller(row)) throw this.#unsplit(node);
    const operand = this.#operandOf(row);
    if (operand.kind !== 'column') throw this.#unsplit(node);
    this.#checkStorage(operand, node, list);
    return operand;
  }

  #localColumn(
    at: Expression & { readonly kind: 'quantifier' },
    entity: Entity,
    node: Expression,
  ): Extract<Operand, { kind: 'column' }> {
    const lowering = this.#lowering(new RowScope(this.#rule.entity, 't'));
    lowering.setLocal(at.parameter, new RowScope(entity, 'm'));
    const operand = lowering.operand(node);
    if (operand.kind !== 'column') throw this.#unsplit(node);
    this.#checkStorage(operand, node, false);
    return operand;
  }

  #checkStorage({ storage }: { readonly storage: Storage }, node: Expression, list: boolean): void {
    // A moment has many spellings, a stored object no equality.
    if (storage === 'timestamp' || (storage === 'json') !== list) throw this.#unsplit(node);
  }

  #truthInput(node: Expression): RuleInput {
    // Lowered once for nobody, so that what SQL cannot say is told now.
    this.#lowering(new RowScope(this.#rule.entity, 't')).predicate(node);
    return this.#input('truth', JSON.stringify(['truth', this.#textOf(node)]), (scope) => ({
      kind: 'value',
      expr: truthExpr(this.#lowering(scope).predicate(node)),
      format: 'boolean',
      nullable: true,
    }));
  }

  #valueInput(
    kind: 'key' | 'text' | 'number' | 'items',
    node: Expression,
    column: Extract<Operand, { kind: 'column' }>,
  ): RuleInput {
    return this.#input(kind, JSON.stringify([kind, this.#textOf(node)]), (scope) =>
      valueJson(this.#lowering(scope).operand(node), column, () => this.#unsplit(node)),
    );
  }

  #input(kind: RuleInput['kind'], described: string, read: RuleInput['read']): RuleInput {
    let input = this.#taken.get(described);
    if (input === undefined) {
      input = { name: `${this.#prefix}r${this.#taken.size}`, kind, read };
      this.#taken.set(described, input);
    }
    if (!this.inputs.includes(input)) this.inputs.push(input);
    return input;
  }

  /** What a node says, the same for equal nodes of all rules. */
  #textOf(node: Expression): string {
    return JSON.stringify(node, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value));
  }

  #unsplit(node: Expression): Error {
    return graphErrors.create('GRAPH_RULE_UNSPLIT', {
      text: this.#access.text,
      part: this.#access.text.slice(node.start, node.end),
    });
  }
}

const MIRRORED = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function nullAt({ start, end }: Expression): Expression {
  return { kind: 'literal', value: null, start, end };
}

function valueJson(
  operand: Operand,
  column: { readonly storage: Storage; readonly field: ColumnField | undefined },
  refusal: () => Error,
): Json {
  if (operand.kind !== 'column') throw refusal();
  const { storage, field } = column;
  const { expr } = operand;
  switch (storage) {
    case 'integer':
      return { kind: 'value', expr, format: field?.typeName === 'ID' ? 'id' : 'wholeNumber', nullable: true };
    case 'text':
      return { kind: 'value', expr, format: 'string', nullable: true };
    case 'real':
    case 'boolean':
    case 'json':
      return { kind: 'value', expr, format: storage, nullable: true };
    case 'timestamp':
      throw refusal();
  }
}
