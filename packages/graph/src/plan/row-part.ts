// The row's side of a split rule: columns, and inputs that the database computes with the rule's exact meaning. Not
// here: the caller's side (caller-part.ts), and the combination of both (split-rule.ts).
import { type AccessExpression, dependsOnRow, type Expression } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { ColumnField, Entity, Model, Storage } from '../schema/model.ts';
import { and, type Json } from '../sql/sql.ts';
import { type Constants, dependsOnCaller } from './caller-part.ts';
import { Lowering, type PartLookup } from './lower-rule.ts';
import type { RuleInput } from './rule-form.ts';
import type { Operand, Rule } from './rule-operand.ts';
import { RowScope } from './rows.ts';
import { listOf } from './selection.ts';
import { type Test, tested, truthExpr } from './boolean-test.ts';

/** State shared by the rules of one row. */
export interface Taken {
  /** By their description. */
  readonly taken: Map<string, RuleInput>;
  readonly constants: Constants;
}

/** The tuple of a row without compared values. */
export const EXISTS = 'true';
const EXISTING: Json = { kind: 'constant', text: `"${EXISTS}"` };

export type Quantifier = Expression & { readonly kind: 'quantifier' };
type Column = Extract<Operand, { kind: 'column' }>;

/** The row's side of one rule. */
export class RowPart {
  /** The inputs of the rule. */
  readonly inputs: RuleInput[] = [];
  readonly #model: Pick<Model, 'entities' | 'schema'>;
  readonly #access: AccessExpression;
  readonly #rule: Rule;
  readonly #prefix: string;
  readonly #taken: Map<string, RuleInput>;
  readonly #constants: Constants;

  constructor(model: Pick<Model, 'entities' | 'schema'>, rule: Rule, prefix: string, { taken, constants }: Taken) {
    this.#model = model;
    this.#access = rule.access;
    this.#rule = rule;
    this.#prefix = prefix;
    this.#taken = taken;
    this.#constants = constants;
  }

  readonly #lookup: PartLookup = (node) =>
    dependsOnRow(node) ? undefined : this.#constants.find(node, this.#access.text);

  #lowering(scope: RowScope): Lowering {
    return new Lowering(this.#model, this.#rule, scope, this.#lookup);
  }

  /** Lowers a node of the row to SQL. */
  operandOf(node: Expression): Operand {
    return this.#lowering(new RowScope(this.#rule.entity, 't')).operand(node);
  }

  /** A node that is a single value of the row; with `list`, a list. */
  column(row: Expression, node: Expression, list = false): Column {
    if (dependsOnCaller(row)) throw this.unsplit(node);
    const operand = this.operandOf(row);
    if (operand.kind !== 'column') throw this.unsplit(node);
    this.#checkStorage(operand, node, list);
    return operand;
  }

  /** The same for a node of a related row in a quantifier. */
  localColumn(at: Quantifier, entity: Entity, node: Expression): Column {
    const lowering = this.#lowering(new RowScope(this.#rule.entity, 't'));
    lowering.setLocal(at.parameter, new RowScope(entity, 'm'));
    const operand = lowering.operand(node);
    if (operand.kind !== 'column') throw this.unsplit(node);
    this.#checkStorage(operand, node, false);
    return operand;
  }

  #checkStorage({ storage }: { readonly storage: Storage }, node: Expression, list: boolean): void {
    // A timestamp has several spellings, and stored objects have no equality.
    if (storage === 'timestamp' || (storage === 'json') !== list) throw this.unsplit(node);
  }

  /** The truth value of a part that depends on the row only. */
  truthInput(node: Expression): RuleInput {
    // Lowered once now, so that unsupported parts are reported.
    this.#lowering(new RowScope(this.#rule.entity, 't')).predicate(node);
    return this.#input('truth', JSON.stringify(['truth', this.#textOf(node)]), (scope) => ({
      kind: 'value',
      expr: truthExpr(this.#lowering(scope).predicate(node)),
      format: 'boolean',
      nullable: true,
    }));
  }

  /** The value of a column in its compared form. */
  valueInput(kind: 'key' | 'text' | 'number' | 'decimal' | 'items', node: Expression, column: Column): RuleInput {
    return this.#input(kind, JSON.stringify([kind, this.#textOf(node)]), (scope) =>
      valueJson(this.#lowering(scope).operand(node), column, () => this.unsplit(node)),
    );
  }

  /** The values of every related row that satisfies the conditions; without `values`, whether there is such a row. */
  tuplesInput(
    node: Quantifier,
    entity: Entity,
    conditions: readonly { readonly node: Expression; readonly test: Test }[],
    values: readonly Expression[],
  ): RuleInput {
    const columns = values.map((value) => this.localColumn(node, entity, value));
    const described = JSON.stringify([
      'tuples',
      this.#textOf(node.target),
      node.parameter,
      values.map((value) => this.#textOf(value)),
      conditions.map(({ node: each, test }) => [this.#textOf(each), test]),
    ]);
    return this.#input('tuples', described, (scope) => {
      const lowering = this.#lowering(scope);
      const target = lowering.operand(node.target);
      if (target.kind !== 'rows') throw this.unsplit(node);
      const list = lowering.amongRows(target, (rows) => {
        lowering.setLocal(node.parameter, rows.scope);
        const where = conditions.map(({ node: each, test }) => tested(lowering.predicate(each), test));
        const page = { orderBy: [], limit: undefined, offset: undefined };
        const json = listOf(rows, and(rows.where, ...where), page, (scope) => {
          lowering.setLocal(node.parameter, scope);
          if (values.length === 0) return { kind: 'object', members: [{ key: 'v', value: EXISTING }] };
          return {
            kind: 'object',
            members: values.map((value, at) => ({
              key: `v${at}`,
              value: valueJson(lowering.operand(value), columns[at]!, () => this.unsplit(node)),
            })),
          };
        });
        return { kind: 'json', json };
      });
      return { kind: 'value', expr: list, format: 'json', nullable: true };
    });
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

  /** The text of a node; equal nodes of all rules have the same. */
  #textOf(node: Expression): string {
    return JSON.stringify(node, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value));
  }

  /** The error for a part without a form. */
  unsplit(node: Expression): Error {
    return graphErrors.create('GRAPH_RULE_UNSPLIT', {
      text: this.#access.text,
      part: this.#access.text.slice(node.start, node.end),
    });
  }
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
    case 'decimal':
    case 'boolean':
    case 'json':
      return { kind: 'value', expr, format: storage, nullable: true };
    case 'timestamp':
      throw refusal();
  }
}
