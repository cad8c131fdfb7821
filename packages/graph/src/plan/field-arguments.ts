// The arguments of one selected field: their values now, and bound values that are read again at each execution of a
// plan made for other values of the same shape.
import { getArgumentValues, Kind, type FieldNode, type GraphQLField, type VariableValues } from 'graphql';
import type { Storage } from '../schema/model.ts';
import type { Expr } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { type ArgumentValues, createArgumentReader, hasVariable, type ReadArguments } from './read-arguments.ts';

export type { ArgumentValues } from './read-arguments.ts';

/** A field with variables in its arguments; the plan reads them by number. */
export type Slot = ReadArguments;

/** Reads the arguments of one field for a plan. */
export class FieldArguments {
  /** The values of the request that the plan is made for. */
  readonly values: ArgumentValues;
  readonly #node: FieldNode;
  readonly #slot: number | undefined;
  readonly #variables: VariableValues | undefined;

  /**
   * @param slots where a field with variables is registered; undefined when the plan serves this one request only
   * @throws GraphQLError when the arguments do not fit, as graphql-js would
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
    const varies = node.arguments?.some((argument) => hasVariable(argument.value)) ?? false;
    if (slots !== undefined && varies) this.#slot = slots.push(createArgumentReader(field, node)) - 1;
  }

  /** Tells whether the request gives an argument a value, rather than its default standing in. */
  mentions(name: string): boolean {
    const value = this.#node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return value !== undefined;
    return this.#variables !== undefined && Object.hasOwn(this.#variables.coerced, value.name.value);
  }

  /** A bound value. `read` may throw to refuse a value; it is asked now and at every execution. */
  parameter(path: string, storage: Storage, read: (values: ArgumentValues) => SqlValue): Expr {
    const value = read(this.values);
    const slot = this.#slot;
    if (slot === undefined) return { kind: 'parameter', parameter: { kind: 'constant', value }, storage };
    return {
      kind: 'parameter',
      parameter: {
        kind: 'input',
        label: `${(this.#node.alias ?? this.#node.name).value}.${path}`,
        read: (inputs) => read(inputs.args(slot)),
      },
      storage,
    };
  }
}
