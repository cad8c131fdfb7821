// A schema with every kind of field, its resolvers, and random rows for the differential tests.
import { GraphQLError } from 'graphql';
import type { Resolvers } from '../../src/index.ts';
import type { Random } from './random.ts';

export const ZOO_SDL = /* GraphQL */ `
  scalar DateTime
  scalar BigInt
  scalar JSON
  enum Colour {
    RED
    GREEN
    BLUE
  }
  enum Direction {
    ASCENDING
    DESCENDING
  }
  enum AnimalSort {
    name
    born
    weight
    colour
    legs
    tame
  }
  interface Named {
    name: String
  }
  type Address {
    street: String
    city: String!
  }
  type Keeper implements Named @entity {
    login: ID! @id
    name: String
    salary: Int
    address: Address
    boss: Keeper @relation(inverse: "team")
    team: [Keeper!]!
    animals(first: Int, start: Int, where: AnimalFilter, orderBy: [AnimalOrder!]): [Animal!]!
      @relation(inverse: "keeper")
    badge: Badge
    favourites: [Animal!]! @relation(inverse: "fans")
    greeting(loud: Boolean = false): String
  }
  type Badge @entity {
    id: ID!
    code: String! @unique
    owner: Keeper!
  }
  type Animal implements Named @entity {
    id: ID!
    name: String
    born: DateTime
    weight: Float
    tame: Boolean!
    colour: Colour
    legs: Int!
    tags: [String!]
    serial: BigInt
    extra: JSON
    keeper: Keeper
    fans: [Keeper!]!
    mother: Animal
    lives: Place
    seen: [Place!]!
    secret: String!
    friend: Animal
  }
  type Cage @entity {
    id: ID!
    number: Int!
  }
  type Meadow @entity {
    code: ID! @id
    acres: Float
  }
  union Place = Cage | Meadow
  type Query {
    keeper(login: ID!): Keeper
    animal(id: ID!): Animal
    animalBy(colour: Colour, tame: Boolean): Animal
    animals(first: Int = 5, start: Int = 0, sort: Direction = ASCENDING, sortBy: AnimalSort): [Animal!]!
    filtered(where: AnimalFilter, orderBy: [AnimalOrder!], first: Int): [Animal!]!
    keepers(first: Int, start: Int): [Keeper]
    byColours(colours: [Colour!]): [Animal!]
    places(first: Int, start: Int): [Place!]!
    named(first: Int, start: Int): [Named]!
    animalCount(colour: Colour): Int!
    me: Keeper
    strangers: [Named!]
  }
`;

/** A row as JavaScript holds it: relations by key, lists of relations as lists of keys. */
export type ZooRow = Readonly<Record<string, unknown>>;

export interface Place {
  readonly type: 'Cage' | 'Meadow';
  readonly key: string;
}

export interface Zoo {
  readonly Keeper: readonly ZooRow[];
  readonly Badge: readonly ZooRow[];
  readonly Animal: readonly ZooRow[];
  readonly Cage: readonly ZooRow[];
  readonly Meadow: readonly ZooRow[];
}

const NAMES = ['Ann', 'ann', 'Zoë', 'Émile', 'b"q\\', "o'neil", '', '日本', '𝒜b', 'Ａ', 'line\nbreak', '%_', null];
const FLOATS = [0, 1, -1, 0.1, 0.30000000000000004, 1e21, 1e-7, 123456.789, -0.5, null];

/** Makes rows for every type. */
export function makeZoo(random: Random): Zoo {
  const cages = Array.from({ length: 3 }, (_, index) => ({ id: index + 1, number: random.below(9) }));
  const meadows = ['east', 'West', 'ñ'].map((code) => ({ code, acres: random.pick(FLOATS) }));
  const places: readonly Place[] = [
    ...cages.map(({ id }) => ({ type: 'Cage' as const, key: String(id) })),
    ...meadows.map(({ code }) => ({ type: 'Meadow' as const, key: code })),
  ];
  const logins = ['k1', 'k10', 'k2', 'K3', 'é'];
  const ids = [1, 2, 3, 9, 10, 11, 20];
  const keepers = logins.map((login, index) => ({
    login,
    name: random.pick(NAMES),
    salary: random.pick([0, 5, -3, 2_147_483_647, null]),
    address: random.pick([null, { street: 'Main', city: 'Oslo' }, { street: null, city: 'Rome' }]),
    boss: index === 0 ? null : random.pick([null, logins[0], logins[index - 1]]),
  }));
  const badges = random.some(logins, 0.6).map((owner, index) => ({ id: index + 1, code: `c${index}`, owner }));
  const animals = ids.map((id, index) => ({
    id,
    name: random.pick(NAMES),
    born: random.pick(['2020-01-02T03:04:05.006Z', '1999-12-31T23:59:59.999Z', null]),
    weight: random.pick(FLOATS),
    tame: random.chance(0.5),
    colour: random.pick(['RED', 'GREEN', 'BLUE', null]),
    legs: random.below(5),
    tags: random.pick([null, [], ['a', 'ü"'], ['x']]),
    serial: random.pick(['1', '-9007199254740993', '9223372036854775807', null]),
    extra: random.pick([null, { a: [1, 'two', null] }, [], 'text', 5]),
    keeper: random.pick([null, ...logins]),
    mother: index === 0 ? null : random.pick([null, ids[index - 1]]),
    lives: random.pick([null, ...places]),
    fans: random.some(logins, 0.3),
    seen: random.some(places, 0.3),
  }));
  return { Keeper: keepers, Badge: badges, Animal: animals, Cage: cages, Meadow: meadows };
}

/** The resolvers of both sides. They look at the columns they need and nothing else. */
export const ZOO_RESOLVERS: Resolvers = {
  Keeper: {
    greeting: {
      needs: ['name'],
      resolve: (parent: { readonly name: string | null }, args: { readonly loud: boolean | null }) =>
        parent.name === null ? null : `hello ${args.loud === true ? parent.name.toUpperCase() : parent.name}`,
    },
  },
  Animal: {
    secret: {
      needs: ['legs', 'name'],
      resolve(parent: { readonly legs: number; readonly name: string | null }) {
        if (parent.legs === 3) throw new GraphQLError('three legs');
        return parent.legs === 2 ? null : `${parent.legs} ${parent.name ?? '-'}`;
      },
    },
    friend: {
      needs: ['legs'],
      resolve: (parent: { readonly legs: number }) => (parent.legs === 4 ? null : { id: String(parent.legs + 1) }),
    },
  },
  Query: {
    me: () => Promise.resolve({ login: 'k2' }),
    strangers: () => [
      { __typename: 'Animal', id: '9' },
      { __typename: 'Keeper', login: 'K3' },
    ],
  },
};
