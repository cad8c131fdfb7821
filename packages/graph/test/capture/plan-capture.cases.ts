// The triggers of @captureChanges in plans: installed, replaced, refused and dropped by steps with their tables' names.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { freshSchema, postgresUrl } from '../stores.ts';
import { openOthers, testWithOthers, withPostgres } from './others.ts';

const modelOf = (text: string) => readSchema([{ file: 'test.graphql', text }]);
const namesOf = async (store: Store, schema: string): Promise<readonly string[]> => {
  const { steps, optional } = await planMigration(modelOf(schema), store);
  return [...steps, ...optional].map(({ name }) => name).filter((name) => !name.startsWith('create lockstitch'));
};
const moved = async (store: Store, schema: string): Promise<readonly string[]> => {
  const graph = await createGraph({ model: modelOf(schema), store });
  const from = await graph.feed.head();
  await graph.sequencer?.catchUp();
  return (await graph.feed.read(from)).map(({ operation, type, key }) => `${operation} ${type} ${key}`.trim());
};

const PLAIN = `
  type Note @entity(table: "notes") @unmanaged { id: ID! text: String }
  type Query { notes: [Note!]! }`;
const CAPTURED = PLAIN.replace('@unmanaged', '@unmanaged @captureChanges');

testWithOthers('4 triggers come and go by steps that name the table', async (store, others) => {
  await others.write('CREATE TABLE notes (id integer PRIMARY KEY, text text)');
  const { steps } = await planMigration(modelOf(CAPTURED), store);
  match(steps.map(({ text }) => text).join('\n'), /Capture changes of table notes for Note: .* lockstitch\S*_outbox/);
  // What happened before is found by a comparison.
  deepEqual(await moved(store, CAPTURED), ['invalidated Note']);
  deepEqual(await namesOf(store, CAPTURED), []);
  await others.write(`INSERT INTO notes VALUES (1, 'a')`);
  deepEqual(await moved(store, CAPTURED), ['created Note 1']);
  const [gone = ''] = await namesOf(store, PLAIN);
  match(gone, /^uncapture .*notes/);
  await applyMigration(modelOf(PLAIN), store);
  deepEqual(await namesOf(store, PLAIN), []);
  await others.write(`INSERT INTO notes VALUES (2, 'b')`);
  equal(await others.ask('SELECT count(*) FROM lockstitch_outbox'), 0);
  deepEqual(await moved(store, CAPTURED), ['invalidated Note']);
});

testWithOthers('4 a new table is captured from its first row', async (store, others) => {
  const schema = `type Note @entity @captureChanges { id: ID! text: String @unique }
    type Query { notes: [Note!]! } type Mutation { createNote(text: String): Note! }`;
  deepEqual(await moved(store, schema), []);
  deepEqual(await namesOf(store, schema), []);
  await others.write(`INSERT INTO notes (text) VALUES ('a')`);
  deepEqual(await moved(store, schema), ['created Note 1']);
});

testWithOthers('4 a migration of a captured table keeps its triggers', async (store, others) => {
  const schema = (fields: string): string =>
    `type Note @entity @captureChanges { id: ID! ${fields} } type Query { notes: [Note!]! } type Mutation { createNote: Note! }`;
  deepEqual(await moved(store, schema('text: String')), []);
  const versions = [
    'text: String size: Int',
    'text: String! @default(value: "x") size: Int @unique',
    'body: String! @default(value: "x") @renamedFrom(name: "text") size: Int @unique',
    'body: String! @default(value: "x") size: Int',
  ];
  for (const [index, fields] of versions.entries()) {
    await applyMigration(modelOf(schema(fields)), store, { allow: ['drop notes.size'] });
    deepEqual(await namesOf(store, schema(fields)), [], fields);
    await others.write(`INSERT INTO notes (size, ${fields.split(':')[0]}) VALUES (${index}, 'a')`);
    deepEqual(await moved(store, schema(fields)), [`created Note ${index + 1}`]);
  }
});

testWithOthers('4 a renamed type keeps what waits in the outbox, and its triggers', async (store, others) => {
  const schema = (name: string, directive = ''): string =>
    `type ${name} @entity @captureChanges ${directive} { id: ID! text: String tags: [Tag!]! } type Tag @entity { id: ID! }
    type Query { all: [${name}!]! tags: [Tag!]! } type Mutation { createTag: Tag! }`;
  await moved(store, schema('Photo'));
  await others.write(`INSERT INTO photos (text) VALUES ('a'), ('b'); UPDATE photos SET text = 'c' WHERE id = 2`);
  const renamed = schema('Picture', '@renamedFrom(name: "Photo")');
  deepEqual(await moved(store, renamed), ['created Picture 1', 'created Picture 2']);
  deepEqual(await namesOf(store, renamed), []);
  await others.write(`UPDATE pictures SET text = 'd' WHERE id = 1; DELETE FROM pictures WHERE id = 2`);
  deepEqual(await moved(store, schema('Picture')), ['updated Picture 1', 'deleted Picture 2']);
});

testWithOthers(
  '4 other names of types and relations of tables that stay keep what waits in the outbox',
  async (store, others) => {
    await others.write(
      'CREATE TABLE a (id integer PRIMARY KEY); CREATE TABLE b (id integer PRIMARY KEY); CREATE TABLE links (a integer, b integer, PRIMARY KEY (a, b))',
    );
    const schema = (one: string, two: string, relation: string): string => `
    type ${one} @entity(table: "a") @unmanaged @captureChanges { id: ID! ${relation}: [${two}!]! @relation(table: "links", from: "a", to: "b") }
    type ${two} @entity(table: "b") @unmanaged @captureChanges { id: ID! } type Query { all: [${one}!]! }`;
    await moved(store, schema('One', 'Two', 'links'));
    await others.write('INSERT INTO a VALUES (1); INSERT INTO b VALUES (2)');
    await moved(store, schema('One', 'Two', 'links'));
    await others.write('INSERT INTO b VALUES (3); INSERT INTO links VALUES (1, 2)');
    // They exchange their names.
    const renamed = schema('Two', 'One', 'related');
    deepEqual(await moved(store, renamed), ['created One 3', 'updated Two 1']);
    deepEqual(await namesOf(store, renamed), []);
  },
);

testWithOthers('4 what has no triggers is refused by name', async (store, others) => {
  await others.write('CREATE TABLE rows (id integer PRIMARY KEY); CREATE VIEW notes AS SELECT id, 1 AS text FROM rows');
  const schema = CAPTURED.replace('@unmanaged', '@readOnly').replace('text: String', '');
  const { steps } = await planMigration(modelOf(schema), store);
  const [step] = steps.filter(({ blocked }) => blocked);
  match(String(step?.loses), /^it is a view, whose rows no trigger sees change; put @captureChanges on the types/);
  await rejects(createGraph({ model: modelOf(schema), store }), { code: 'GRAPH_MIGRATION_REFUSED' });
});

testWithOthers('4 rows of a table with a key of several columns and odd names', async (store, others) => {
  const without = store.dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  const blob = store.dialect === 'sqlite' ? 'blob' : 'bytea';
  const schema = `type Line @entity(table: "order ""lines""") @unmanaged @captureChanges {
      id: ID! @id(fields: ["order", "product"]) order: Int! product: String! @column(name: "it's") text: String
    } type Query { lines: [Line!]! }`.replace('"order ""lines"""', String.raw`"\"order \"\"lines\"\"\""`);
  await others.write(
    `CREATE TABLE "order ""lines""" ("order" integer, "it's" varchar(20), text text, raw ${blob}, PRIMARY KEY ("order", "it's")) ${without}`,
  );
  await moved(store, schema);
  await others.write(`INSERT INTO "order ""lines""" VALUES (1, 'a,''b"', 'x;"y"=''z''', NULL)`);
  deepEqual(await moved(store, schema), [`created Line 1,a%2C'b"`]);
  await others.write(`UPDATE "order ""lines""" SET text = 'y'`);
  deepEqual(await moved(store, schema), [`updated Line 1,a%2C'b"`]);
  await others.write(`UPDATE "order ""lines""" SET "order" = 2`);
  deepEqual(await moved(store, schema), [`deleted Line 1,a%2C'b"`, `created Line 2,a%2C'b"`]);
});

/** A role of its own, which may do what is granted. */
async function withRole(body: (role: Store, owner: Store, name: string) => Promise<void>): Promise<string | undefined> {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return url;
  const name = freshSchema();
  const owner = await openPostgresStore({ url, schema: name });
  await owner.script(`
    CREATE ROLE ${name} LOGIN PASSWORD 'x'; CREATE SCHEMA lockstitch_${name} AUTHORIZATION ${name};
    CREATE TABLE notes (id integer PRIMARY KEY, text text, secret text);
    GRANT CREATE ON DATABASE postgres TO ${name}; GRANT USAGE ON SCHEMA ${name} TO ${name}; GRANT SELECT (id, text) ON notes TO ${name}`);
  const role = await openPostgresStore({ url: url.replace('postgres:postgres@', `${name}:x@`), schema: name });
  try {
    await body(role, owner, name);
  } finally {
    await role.close();
    await owner.close();
  }
  return undefined;
}

test('PostgreSQL: where the role may create no schema, the plan says what the owner has to run', async (t) => {
  const skipped = await withRole(async (role, owner, name) => {
    const own = `lockstitch_${name}`;
    await owner.script(`DROP SCHEMA ${own}; REVOKE CREATE ON DATABASE postgres FROM ${name}`);
    const refusal = async (): Promise<string> =>
      String((await planMigration(modelOf(PLAIN), role)).steps.find(({ blocked }) => blocked)?.loses);
    const create = `CREATE SCHEMA "${own}" AUTHORIZATION "${name}"`;
    const first = await refusal();
    ok(first.endsWith(`run: ${create}, or: GRANT CREATE ON DATABASE "postgres" TO "${name}"`), first);
    await rejects(createGraph({ model: modelOf(PLAIN), store: role }), { code: 'GRAPH_MIGRATION_REFUSED' });
    await owner.script(`CREATE SCHEMA ${own}`);
    const second = await refusal();
    const grant = `GRANT USAGE, CREATE ON SCHEMA "${own}" TO "${name}"`;
    ok(second.endsWith(`run: ${grant}`), second);
    await owner.script(grant);
    await createGraph({ model: modelOf(PLAIN), store: role });
  });
  if (skipped !== undefined) t.skip(skipped);
});

test('PostgreSQL: 4 where the role may create no trigger, the plan says what its owner has to run', async (t) => {
  const skipped = await withRole(async (role, owner, name) => {
    // Without the directive, reading is enough.
    const graph = await createGraph({ model: modelOf(PLAIN), store: role });
    equal(graph.sequencer, undefined);
    const { steps } = await planMigration(modelOf(CAPTURED), role);
    const said = String(steps.find(({ blocked }) => blocked)?.loses);
    const grant = `GRANT TRIGGER ON TABLE ${name}.notes TO "${name}"`;
    ok(said.endsWith(`run: ${grant}`), said);
    await rejects(createGraph({ model: modelOf(CAPTURED), store: role }), { code: 'GRAPH_MIGRATION_REFUSED' });
    await owner.script(grant);
    deepEqual(await moved(role, CAPTURED), ['invalidated Note']);
    // Other roles need no right to anything of the engine.
    await owner.script(
      `CREATE ROLE ${name}_app; GRANT USAGE ON SCHEMA ${name} TO ${name}_app; GRANT INSERT ON notes TO ${name}_app`,
    );
    const app = await openOthers(owner);
    await app.write(`SET LOCAL ROLE ${name}_app; INSERT INTO ${name}.notes VALUES (1, 'a', 'hidden')`);
    await app.write(`UPDATE ${name}.notes SET text = 'b'`);
    const images = await app.ask(`SELECT string_agg(image, ' ') FROM lockstitch_${name}.lockstitch_outbox`);
    equal(String(images).includes('hidden'), false);
    await rejects(
      app.write(`SET LOCAL ROLE ${name}_app; CREATE TEMP TABLE t (id int);
        CREATE TRIGGER forged AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION lockstitch_${name}.lockstitch_capture('Note', '', 'id')`),
      /permission denied/,
    );
    deepEqual(await moved(role, CAPTURED), ['created Note 1']);
    await owner.script('ALTER TABLE notes DISABLE TRIGGER lockstitch_capture');
    const { steps: disabled } = await planMigration(modelOf(CAPTURED), role);
    match(String(disabled[0]?.loses), /disabled its triggers. Let its owner run: ALTER TABLE \S+notes ENABLE TRIGGER/);
    await owner.script('ALTER TABLE notes ENABLE TRIGGER lockstitch_capture');
    // Only the owner can drop them; that must not prevent a start.
    const { optional } = await planMigration(modelOf(PLAIN), role);
    match(String(optional[0]?.text), /Only its owner can: DROP TRIGGER "lockstitch_buffer" ON \S+notes; DROP TRIGGER/);
    await createGraph({ model: modelOf(PLAIN), store: role });
    // Nobody reads the outbox any more.
    await app.write(`INSERT INTO ${name}.notes VALUES (2, 'c', 'hidden')`);
    equal(await role.prepare('SELECT count(*) FROM lockstitch_outbox').text([]), '0');
    deepEqual(
      await namesOf(role, PLAIN),
      optional.map((step) => step.name),
    );
    deepEqual(await moved(role, CAPTURED), ['invalidated Note']);
    await app.write(`INSERT INTO ${name}.notes VALUES (3, 'd', 'hidden')`);
    deepEqual(await moved(role, CAPTURED), ['created Note 3']);
    await app.close();
  });
  if (skipped !== undefined) t.skip(skipped);
});

test('PostgreSQL: 4 a trigger function that everybody may call, as after a restore, is closed again', async (t) => {
  const skipped = await withPostgres(async (store, others) => {
    await others.write('CREATE TABLE notes (id integer PRIMARY KEY, text text)');
    await moved(store, CAPTURED);
    const name = `${store.ownSchema}.lockstitch_capture()`;
    const isPublic = () => others.ask(`SELECT has_function_privilege('public', '${name}', 'EXECUTE')`);
    equal(await isPublic(), false);
    // Backups do not keep what is granted and revoked.
    await others.write(`GRANT EXECUTE ON FUNCTION ${name} TO PUBLIC`);
    deepEqual(await moved(store, CAPTURED), []);
    equal(await isPublic(), false);
    deepEqual(await namesOf(store, CAPTURED), []);
  });
  if (skipped !== undefined) t.skip(skipped);
});

testWithOthers(
  '4 a trigger that somebody disables or drops is a step, and what was missed is compared',
  async (store, others) => {
    await others.write('CREATE TABLE notes (id integer PRIMARY KEY, text text)');
    await moved(store, CAPTURED);
    await others.write(
      store.dialect === 'sqlite'
        ? 'DROP TRIGGER lockstitch_capture_notes_after_delete'
        : 'ALTER TABLE notes DISABLE TRIGGER ALL',
    );
    deepEqual(await namesOf(store, CAPTURED), ['capture notes']);
    deepEqual(await moved(store, CAPTURED), ['invalidated Note']);
    deepEqual(await namesOf(store, CAPTURED), []);
    await others.write(`INSERT INTO notes VALUES (1, 'a')`);
    deepEqual(await moved(store, CAPTURED), ['created Note 1']);
  },
);

test('PostgreSQL: 4 partitions and tables that inherit are captured', async (t) => {
  const skipped = await withPostgres(async (store, others) => {
    await others.write(`
      CREATE TABLE notes (id integer, text text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
      CREATE TABLE notes_a PARTITION OF notes FOR VALUES FROM (0) TO (10);
      CREATE TABLE notes_b PARTITION OF notes FOR VALUES FROM (10) TO (20);
      CREATE TABLE things (id integer PRIMARY KEY, text text); CREATE TABLE odd_things (more text) INHERITS (things)`);
    const schema = `${CAPTURED.replace('type Query {', 'type Query { things: [Thing!]!')}
      type Thing @entity(table: "things") @unmanaged @captureChanges { id: ID! text: String }`;
    await moved(store, schema);
    await others.write(
      `INSERT INTO notes VALUES (1, 'a'); INSERT INTO notes_b VALUES (11, 'b'); INSERT INTO odd_things VALUES (1, 'c', 'd')`,
    );
    deepEqual((await moved(store, schema)).toSorted(), ['created Note 1', 'created Note 11', 'created Thing 1']);
    await others.write(`UPDATE notes SET id = 12 WHERE id = 1`);
    deepEqual(await moved(store, schema), ['deleted Note 1', 'created Note 12']);
    await others.write(`TRUNCATE notes_b`);
    deepEqual(await moved(store, schema), ['invalidated Note']);
    await others.write(
      `CREATE TABLE notes_c PARTITION OF notes FOR VALUES FROM (20) TO (30); INSERT INTO notes_c VALUES (21, 'c')`,
    );
    deepEqual(await namesOf(store, schema), ['capture notes']);
    deepEqual(await moved(store, schema), ['created Note 21', 'invalidated Note']);
  });
  if (skipped !== undefined) t.skip(skipped);
});
