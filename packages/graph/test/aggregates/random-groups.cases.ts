// Random groups and aggregates against the same computed in JavaScript over the rows and values that the caller may
// read: keys of every kind, parts of times in time zones, conditions, orders and pages.
import { deepEqual, ok } from 'node:assert/strict';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { Random } from '../differential/random.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar Date scalar Decimal scalar BigInt
  enum Kind { SALE GIFT LOAN }
  type Item @entity @auth(read: "amount == null or amount != 3 or hasRole('ADMIN')") {
    id: ID!
    kind: Kind
    title: String
    amount: Int
    big: BigInt
    price: Decimal
    weight: Float @auth(read: "flag or hasRole('ADMIN')")
    flag: Boolean!
    at: DateTime
    day: Date
    owner: Owner @auth(read: "flag or hasRole('ADMIN')")
    home: Place!
  }
  type Owner @entity @auth(read: "rank != 2 or hasRole('ADMIN')") {
    name: ID! @id
    city: String @auth(read: "rank > 0 or hasRole('ADMIN')")
    rank: Int!
    place: Place!
    items: [Item!]!
  }
  type Place @entity { code: ID! @id label: String items: [Item!]! owners: [Owner!]! }
  type Query {
    groups(groupBy: ItemGroupBy!, where: ItemFilter, having: ItemHaving, orderBy: [ItemGroupOrder!], first: Int, start: Int, timeZone: String): [ItemGroup!]!
  }
  input ItemInput { id: ID kind: Kind title: String amount: Int big: BigInt price: Decimal weight: Float flag: Boolean! at: DateTime day: Date owner: ID home: ID! }
  type Mutation {
    createItems(input: [ItemInput!]!): [Item!]!
    createOwner(name: ID!, city: String, rank: Int!, place: ID!): Owner!
    createPlace(code: ID!, label: String): Place!
  }`;

interface Item {
  readonly kind: string | null;
  readonly title: string | null;
  readonly amount: number | null;
  readonly big: string | null;
  readonly price: string | null;
  readonly weight: number | null;
  readonly flag: boolean;
  readonly at: string | null;
  readonly day: string | null;
  readonly owner: string | null;
  readonly home: string;
}

const OWNERS = [
  { name: 'ann', city: 'Oslo', rank: 1, place: 'a' },
  { name: 'bob', city: 'Rome', rank: 2, place: 'b' },
  { name: 'cid', city: 'Oslo', rank: 0, place: 'b' },
  { name: 'dora', city: null, rank: 3, place: 'a' },
];
const PLACES = [
  { code: 'a', label: 'Åland' },
  { code: 'b', label: null },
];
const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);

function randomItems(random: Random): readonly Item[] {
  const maybe = <T>(values: readonly T[]): T | null => (random.chance(0.2) ? null : random.pick(values));
  return Array.from({ length: 90 }, () => ({
    kind: maybe(['SALE', 'GIFT', 'LOAN']),
    title: maybe(['b', 'B', 'é', 'a', '']),
    amount: maybe([-1, 0, 1, 2, 3, 2147483647]),
    big: maybe(['9223372036854775807', '-9223372036854775808', '5', '9007199254740993']),
    price: maybe(['0.125', '-3.5', '100', '12345678901234567890.001']),
    weight: maybe([0.1, 0.2, -2.5, 1e15]),
    flag: random.chance(0.6),
    at: maybe([
      '2025-12-28T23:30:00.000Z',
      '2026-01-01T04:59:59.999Z',
      '2026-03-29T01:00:00.000Z',
      '2026-07-09T17:05:06.789Z',
      '1900-01-01T00:00:00.000Z',
    ]),
    day: maybe(['2024-12-30', '2026-01-01', '2026-07-09']),
    owner: maybe(OWNERS.map(({ name }) => name)),
    home: random.pick(PLACES).code,
  }));
}

/** An item as the caller sees it; null for what they may not read. */
type Seen = Readonly<Record<string, unknown>>;

function seenBy(items: readonly Item[], isAdmin: boolean): readonly Seen[] {
  return items
    .filter(({ amount }) => isAdmin || amount !== 3)
    .map((item) => {
      const isOpen = isAdmin || item.flag;
      const owner = OWNERS.find(({ name, rank }) => isOpen && name === item.owner && (isAdmin || rank !== 2));
      const place = (code: string | undefined): Seen | undefined => PLACES.find((each) => each.code === code);
      return {
        ...item,
        weight: isOpen ? item.weight : null,
        owner: owner && { ...owner, city: isAdmin || owner.rank > 0 ? owner.city : null, place: place(owner.place) },
        home: place(item.home),
      };
    });
}

function valueAt(item: Seen, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of path) value = (value as Seen | null | undefined)?.[name];
  return value ?? null;
}

/** A part of a time, from JavaScript's own formats. */
function partOf(value: string, part: string, zone: string): string {
  const local = value.length > 10 ? new Date(value).toLocaleString('sv-SE', { timeZone: zone }) : `${value} 00:00:00`;
  const [date = '', clock = ''] = local.split(' ');
  const [year = '', month = '', day = ''] = date.split('-');
  const noon = new Date(`${date}T12:00:00Z`);
  const weekday = noon.getUTCDay() || 7;
  const thursday = new Date(noon.getTime() + (4 - weekday) * 86_400_000);
  const week = Math.ceil(((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000 + 0.5) / 7);
  const parts: Readonly<Record<string, string>> = {
    YEAR: year,
    QUARTER: `${year}-Q${Math.ceil(Number(month) / 3)}`,
    MONTH: `${year}-${month}`,
    WEEK: `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`,
    DAY: date,
    HOUR: `${date}T${clock.slice(0, 2)}`,
    MINUTE: `${date}T${clock.slice(0, 5)}`,
    MONTH_OF_YEAR: month,
    DAY_OF_MONTH: day,
    DAY_OF_WEEK: String(weekday),
    HOUR_OF_DAY: clock.slice(0, 2),
    EXACT: value,
  };
  return parts[part]!;
}

/** Sums over a common scale; averages of decimals have 20 digits. */
function scaled(text: string, digits: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(digits, '0')}`);
}

function unscaled(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const text = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}

const round = (top: bigint, bottom: bigint): bigint => (2n * top + (top < 0n ? -bottom : bottom)) / (2n * bottom);

function sumOf(field: string, values: readonly unknown[]): unknown {
  if (values.length === 0) return null;
  const total = (digits: number, print: (value: never) => string): bigint =>
    values.reduce((sum: bigint, value) => sum + scaled(print(value as never), digits), 0n);
  if (field === 'amount') return Number(total(0, String));
  if (field === 'big') return String(total(0, String));
  if (field === 'price') return unscaled(total(3, String), 3) || '0';
  return Number(
    unscaled(
      total(1, (value: number) => value.toFixed(1)),
      1,
    ),
  );
}

function aggregateOf(of: string, field: string, items: readonly Seen[]): unknown {
  const values = items.map((item) => valueAt(item, [field])).filter((value) => value !== null);
  if (of === 'countDistinct') return new Set(values).size;
  if (of === 'sum') return sumOf(field, values);
  if (values.length === 0) return null;
  if (of === 'avg') {
    const sum = sumOf(field, values);
    if (field !== 'price') return Number(sum) / values.length;
    return unscaled(round(scaled(String(sum), 20), BigInt(values.length)), 20);
  }
  const sorted = values.toSorted(compare);
  const found = of === 'min' ? sorted[0] : sorted.at(-1);
  return field === 'big' && Number.isSafeInteger(Number(found)) ? Number(found) : found;
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === 'string' && typeof b === 'string' && !/^-?\d+(\.\d+)?$/.test(a))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'string' || typeof b === 'string') {
    const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
    const difference = scaled(text(a), 30) - scaled(text(b), 30);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return Number(a) - Number(b);
}

/** Keys in the order of the types. */
const KEYS: readonly (readonly string[])[] = [
  ['kind'],
  ['title'],
  ['amount'],
  ['price'],
  ['weight'],
  ['flag'],
  ['at'],
  ['day'],
  ['owner', 'name'],
  ['owner', 'city'],
  ['owner', 'place', 'label'],
  ['home', 'code'],
  ['home', 'label'],
];
const PARTS = ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY', 'MONTH_OF_YEAR', 'DAY_OF_MONTH', 'DAY_OF_WEEK'];
const CLOCK_PARTS = [...PARTS, 'HOUR', 'MINUTE', 'HOUR_OF_DAY', 'EXACT'];
const AGGREGATES: readonly (readonly [string, readonly string[]])[] = [
  ['countDistinct', ['kind', 'title', 'amount', 'price', 'weight', 'at']],
  ['sum', ['amount', 'big', 'price', 'weight']],
  ['avg', ['amount', 'big', 'price', 'weight']],
  ['min', ['title', 'kind', 'amount', 'big', 'price', 'weight', 'at', 'day']],
  ['max', ['title', 'kind', 'amount', 'big', 'price', 'weight', 'at', 'day']],
];

interface Key {
  readonly path: readonly string[];
  readonly part: string | undefined;
}

interface Asked {
  readonly keys: readonly Key[];
  readonly zone: string;
  readonly aggregates: readonly (readonly [string, string])[];
  readonly having: readonly [of: string, field: string, operator: 'gt' | 'lte', value: number] | undefined;
  readonly order: { readonly by: Key | readonly [string, string]; readonly down: boolean } | undefined;
  readonly first: number | undefined;
  readonly start: number;
}

function randomGroups(random: Random): Asked {
  const keys = KEYS.filter(() => random.chance(0.18)).map((path) => {
    const [name = ''] = path;
    return { path, part: name === 'at' ? random.pick(CLOCK_PARTS) : name === 'day' ? random.pick(PARTS) : undefined };
  });
  const one = (): readonly [string, string] => {
    const [of, fields] = random.pick(AGGREGATES);
    return [of, random.pick(fields)];
  };
  const order = random.chance(0.3) && keys.length > 0 ? random.pick(keys) : one();
  return {
    keys,
    zone: random.pick(['UTC', 'UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']),
    aggregates: Array.from({ length: random.below(4) }, one),
    having: random.chance(0.4)
      ? [random.pick(['count', 'sum', 'avg']), 'amount', random.pick(['gt', 'lte']), random.below(5)]
      : undefined,
    order: random.chance(0.5) ? { by: order, down: random.chance(0.5) } : undefined,
    first: random.chance(0.3) ? random.below(4) : undefined,
    start: random.chance(0.2) ? random.below(3) : 0,
  };
}

function expected(
  items: readonly Seen[],
  { keys, zone, aggregates, having, order, first, start }: Asked,
): readonly unknown[] {
  const keyOf = (item: Seen): readonly unknown[] =>
    keys.map(({ path, part }) => {
      const value = valueAt(item, path);
      return part === undefined || value === null ? value : partOf(value as string, part, zone);
    });
  const groups = new Map<string, Seen[]>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  if (keys.length === 0) groups.set('[]', [...items]);
  const measured = (own: readonly Seen[], [of, field]: readonly string[]): unknown =>
    of === 'count' ? own.length : aggregateOf(of!, field!, own);
  const isKept = (own: readonly Seen[]): boolean => {
    if (having === undefined) return true;
    const value = measured(own, having as unknown as readonly string[]);
    return value !== null && (having[2] === 'gt' ? Number(value) > having[3] : Number(value) <= having[3]);
  };
  const sortValue = (keyed: readonly unknown[], own: readonly Seen[]): unknown => {
    if (order === undefined) return null;
    return 'path' in order.by ? keyed[keys.indexOf(order.by)] : measured(own, order.by);
  };
  const sorted = [...groups]
    .map(([key, own]) => [JSON.parse(key) as readonly unknown[], own] as const)
    .filter(([, own]) => isKept(own))
    .toSorted(([a, ownA], [b, ownB]) => {
      const difference = compare(sortValue(a, ownA), sortValue(b, ownB));
      if (difference !== 0) return order?.down === true ? -difference : difference;
      return a.map((value, index) => compare(value, b[index])).find((each) => each !== 0) ?? 0;
    });
  return sorted.slice(start, first === undefined ? undefined : start + first).map(([key, own]) => ({
    keys: key,
    count: own.length,
    values: aggregates.map((each) => measured(own, each)),
  }));
}

function nest(path: readonly string[], inner: string): string {
  return path
    .toReversed()
    .reduce((text, name, index) => (index === 0 ? `${name}${text}` : `${name}: { ${text} }`), inner);
}

function print({ keys, zone, aggregates, having, order, first, start }: Asked): string {
  const merged = new Map<string, string[]>();
  const add = (path: readonly string[], value: string): void => {
    const [name = '', ...rest] = path;
    if (rest.length === 0) merged.set(name, [value]);
    else merged.set(name, [...(merged.get(name) ?? []), nest(rest, value)]);
  };
  for (const { path, part } of keys) add(path, part === undefined ? ': true' : `: ${part}`);
  const by = [...merged].map(([name, parts]) =>
    parts[0]!.startsWith(':') ? `${name}${parts[0]}` : `${name}: { ${parts.join(' ')} }`,
  );
  const selected = keys.map(({ path }, index) =>
    path
      .toReversed()
      .reduce(
        (text, name) => (text === '' ? `k${index}: ${name}` : `o${index}${path.indexOf(name)}: ${name} { ${text} }`),
        '',
      ),
  );
  const args = [`groupBy: { ${by.join(' ')} }`, `timeZone: "${zone}"`];
  if (having !== undefined) {
    const [of, field, operator, value] = having;
    const filter = `{ ${operator}: ${value} }`;
    args.push(`having: { ${of}: ${of === 'count' ? filter : `{ ${field}: ${filter} }`} }`);
  }
  if (order !== undefined) {
    const direction = order.down ? ': DESC' : ': ASC';
    args.push(
      `orderBy: [${'path' in order.by ? `{ keys: { ${nest(order.by.path, direction)} } }` : `{ ${order.by[0]}: { ${order.by[1]}${direction} } }`}]`,
    );
  }
  if (first !== undefined) args.push(`first: ${first}`);
  if (start > 0) args.push(`start: ${start}`);
  const values = aggregates.map(([of, field], index) => `a${index}: ${of} { v: ${field} }`);
  return `{ groups(${args.join(', ')}) { keys { __typename ${selected.join(' ')} } count ${values.join(' ')} } }`;
}

/** The innermost value of `{ o0: { k0: … } }`. */
function innermost(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? innermost(Object.values(value)[0]) : value;
}

interface Answer {
  readonly data?: { readonly groups: readonly Readonly<Record<string, unknown>>[] };
  readonly errors?: unknown;
}

async function ask(graph: Graph, query: string, principal: Principal, variables = {}): Promise<Answer> {
  return JSON.parse((await graph.execute({ query, variables }, { principal })).body) as Answer;
}

async function open(store: Store, items: readonly Item[]): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  for (const place of PLACES)
    await ask(
      graph,
      'mutation ($code: ID!, $label: String) { createPlace(code: $code, label: $label) { code } }',
      ADMIN,
      place,
    );
  for (const owner of OWNERS)
    await ask(
      graph,
      'mutation ($name: ID!, $city: String, $rank: Int!, $place: ID!) { createOwner(name: $name, city: $city, rank: $rank, place: $place) { name } }',
      ADMIN,
      owner,
    );
  const written = await ask(graph, 'mutation ($input: [ItemInput!]!) { createItems(input: $input) { id } }', ADMIN, {
    input: items,
  });
  deepEqual(written.errors, undefined);
  return graph;
}

testOnStores(
  '19.2 random groups and aggregates equal those over the rows and values that the caller may read',
  async (store) => {
    const first = Number(process.env['SEED'] ?? 1);
    const items = randomItems(new Random(first));
    const graph = await open(store, items);
    const seen = { admin: seenBy(items, true), user: seenBy(items, false) };
    let groups = 0;
    for (let seed = first; seed < first + Number(process.env['COUNT'] ?? 60); seed++) {
      const asked = randomGroups(new Random(seed * 7919));
      const query = print(asked);
      const isAdmin = seed % 2 === 0;
      const { data, errors } = await ask(graph, query, isAdmin ? ADMIN : createPrincipal('ann'));
      deepEqual(errors, undefined, query);
      const ours = data!.groups.map(({ keys, count, ...values }) => {
        const { __typename: _, ...own } = keys as Readonly<Record<string, unknown>>;
        return {
          keys: Object.values(own).map(innermost),
          count,
          values: Object.values(values).map((each) => (each as { readonly v: unknown }).v),
        };
      });
      const theirs = expected(isAdmin ? seen.admin : seen.user, asked);
      deepEqual(
        ours.map((each) => JSON.stringify(each)),
        theirs.map((each) => JSON.stringify(each)),
        `seed ${seed}: ${query}`,
      );
      groups += ours.length;
    }
    ok(groups > 200, `only ${groups} groups`);
  },
);
