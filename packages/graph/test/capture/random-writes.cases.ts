// Random statements of others and mutations in any order, with the sequencer between them: what the feed says last of
// each object is what the database holds. And a sequencer that is killed: nothing is lost or repeated.
import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Feed } from '../../src/feed/feed.ts';
import type { Store } from '../../src/store/store.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { contents, replay } from '../replay.ts';
import { testWithOthers } from './others.ts';

const SCHEMA = `
  type User @entity @captureChanges { name: ID! @id note: String photos: [Photo!]! liked: [Photo!]! @relation(inverse: "fans") }
  type Photo @entity @captureChanges {
    id: ID! @id @default(value: "identity") name: String @unique by: User @relation(inverse: "photos", onDelete: CASCADE)
    fans: [User!]! @relation(inverse: "liked")
  }
  input PhotoInput { name: String by: ID fans: [ID!] }
  type Query { photos: [Photo!]! }
  type Mutation {
    createUser(name: ID!): User!
    updateUser(name: ID!, note: String): User
    deleteUser(name: ID!): ID
    createPhoto(input: PhotoInput!): Photo!
    updatePhoto(id: ID!, input: PhotoInput!): Photo
    deletePhoto(id: ID!): ID
  }`;
const model = readSchema([{ file: 'test.graphql', text: SCHEMA }]);

/** What the feed says last, where later changes count. */
async function lastOf(feed: Feed): Promise<Readonly<Record<string, unknown>>> {
  const objects = new Map<string, { values: unknown; links: Map<string, Set<string>> }>();
  for (const change of await feed.read(0, 100_000)) {
    const name = `${change.type} ${change.key}`;
    const { links } = objects.get(name) ?? { links: new Map<string, Set<string>>() };
    for (const [field, { added, removed }] of Object.entries(change.links ?? {})) {
      const keys = new Set(links.get(field)).difference(new Set(removed)).union(new Set(added));
      links.set(field, keys);
      if (keys.size === 0) links.delete(field);
    }
    if (change.operation === 'deleted') objects.delete(name);
    else objects.set(name, { values: change.after, links });
  }
  const shown = [...objects]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { values, links }]) => {
      const sorted = [...links].map(([field, keys]) => [field, [...keys].toSorted()]);
      return [name, { values, links: Object.fromEntries(sorted) as unknown }];
    });
  return Object.fromEntries(shown) as Record<string, unknown>;
}

function statement(store: Store, random: (below: number) => number): string {
  const user = `'u${random(6)}'`;
  const photo = String(1 + random(12));
  const name = `'p${random(8)}'`;
  const isLite = store.dialect === 'sqlite';
  const all = [
    `INSERT INTO users (name) VALUES (${user}) ON CONFLICT DO NOTHING`,
    `UPDATE users SET note = ${name} WHERE name = ${user}`,
    `DELETE FROM users WHERE name = ${user}`,
    `INSERT INTO photos (id, name, by) SELECT 100 + coalesce(max(id), 0), ${name} || max(id), (SELECT min(name) FROM users) FROM photos`,
    `INSERT INTO photos (id, name) VALUES (${photo}, ${name}) ON CONFLICT (id) DO UPDATE SET by = NULL`,
    `UPDATE photos SET by = (SELECT max(name) FROM users) WHERE id < ${photo}`,
    `DELETE FROM photos WHERE id = ${photo}`,
    `UPDATE photos SET id = id + 1000 WHERE id = ${photo} AND NOT EXISTS (SELECT 1 FROM users_liked WHERE photo = ${photo}) AND id + 1000 NOT IN (SELECT id FROM photos)`,
    `INSERT INTO users_liked (photo, "user") SELECT p.id, u.name FROM photos p, users u WHERE p.id = ${photo} ON CONFLICT DO NOTHING`,
    `DELETE FROM users_liked WHERE "user" = ${user}`,
    `INSERT INTO users (name) VALUES (${user}) ON CONFLICT DO NOTHING; DELETE FROM users WHERE name = ${user}`,
    ...(isLite
      ? [
          `REPLACE INTO photos (id, name) VALUES (${photo}, ${name})`,
          `UPDATE OR REPLACE photos SET name = ${name} WHERE id = ${photo}`,
        ]
      : []),
  ];
  return all[random(all.length)]!;
}

function mutation(random: (below: number) => number): string {
  const user = `"u${random(6)}"`;
  const photo = String(1 + random(12));
  const input = `{ name: "p${random(20)}", by: ${user}, fans: [${user}] }`;
  const all = [
    `createUser(name: ${user}) { name }`,
    `updateUser(name: ${user}, note: "n${random(9)}") { name }`,
    `deleteUser(name: ${user})`,
    `createPhoto(input: ${input}) { id }`,
    `updatePhoto(id: ${photo}, input: ${input}) { id }`,
    `deletePhoto(id: ${photo})`,
  ];
  return all[random(all.length)]!;
}

/** Random integers, the same for one seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

testWithOthers('4 after random writes of everybody, the feed says what the database holds', async (store, others) => {
  const graph = await createGraph({ model, store });
  const random = createRandom(Number(process.env['LOCKSTITCH_TEST_SEED'] ?? 4711));
  const rounds = Number(process.env['LOCKSTITCH_TEST_ROUNDS'] ?? 60);
  for (let round = 0; round < rounds; round++) {
    const step = random(10);
    // Statements that a constraint refuses are part of it.
    if (step < 6) await others.write(statement(store, random)).catch(() => undefined);
    else if (step < 9) await graph.execute({ query: `mutation { ${mutation(random)} }` });
    else await graph.sequencer?.catchUp();
  }
  await graph.sequencer?.catchUp();
  deepEqual(await lastOf(graph.feed), await contents(model, store));
});

testWithOthers('4 a sequencer that is killed loses nothing and repeats nothing', async (store, others) => {
  const graph = await createGraph({ model, store });
  const args = [...SOURCE_FLAGS, join(import.meta.dirname, 'sequencer-child.ts'), ...(await others.address()), SCHEMA];
  let row = 0;
  const write = async (): Promise<void> => {
    for (let n = 0; n < 5; n++)
      await others.write(
        `INSERT INTO users (name) VALUES ('r${++row}'); UPDATE users SET note = 'x' WHERE name = 'r${row - 3}'`,
      );
  };
  await write();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 20 * Math.random()));
  const closed = once(child, 'close');
  while (child.exitCode === null && child.signalCode === null) await write();
  await closed;
  await graph.sequencer?.catchUp();
  deepEqual(await replay(graph.feed), await contents(model, store));
});
