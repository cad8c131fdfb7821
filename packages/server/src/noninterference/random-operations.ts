// Random GraphQL queries, generated from the schema alone: any root field that reads, with any arguments (filters,
// orders, pages, forged cursors) and any selection. Random searches are random-requests.ts, mutations
// random-mutations.ts.
import type { Model, RootBinding } from '@lockstitch/graph';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';

import type { Random } from '@lockstitch/search/requests';
import { BAD_TEXTS, DEPTH, type OperationSurface, RandomValues } from './random-values.ts';

/** Which generator asks root fields of a kind. A new kind does not compile before it is listed here. */
export const ROOT_KINDS: Readonly<Record<RootBinding['kind'], 'operations' | 'mutations' | 'none'>> = {
  lookup: 'operations',
  list: 'operations',
  connection: 'operations',
  count: 'operations',
  search: 'operations',
  aggregates: 'operations',
  groups: 'operations',
  entities: 'operations',
  service: 'operations',
  create: 'mutations',
  update: 'mutations',
  upsert: 'mutations',
  delete: 'mutations',
  restore: 'mutations',
  purge: 'mutations',
  connect: 'mutations',
  disconnect: 'mutations',
  // Subscriptions have a check of their own.
  changes: 'none',
  // It belongs to the application, and may have effects.
  resolver: 'none',
};

/** Root fields that a generator asks, as coordinates: `Query.photos`. */
export function rootsFor({ roots }: Model, generator: 'operations' | 'mutations'): readonly string[] {
  return [...roots].filter(([, { kind }]) => ROOT_KINDS[kind] === generator).map(([name]) => name);
}

/** One operation in so many looks up many objects of a type. */
const MANY = 16;

/** One operation in so many orders or groups one list by related objects or by what a rule withholds. */
const RELATED = 3;

/**
 * Generates a query.
 *
 * @param most most root fields; one if it may hold mistakes, which fail the whole
 */
export function randomOperation(random: Random, surface: OperationSurface, most = 4): string {
  const make = new Operation(random, surface);
  const roots = rootsFor(surface.model, 'operations');
  if (!make.values.isClumsy && random.once(MANY)) {
    const lookups = roots.filter((root) => surface.model.roots.get(root)?.kind === 'lookup');
    if (lookups.length > 0) return `{ ${make.lookups(random.pick(lookups), random.pick([3, 10, 100])).join(' ')} }`;
  }
  if (!make.values.isClumsy && random.once(RELATED)) {
    const related = roots.filter((root) => make.relatedArgument(root) !== undefined);
    if (related.length > 0) return `{ ${make.root(random.pick(related), true)} }`;
  }
  const count = make.values.isClumsy ? 1 : 1 + random.int(most);
  const fields = Array.from({ length: count }, (_, at) => {
    const field = make.root(random.pick(roots));
    return at === 0 ? field : `r${at}: ${field}`;
  });
  return `{ ${fields.join(' ')} }`;
}

/** Parts of one operation. */
export class Operation {
  readonly values: RandomValues;
  readonly #random: Random;
  readonly #surface: OperationSurface;

  constructor(random: Random, surface: OperationSurface) {
    this.#random = random;
    this.#surface = surface;
    this.values = new RandomValues(random, surface);
  }

  /**
   * A root field with arguments and a selection.
   *
   * @param byRelated its `relatedArgument` orders or groups by related objects
   */
  root(coordinate: string, byRelated = false): string {
    const { model } = this.#surface;
    const field = this.#rootField(coordinate);
    const binding = model.roots.get(coordinate);
    const type = binding !== undefined && 'type' in binding ? binding.type : getNamedType(field.type).name;
    // Optional arguments of root fields are usually left out, except those of look-ups.
    const often = binding?.kind === 'lookup' ? 1 : 3;
    if (binding?.kind === 'groups') return this.#groups(field, type, byRelated);
    if (binding?.kind === 'entities') return this.#entities(field.name);
    const order = byRelated ? this.relatedArgument(coordinate) : undefined;
    const given = order === undefined ? [] : [`${order.name}: ${this.values.tellingOrder(order.type, type)}`];
    const others = field.args.filter((arg) => arg !== order);
    return `${field.name}${this.#arguments(others, type, often, given)}${this.selection(field.type, DEPTH)}`;
  }

  #rootField(coordinate: string): GraphQLField<unknown, unknown> {
    return this.#surface.model.schema.getQueryType()!.getFields()[coordinate.slice('Query.'.length)]!;
  }

  /** The argument by which a root field can order or group its objects by related ones. */
  relatedArgument(coordinate: string): GraphQLArgument | undefined {
    const binding = this.#surface.model.roots.get(coordinate);
    if (binding === undefined || !('type' in binding)) return undefined;
    return this.#rootField(coordinate).args.find((arg) => {
      const kind = binding.arguments.get(arg.name)?.kind;
      return (kind === 'orderBy' || kind === 'groupBy') && this.values.relationsIn(arg.type, binding.type).length > 0;
    });
  }

  /** The same look-up of several objects, each with an alias. */
  lookups(coordinate: string, count: number): readonly string[] {
    const field = this.#rootField(coordinate);
    const selection = this.selection(field.type, 1);
    const type = getNamedType(field.type).name;
    return Array.from(
      { length: count },
      (_, at) => `k${at}: ${field.name}${this.#arguments(field.args, type, 1)}${selection}`,
    );
  }

  /** Objects by their keys, as a gateway asks for them. */
  #entities(name: string): string {
    const random = this.#random;
    const { keys } = this.#surface.model.subgraph ?? { keys: new Map() };
    const types = [...keys.keys()];
    const given = Array.from({ length: 1 + random.int(3) }, () => {
      const type = random.pick(types);
      const key = this.values.isWrong() ? random.pick(BAD_TEXTS) : this.values.key(type);
      const field = this.#surface.model.entities.get(type)?.key.name ?? 'id';
      return `{ __typename: "${type}", ${field}: ${JSON.stringify(key)} }`;
    });
    const members = types.map((type) => this.#surface.model.schema.getType(type)).filter(isObjectType);
    return `${name}(representations: [${given.join(', ')}])${this.#fragments(members, 1)}`;
  }

  /** Fields of some members of an interface or union. */
  #fragments(members: readonly GraphQLObjectType[], depth: number): string {
    const asked = members.filter(() => this.#random.once(2));
    const parts = asked.map((member, at) => {
      // Fields of the same name can be in conflict, so only those of the first member have no alias.
      const fields = this.#fields(member, depth);
      const named = at === 0 ? fields : fields.map((field, place) => `${member.name}${place}: ${field}`);
      return fields.length === 0 ? '' : `... on ${member.name} { ${named.join(' ')} }`;
    });
    return ` { ${['__typename', ...parts].join(' ')} }`;
  }

  /** Groups whose `keys` select what `groupBy` names, by mistake something else. */
  #groups(field: GraphQLField<unknown, unknown>, type: string, byRelated = false): string {
    const keyed = getNamedType(field.args.find(({ name }) => name === 'groupBy')!.type);
    const related = byRelated ? this.values.relationsIn(keyed, type) : [];
    const { given, selected } = this.#keys(keyed, type, DEPTH, related);
    const others = field.args.filter(({ name }) => name !== 'groupBy');
    const args = this.#arguments(others, type, 3).replace(/^\(|\)$/g, '');
    const wrong = this.values.isWrong() ? ` keys ${this.#keys(keyed, type, DEPTH).selected}` : '';
    const rest = this.selection(field.type, DEPTH).replace(/ \}$/, '');
    return `${field.name}(groupBy: ${given}${args === '' ? '' : `, ${args}`})${rest} keys ${selected}${wrong} }`;
  }

  /**
   * A value of `groupBy` for objects of a type, and the selection of its keys. Often keys that matter most: those of
   * related objects, parts of times, and fields with a read rule.
   *
   * @param some one of these keys is given
   */
  #keys(
    type: GraphQLNamedType,
    entity: string,
    depth: number,
    some: readonly GraphQLInputField[] = [],
  ): { readonly given: string; readonly selected: string } {
    const random = this.#random;
    const given: string[] = [];
    const selected = ['__typename'];
    if (!isInputObjectType(type)) return { given: '{}', selected: '{ __typename }' };
    const own = this.values.fieldsOf(entity);
    const all = Object.values(type.getFields());
    const preferred = all.filter(
      (field) => !isScalarType(getNamedType(field.type)) || own?.get(field.name)?.auth?.read !== undefined,
    );
    const fields = preferred.length > 0 && random.once(2) ? preferred : all;
    const sure = some.length === 0 ? undefined : random.pick(some);
    for (const field of new Set(sure === undefined ? fields : [sure, ...fields])) {
      if (field !== sure && !random.once(Math.ceil(fields.length / 2))) continue;
      const relation = own?.get(field.name);
      const target = relation?.kind === 'relation' ? relation.target : entity;
      const inner = getNamedType(field.type);
      if (isInputObjectType(inner)) {
        if (depth === 0) continue;
        const below = this.#keys(inner, target, depth - 1, field === sure ? this.values.changeable(inner, target) : []);
        if (below.given === '{  }') continue;
        given.push(`${field.name}: ${below.given}`);
        selected.push(`${field.name} ${below.selected}`);
      } else if (isEnumType(inner)) {
        const part = random.pick(inner.getValues()).name;
        given.push(`${field.name}: [${part}]`);
        selected.push(`${field.name}(part: ${part})`);
      } else {
        given.push(`${field.name}: true`);
        selected.push(field.name);
      }
    }
    return { given: `{ ${given.join(', ')} }`, selected: `{ ${selected.join(' ')} }` };
  }

  #arguments(args: readonly GraphQLArgument[], type: string, inSoMany: number, before: readonly string[] = []): string {
    const given = [...before];
    for (const arg of args) {
      if (!isNonNullType(arg.type) && !this.#random.once(inSoMany)) continue;
      const value = this.values.literal(arg, type, this.#random.once(2) ? DEPTH + 1 : DEPTH);
      if (value !== undefined) given.push(`${arg.name}: ${value}`);
    }
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  /** A selection of fields; empty for a leaf. */
  selection(output: GraphQLOutputType, depth: number): string {
    const type = getNamedType(output);
    if (isAbstractType(type))
      return this.#fragments(depth > 0 ? this.#surface.model.schema.getPossibleTypes(type) : [], depth - 1);
    return isObjectType(type) ? ` { ${['__typename', ...this.#fields(type, depth)].join(' ')} }` : '';
  }

  /** Some fields of an object type, with arguments and selections. */
  #fields(type: GraphQLObjectType, depth: number): readonly string[] {
    const { model } = this.#surface;
    const entity = model.entities.get(type.name);
    const parts: string[] = [];
    for (const field of Object.values(type.getFields())) {
      // #groups selects those that groupBy names.
      if (field.name === 'keys' && type.getFields()['countDistinct'] !== undefined) continue;
      // Resolver fields belong to the application.
      if (entity?.fields.get(field.name)?.kind === 'resolver') continue;
      const below = getNamedType(field.type);
      const isLeaf = !('getFields' in below) && !('getTypes' in below);
      if (this.#random.once(isLeaf ? 4 : 2) || (!isLeaf && depth === 0)) continue;
      // Only objects count for the depth, not pages and edges.
      const next = model.entities.has(below.name) ? depth - 1 : depth;
      if (field.args.some(({ name }) => name === 'groupBy')) {
        parts.push(this.#groups(field, below.name));
        continue;
      }
      parts.push(`${field.name}${this.#arguments(field.args, below.name, 3)}${this.selection(field.type, next)}`);
    }
    return parts;
  }
}
