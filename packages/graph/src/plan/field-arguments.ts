// The arguments of a selected field: their current values, and bound values that are read again at each execution of a
// plan.
import { getArgumentValues, Kind, type FieldNode, type GraphQLField, type VariableValues } from 'graphql';
import type { Storage } from '../schema/model.ts';
import type { Expr, Inputs } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { type ArgumentValues, createArgumentReader, hasVariable, type ReadArguments } from './read-arguments.ts';

export type { ArgumentValues } from './read-arguments.ts';

/** Reads the arguments of a field with variables; the plan refers to it by number. */
export type Slot = ReadArguments;

/** The arguments of one field during planning. */
export class FieldArguments {
  /** The values of the request that the plan is built for. */
  readonly values: ArgumentValues;
  readonly #node: FieldNode;
  readonly #slot: number | undefined;
  readonly #variables: VariableValues | undefined;
  readonly #isShared: boolean;

  /**
   * @param slots fields with variables are appended; undefined if the plan serves a single request
   * @throws GraphQLError for invalid arguments, as graphql-js would
   */
  constructor(
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    variables: VariableValues | undefined,
    slots: Slot[] | undefined,
  ) {
    this.values = field.args.length === 0 ? {} : getArgumentValues(field, node, variables);
    this.#node = node;
    this.#variables = variables;
    this.#isShared = slots !== undefined;
    const varies = node.arguments?.some((argument) => hasVariable(argument.value)) ?? false;
    if (slots !== undefined && varies) this.#slot = slots.push(createArgumentReader(field, node)) - 1;
  }

  /** Whether the request gives the argument, rather than using its default. */
  mentions(name: string): boolean {
    const value = this.#node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return value !== undefined;
    return this.#variables !== undefined && Object.hasOwn(this.#variables.coerced, value.name.value);
  }

  /** A bound value. `read` is called now and at every execution; it may throw to reject a value. */
  parameter(path: string, storage: Storage, read: (values: ArgumentValues) => SqlValue): Expr {
    const value = read(this.values);
    const slot = this.#slot;
    if (slot === undefined) return { kind: 'parameter', parameter: { kind: 'constant', value }, storage };
    return this.#input(path, storage, (inputs) => read(inputs.args(slot)));
  }

  /** A bound value that depends on the time of the execution, too. `inputs`: undefined in a plan for a single request. */
  timedParameter(
    path: string,
    storage: Storage,
    read: (values: ArgumentValues, inputs: Inputs | undefined) => SqlValue,
  ): Expr {
    const value = read(this.values, undefined);
    if (!this.#isShared) return { kind: 'parameter', parameter: { kind: 'constant', value }, storage };
    const slot = this.#slot;
    return this.#input(path, storage, (inputs) => read(slot === undefined ? this.values : inputs.args(slot), inputs));
  }

  #input(path: string, storage: Storage, read: (inputs: Inputs) => SqlValue): Expr {
    const label = `${(this.#node.alias ?? this.#node.name).value}.${path}`;
    return { kind: 'parameter', parameter: { kind: 'input', label, read }, storage };
  }
}

/** The value of an argument; undefined if it is not given. */
export function own(values: ArgumentValues, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
