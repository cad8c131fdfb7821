// Random schemas: stored types with every kind of field and relation, interfaces, unions, embedded types, enums, a scalar of
// the application's own, fields that resolvers answer (with errors and nulls), and root fields of every kind.
import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { Resolvers } from '../../src/index.ts';
import type { Random } from './random.ts';

/** A schema and its resolvers. */
export interface RandomSchema {
  readonly sdl: string;
  readonly resolvers: Resolvers;
  /** Type → its read rule. The reference has none, and reads the rows that they leave. */
  readonly rules: Readonly<Record<string, string>>;
}

const NAMES = ['Alpha', 'Bravo', 'Delta', 'Echo', 'Kilo'];
const SCALARS = ['String', 'Int', 'Float', 'Boolean', 'DateTime', 'BigInt', 'Decimal', 'JSON', 'Tone', 'Hue', 'UUID'];

/** A scalar that only JavaScript can print. */
const TONE = new GraphQLScalarType({
  name: 'Tone',
  coerceOutputValue: (value) => `<${String(value)}>`,
  coerceInputValue(value) {
    if (typeof value !== 'string') throw new GraphQLError('A Tone is a text.');
    return value;
  },
});

interface TypeSheet {
  readonly name: string;
  readonly key: string;
  readonly lines: string[];
  readonly interfaces: string[];
  /** Columns that a list can be sorted by. */
  readonly sortable: string[];
  readonly columns: { readonly name: string; readonly type: string }[];
}

/** Makes a schema, with read rules on some types if so wanted. It may be refused as ambiguous; then try the next. */
export function randomSchema(random: Random, ruled = false): RandomSchema {
  const maker = new SchemaMaker(random, ruled);
  return maker.make();
}

class SchemaMaker {
  readonly #random: Random;
  readonly #ruled: boolean;
  readonly #rules: Record<string, string> = {};
  readonly #types: TypeSheet[] = [];
  readonly #abstracts: string[] = [];
  readonly #parts: string[] = [];
  readonly #resolvers: Record<string, Record<string, unknown>> = {};
  #count = 0;

  constructor(random: Random, ruled: boolean) {
    this.#random = random;
    this.#ruled = ruled;
  }

  make(): RandomSchema {
    const random = this.#random;
    this.#parts.push(
      'scalar DateTime scalar BigInt scalar Decimal scalar JSON scalar Tone @ordered scalar UUID',
      'enum Hue { RED GREEN BLUE }',
      'enum Direction { ASCENDING DESCENDING }',
      'type Spot { x: Int y: Float! tags: [String!] deep: Spot hue: Hue }',
    );
    for (const name of NAMES.slice(0, 2 + random.below(NAMES.length - 1))) this.#types.push(this.#type(name));
    this.#interface();
    this.#union();
    for (const type of this.#types) this.#relations(type);
    for (const type of this.#types) this.#resolverFields(type);
    const roots = [...this.#types.map(({ name }) => name), ...this.#abstracts].flatMap((name) => this.#roots(name));
    if (this.#ruled) for (const type of this.#types) this.#rule(type);
    this.#parts.push(
      ...this.#types.map((type) => printType(type, this.#rules[type.name])),
      `type Query { ${roots.join('\n')} }`,
    );
    return {
      sdl: this.#parts.join('\n'),
      resolvers: { ...this.#resolvers, Tone: TONE } as Resolvers,
      rules: this.#rules,
    };
  }

  #next(prefix: string): string {
    return `${prefix}${this.#count++}`;
  }

  #type(name: string): TypeSheet {
    const random = this.#random;
    const key = random.pick(['id', 'id', 'code']);
    const sheet: TypeSheet = { name, key, lines: [], interfaces: [], sortable: [key], columns: [] };
    sheet.lines.push(key === 'id' ? random.pick(['id: ID!', 'id: ID!', 'id: ID! @id']) : 'code: ID! @id');
    const count = 1 + random.below(5);
    for (let index = 0; index < count; index++) {
      const type = random.pick([...SCALARS, 'Spot']);
      const field = this.#next(type.toLowerCase().slice(0, 3));
      const bang = random.chance(0.4) ? '!' : '';
      if (random.chance(0.2) && type !== 'JSON') {
        sheet.lines.push(`${field}: [${type}${random.chance(0.5) ? '!' : ''}]${bang}`);
        continue;
      }
      sheet.lines.push(`${field}: ${type}${bang}`);
      if (type === 'Spot' || type === 'JSON') continue;
      sheet.columns.push({ name: field, type });
      sheet.sortable.push(field);
    }
    return sheet;
  }

  #interface(): void {
    const random = this.#random;
    if (random.chance(0.3)) return;
    const members = random.some(this.#types, 0.6);
    if (members.length === 0) return;
    const field = this.#next('label');
    const type = random.pick(['String', 'Int', 'Hue', 'DateTime']);
    const bang = random.chance(0.3) ? '!' : '';
    this.#parts.push(`interface Named { ${field}: ${type}${bang} }`);
    for (const member of members) {
      member.interfaces.push('Named');
      member.lines.push(`${field}: ${type}${bang}`);
      member.columns.push({ name: field, type });
      member.sortable.push(field);
    }
    this.#abstracts.push('Named');
  }

  #union(): void {
    const random = this.#random;
    if (random.chance(0.3)) return;
    const members = random.some(this.#types, 0.6).map(({ name }) => name);
    if (members.length === 0) return;
    this.#parts.push(`union Any = ${members.join(' | ')}`);
    this.#abstracts.push('Any');
  }

  #relations(owner: TypeSheet): void {
    const random = this.#random;
    const count = random.below(3);
    for (let index = 0; index < count; index++) {
      const abstract = this.#abstracts.length > 0 && random.chance(0.3);
      const name = this.#next('r');
      if (abstract) {
        const target = random.pick(this.#abstracts);
        owner.lines.push(random.chance(0.5) ? `${name}: ${target}` : this.#listField(name, target));
        continue;
      }
      const target = random.pick(this.#types);
      const back = this.#next('b');
      const many = random.chance(0.4);
      const manyBack = many || random.chance(0.7);
      const bang = manyBack ? bangs(random, owner, target) : '';
      const one = `${name}: ${target.name}${bang} @relation(inverse: "${back}")`;
      owner.lines.push(many ? this.#listField(name, target.name, back) : one);
      // The end that a key points at is a list, or one object that need not be there.
      target.lines.push(manyBack ? this.#listField(back, owner.name) : `${back}: ${owner.name}`);
    }
  }

  /** A list of objects: plain, with arguments, or a connection. */
  #listField(name: string, target: string, inverse?: string): string {
    const random = this.#random;
    const relation = inverse === undefined ? '' : ` @relation(inverse: "${inverse}")`;
    if (random.chance(0.25)) return `${name}(${this.#arguments(target, true)}): ${target}Connection!${relation}`;
    const args = random.chance(0.5) ? `(${this.#arguments(target, false)})` : '';
    return `${name}${args}: [${target}!]!${relation}`;
  }

  #arguments(target: string, connection: boolean): string {
    const random = this.#random;
    const args = connection
      ? ['first: Int = 3', ...random.some(['last: Int', 'after: String', 'before: String'], 0.7)]
      : random.some(['first: Int', 'start: Int = 0'], 0.6);
    if (random.chance(0.6)) args.push(`where: ${target}Filter`);
    if (random.chance(0.5)) args.push(`orderBy: [${target}Order!]`);
    return args.length === 0 ? 'first: Int = 5' : args.join(', ');
  }

  #resolverFields(type: TypeSheet): void {
    const random = this.#random;
    if (random.chance(0.4)) return;
    const fields: Record<string, unknown> = (this.#resolvers[type.name] ??= {});
    const needs = random.some(type.columns, 0.5).map(({ name }) => name);
    const name = this.#next('made');
    const bang = random.chance(0.4) ? '!' : '';
    type.lines.push(`${name}(loud: Boolean = false): String${bang}`);
    fields[name] = { needs, resolve: resolveText(type.key) };
    if (random.chance(0.5)) {
      const target = random.pick(this.#types);
      const link = this.#next('link');
      const list = random.chance(0.4);
      type.lines.push(`${link}: ${list ? `[${target.name}]` : target.name}`);
      fields[link] = { resolve: resolveLink(type.key, target.key, list) };
    }
  }

  #rule(type: TypeSheet): void {
    const random = this.#random;
    if (random.chance(0.3)) return;
    const atoms = [
      `${type.key} != '3'`,
      `${type.key} in {'1', '10', 'k1'}`,
      "hasRole('ADMIN')",
      `${type.key} == authentication.name`,
    ];
    for (const { name, type: scalar } of type.columns) {
      if (scalar === 'Int') atoms.push(`${name} > 1`, `${name} == null`);
      if (scalar === 'String') atoms.push(`${name}.startsWith('A')`, `${name} != null`, `${name} < 'b'`);
      if (scalar === 'Boolean') atoms.push(name, `!${name}`);
      if (scalar === 'Hue') atoms.push(`${name} != 'RED'`);
      if (scalar === 'Float') atoms.push(`${name} <= 0.1`);
    }
    const one = (): string => random.pick(atoms);
    const rule = random.pick([
      one(),
      `${one()} or ${one()}`,
      `!(${one()}) and ${one()}`,
      `${one()} ? ${one()} : ${one()}`,
    ]);
    this.#rules[type.name] = rule;
  }

  #roots(name: string): readonly string[] {
    const random = this.#random;
    const sheet = this.#types.find((type) => type.name === name);
    const lower = name.toLowerCase();
    const roots = [
      `${lower}Page(${this.#arguments(name, true)}): ${name}Connection${random.chance(0.5) ? '!' : ''}`,
      `${lower}List(${this.#arguments(name, false)}): [${name}!]!`,
      `${lower}Count(where: ${name}Filter): Int!`,
    ];
    if (sheet === undefined) {
      roots.push(`${lower}One(where: ${name}Filter): ${name}`);
      return random
        .some(roots, 0.8)
        .concat(roots.slice(1, 2))
        .filter((each, index, all) => all.indexOf(each) === index);
    }
    const one = random.pick(sheet.sortable);
    const other = sheet.columns.filter(() => random.chance(0.3));
    const sorts = random.some(sheet.sortable, 0.7);
    roots.push(`${lower}(${sheet.key}: ID!): ${name}`);
    if (one !== sheet.key) {
      const { type } = sheet.columns.find((each) => each.name === one)!;
      roots.push(`${lower}By(${one}: ${type}): ${name}`);
    }
    if (sorts.length > 0) {
      this.#parts.push(`enum ${name}Sort { ${sorts.join(' ')} }`);
      const equal = other.map((each) =>
        random.chance(0.3) ? `${each.name}: [${each.type}!]` : `${each.name}: ${each.type}`,
      );
      roots.push(
        `${lower}Sorted(first: Int = 4, start: Int, sort: Direction = ${random.pick(['ASCENDING', 'DESCENDING'])}, sortBy: ${name}Sort = ${sorts[0]}, ${equal.join(', ')}): [${name}!]`,
      );
    }
    return roots;
  }
}

/** A type cannot need an object of its own kind: the first could not be made. */
function bangs(random: Random, owner: TypeSheet, target: TypeSheet): string {
  return owner.name > target.name && random.chance(0.4) ? '!' : '';
}

function printType({ name, interfaces, lines }: TypeSheet, rule: string | undefined): string {
  const implemented = interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`;
  const auth = rule === undefined ? '' : ` @auth(read: ${JSON.stringify(rule)})`;
  return `type ${name}${implemented} @entity${auth} {\n  ${lines.join('\n  ')}\n}`;
}

type Parent = Readonly<Record<string, unknown>>;

/** Depends on the key and nothing else that two sides could see differently. */
function digest(parent: Parent, key: string): number {
  return Array.from(parent[key] as string).reduce((sum, character) => sum + character.codePointAt(0)!, 0);
}

function resolveText(key: string) {
  return (parent: Parent, args: { readonly loud: boolean | null }): string | null => {
    const number = digest(parent, key);
    if (number % 7 === 0) throw new GraphQLError('seven');
    if (number % 5 === 0) return null;
    const text = `m${Object.keys(parent).toSorted().join()}${number}`;
    return args.loud === true ? text.toUpperCase() : text;
  };
}

function resolveLink(key: string, targetKey: string, list: boolean) {
  return (parent: Parent): unknown => {
    const number = digest(parent, key);
    const one = (plus: number): unknown =>
      number % 4 === 3 ? null : { [targetKey]: KEYS[(number + plus) % KEYS.length] };
    return list ? [one(0), one(1)] : one(0);
  };
}

/** Keys that objects of random data have, or might have. */
export const KEYS: readonly string[] = ['1', '2', '3', '10', '4', 'k1', 'k10', 'é'];
