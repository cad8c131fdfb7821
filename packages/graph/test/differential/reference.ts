// The second opinion: graphql-js over plain data, with the conventions of root fields and filters written out the simplest
// way there is. Shares nothing with the engine but the schema's text.
import { execute, parse, type ExecutionResult, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { resolverOf, type Resolvers } from '../../src/schema/resolvers.ts';
import type { Place, Zoo, ZooRow } from './zoo.ts';
import { testCaseless, testJson, testList } from './plain-filters.ts';

const KEYS: Readonly<Record<string, string>> = {
  Keeper: 'login',
  Badge: 'id',
  Animal: 'id',
  Cage: 'id',
  Meadow: 'code',
};

interface Row {
  readonly type: keyof Zoo;
  readonly values: ZooRow;
}

/** Executes an operation over plain rows. */
export async function executeReference(
  schema: GraphQLSchema,
  resolvers: Resolvers,
  zoo: Zoo,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<ExecutionResult> {
  const rows = new Map<string, readonly Row[]>();
  for (const type of Object.keys(zoo) as (keyof Zoo)[]) {
    const list = zoo[type].map((values) => ({ type, values }));
    rows.set(
      type,
      list.sort((a, b) => compare(a.values[KEYS[type]!], b.values[KEYS[type]!])),
    );
  }
  const all = (type: string): readonly Row[] => rows.get(type)!;
  const find = (type: string, key: unknown): Row | null =>
    key === null || key === undefined
      ? null
      : (all(type).find((row) => text(row.values[KEYS[type]!]) === text(key)) ?? null);
  const world: World = { all, find };
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = async (source, args, context, info) => {
    const resolver = resolverOf(resolvers, info.parentType.name, info.fieldName);
    if (info.path.prev === undefined && resolver === undefined) return resolveRoot(world, info.fieldName, args);
    let value: unknown;
    if (resolver !== undefined)
      value = await resolver.resolve((source as Row | undefined)?.values, args, context as never, info);
    else if (isRow(source)) return resolveField(world, source, info.fieldName, args);
    else return (source as Record<string, unknown>)[info.fieldName];
    return Array.isArray(value) ? value.map((each) => lookUp(world, each)) : lookUp(world, value);
  };
  return execute({
    schema,
    document: parse(query),
    variableValues: variables,
    fieldResolver,
    typeResolver: (value) => (value as Row).type,
  });
}

interface World {
  all(type: string): readonly Row[];
  find(type: string, key: unknown): Row | null;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'values' in value && 'type' in value;
}

/** What a resolver returned for a stored type: an object with its key. */
function lookUp(world: World, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('login' in value) return world.find('Keeper', value.login);
  if ('id' in value) return world.find('Animal', value.id);
  return value;
}

type Args = Readonly<Record<string, unknown>>;

function resolveRoot(world: World, name: string, args: Args): unknown {
  const animals = world.all('Animal');
  switch (name) {
    case 'keeper':
      return world.find('Keeper', args['login']);
    case 'animal':
      return world.find('Animal', args['id']);
    case 'animalBy':
      return animals.find((row) => isLike(row, args, ['colour', 'tame'])) ?? null;
    case 'animals': {
      const down = args['sort'] === 'DESCENDING' ? -1 : 1;
      const by = args['sortBy'] as string | undefined;
      const sorted = animals.toSorted(
        (a, b) => down * ((by ? compare(a.values[by], b.values[by]) : 0) || compare(a.values['id'], b.values['id'])),
      );
      return page(sorted, { ...args, first: args['first'] ?? 5 });
    }
    case 'filtered':
      return page(order(world, filter(world, animals, args['where']), args['orderBy'], 'id'), args);
    case 'keepers':
      return page(world.all('Keeper'), args);
    case 'byColours':
      return args['colours'] == null
        ? animals
        : animals.filter((row) => (args['colours'] as unknown[]).includes(row.values['colour']));
    case 'places':
      return page([...world.all('Cage'), ...world.all('Meadow')], args);
    case 'named':
      return page([...world.all('Keeper'), ...animals], args);
    case 'animalCount':
      return animals.filter((row) => isLike(row, args, ['colour'])).length;
    default:
      throw new Error(name);
  }
}

function isLike(row: Row, args: Args, names: readonly string[]): boolean {
  return names.every((name) => args[name] === undefined || args[name] === null || row.values[name] === args[name]);
}

function page<T>(list: readonly T[], args: Args): readonly T[] {
  const start = (args['start'] as number | undefined) ?? 0;
  const first = (args['first'] as number | undefined) ?? Infinity;
  if (start < 0 || first < 0) throw new Error('negative');
  if (first !== Infinity && first > 1000) throw new Error('too large');
  return list.slice(start, start + first);
}

function resolveField(world: World, row: Row, name: string, args: Args): unknown {
  const { values } = row;
  switch (`${row.type}.${name}`) {
    case 'Keeper.boss':
      return world.find('Keeper', values['boss']);
    case 'Keeper.team':
      return world.all('Keeper').filter((other) => other.values['boss'] === values['login']);
    case 'Keeper.animals': {
      const own = world.all('Animal').filter((animal) => animal.values['keeper'] === values['login']);
      return page(order(world, filter(world, own, args['where']), args['orderBy'], 'id'), args);
    }
    case 'Keeper.badge':
      return world.all('Badge').find((badge) => badge.values['owner'] === values['login']) ?? null;
    case 'Keeper.favourites':
      return world
        .all('Animal')
        .filter((animal) => (animal.values['fans'] as string[]).includes(values['login'] as string));
    case 'Badge.owner':
      return world.find('Keeper', values['owner']);
    case 'Animal.keeper':
      return world.find('Keeper', values['keeper']);
    case 'Animal.mother':
      return world.find('Animal', values['mother']);
    case 'Animal.fans':
      return world.all('Keeper').filter((keeper) => (values['fans'] as unknown[]).includes(keeper.values['login']));
    case 'Animal.lives': {
      const place = values['lives'] as Place | null;
      return place === null ? null : world.find(place.type, place.key);
    }
    case 'Animal.seen': {
      const seen = values['seen'] as readonly Place[];
      const has = (other: Row): boolean =>
        seen.some((place) => place.type === other.type && place.key === String(other.values[KEYS[other.type]!]));
      return [...world.all('Cage'), ...world.all('Meadow')].filter(has);
    }
    default:
      return values[name];
  }
}

/** null first, numbers by size, texts by code point. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) < Number(b) ? -1 : 1;
}

function order(world: World, rows: readonly Row[], orders: unknown, key: string): readonly Row[] {
  const terms = (orders ?? []) as readonly Readonly<Record<string, unknown>>[];
  const value = (row: Row | null, term: unknown): { value: unknown; down: boolean } => {
    const [name, inner] = Object.entries(term as object)[0] as [string, unknown];
    if (typeof inner === 'string') return { value: sortable(row?.values[name] ?? null), down: inner === 'DESC' };
    return value(row === null ? null : (resolveField(world, row, name, {}) as Row | null), inner);
  };
  const sortable = (each: unknown): unknown =>
    typeof each === 'string' && /^-?\d{10,}$/.test(each) ? Number(each) : each;
  let lastDown = false;
  for (const term of terms) lastDown = value(null, term).down;
  return rows.toSorted((a, b) => {
    for (const term of terms) {
      const [left, right] = [value(a, term), value(b, term)];
      const difference = compare(left.value, right.value);
      if (difference !== 0) return left.down ? -difference : difference;
    }
    return (lastDown ? -1 : 1) * compare(a.values[key], b.values[key]);
  });
}

function filter(world: World, rows: readonly Row[], where: unknown): readonly Row[] {
  return where === undefined || where === null ? rows : rows.filter((row) => holds(world, row, where as Args));
}

function holds(world: World, row: Row, where: Args): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (condition === null) return true;
    if (name === 'and') return (condition as Args[]).every((each) => holds(world, row, each));
    if (name === 'or') return (condition as Args[]).some((each) => holds(world, row, each));
    if (name === 'not') return !holds(world, row, condition as Args);
    if (Object.hasOwn(KEYS, name)) return row.type === name && holds(world, row, condition as Args);
    const value = resolveField(world, row, name, {});
    if (
      Array.isArray(value) &&
      value.every(isRow) &&
      ['fans', 'seen', 'team', 'animals', 'favourites'].includes(name)
    ) {
      return Object.entries(condition as Args).every(([quantifier, inner]) => {
        if (inner === null) return true;
        const matching = value.filter((each) => holds(world, each, inner as Args)).length;
        if (quantifier === 'any') return matching > 0;
        return quantifier === 'none' ? matching === 0 : matching === value.length;
      });
    }
    if (isRow(value) || ['keeper', 'mother', 'boss', 'badge', 'owner', 'lives'].includes(name)) {
      return isRow(value) && holds(world, value, condition as Args);
    }
    if (name === 'tags')
      return Object.entries(condition as Args).every(([operator, operand]) =>
        testList(value as readonly unknown[] | null, operator, operand),
      );
    if (name === 'extra') return testJson(value, condition as Args);
    if (name === 'address') return holdsAddress(value as Args | null, condition as Args);
    return Object.entries(condition as Args).every(([operator, operand]) =>
      test(name === 'id' ? String(value) : value, operator, operand, name === 'id' || name === 'serial'),
    );
  });
}

function holdsAddress(address: Args | null, where: Args): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (condition === null) return true;
    if (name === 'isNull') return (address === null) === condition;
    if (name === 'and') return (condition as Args[]).every((each) => holdsAddress(address, each));
    if (name === 'or') return (condition as Args[]).some((each) => holdsAddress(address, each));
    if (name === 'not') return !holdsAddress(address, condition as Args);
    const value = address?.[name] ?? null;
    return Object.entries(condition as Args).every(([operator, operand]) => test(value, operator, operand, false));
  });
}

function test(value: unknown, operator: string, operand: unknown, isWhole: boolean): boolean {
  if (operator === 'relative') return true;
  const plain = (each: unknown): unknown => {
    if (each instanceof Date) return each.toISOString();
    return isWhole && each !== null ? text(each) : each;
  };
  const given = Array.isArray(operand) ? null : plain(operand);
  const among = Array.isArray(operand) ? operand.map(plain) : [];
  if (operator === 'isNull') return operand === null ? true : (value === null) === operand;
  if (operator === 'eq') return value === given;
  if (operator === 'ne') return value !== given;
  if (operand === null) return true;
  if (operator === 'in') return value !== null && among.includes(value);
  if (operator === 'notIn') return value === null || !among.includes(value);
  if (value === null) return false;
  if (operator.endsWith('Insensitive')) return testCaseless(text(value), operator, text(given));
  if (operator === 'contains') return text(value).includes(text(given));
  if (operator === 'startsWith') return text(value).startsWith(text(given));
  if (operator === 'endsWith') return text(value).endsWith(text(given));
  // An id that no number is equals nothing and has no order.
  if (isWhole && !/^(?:0|-?[1-9]\d{0,18})$/.test(given as string)) return false;
  const difference = isWhole ? Number(BigInt(value as string) - BigInt(given as string)) : compare(value, given);
  return { lt: difference < 0, lte: difference <= 0, gt: difference > 0, gte: difference >= 0 }[operator] ?? false;
}

/** A key or text as text. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}
