// The second opinion on random schemas: graphql-js over plain rows, with the conventions of root fields, filters, orders and
// pages written out the simplest way there is. Of the engine it takes the model alone: which fields are the ends of which
// relation, and what a root field is bound to.
import {
  execute,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  parse,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
} from 'graphql';
import { compareDecimals, toDecimal } from '@lockstitch/kernel';
import { testCaseless, testJson, testList } from './plain-filters.ts';
import { resolverOf, type Resolvers } from '../../src/schema/resolvers.ts';
import type { ArgumentBindings, Entity, Model, RelationField, Storage } from '../../src/schema/model.ts';

/** A row: columns by field name; a to-one relation holds a key, or type and key. */
export interface PlainRow {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Type and key of a row. */
export interface PlainKey {
  readonly type: string;
  readonly key: string;
}

/** All rows, and the pairs of many-to-many relations by the name of their table. */
export interface PlainData {
  readonly rows: ReadonlyMap<string, readonly PlainRow[]>;
  readonly pairs: ReadonlyMap<string, readonly { readonly from: string; readonly to: PlainKey }[]>;
}

type Args = Readonly<Record<string, unknown>>;

/** Executes an operation over plain rows. */
export async function executePlain(
  model: Model,
  resolvers: Resolvers,
  data: PlainData,
  query: string,
  variables: Args,
): Promise<ExecutionResult> {
  const world = new World(model, data);
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
    const resolver = resolverOf(resolvers, info.parentType.name, info.fieldName);
    if (resolver !== undefined) {
      const { values, type } = source as PlainRow;
      const key = model.entities.get(type)!.key.name;
      const shown = Object.fromEntries(
        [key, ...(resolver.needs ?? [])].map((name) => [name, world.shown(type, name, values[name])]),
      );
      const value: unknown = resolver.resolve(shown, args, context as never, info);
      return Array.isArray(value) ? value.map((each) => world.linked(info, each)) : world.linked(info, value);
    }
    if (info.path.prev === undefined) return world.root(info.fieldName, given(args, info));
    if (isRow(source)) return world.field(source, info.fieldName, given(args, info));
    const value = (source as Args)[info.fieldName];
    return typeof value === 'function' ? (value as () => unknown)() : value;
  };
  return execute({
    schema: model.schema,
    document: parse(query),
    variableValues: variables,
    fieldResolver,
    typeResolver: (value) => (value as PlainRow).type,
  });
}

const PAGING: ReadonlySet<string> = new Set(['first', 'last', 'start', 'sort', 'sortBy', 'orderBy']);

/** In arguments that order and page lists, null means the default; an explicit page size overrides a default one. */
function given(args: Args, info: GraphQLResolveInfo): Args {
  const field = info.parentType.getFields()[info.fieldName]!;
  const node = info.fieldNodes[0]!;
  const paging = Object.assign(Object.create(field) as GraphQLField<unknown, unknown>, {
    args: field.args.filter(({ name }) => PAGING.has(name)),
  });
  const filled: Record<string, unknown> = { ...args };
  for (const [name, value] of Object.entries(getArgumentValues(paging, { ...node, arguments: [] })))
    filled[name] ??= value;
  const isAsked = (name: string): boolean => {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value === undefined || args[name] == null) return false;
    return value.kind !== Kind.VARIABLE || Object.hasOwn(info.variableValues.coerced, value.name.value);
  };
  if (filled['last'] == null || (isAsked('first') && isAsked('last'))) return filled;
  return { ...filled, [isAsked('first') ? 'last' : 'first']: null };
}

function isRow(value: unknown): value is PlainRow {
  return typeof value === 'object' && value !== null && 'values' in value && 'type' in value;
}

class World {
  readonly #model: Model;
  readonly #data: PlainData;

  constructor(model: Model, data: PlainData) {
    this.#model = model;
    this.#data = data;
  }

  #members(type: string): readonly string[] {
    return this.#model.abstractTypes.get(type) ?? [type];
  }

  #entity(type: string): Entity {
    return this.#model.entities.get(type)!;
  }

  #keyOf({ type, values }: PlainRow): unknown {
    return values[this.#entity(type).key.name];
  }

  /** All rows of a type in the order of types and keys. */
  #all(type: string): readonly PlainRow[] {
    return this.#members(type).flatMap((member) =>
      this.#data.rows.get(member)!.toSorted((a, b) => compare(this.#keyOf(a), this.#keyOf(b))),
    );
  }

  #find(type: string, key: unknown): PlainRow | null {
    if (key === null || key === undefined) return null;
    return this.#data.rows.get(type)!.find((row) => text(this.#keyOf(row)) === text(key)) ?? null;
  }

  /** A column as resolvers see it: an ID is text. */
  shown(type: string, name: string, value: unknown): unknown {
    const field = this.#entity(type).fields.get(name);
    return field?.kind === 'column' && field.typeName === 'ID' && value !== null ? text(value) : value;
  }

  /** What a resolver returned for a stored type: an object with its key. */
  linked(info: GraphQLResolveInfo, value: unknown): unknown {
    const named = getNamedType(info.returnType).name;
    if (!this.#model.entities.has(named) || typeof value !== 'object' || value === null) return value;
    return this.#find(named, (value as Args)[this.#entity(named).key.name]);
  }

  root(name: string, args: Args): unknown {
    const binding = this.#model.roots.get(`Query.${name}`)!;
    if (!('type' in binding)) throw new Error(name);
    const rows = this.#narrowed(this.#all(binding.type), binding.arguments, args);
    switch (binding.kind) {
      case 'count':
        return rows.length;
      case 'lookup':
        return rows[0] ?? null;
      case 'connection':
        return this.#connection(rows, binding.type, binding.arguments, args);
      default:
        return page(this.#ordered(rows, binding.type, binding.arguments, args), binding.arguments, args);
    }
  }

  field(row: PlainRow, name: string, args: Args): unknown {
    const field = this.#entity(row.type).fields.get(name)!;
    if (field.kind === 'column') return this.shown(row.type, name, row.values[name]);
    if (field.kind !== 'relation') throw new Error(name);
    const related = this.#related(row, field);
    if (!field.many) return related[0] ?? null;
    const rows = this.#narrowed(related, field.arguments, args);
    if (field.connection) return this.#connection(rows, field.target, field.arguments, args);
    return page(this.#ordered(rows, field.target, field.arguments, args), field.arguments, args);
  }

  /** In the order of types and keys. */
  #related(row: PlainRow, field: RelationField): readonly PlainRow[] {
    const { storage } = field;
    const own = text(this.#keyOf(row));
    const all = this.#all(field.target);
    switch (storage.kind) {
      case 'foreignKey':
        return all.filter(
          (other) => row.values[field.name] !== null && text(this.#keyOf(other)) === text(row.values[field.name]),
        );
      case 'polymorphic':
        return all.filter((other) => this.#isAt(row.values[field.name] as PlainKey | null, other));
      case 'inverse': {
        return all.filter((other) => {
          const back = this.#entity(other.type).fields.get(storage.field) as RelationField;
          const value = other.values[storage.field];
          if (back.storage.kind === 'polymorphic') return this.#isAt(value as PlainKey | null, row);
          return value !== null && text(value) === own;
        });
      }
      default: {
        const pairs = this.#data.pairs.get(storage.table) ?? [];
        const first = storage.kind === 'polymorphicJoinTable' || isFirst(this.#model, row.type, field);
        return all.filter((other) =>
          pairs.some(({ from, to }) =>
            first ? from === own && this.#isAt(to, other) : this.#isAt(to, row) && from === text(this.#keyOf(other)),
          ),
        );
      }
    }
  }

  #isAt(key: PlainKey | null, row: PlainRow): boolean {
    return key !== null && key.type === row.type && key.key === text(this.#keyOf(row));
  }

  #narrowed(rows: readonly PlainRow[], roles: ArgumentBindings, args: Args): readonly PlainRow[] {
    return rows.filter((row) =>
      [...roles].every(([name, role]) => {
        const value = args[name];
        if (value === undefined || value === null) return true;
        if (role.kind === 'where') return this.#holds(row, value as Args);
        if (role.kind !== 'equals') return true;
        const given = (role.list ? (value as readonly unknown[]) : [value]).map((each) => plain(each));
        return given.some((each) => same(this.shown(row.type, role.field, row.values[role.field]), each));
      }),
    );
  }

  #holds(row: PlainRow, where: Args): boolean {
    const entity = this.#entity(row.type);
    return Object.entries(where).every(([name, condition]) => {
      if (condition === null) return true;
      const field = entity.fields.get(name);
      if (field === undefined) {
        if (name === 'and') return (condition as Args[]).every((each) => this.#holds(row, each));
        if (name === 'or') return (condition as Args[]).some((each) => this.#holds(row, each));
        if (name === 'not') return !this.#holds(row, condition as Args);
        return row.type === name && this.#holds(row, condition as Args);
      }
      if (field.kind === 'relation') {
        const related = this.#related(row, field);
        if (!field.many) return related.some((each) => this.#holds(each, condition as Args));
        return Object.entries(condition as Args).every(([quantifier, inner]) => {
          if (inner === null) return true;
          const matching = related.filter((each) => this.#holds(each, inner as Args)).length;
          if (quantifier === 'any') return matching > 0;
          return quantifier === 'none' ? matching === 0 : matching === related.length;
        });
      }
      if (field.kind !== 'column') return true;
      const value = this.shown(row.type, name, row.values[name]);
      return this.#holdsValue(value ?? null, this.#columnType(entity.name, name), condition as Args, field.storage);
    });
  }

  #columnType(type: string, field: string): GraphQLOutputType {
    return (this.#model.schema.getType(type) as GraphQLObjectType).getFields()[field]!.type;
  }

  /** The filter of a column, or of a field of an embedded object. */
  #holdsValue(value: unknown, declared: GraphQLOutputType, condition: Args, storage?: Storage): boolean {
    const type = getNullableType(declared);
    const conditions = Object.entries(condition);
    if (isListType(type)) {
      const elements = value as readonly unknown[] | null;
      if (!isObjectType(getNamedType(type)))
        return conditions.every(([operator, operand]) => testList(elements, operator, operand));
      return conditions.every(([operator, operand]) => {
        if (operand === null) return true;
        if (operator === 'isNull' || operator === 'isEmpty') return testList(elements, operator, operand);
        const all = elements ?? [];
        const matching = all.filter((each) => this.#holdsValue(each ?? null, type.ofType, operand as Args)).length;
        if (operator === 'any') return matching > 0;
        return operator === 'none' ? matching === 0 : matching === all.length;
      });
    }
    if (isObjectType(type)) {
      const fields = type.getFields();
      return conditions.every(([name, inner]) => {
        if (inner === null) return true;
        if (name in fields) {
          const member = (value as Args | null)?.[name] ?? null;
          return this.#holdsValue(member, fields[name]!.type, inner as Args);
        }
        if (name === 'isNull') return (value === null) === inner;
        if (name === 'not') return !this.#holdsValue(value, type, inner as Args);
        const each = (part: Args): boolean => this.#holdsValue(value, type, part);
        return name === 'or' ? (inner as Args[]).some(each) : (inner as Args[]).every(each);
      });
    }
    if (type.name === 'JSON') return testJson(value, condition);
    const whole = storage === 'integer' && type.name !== 'Int';
    return conditions.every(([operator, operand]) => test(value, operator, operand, whole, type.name === 'Decimal'));
  }

  /** The order's values of a row, one for each term, and whether larger ones come first. */
  #sortKey(
    type: string,
    row: PlainRow,
    roles: ArgumentBindings,
    args: Args,
  ): readonly { value: unknown; down: boolean }[] {
    const terms: { value: unknown; down: boolean }[] = [];
    let down = false;
    for (const [name, role] of roles)
      if (role.kind === 'sort' && args[name] != null) down = args[name] === role.descending;
    const column = (of: PlainRow | null, name: string, owner: string): unknown => {
      if (of === null) return null;
      const field = this.#entity(of.type).fields.get(name)!;
      const value = of.values[name] ?? null;
      if (field.kind !== 'column') return value;
      // Keys of one name may be numbers in one type and texts in another: then all are texts.
      const mixed = this.#members(owner).some((member) => {
        const other = this.#entity(member).fields.get(name);
        return other?.kind === 'column' && other.storage !== field.storage;
      });
      if (mixed && value !== null) return text(value);
      if (field.typeName === 'Decimal' && value !== null) return new PlainDecimal(value as string);
      return field.typeName === 'BigInt' && value !== null ? BigInt(value as string) : value;
    };
    const order = (of: PlainRow | null, term: Args, owner: string): { value: unknown; down: boolean } => {
      const [name, inner] = Object.entries(term)[0]!;
      if (typeof inner === 'string') return { value: column(of, name, owner), down: inner === 'DESC' };
      const field = of === null ? undefined : this.#entity(of.type).fields.get(name);
      const next = of !== null && field?.kind === 'relation' ? (this.#related(of, field)[0] ?? null) : null;
      return order(next, inner as Args, next?.type ?? owner);
    };
    for (const [name, role] of roles) {
      if (role.kind === 'orderBy' && args[name] != null)
        for (const term of Array.isArray(args[name]) ? (args[name] as Args[]) : [args[name] as Args])
          terms.push(order(row, term, type));
    }
    for (const [name, role] of roles) {
      if (role.kind === 'sortBy' && typeof args[name] === 'string')
        terms.push({ value: column(row, args[name], type), down });
    }
    const last = terms.at(-1)?.down ?? down;
    const isAbstract = isAbstractType(this.#model.schema.getType(type));
    if (isAbstract) terms.push({ value: this.#members(type).indexOf(row.type), down: last });
    return [...terms, { value: this.#keyOf(row), down: last }];
  }

  #ordered(rows: readonly PlainRow[], type: string, roles: ArgumentBindings, args: Args): readonly PlainRow[] {
    const keyed = rows.map((row) => ({ row, key: this.#sortKey(type, row, roles, args) }));
    return keyed.toSorted((a, b) => compareKeys(a.key, b.key)).map(({ row }) => row);
  }

  /** What the values of a cursor are. */
  #orderStorages(
    type: string,
    roles: ArgumentBindings,
    args: Args,
  ): readonly { readonly storage: Storage; readonly nullable: boolean }[] {
    const members = this.#members(type);
    const read = (owners: readonly string[], term: Args): { storage: Storage; nullable: boolean } => {
      const [name, inner] = Object.entries(term)[0]!;
      const fields = owners.map((owner) => this.#entity(owner).fields.get(name)!);
      const [field] = fields;
      // Where a relation leads nowhere there is no value.
      if (field?.kind === 'relation') return { ...read(this.#members(field.target), inner as Args), nullable: true };
      const storages = new Set(fields.map((each) => (each.kind === 'column' ? each.storage : 'text')));
      const nullable = fields.some((each) => each.kind === 'column' && each.nullable);
      return { storage: storages.size === 1 ? [...storages][0]! : 'text', nullable };
    };
    const terms: { storage: Storage; nullable: boolean }[] = [];
    for (const [name, role] of roles) {
      if (role.kind !== 'orderBy' || args[name] == null) continue;
      for (const term of Array.isArray(args[name]) ? (args[name] as Args[]) : [args[name] as Args])
        terms.push(read(members, term));
    }
    const last = this.#model.abstractTypes.has(type)
      ? (['integer', 'integer', 'text'] as const)
      : [this.#entity(type).key.storage];
    return [...terms, ...last.map((storage) => ({ storage, nullable: false }))];
  }

  #connection(rows: readonly PlainRow[], type: string, roles: ArgumentBindings, args: Args): unknown {
    const named = (kind: string): string => [...roles].find(([, role]) => role.kind === kind)?.[0] ?? '';
    const given = (kind: string): unknown => args[named(kind)] ?? null;
    if (given('first') !== null && given('last') !== null) throw new Error('both');
    const backwards = given('last') !== null;
    const size = (backwards ? given('last') : given('first')) as number | null;
    if (size === null || size < 0 || size > 1000) throw new Error('size');
    const sorted = this.#ordered(rows, type, roles, args).map((row) => ({
      row,
      key: this.#sortKey(type, row, roles, args),
    }));
    const cursors = { after: readCursor(given('after')), before: readCursor(given('before')) };
    const storages = this.#orderStorages(type, roles, args);
    for (const cursor of Object.values(cursors)) {
      if (cursor === undefined) continue;
      if (cursor.length !== storages.length || !cursor.every((item, index) => fits(item, storages[index]!)))
        throw new Error('cursor');
    }
    const { after, before } = cursors;
    const at = (cursor: readonly unknown[], key: (typeof sorted)[number]['key']): number => {
      const values = cursorOf(key, type, this.#model);
      for (const [index, value] of values.entries()) {
        const difference = compare(fromCursor(value), fromCursor(cursor[index]));
        if (difference !== 0) return (key[Math.min(index, key.length - 1)]!.down ? -1 : 1) * difference;
      }
      return 0;
    };
    const within = sorted.filter(
      ({ key }) => (after === undefined || at(after, key) > 0) && (before === undefined || at(before, key) < 0),
    );
    const cut = backwards ? within.slice(Math.max(0, within.length - size)) : within.slice(0, size);
    const more = within.length > cut.length;
    const beyond = backwards
      ? before !== undefined && sorted.some(({ key }) => at(before, key) >= 0)
      : after !== undefined && sorted.some(({ key }) => at(after, key) <= 0);
    const print = (entry: (typeof sorted)[number] | undefined): string | null =>
      entry === undefined
        ? null
        : Buffer.from(JSON.stringify(cursorOf(entry.key, type, this.#model)))
            .toString('hex')
            .toUpperCase();
    return {
      edges: cut.map((entry) => ({ cursor: print(entry), node: entry.row })),
      nodes: cut.map(({ row }) => row),
      totalCount: rows.length,
      pageInfo: {
        hasNextPage: backwards ? beyond : more,
        hasPreviousPage: backwards ? more : beyond,
        startCursor: print(cut[0]),
        endCursor: print(cut.at(-1)),
      },
    };
  }
}

/** Which end of a table of pairs a field is: its keys are `from` in the data. */
export function isFirst(model: Model, type: string, field: RelationField): boolean {
  if (field.storage.kind !== 'joinTable') return true;
  const { table } = field.storage;
  for (const entity of model.entities.values()) {
    for (const each of entity.fields.values()) {
      if (each.kind === 'relation' && each.storage.kind === 'joinTable' && each.storage.table === table)
        return entity.name === type && each.name === field.name;
    }
  }
  return true;
}

/** An exact number in an order. */
class PlainDecimal {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
  toJSON(): string {
    return this.#text;
  }
}

/** Values in cursor form: numbers beyond JSON's range as text. */
function cursorOf(key: readonly { readonly value: unknown }[], type: string, model: Model): readonly unknown[] {
  const values = key.map(({ value }) => {
    if (typeof value !== 'bigint') return value;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  });
  if (!model.abstractTypes.has(type)) return values;
  // Type, key as a number where it is one, key as text.
  const own = values.at(-1);
  return [...values.slice(0, -1), typeof own === 'number' ? own : 0, text(own)];
}

function fromCursor(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{16,19}$/.test(value) ? BigInt(value) : value;
}

function fits(
  item: unknown,
  { storage, nullable }: { readonly storage: Storage; readonly nullable: boolean },
): boolean {
  if (item === null) return nullable;
  if (storage === 'integer') return typeof item === 'number' || /^-?\d{1,19}$/.test(text(item));
  if (storage === 'real') return typeof item === 'number';
  if (storage === 'boolean') return typeof item === 'boolean';
  if (storage === 'decimal') return typeof item === 'string' && toDecimal(item) === item;
  return typeof item === 'string' && (storage !== 'timestamp' || !Number.isNaN(Date.parse(item)));
}

function readCursor(text: unknown): readonly unknown[] | undefined {
  if (text === null) return undefined;
  if (!/^(?:[0-9A-F]{2})+$/.test(text as string)) throw new Error('cursor');
  const items: unknown = JSON.parse(Buffer.from(text as string, 'hex').toString());
  if (!Array.isArray(items)) throw new Error('cursor');
  return items as unknown[];
}

function compareKeys(
  a: readonly { readonly value: unknown; readonly down: boolean }[],
  b: readonly { readonly value: unknown; readonly down: boolean }[],
): number {
  for (const [index, one] of a.entries()) {
    const difference = compare(one.value, b[index]!.value);
    if (difference !== 0) return one.down ? -difference : difference;
  }
  return 0;
}

/** A key or a text as text. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : `${value as number}`;
}

/** null first, numbers by size, texts by code point. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a != null && b != null && (a instanceof PlainDecimal || b instanceof PlainDecimal))
    return compareDecimals((a as PlainDecimal).toString(), (b as PlainDecimal).toString());
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean') return a ? 1 : -1;
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

function page(rows: readonly PlainRow[], roles: ArgumentBindings, args: Args): readonly PlainRow[] {
  let first = Infinity;
  let start = 0;
  for (const [name, role] of roles) {
    if (args[name] === null || args[name] === undefined) continue;
    if (role.kind === 'first') first = args[name] as number;
    if (role.kind === 'start') start = args[name] as number;
  }
  if (start < 0 || first < 0) throw new Error('negative');
  if (first !== Infinity && first > 1000) throw new Error('too large');
  return rows.slice(start, start + first);
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return value;
}

function same(value: unknown, given: unknown): boolean {
  if (value === null || given === null) return false;
  if (typeof value === 'string' && typeof given !== 'string') return value === text(given);
  return value === given;
}

function test(value: unknown, operator: string, operand: unknown, whole: boolean, exact = false): boolean {
  if (operator === 'relative') return true;
  if (operator === 'isNull') return operand === null ? true : (value === null) === operand;
  const given = Array.isArray(operand) ? null : plain(operand);
  if (operator === 'eq') return given === null ? value === null : same(value, given);
  if (operator === 'ne') return given === null ? value !== null : !same(value, given);
  if (operand === null) return true;
  const among = (Array.isArray(operand) ? operand : []).some((each) => same(value, plain(each)));
  if (operator === 'in') return among;
  if (operator === 'notIn') return !among;
  if (value === null) return false;
  if (operator.endsWith('Insensitive')) return testCaseless(text(value), operator, text(given));
  if (operator === 'contains') return text(value).includes(text(given));
  if (operator === 'startsWith') return text(value).startsWith(text(given));
  if (operator === 'endsWith') return text(value).endsWith(text(given));
  // A number that is not an integer equals nothing and has no order.
  if (whole && !/^(?:0|-?[1-9]\d{0,18})$/.test(text(given))) return false;
  const difference = whole
    ? compare(BigInt(value as string), BigInt(given as string | number))
    : compare(exact ? new PlainDecimal(value as string) : value, given);
  return { lt: difference < 0, lte: difference <= 0, gt: difference > 0, gte: difference >= 0 }[operator] ?? false;
}
