// Random mutations, generated from the schema alone: any mutation field that writes stored types, with any keys and
// values, nested ones too. Their values are random-values.ts, the selections of what they wrote random-operations.ts.
import {
  type ArgumentPlace,
  type ColumnField,
  type InputBinding,
  type InputMap,
  mapInput,
  type Model,
  type MutationShape,
  readMutation,
} from '@lockstitch/graph';
import { lookUp } from '@lockstitch/kernel';
import type { Random } from '@lockstitch/search/requests';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

import type { GraphAsked } from './random-graph-requests.ts';
import { Operation, rootsFor } from './random-operations.ts';
import { DEPTH, type OperationSurface, type RandomValues } from './random-values.ts';

/** Generates a mutation of one or two fields. */
export function randomMutation(random: Random, surface: OperationSurface): GraphAsked {
  const roots = rootsFor(surface.model, 'mutations');
  const count = random.once(5) ? 2 : 1;
  const fields = Array.from(
    { length: count },
    (_, at) => `m${at}: ${new Mutation(random, surface).field(random.pick(roots))}`,
  );
  return { kind: 'graph', query: `mutation${random.once(6) ? ' @transaction' : ''} { ${fields.join(' ')} }` };
}

type Place = GraphQLArgument | GraphQLInputField;

/** Parts of one mutation field. */
class Mutation {
  readonly #random: Random;
  readonly #model: Model;
  readonly #operation: Operation;
  readonly #values: RandomValues;
  readonly #taken: OperationSurface['taken'];

  constructor(random: Random, surface: OperationSurface) {
    this.#random = random;
    this.#model = surface.model;
    this.#operation = new Operation(random, surface);
    this.#values = this.#operation.values;
    this.#taken = surface.taken;
  }

  field(coordinate: string): string {
    const name = coordinate.slice('Mutation.'.length);
    const field = this.#model.schema.getMutationType()!.getFields()[name]!;
    const shape = readMutation(field, this.#model);
    if ('problem' in shape) throw new Error(`${coordinate} ${shape.problem}`);
    const given = field.args.flatMap((arg) => {
      const value = this.#argument(arg, shape);
      return value === undefined ? [] : [`${arg.name}: ${value}`];
    });
    const args = given.length === 0 ? '' : `(${given.join(', ')})`;
    return `${name}${args}${this.#operation.selection(field.type, 1)}`;
  }

  #argument(arg: GraphQLArgument, { binding, entity, input, key, other, values, version, where }: MutationShape) {
    const { name } = arg;
    if (name === where?.argument) return this.#values.value(arg.type, entity.name, DEPTH);
    if (name === version) return this.#random.once(3) ? String(1 + this.#random.int(3)) : undefined;
    if (name === other?.argument && 'relation' in binding) {
      const relation = entity.fields.get(binding.relation);
      return relation?.kind === 'relation' ? this.#keys(relation.target, other) : undefined;
    }
    if (name === key?.argument && key.member === undefined) return this.#keys(entity.name, key);
    if (input === 'arguments') {
      const written = values.get(name);
      return written === undefined ? undefined : this.#written(arg, entity.name, written, DEPTH);
    }
    return name === input?.argument || name === key?.argument
      ? this.#input(
          arg.type,
          entity.name,
          values,
          DEPTH,
          key?.member === undefined ? undefined : { ...key, type: entity.name },
        )
      : undefined;
  }

  /** A key, or several. */
  #keys(type: string, { isNodeId = false, list }: Pick<ArgumentPlace, 'isNodeId' | 'list'>): string {
    const one = (): string => JSON.stringify(isNodeId ? this.#values.nodeId(type) : this.#values.key(type));
    return list ? this.#list(one) : one();
  }

  #list(make: () => string): string {
    return `[${Array.from({ length: this.#random.int(3) }, make).join(', ')}]`;
  }

  /** An input object, or a list of them. @param key the member that names the written object */
  #input(
    type: GraphQLInputType,
    owner: string,
    map: InputMap,
    depth: number,
    key?: ArgumentPlace & { readonly type: string },
  ): string {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return 'null';
    const make = (): string => {
      const given = Object.values(named.getFields()).flatMap((field) => {
        const binding = map.get(field.name);
        const value =
          field.name === key?.member
            ? this.#keys(key.type, key)
            : binding === undefined
              ? JSON.stringify(this.#values.word())
              : this.#written(field, owner, binding, depth);
        return value === undefined ? [] : [`${field.name}: ${value}`];
      });
      return `{ ${given.join(' ')} }`;
    };
    return isListType(getNullableType(type)) ? this.#list(make) : make();
  }

  /** What an input field writes; undefined: nothing. */
  #written(place: Place, owner: string, binding: InputBinding, depth: number): string | undefined {
    const random = this.#random;
    if (!isNonNullType(place.type)) {
      if (random.once(2)) return undefined;
      if (random.once(8)) return 'null';
    }
    switch (binding.kind) {
      case 'column':
        return binding.field.isKey || binding.field.unique
          ? this.#unique(place, owner, binding.field)
          : this.#values.literal(place, owner, DEPTH);
      case 'keys':
        return this.#keys(binding.field.target, binding);
      case 'create':
        return depth === 0 ? undefined : this.#created(binding.field.target, place.type, depth);
      case 'nested':
        return this.#nested(binding, depth);
      case 'member':
        return binding.list ? this.#list(() => this.#member(binding.field)) : this.#member(binding.field);
      case 'members': {
        const word = random.pick(Object.keys(fieldsOf(place.type)));
        return `{ ${word}: ${this.#list(() => this.#member(binding.field))} }`;
      }
    }
  }

  /** A value that is new, or that an object has. */
  #unique(place: Place, owner: string, { isKey, name, storage }: ColumnField): string | undefined {
    const random = this.#random;
    const taken = this.#taken?.get(`${owner}.${name}`) ?? [];
    if (isKey && random.once(3)) return JSON.stringify(this.#values.key(owner));
    if (taken.length > 0 && random.once(2)) return JSON.stringify(random.pick(taken));
    const isText = storage === 'text';
    if (!isText && storage !== 'integer') return this.#values.literal(place, owner, DEPTH);
    return JSON.stringify(isText ? `new${random.int(1000)}` : String(1000 + random.int(1000)));
  }

  #created(target: string, type: GraphQLInputType, depth: number): string | undefined {
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return undefined;
    const map = mapInput(named, lookUp(this.#model.entities, target), this.#model);
    return 'problem' in map ? undefined : this.#input(type, target, map, depth - 1);
  }

  /** One or two of the operations that a nested input offers. */
  #nested({ field, input }: Extract<InputBinding, { kind: 'nested' }>, depth: number): string {
    const words = Object.values(input.getFields()).filter(({ name }) => name !== 'create' || depth > 0);
    if (words.length === 0) return '{}';
    const chosen = new Set([this.#random.pick(words), ...(this.#random.once(3) ? [this.#random.pick(words)] : [])]);
    const given = [...chosen].flatMap(({ name, type }) => {
      const list = isListType(getNullableType(type));
      const value =
        name === 'create'
          ? this.#created(field.target, type, depth)
          : getNamedType(type).name === 'Boolean'
            ? 'true'
            : this.#keys(field.target, { list });
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    return `{ ${given.join(' ')} }`;
  }

  #member({ target }: { readonly target: string }): string {
    const type = this.#random.pick(this.#model.abstractTypes.get(target) ?? [target]);
    return `{ ${type}: ${JSON.stringify(this.#values.key(type))} }`;
  }
}

function fieldsOf(type: GraphQLInputType): Readonly<Record<string, GraphQLInputField>> {
  const named = getNamedType(type);
  return isInputObjectType(named) ? named.getFields() : {};
}
