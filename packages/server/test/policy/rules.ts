// Random read rules over one schema, and callers for them: what the two doors must decide alike.
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import fc from 'fast-check';

import type { Link } from './world.ts';

/** Rules of one part. */
export const ATOMS: readonly string[] = [
  'owner == authentication.name',
  'owner != authentication.name',
  'authentication.name == owner',
  'owner == principal.friend',
  'owner != principal.friend',
  'owner in principal.friends',
  'not (owner in principal.friends)',
  "owner in {'ann', authentication.name}",
  "owner in {'ann', 'bob'}",
  "{'ann', 'cid'}.contains(owner)",
  'owner in principal.prefix',
  'owner < authentication.name',
  'owner >= principal.friend',
  'owner.startsWith(principal.prefix)',
  'owner.endsWith(principal.prefix)',
  'not owner.contains(principal.prefix)',
  "owner.startsWith('a')",
  'owner == null',
  'owner == title',
  'level == principal.level',
  'level != principal.level',
  'level < principal.level',
  'not (level < principal.level)',
  'principal.level <= level',
  'level + 1 > 2',
  'level in principal.levels',
  'score > principal.level',
  'score == principal.level',
  'price == principal.level',
  'not (price in principal.levels)',
  'price < principal.level',
  'not (price > principal.level)',
  'not (price >= 1.5)',
  "price == '1.50'",
  'members.any(m, m.fee == principal.level)',
  'open',
  'not open',
  'open == principal.flag',
  'open != principal.flag',
  'authentication.name in tags',
  'not (authentication.name in tags)',
  'tags.contains(principal.friend)',
  "'x' in tags",
  'tags == null',
  'id == principal.doc',
  'id != principal.doc',
  'not (id in principal.friends)',
  'not (team.id in principal.levels)',
  'team.id in principal.levels',
  'team == null',
  'team.name == principal.friend',
  'team.name != principal.friend',
  'team.lead.login == authentication.name',
  'team.lead.active',
  'members.any(m, m.login == authentication.name)',
  'members.none(m, m.login == authentication.name)',
  'not members.any(m, m.login == authentication.name)',
  'members.all(m, m.login != authentication.name)',
  'members.all(m, m.age != principal.level)',
  'members.any(m, m.login == authentication.name and m.active)',
  'members.any(m, not (m.login != authentication.name) and m.age > 1)',
  'members.any(m, m.login == authentication.name and m.age == principal.level)',
  'members.any(m, m.login in principal.friends or m.age > 2)',
  "members.any(m, m.active and hasRole('ADMIN'))",
  'members.any(m, m.active)',
  'members.size() > 1',
  'members.isEmpty()',
  'team.people.any(p, p.login == authentication.name)',
  'not team.people.any(p, p.login == authentication.name)',
  'team.people.none(p, p.login == authentication.name)',
  'team.people.all(p, p.login != authentication.name)',
  'team.people.size() > 1',
  "hasRole('ADMIN')",
  'isAuthenticated()',
  'principal.flag',
  'denyAll',
  'permitAll',
];

/** How deep rules go, and what of. */
export const rule: fc.Arbitrary<string> = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 3, arbitrary: fc.constantFrom(...ATOMS) },
    { weight: 2, arbitrary: fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a} and ${b})`) },
    { weight: 2, arbitrary: fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a} or ${b})`) },
    { weight: 1, arbitrary: tie('rule').map((a) => `!(${a})`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('rule'), tie('rule'), tie('rule')).map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    },
  ),
})).rule;

const NAMES = ['ann', 'bob', 'cid', 'x'] as const;
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 4 });

/** Somebody who asks. */
export const caller: fc.Arbitrary<Principal> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(ANONYMOUS) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.subarray(['ROLE_ADMIN', 'read']),
        fc.record(
          {
            friend: maybe(fc.constantFrom(...NAMES, 't1')),
            friends: maybe(
              fc.oneof(
                {
                  weight: 6,
                  arbitrary: fc.array(maybe(fc.constantFrom<string | number>(...NAMES, 7)), { maxLength: 3 }),
                },
                // No list at all.
                { weight: 1, arbitrary: fc.constantFrom<unknown>('ann', 7, { ann: 1 }) },
              ),
            ),
            prefix: maybe(fc.constantFrom('a', 'an', '', 'b*', '?', 'd')),
            level: maybe(fc.constantFrom<number | string>(0, 1, 2, 1.5, 'two')),
            levels: maybe(fc.array(fc.constantFrom<number | string | null>(0, 1, '1', null), { maxLength: 3 })),
            flag: maybe(fc.boolean()),
            doc: maybe(fc.constantFrom<string | number>('1', '01', '2', 3)),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([name, authorities, attributes]) => createPrincipal(name, authorities, attributes)),
  },
);

/** Rows of people, teams and documents. */
export interface Rows {
  readonly people: readonly Record<string, unknown>[];
  readonly teams: readonly Record<string, unknown>[];
  readonly docs: readonly Record<string, unknown>[];
  readonly leads: readonly Link[];
}

export const rows: fc.Arbitrary<Rows> = fc
  .record({
    people: fc.array(
      fc.record({
        name: maybe(fc.constantFrom('ann', 'bob', 't1')),
        age: maybe(fc.constantFrom(0, 1, 2, 3)),
        fee: maybe(fc.constantFrom('0.0', '1.5', '2')),
        active: maybe(fc.boolean()),
        team: maybe(fc.constantFrom('1', '2')),
      }),
      { minLength: 3, maxLength: 3 },
    ),
    teams: fc.array(
      fc.record({
        name: maybe(fc.constantFrom('ann', 'bob', 't1')),
        lead: maybe(fc.constantFrom('ann', 'bob', 'cid')),
      }),
      { minLength: 2, maxLength: 2 },
    ),
    docs: fc.array(
      fc.record({
        title: maybe(fc.constantFrom('ann', 'red fox', 'fox')),
        owner: maybe(fc.constantFrom(...NAMES, 'b*c', 'annex')),
        level: maybe(fc.constantFrom(0, 1, 2)),
        score: maybe(fc.constantFrom(0, 1.5, 2, -1)),
        price: maybe(fc.constantFrom('0', '1.5', 2, '-1', '1.4999999999999999999', '10')),
        open: maybe(fc.boolean()),
        tags: maybe(fc.array(maybe(fc.constantFrom(...NAMES)), { maxLength: 3 })),
        team: maybe(fc.constantFrom('1', '2')),
        members: fc.subarray(['ann', 'bob', 'cid']),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ docs, people, teams }) => ({
    people: people.map((person, at) => ({ login: ['ann', 'bob', 'cid'][at], ...person })),
    teams: teams.map(({ name }, at) => ({ id: String(at + 1), name })),
    leads: teams.flatMap(({ lead }, at): Link[] =>
      lead === null ? [] : [{ type: 'Team', key: String(at + 1), field: 'lead', target: lead }],
    ),
    docs: docs.map((doc, at) => ({ id: String(at + 1), ...doc })),
  }));

/** The schema with a rule on its documents. */
export function schemaWith(read: string): string {
  return `
  scalar Decimal
  type Doc @entity @auth(read: ${JSON.stringify(read)}) {
    id: ID! @default(value: "identity")
    title: String @search
    owner: String
    level: Int @search
    score: Float
    price: Decimal
    open: Boolean
    tags: [String]
    team: Team @relation(onDeleteRules: OVERRIDE)
    members: [Person!]! @relation(inverse: "docs", onDeleteRules: OVERRIDE)
  }
  type Team @entity { id: ID! @default(value: "identity")  name: String  lead: Person @relation(inverse: "leads")  people: [Person!]! @relation(inverse: "team")  docs: [Doc!]! }
  type Person @entity { login: ID! @id  name: String  age: Int  fee: Decimal  active: Boolean  team: Team @relation(inverse: "people")  leads: [Team!]! @relation(inverse: "lead")  docs: [Doc!]! @relation(inverse: "members") }
  type Query { docs(first: Int = 100): [Doc!]!  doc(id: ID!): Doc  person(login: ID!): Person }
  input UpdateDocInput { owner: String  level: Int  open: Boolean  tags: [String]  team: ID  members: [ID!] }
  input UpdateTeamInput { name: String  lead: ID }
  input UpdatePersonInput { name: String  age: Int  active: Boolean  team: ID }
  type Mutation {
    updateDoc(id: ID!, input: UpdateDocInput!): Doc
    updateTeam(id: ID!, input: UpdateTeamInput!): Team
    updatePerson(login: ID!, input: UpdatePersonInput!): Person
    deletePerson(login: ID!): Person
    deleteTeam(id: ID!): Team
    deleteDoc(id: ID!): Doc
  }
  `;
}

const id = fc.constantFrom('1', '2');
const login = fc.constantFrom('ann', 'bob', 'cid');
const given = (input: Readonly<Record<string, unknown>>): string =>
  `{ ${Object.entries(input)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')} }`;

/** A mutation that may change what a rule says of a document. */
export const mutation: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('1', '2', '3'),
      fc.record(
        {
          owner: fc.constantFrom('ann', 'bob', null),
          level: fc.constantFrom(0, 2),
          team: maybe(id),
          members: fc.subarray(['ann', 'bob', 'cid']),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([doc, input]) => `updateDoc(id: "${doc}", input: ${given(input)}) { id }`),
  fc
    .tuple(id, fc.record({ name: fc.constantFrom('ann', 'bob', null), lead: maybe(login) }, { requiredKeys: [] }))
    .map(([team, input]) => `updateTeam(id: "${team}", input: ${given(input)}) { id }`),
  fc
    .tuple(
      login,
      fc.record({ active: maybe(fc.boolean()), age: fc.constantFrom(0, 3), team: maybe(id) }, { requiredKeys: [] }),
    )
    .map(([person, input]) => `updatePerson(login: "${person}", input: ${given(input)}) { login }`),
  login.map((person) => `deletePerson(login: "${person}") { login }`),
  id.map((team) => `deleteTeam(id: "${team}") { id }`),
  fc.constantFrom('1', '2', '3').map((doc) => `deleteDoc(id: "${doc}") { id }`),
);
