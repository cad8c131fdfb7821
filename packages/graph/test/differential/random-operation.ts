// Random operations that are valid for a schema: aliases, fragments, inline fragments, variables, @skip and @include,
// merged fields, every argument.
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from './random.ts';

/** A document and its variables. */
export interface RandomOperation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Values worth asking for, by scalar name. */
export type Samples = Readonly<Record<string, readonly unknown[]>>;

/** Makes an operation. `depth` bounds the nesting of objects. */
export function randomOperation(
  schema: GraphQLSchema,
  random: Random,
  samples: Samples,
  depth: number,
): RandomOperation {
  const maker = new Maker(schema, random, samples);
  const body = maker.selection(schema.getQueryType()!, depth);
  const header =
    maker.definitions.length === 0
      ? random.chance(0.5)
        ? ''
        : 'query Q '
      : `query Q(${maker.definitions.join(', ')}) `;
  return { query: [`${header}${body}`, ...maker.fragments].join('\n'), variables: maker.variables };
}

/** Makes a value of an input type. */
export function randomInput(schema: GraphQLSchema, random: Random, samples: Samples, type: string): unknown {
  return new Maker(schema, random, samples).input(schema.getType(type) as GraphQLInputType);
}

class Maker {
  readonly definitions: string[] = [];
  readonly fragments: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #samples: Samples;
  #aliases = 0;

  constructor(schema: GraphQLSchema, random: Random, samples: Samples) {
    this.#schema = schema;
    this.#random = random;
    this.#samples = samples;
  }

  selection(type: GraphQLCompositeType, depth: number): string {
    const random = this.#random;
    const parts: string[] = [];
    if (random.chance(0.2)) parts.push(`${random.chance(0.3) ? 'kind: ' : ''}__typename${this.#directives()}`);
    if ('getFields' in type) {
      const fields = Object.values(type.getFields());
      const count = 1 + random.below(type.name === 'Query' ? 2 : 4);
      for (let index = 0; index < count; index++) {
        const part = this.#field(random.pick(fields), depth);
        if (part !== undefined) parts.push(part);
      }
    }
    if (isAbstractType(type)) {
      for (const member of this.#schema.getPossibleTypes(type)) {
        if (random.chance(0.8)) parts.push(this.#fragment(member, depth));
      }
    } else if (random.chance(0.25) && depth > 0) parts.push(this.#fragment(type, depth - 1));
    if (parts.length === 0) parts.push('__typename');
    return `{ ${parts.join(' ')} }`;
  }

  #fragment(type: GraphQLCompositeType, depth: number): string {
    const body = this.selection(type, depth);
    if (this.#random.chance(0.5)) return `... on ${type.name}${this.#directives()} ${body}`;
    const name = `F${this.fragments.length}`;
    this.fragments.push(`fragment ${name} on ${type.name} ${body}`);
    return `...${name}${this.#directives()}`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string | undefined {
    const random = this.#random;
    const named = getNamedType(field.type);
    if (isCompositeType(named) && depth === 0) return undefined;
    const given = field.args.flatMap((argument) => {
      if (!isNonNullType(argument.type) && random.chance(0.5)) return [];
      return [`${argument.name}: ${this.#value(argument.type, argument.name)}`];
    });
    const args = given.length === 0 ? '' : `(${given.join(', ')})`;
    // Merged fields must agree in their arguments and, between types, in their shape: those get a name of their own.
    const alias = field.args.length > 0 || isCompositeType(named) || random.chance(0.2) ? `a${this.#aliases++}: ` : '';
    const plain =
      alias === '' && named.name !== 'ID' ? `${field.name}_${String(field.type).replaceAll(/\W/g, '')}: ` : alias;
    const body = isCompositeType(named) ? ` ${this.selection(named, depth - 1)}` : '';
    return `${plain}${field.name}${args}${this.#directives()}${body}`;
  }

  #directives(): string {
    const random = this.#random;
    if (!random.chance(0.12)) return '';
    const name = random.pick(['skip', 'include']);
    if (random.chance(0.4)) return ` @${name}(if: ${String(random.chance(0.5))})`;
    return ` @${name}(if: ${this.#variable('Boolean!', random.chance(0.5))})`;
  }

  #variable(type: string, value: unknown): string {
    const name = `v${this.definitions.length}`;
    const hasDefault = !type.endsWith('!') && this.#random.chance(0.1);
    this.definitions.push(`$${name}: ${type}${hasDefault ? ' = null' : ''}`);
    if (value !== undefined) this.variables[name] = value;
    return `$${name}`;
  }

  #value(type: GraphQLInputType, name: string): string {
    const value = this.#json(type, name, 3);
    if (this.#random.chance(0.5)) {
      if (!isNonNullType(type) && this.#random.chance(0.1)) return this.#variable(String(type), undefined);
      return this.#variable(String(type), value);
    }
    return print(value, type);
  }

  input(type: GraphQLInputType): unknown {
    return this.#json(type, '', 3);
  }

  #json(type: GraphQLInputType, name: string, depth: number): unknown {
    const random = this.#random;
    if (!isNonNullType(type) && random.chance(0.08)) return null;
    const inner = getNullableType(type);
    if (isListType(inner))
      return Array.from({ length: random.below(3) }, () => this.#json(inner.ofType, name, depth)).filter(
        (each) => each !== null || !isNonNullType(inner.ofType),
      );
    if (isEnumType(inner)) return random.pick(inner.getValues()).name;
    if (!isInputObjectType(inner)) {
      const samples = this.#samples[`${inner.name}.${name}`] ?? this.#samples[name] ?? this.#samples[inner.name];
      return random.pick(samples ?? ['x']);
    }
    // The reference has no clock.
    if (inner.name === 'RelativeTime') return {};
    const fields = Object.values(inner.getFields());
    if (inner.isOneOf) {
      const plain = depth === 0 ? fields.filter((field) => isEnumType(getNullableType(field.type))) : fields;
      const field = random.pick(plain);
      const value = this.#json(field.type, field.name, depth - 1);
      return value === null && isInputObjectType(getNamedType(field.type))
        ? { [plainName(fields)]: 'ASC' }
        : { [field.name]: value ?? 'ASC' };
    }
    const chosen = random.some(fields, 2.5 / fields.length);
    return Object.fromEntries(
      chosen.flatMap((field) =>
        depth === 0 && isInputObjectType(getNamedType(field.type))
          ? []
          : [[field.name, this.#json(field.type, field.name, depth - 1)]],
      ),
    );
  }
}

/** A key of an order that takes a direction. */
function plainName(fields: readonly { readonly name: string; readonly type: GraphQLInputType }[]): string {
  return fields.find((field) => isEnumType(getNullableType(field.type)))!.name;
}

/** A value as GraphQL text. */
function print(value: unknown, type: GraphQLInputType): string {
  const inner = getNullableType(type);
  if (value === null || value === undefined) return 'null';
  if (isListType(inner))
    return `[${(value as readonly unknown[]).map((each) => print(each, inner.ofType)).join(', ')}]`;
  if (isEnumType(inner)) return value as string;
  if (isInputObjectType(inner)) {
    const fields = inner.getFields();
    return `{ ${Object.entries(value)
      .map(([name, each]) => `${name}: ${print(each, fields[name]!.type)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value).replaceAll(/"(\w+)":/g, '$1:');
}
