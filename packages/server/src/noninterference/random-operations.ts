// Random GraphQL queries, generated from the schema alone: any root field that reads, with any arguments (filters,
// orders, pages, forged cursors) and any selection. Random searches are random-requests.ts.
import { wordsOf } from '@lockstitch/kernel';
import type { Model } from '@lockstitch/graph';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

import type { Random } from '@lockstitch/search/requests';

export interface OperationSurface {
  readonly model: Model;
  /** Words and values of the data, including hidden ones. */
  readonly words: readonly string[];
  /** Keys by type. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
}

/** Root fields that read. */
export function readingRoots({ roots }: Model): readonly string[] {
  return [...roots].filter(([name, { kind }]) => name.startsWith('Query.') && READS.has(kind)).map(([name]) => name);
}

const READS: ReadonlySet<string> = new Set([
  'lookup',
  'list',
  'connection',
  'count',
  'search',
  'aggregates',
  'groups',
  'entities',
]);

export function randomOperation(random: Random, surface: OperationSurface): string {
  const make = new Operation(random, surface);
  const roots = readingRoots(surface.model);
  const fields = [
    make.root(random.pick(roots)),
    ...(random.once(5) ? [`other: ${make.root(random.pick(roots))}`] : []),
  ];
  return `{ ${fields.join(' ')} }`;
}

/** Depth of selections and filters. */
const DEPTH = 2;

/** Texts that may break a pattern, a path or an encoding. */
const BAD_TEXTS: readonly string[] = [
  'a\\',
  '%',
  '_',
  "'",
  '"',
  '\u0000',
  '\ud800',
  '$.x',
  '[0]',
  '{"x":1}',
  'NaN',
  'long '.repeat(700),
];
const BAD_NUMBERS: readonly string[] = ['-1', '2147483647', '-2147483648', '2147483648', '1e308', '1.5', '"1"'];
const BAD_TIMES: readonly string[] = wordsOf(`
  0000-01-01T00:00:00Z 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00Z 2026-02-30T00:00:00Z infinity yesterday`);
const BAD_PAGES: readonly string[] = ['-1', '0', '1001', '2147483647', 'null', '"1"'];
const ZONES: readonly string[] = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'];
const BAD_CURSORS: readonly string[] = ['', 'x', '00', 'FF', '7B7D', '5B5D', '5B2278225D'.repeat(40)];
/** One operation in CLUMSY has mistakes; one value in MISTAKEN of those is a mistake. */
const CLUMSY = 3;
const MISTAKEN = 3;

class Operation {
  readonly #random: Random;
  readonly #surface: OperationSurface;
  readonly #isClumsy: boolean;

  constructor(random: Random, surface: OperationSurface) {
    this.#random = random;
    this.#surface = surface;
    this.#isClumsy = random.once(CLUMSY);
  }

  #isWrong(): boolean {
    return this.#isClumsy && this.#random.once(MISTAKEN);
  }

  root(coordinate: string): string {
    const { model } = this.#surface;
    const field = model.schema.getQueryType()!.getFields()[coordinate.slice('Query.'.length)]!;
    const binding = model.roots.get(coordinate);
    const type = binding !== undefined && 'type' in binding ? binding.type : getNamedType(field.type).name;
    // Optional arguments of root fields are usually left out, except those of look-ups.
    const often = binding?.kind === 'lookup' ? 1 : 3;
    if (binding?.kind === 'groups') return this.#groups(field, type);
    if (binding?.kind === 'entities') return this.#entities(field.name);
    return `${field.name}${this.#arguments(field.args, type, often)}${this.#selection(field.type, DEPTH)}`;
  }

  /** Objects by their keys, as a gateway asks for them. */
  #entities(name: string): string {
    const random = this.#random;
    const { keys } = this.#surface.model.subgraph ?? { keys: new Map() };
    const types = [...keys.keys()];
    const given = Array.from({ length: 1 + random.int(3) }, () => {
      const type = random.pick(types);
      const key = this.#isWrong() ? random.pick(BAD_TEXTS) : this.#key(type);
      const field = this.#surface.model.entities.get(type)?.key.name ?? 'id';
      return `{ __typename: "${type}", ${field}: ${JSON.stringify(key)} }`;
    });
    const { schema } = this.#surface.model;
    const parts = types.flatMap((type) => {
      const of = schema.getType(type);
      return isObjectType(of) && random.once(2) ? `... on ${type}${this.#selection(of, 1)}` : [];
    });
    return `${name}(representations: [${given.join(', ')}]) { ${['__typename', ...parts].join(' ')} }`;
  }

  /** Groups whose `keys` select what `groupBy` names, by mistake something else. */
  #groups(field: GraphQLField<unknown, unknown>, type: string): string {
    const { given, selected } = this.#keys(
      getNamedType(field.args.find(({ name }) => name === 'groupBy')!.type),
      DEPTH,
    );
    const others = field.args.filter(({ name }) => name !== 'groupBy');
    const args = this.#arguments(others, type, 3).replace(/^\(|\)$/g, '');
    const wrong = this.#isWrong() ? ` keys ${this.#keys(getNamedType(field.args[0]!.type), DEPTH).selected}` : '';
    const rest = this.#selection(field.type, DEPTH).replace(/ \}$/, '');
    return `${field.name}(groupBy: ${given}${args === '' ? '' : `, ${args}`})${rest} keys ${selected}${wrong} }`;
  }

  /** A value of `groupBy`, and the selection of its keys. */
  #keys(type: GraphQLNamedType, depth: number): { readonly given: string; readonly selected: string } {
    const random = this.#random;
    const given: string[] = [];
    const selected = ['__typename'];
    if (!isInputObjectType(type)) return { given: '{}', selected: '{ __typename }' };
    const fields = Object.values(type.getFields());
    for (const field of fields) {
      if (!random.once(Math.ceil(fields.length / 2))) continue;
      const inner = getNamedType(field.type);
      if (isInputObjectType(inner)) {
        if (depth === 0) continue;
        const below = this.#keys(inner, depth - 1);
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

  #arguments(args: readonly GraphQLArgument[], type: string, inSoMany: number): string {
    const given: string[] = [];
    for (const arg of args) {
      if (!isNonNullType(arg.type) && !this.#random.once(inSoMany)) continue;
      const value = this.#literal(arg, type, DEPTH);
      if (value !== undefined) given.push(`${arg.name}: ${value}`);
    }
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  #selection(output: GraphQLOutputType, depth: number): string {
    const { model } = this.#surface;
    const type = getNamedType(output);
    if (!isObjectType(type)) return 'getFields' in type || 'getTypes' in type ? ' { __typename }' : '';
    const entity = model.entities.get(type.name);
    const parts = ['__typename'];
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
      parts.push(`${field.name}${this.#arguments(field.args, below.name, 3)}${this.#selection(field.type, next)}`);
    }
    return ` { ${parts.join(' ')} }`;
  }

  /** A value for an argument or an input field; undefined if its type says too little. */
  #literal(of: GraphQLArgument | GraphQLInputField, entity: string, depth: number): string | undefined {
    if (of.name === 'after' || of.name === 'before') return JSON.stringify(this.#cursor());
    if (of.name === 'first' || of.name === 'last' || of.name === 'start')
      return this.#isWrong() ? this.#random.pick(BAD_PAGES) : String(this.#random.int(4));
    if (of.name === 'timeZone')
      return JSON.stringify(this.#isWrong() ? this.#random.pick(BAD_TEXTS) : this.#random.pick(ZONES));
    if (of.name === 'path' && isListType(of.type)) return JSON.stringify(this.#path());
    // More words than a search may have.
    if (of.name === 'query' && this.#isWrong()) return JSON.stringify('many words '.repeat(600));
    return this.#value(of.type, entity, depth, this.#isNodeId(of.name, entity));
  }

  /** Whether an argument is called like a field with `@nodeId` of the type, or like several. */
  #isNodeId(argument: string, type: string): boolean {
    const { abstractTypes, entities } = this.#surface.model;
    const [member = type] = abstractTypes.get(type) ?? [];
    const fields = [...(entities.get(member)?.fields.values() ?? [])];
    return fields.some(({ kind, name }) => kind === 'nodeId' && (argument === name || argument === `${name}s`));
  }

  /** The node id of any object, hidden ones included, or one of none. */
  #nodeId(): string {
    const random = this.#random;
    const type = random.pick([...this.#surface.model.entities.keys()]);
    const key = this.#isWrong() ? random.pick(BAD_TEXTS) : this.#key(type);
    const id = Buffer.from(`${type}:${key}`).toString('base64url');
    return this.#isWrong() ? random.pick([key, `${id}=`, id.slice(1)]) : id;
  }

  #value(type: GraphQLInputType, entity: string, depth: number, isNodeId = false): string | undefined {
    const random = this.#random;
    if (isNonNullType(type)) return this.#value(type.ofType, entity, depth, isNodeId);
    if (isListType(type)) {
      const items = Array.from({ length: 1 + random.int(2) }, () => this.#value(type.ofType, entity, depth, isNodeId));
      return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
    }
    if (isEnumType(type)) return this.#isWrong() ? 'NOBODY' : random.pick(type.getValues()).name;
    if (type.name === 'RelativeTime') return this.#relativeTime();
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => depth > 0 || !isInputObjectType(getNamedType(field.type)),
      );
      const stored = this.#surface.model.filters.get(type.name) ?? entity;
      for (let attempt = 0; attempt < 3 && fields.length > 0; attempt++) {
        const field = random.pick(fields);
        const value = this.#literal(field, stored, depth - 1);
        if (value !== undefined) return `{ ${field.name}: ${value} }`;
      }
      return '{}';
    }
    switch (type.name) {
      case 'ID':
        if (isNodeId) return JSON.stringify(this.#nodeId());
        return this.#isWrong() ? JSON.stringify(random.pick(BAD_TEXTS)) : JSON.stringify(this.#key(entity));
      case 'String':
        if (this.#isWrong()) return JSON.stringify(random.pick(BAD_TEXTS));
        return JSON.stringify(random.once(3) ? this.#word().slice(0, 2) : this.#word());
      case 'Int':
      case 'BigInt':
        return this.#isWrong() ? random.pick(BAD_NUMBERS) : String(random.int(6));
      case 'Float':
        return this.#isWrong() ? random.pick(BAD_NUMBERS) : String(random.int(12) / 2);
      case 'Boolean':
        return random.pick(['true', 'false']);
      case 'DateTime':
        return JSON.stringify(this.#isWrong() ? random.pick(BAD_TIMES) : '2026-06-01T00:00:00Z');
      case 'Decimal':
        return this.#isWrong() ? random.pick(BAD_NUMBERS) : `"${random.int(12) / 2}"`;
      case 'JSON':
        return this.#isWrong()
          ? '{ x: [true] }'
          : random.pick([String(random.int(6)), JSON.stringify(this.#word()), '[]']);
      case 'Date':
        return '"2026-06-01"';
      default:
        return undefined;
    }
  }

  /** A forged cursor: it holds the sort values at which a page begins. */
  #cursor(): string {
    const random = this.#random;
    if (this.#isWrong()) return random.pick(BAD_CURSORS);
    const values = [random.pick<unknown>([this.#word(), random.int(6), null, true]), ...(random.once(2) ? ['2'] : [])];
    return Buffer.from(JSON.stringify(values)).toString('hex').toUpperCase();
  }

  #relativeTime(): string {
    const math = this.#isWrong() ? this.#random.pick(BAD_TEXTS) : this.#random.pick(['now', 'now-1y/y', 'now+3M/d']);
    return `{ ${this.#random.pick(['lt', 'gte'])}: ${JSON.stringify(math)}, timeZone: "${this.#random.pick(ZONES)}" }`;
  }

  /** A path into stored JSON, if the data has any. */
  #path(): readonly string[] {
    if (this.#isWrong()) return [this.#random.pick(BAD_TEXTS)];
    const steps = this.#random.once(4) ? ['0', '-1', ''] : [this.#memberName()];
    return [this.#random.pick(steps), ...(this.#random.once(3) ? ['0'] : [])];
  }

  #memberName(): string {
    const names = this.#surface.words.flatMap((word) => /^\W*"(\w+)":/.exec(word)?.[1] ?? []);
    return names.length === 0 ? this.#word() : this.#random.pick(names);
  }

  #word(): string {
    const { words } = this.#surface;
    return words.length === 0 ? 'word' : this.#random.pick(words);
  }

  #key(entity: string): string {
    const keys = this.#surface.keys.get(entity) ?? [];
    return keys.length === 0 || this.#random.once(10) ? this.#word() : this.#random.pick(keys);
  }
}
