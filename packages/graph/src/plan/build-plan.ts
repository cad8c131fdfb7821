// Builds the plan of a query: the one statement that returns the whole response. Not here: executing it, and operations
// that need graphql-js (NotCompilable).
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import { type Clock, isProductError, systemClock } from '@lockstitch/kernel';
import type { Model } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { hasRows } from '../sql/implied.ts';
import { optimizeJson } from '../sql/optimize.ts';
import { printJson, type PrintedStatement } from '../sql/print.ts';
import type { Expr, Inputs, Json, JsonMember, Parameter } from '../sql/sql.ts';
import { countKind } from '../sql/tree.ts';
import type { SqlValue } from '../store/store.ts';
import { createPrintReals, type PrintReals } from './print-reals.ts';
import { ResponseChecks } from './response-check.ts';
import { collectFields } from './collect-fields.ts';
import { selectConnection } from './connection.ts';
import { selectEntities } from './entities.ts';
import { NotCompilable, type Environment, type View } from './environment.ts';
import { FieldArguments, type Slot } from './field-arguments.ts';
import type { Limits } from './limits.ts';
import { Aliases } from './rows.ts';
import { selectRootField } from './root-field.ts';
import { first } from '../present.ts';

/**
 * The plan of an operation, shared by all requests with variables of the same shape and a caller with the same view.
 */
export interface Plan {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  readonly slots: readonly Slot[];
  /** Prints the numbers of a response again; undefined if the database prints them all as JavaScript does. */
  readonly printReals: PrintReals | undefined;
  /** The text may contain a VIOLATION; graphql-js then computes the errors. */
  readonly mayViolate: boolean;
  /** A rule reads other rows than the one that it is about. */
  readonly readsOtherRows: boolean;
  /** A read rule had a say: other callers may get another response. */
  readonly asksRules: boolean;
  /** Detect values in the response that are not of their types. */
  readonly checks: ResponseChecks;
}

/** Inputs of a plan. */
export interface PlanRequest {
  readonly model: Model;
  readonly dialect: Dialect;
  readonly limits: Limits;
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly view: View;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly operation: OperationDefinitionNode;
  readonly variables: VariableValues | undefined;
  /** Print the statement as planned, without rewriting it; for comparisons. */
  readonly asPlanned?: boolean;
}

/**
 * Builds the plan of a query.
 *
 * @throws NotCompilable if graphql-js must execute it; GraphQLError or ProductError for invalid arguments
 */
export function buildPlan(request: PlanRequest): Plan {
  const { model, dialect } = request;
  const slots: Slot[] = [];
  const env = createEnvironment(request, 'whole', slots);
  const type = model.schema.getQueryType()!;
  const members: JsonMember[] = [];
  const fields = collectFields(env, type, [request.operation.selectionSet]);
  for (const [key, nodes] of fields) {
    const name = first(nodes).name.value;
    if (name === '__typename') {
      members.push({ key, value: { kind: 'constant', text: `"${type.name}"` } });
      continue;
    }
    const binding = model.roots.get(`${type.name}.${name}`);
    const definition = type.getFields()[name];
    if (binding === undefined || definition === undefined) throw new NotCompilable(`${name} is answered by graphql-js`);
    const value = selectRootField(env, binding, definition, nodes)!;
    // With several fields, each checks the deadline before it starts: a hundred table scans take longer than one.
    members.push({ key, value: fields.size === 1 || isLookup(value) ? value : { kind: 'beforeDeadline', value } });
  }
  const body: Json = { kind: 'object', members: [{ key: 'data', value: { kind: 'object', members } }] };
  return printPlan(env, body, slots, dialect, request.asPlanned);
}

/** Whether a value is found by one look-up in an index, which takes little longer than a check of the deadline. */
function isLookup(json: Json): boolean {
  if (json.kind !== 'one' || json.rows.limit !== undefined || hasRows(json.element)) return false;
  const { from, where } = json.rows;
  return from.kind === 'table' && from.unique !== undefined && !readsRows(where);
}

/** Whether a condition reads other rows than those that it is about. */
function readsRows(condition: Expr | undefined): boolean {
  return SUBQUERIES.some((kind) => countKind(condition, kind) > 0);
}

const SUBQUERIES = ['exists', 'in', 'select', 'count'] as const;

/** Prints the statement that returns a JSON value. */
export function printPlan(
  env: Environment,
  json: Json,
  slots: readonly Slot[],
  dialect: Dialect,
  asPlanned = false,
): Plan {
  const { text, parameters } = asPlanned ? printJson(json, dialect) : printFast(json, dialect);
  return {
    sql: text,
    parameters,
    slots,
    printReals: createPrintReals(json),
    mayViolate: env.mayViolate,
    readsOtherRows: env.readsOtherRows,
    asksRules: env.asksRules,
    checks: new ResponseChecks(json),
  };
}

function printFast(json: Json, dialect: Dialect): PrintedStatement {
  try {
    return printJson(optimizeJson(json, dialect), dialect);
  } catch (error) {
    // A rewritten statement may be longer, and must not exceed a limit that the operation itself keeps.
    if (!isProductError(error)) throw error;
    return printJson(json, dialect);
  }
}

/** Creates the state of a plan under construction. `refused` collects the errors of fields in prefetch mode. */
export function createEnvironment(
  request: Pick<PlanRequest, 'model' | 'limits' | 'clock' | 'view' | 'fragments' | 'variables'>,
  mode: Environment['mode'],
  slots: Slot[] | undefined,
  refused: Map<FieldNode, unknown> = new Map(),
): Environment {
  const { view } = request;
  const noted = (written: string | undefined, rule: Expr | undefined): Expr | undefined => {
    env.asksRules ||= written !== undefined;
    env.readsOtherRows ||= rule !== undefined && readsRows(rule);
    return rule;
  };
  const env: Environment = {
    schema: request.model.schema,
    model: request.model,
    fragments: request.fragments,
    variables: request.variables,
    limits: request.limits,
    clock: request.clock ?? systemClock,
    view: {
      rows: (scope) => noted(scope.entity.auth?.read, view.rows(scope)),
      deleted: (scope) => noted(scope.entity.auth?.readDeleted, view.deleted(scope)),
      field: (scope, name) => noted(scope.entity.fields.get(name)?.auth?.read, view.field(scope, name)),
      restricts(entity) {
        env.asksRules ||= request.model.entities.get(entity)?.auth?.read !== undefined;
        return view.restricts(entity);
      },
    },
    aliases: new Aliases(),
    mode,
    slots,
    mayViolate: false,
    readsOtherRows: false,
    asksRules: false,
    argumentsOf(field, node) {
      try {
        return new FieldArguments(field, node, request.variables, slots);
      } catch (error) {
        env.refuse(node, error);
        return undefined;
      }
    },
    selectConnection: (typeName, target, bindings, args, nodes, rowsOf) =>
      selectConnection(env, typeName, target, bindings, args, nodes, rowsOf),
    selectEntities: (args, nodes) => selectEntities(env, args, nodes),
    refuse(node, error) {
      if (mode === 'whole') throw error;
      refused.set(node, error);
    },
  };
  return env;
}

/** The inputs of one execution of a plan. */
class PlanInputs implements Inputs {
  readonly #slots: readonly Slot[];
  readonly #variables: VariableValues | undefined;
  readonly #read: Readonly<Record<string, unknown>>[] = [];
  readonly #policy: (part: number) => unknown;

  constructor(plan: Pick<Plan, 'slots'>, variables: VariableValues | undefined, policy: (part: number) => unknown) {
    this.#slots = plan.slots;
    this.#variables = variables;
    this.#policy = policy;
  }

  args(slot: number): Readonly<Record<string, unknown>> {
    return (this.#read[slot] ??= this.#slots[slot]!(this.#variables));
  }

  policy(part: number): unknown {
    return this.#policy(part);
  }
}

/** The values that a plan binds for one request. */
export function readParameters(
  plan: Plan,
  variables: VariableValues | undefined,
  policy: (part: number) => unknown,
): SqlValue[] {
  const { parameters } = plan;
  const values: SqlValue[] = new Array<SqlValue>(parameters.length);
  let inputs: PlanInputs | undefined;
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!;
    values[index] =
      parameter.kind === 'constant'
        ? parameter.value
        : parameter.read((inputs ??= new PlanInputs(plan, variables, policy)));
  }
  return values;
}
