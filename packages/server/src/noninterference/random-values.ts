// Random values for arguments and inputs of GraphQL operations: right ones, drawn from the data's words and keys, and
// mistakes. The operations are random-operations.ts and random-mutations.ts.
import { wordsOf } from '@lockstitch/kernel';
import { type Entity, type Field, fieldsReadByRules, type Model } from '@lockstitch/graph';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

import type { Random } from '@lockstitch/search/requests';

export interface OperationSurface {
  readonly model: Model;
  /** Words and values of the data, including hidden ones. */
  readonly words: readonly string[];
  /** Keys by type. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Values of unique fields, including hidden ones: `User.email`. */
  readonly taken?: ReadonlyMap<string, readonly string[]>;
}

/** The words between a list and a condition on its objects. */
const QUANTIFIERS: ReadonlySet<string> = new Set(['any', 'none', 'all']);

/** Depth of selections and filters. */
export const DEPTH = 2;

/** Texts that may break a pattern, a path or an encoding. */
export const BAD_TEXTS: readonly string[] = [
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

const READ = new WeakMap<Model, ReadonlySet<string>>();

/** Reads the rules of a model once. */
function readByRules(model: Model): ReadonlySet<string> {
  const known = READ.get(model) ?? fieldsReadByRules(model);
  READ.set(model, known);
  return known;
}

/** Values of one operation. */
export class RandomValues {
  readonly #random: Random;
  readonly #surface: OperationSurface;
  /** The last relation of a filter or an order: a filter and an order through one are read by one join. */
  #followed: string | undefined;
  /** Whether some values are mistakes. */
  readonly isClumsy: boolean;

  constructor(random: Random, surface: OperationSurface) {
    this.#random = random;
    this.#surface = surface;
    this.isClumsy = random.once(CLUMSY);
  }

  /** Whether the next value is to be a mistake. */
  isWrong(): boolean {
    return this.isClumsy && this.#random.once(MISTAKEN);
  }

  /** A value for an argument or an input field; undefined if its type says too little. */
  literal(of: GraphQLArgument | GraphQLInputField, entity: string, depth: number): string | undefined {
    if (of.name === 'after' || of.name === 'before') return JSON.stringify(this.#cursor());
    if (/^(?:first|last|start)$/.test(of.name) && getNamedType(of.type).name === 'Int')
      return this.isWrong() ? this.#random.pick(BAD_PAGES) : String(this.#random.int(4));
    if (of.name === 'timeZone')
      return JSON.stringify(this.isWrong() ? this.#random.pick(BAD_TEXTS) : this.#random.pick(ZONES));
    if (of.name === 'path' && isListType(of.type)) return JSON.stringify(this.#path());
    // More words than a search may have.
    if (of.name === 'query' && this.isWrong()) return JSON.stringify('many words '.repeat(600));
    return this.value(of.type, this.#keyedBy(of, entity), depth, this.#isNodeId(of.name, entity));
  }

  /** The type whose keys an argument takes: the target of the relation that it is called like, or the type itself. */
  #keyedBy({ name, type }: GraphQLArgument | GraphQLInputField, asked: string): string {
    if (getNamedType(type).name !== 'ID') return asked;
    const field = this.#surface.model.entities.get(asked)?.fields.get(isListType(type) ? name.replace(/s$/, '') : name);
    return field?.kind === 'relation' && !field.many ? field.target : asked;
  }

  /** Whether an argument is called like a field with `@nodeId` of the type, or like several. */
  #isNodeId(argument: string, type: string): boolean {
    const fields = [...(this.fieldsOf(type)?.values() ?? [])];
    return fields.some(({ kind, name }) => kind === 'nodeId' && (argument === name || argument === `${name}s`));
  }

  /** The node id of an object, mostly of the asked type and hidden ones included, or one of none. */
  nodeId(asked: string): string {
    const random = this.#random;
    const { abstractTypes, entities } = this.#surface.model;
    const types = random.once(5) ? [...entities.keys()] : (abstractTypes.get(asked) ?? [asked]);
    const type = random.pick(types);
    const key = this.isWrong() ? random.pick(BAD_TEXTS) : this.key(type);
    const id = Buffer.from(`${type}:${key}`).toString('base64url');
    return this.isWrong() ? random.pick([key, `${id}=`, id.slice(1)]) : id;
  }

  value(type: GraphQLInputType, entity: string, depth: number, isNodeId = false): string | undefined {
    const random = this.#random;
    if (isNonNullType(type)) return this.value(type.ofType, entity, depth, isNodeId);
    if (isListType(type)) {
      // Three alternatives of a filter are read otherwise than two.
      const most = isInputObjectType(getNamedType(type.ofType)) ? 3 : 2;
      const items = Array.from({ length: 1 + random.int(most) }, () =>
        this.value(type.ofType, entity, depth, isNodeId),
      );
      return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
    }
    if (isEnumType(type)) return this.isWrong() ? 'NOBODY' : random.pick(type.getValues()).name;
    if (type.name === 'RelativeTime') return this.#relativeTime();
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => depth > 0 || !isInputObjectType(getNamedType(field.type)),
      );
      const stored = this.#surface.model.filters.get(type.name) ?? entity;
      const own = this.fieldsOf(stored);
      const preferred = this.#preferred(fields, own);
      for (let attempt = 0; attempt < 3 && fields.length > 0; attempt++) {
        const field = random.pick(preferred.length > 0 && attempt === 0 ? preferred : fields);
        const relation = own?.get(field.name);
        if (relation?.kind === 'relation') this.#followed = field.name;
        // The word between a list and its condition, such as "any", is no level of its own.
        const isWord = QUANTIFIERS.has(field.name) && own?.has(field.name) === false;
        const next = isWord ? depth : depth - 1;
        const value = this.literal(field, relation?.kind === 'relation' ? relation.target : stored, next);
        if (value !== undefined) return `{ ${field.name}: ${value} }`;
      }
      return '{}';
    }
    switch (type.name) {
      case 'ID':
        if (isNodeId) return JSON.stringify(this.nodeId(entity));
        return this.isWrong() ? JSON.stringify(random.pick(BAD_TEXTS)) : JSON.stringify(this.key(entity));
      case 'String':
        if (this.isWrong()) return JSON.stringify(random.pick(BAD_TEXTS));
        return JSON.stringify(random.once(3) ? this.word().slice(0, 2) : this.word());
      case 'Int':
      case 'BigInt':
        return this.isWrong() ? random.pick(BAD_NUMBERS) : String(random.int(6));
      case 'Float':
        return this.isWrong() ? random.pick(BAD_NUMBERS) : String(random.int(12) / 2);
      case 'Boolean':
        return random.pick(['true', 'false']);
      case 'DateTime':
        return JSON.stringify(this.isWrong() ? random.pick(BAD_TIMES) : '2026-06-01T00:00:00Z');
      case 'Decimal':
        return this.isWrong() ? random.pick(BAD_NUMBERS) : `"${random.int(12) / 2}"`;
      case 'JSON':
        return this.isWrong()
          ? '{ x: [true] }'
          : random.pick([String(random.int(6)), JSON.stringify(this.word()), '[]']);
      case 'Date':
        return '"2026-06-01"';
      default:
        return undefined;
    }
  }

  /**
   * Of the fields of a filter or an order those through relations, which are few, or those of fields with a read rule,
   * which may be withheld from the caller: they matter most. Empty: any.
   */
  #preferred<F extends { readonly name: string }>(
    fields: readonly F[],
    own: Entity['fields'] | undefined,
  ): readonly F[] {
    switch (this.#random.int(4)) {
      case 0:
        return [];
      case 1:
        return fields.filter(({ name }) => own?.get(name)?.auth?.read !== undefined);
      default: {
        const relations = fields.filter(({ name }) => own?.get(name)?.kind === 'relation');
        const again = relations.find(({ name }) => name === this.#followed);
        return again !== undefined && this.#random.once(2) ? [again] : relations;
      }
    }
  }

  /** The fields of an order or a `groupBy` that lead from objects of a type to related ones. */
  relationsIn(type: GraphQLInputType, entity: string): readonly GraphQLInputField[] {
    return this.#fieldsIn(type, entity, ({ kind }) => kind === 'relation');
  }

  /** Those whose values may differ between two states: columns that are no key, and that no rule reads. */
  changeable(type: GraphQLInputType, entity: string): readonly GraphQLInputField[] {
    const read = readByRules(this.#surface.model);
    const isFree = (field: Field): boolean => field.kind === 'column' && !field.isKey && !field.unique;
    return this.#fieldsIn(type, entity, (field) => isFree(field) && !read.has(`${entity}.${field.name}`));
  }

  #fieldsIn(type: GraphQLInputType, entity: string, wants: (field: Field) => boolean): readonly GraphQLInputField[] {
    const named = getNamedType(type);
    const own = this.fieldsOf(entity);
    if (!isInputObjectType(named)) return [];
    return Object.values(named.getFields()).filter(({ name }) => {
      const field = own?.get(name);
      return field !== undefined && wants(field);
    });
  }

  /** A value of an order that begins with a value of a related object, of which its type has some, or with one that a rule withholds. */
  tellingOrder(type: GraphQLInputType, entity: string): string {
    const random = this.#random;
    const related = this.relationsIn(type, entity);
    const withheld = random.once(4) ? this.#fieldsIn(type, entity, ({ auth }) => auth?.read !== undefined) : [];
    const field = random.pick(withheld.length > 0 ? withheld : related);
    const relation = this.fieldsOf(entity)?.get(field.name);
    const target = relation?.kind === 'relation' ? relation.target : entity;
    const ends = random.once(4) ? [] : this.changeable(field.type, target);
    const end = ends.length === 0 ? undefined : random.pick(ends);
    const value =
      end === undefined ? this.literal(field, target, DEPTH) : `{ ${end.name}: ${this.value(end.type, target, 0)} }`;
    const first = `{ ${field.name}: ${value ?? '{}'} }`;
    if (!isListType(getNullableType(type))) return first;
    const more = random.once(2) ? [] : [this.value(getNamedType(type), entity, DEPTH) ?? '{}'];
    return `[${[first, ...more].join(', ')}]`;
  }

  /** The fields of a type; of an interface or a union, those of one member. */
  fieldsOf(type: string): Entity['fields'] | undefined {
    const { abstractTypes, entities } = this.#surface.model;
    return entities.get(abstractTypes.get(type)?.[0] ?? type)?.fields;
  }

  /** A forged cursor: it holds the sort values at which a page begins. */
  #cursor(): string {
    const random = this.#random;
    if (this.isWrong()) return random.pick(BAD_CURSORS);
    const values = [random.pick<unknown>([this.word(), random.int(6), null, true]), ...(random.once(2) ? ['2'] : [])];
    return Buffer.from(JSON.stringify(values)).toString('hex').toUpperCase();
  }

  #relativeTime(): string {
    const math = this.isWrong() ? this.#random.pick(BAD_TEXTS) : this.#random.pick(['now', 'now-1y/y', 'now+3M/d']);
    return `{ ${this.#random.pick(['lt', 'gte'])}: ${JSON.stringify(math)}, timeZone: "${this.#random.pick(ZONES)}" }`;
  }

  /** A path into stored JSON, if the data has any. */
  #path(): readonly string[] {
    if (this.isWrong()) return [this.#random.pick(BAD_TEXTS)];
    const steps = this.#random.once(4) ? ['0', '-1', ''] : [this.#memberName()];
    return [this.#random.pick(steps), ...(this.#random.once(3) ? ['0'] : [])];
  }

  #memberName(): string {
    const names = this.#surface.words.flatMap((word) => /^\W*"(\w+)":/.exec(word)?.[1] ?? []);
    return names.length === 0 ? this.word() : this.#random.pick(names);
  }

  word(): string {
    const { words } = this.#surface;
    return words.length === 0 ? 'word' : this.#random.pick(words);
  }

  /** The key of an object of a type, interface or union, or a word. */
  key(type: string): string {
    const { keys, model } = this.#surface;
    const known = keys.get(this.#random.pick(model.abstractTypes.get(type) ?? [type])) ?? [];
    return known.length === 0 || this.#random.once(10) ? this.word() : this.#random.pick(known);
  }
}
