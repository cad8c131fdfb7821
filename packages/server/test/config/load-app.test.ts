import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { checkApp, loadApp } from '../../src/app/load-app.ts';
import { NOTES_SCHEMA } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The mistakes of an application of these files, as `place: message`. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = temporaryFolder(undefined, { 'schema.graphql': NOTES_SCHEMA, ...files });
  const reading = await checkApp(folder, {});
  return reading.kind === 'good' ? [] : reading.problems.map(({ where, message }) => `${where}: ${message}`);
}

test('an application without mistakes is read with its model', async () => {
  const folder = temporaryFolder(undefined, { 'schema.graphql': NOTES_SCHEMA });
  const app = await loadApp(folder, {});
  deepEqual([...app.model.entities.keys()], ['Note', 'Author']);
});

test('a schema in several files is one schema, and a mistake names its file', async () => {
  const split = {
    'schema.graphql': 'type Query { a(id: ID!): A }',
    'schema/a.graphql': 'type A @entity { id: ID!\n b: B }',
  };
  match((await problemsOf(split))[0]!, /^schema\/a\.graphql:2:5: Unknown type "B"/);
  deepEqual(await problemsOf({ ...split, 'schema/b.graphql': 'type B @entity { id: ID! }' }), []);
});

test('security rules that cannot work are mistakes of the configuration', async () => {
  const rules = `export default { rules: [{ any: true, access: 'authenticated' }, { ant: '/a', access: 'permitAll' }] };`;
  match(
    (await problemsOf({ 'lockstitch.config.mjs': rules }))[0]!,
    /^lockstitch\.config\.mjs:1: Can't configure .* after anyRequest/,
  );
  const access = `export default { rules: [{ any: true, access: 'hasRol("A")' }] };`;
  equal((await problemsOf({ 'lockstitch.config.mjs': access })).length, 1);
  const encoder = `export default { users: [{ username: 'a', password: 'b' }] };`;
  match((await problemsOf({ 'lockstitch.config.mjs': encoder }))[0]!, /without "passwordEncoder"/);
});

test('every bad rule is reported with its line, and so are users without an encoder and passwords that can never match', async () => {
  const rules = `rules: [
  { ant: '/a', access: 'hasRol("ADMIN")' },
  { ant: '/b', access: 'hasRole(' },
  { any: true, access: 'authenticted' },
],`;
  const told = async (more: string): Promise<string[]> =>
    problemsOf({ 'lockstitch.config.mjs': `export default { ${rules}\n${more} };` });
  const bare = await told("users: [{ username: 'ada', password: 'x' }]");
  equal(bare.length, 4);
  match(bare.join('\n'), /without "passwordEncoder"/);
  for (const line of [2, 3, 4]) match(bare.join('\n'), new RegExp(`lockstitch\\.config\\.mjs:${line}: .*expression`));
  const passwords = await told(`passwordEncoder: 'delegating', users: [
  { username: 'ada', password: '{bcrypt}$2b$10$…' },
  { username: 'bob', password: '{bcypt}secret' },
  { username: 'eve', password: 'secret' },
  { username: 'joe', password: '{noop}secret' },
]`);
  equal(passwords.length, 6);
  match(passwords[3]!, /mjs:7: .*user "ada" can never match/);
  match(passwords[4]!, /mjs:8: .*user "bob" .*no encoder "bcypt"\. Did you mean "bcrypt"\?/);
  match(passwords[5]!, /mjs:9: .*user "eve" .*does not begin with the name/);
  equal(passwords.join().includes('secret'), false);
});

test('a read rule that search cannot hold exactly is refused at its place; all others start', async () => {
  const withRule = (rule: string): string =>
    NOTES_SCHEMA.replace('type Note @entity', `type Note @entity @auth(read: "${rule}")`);
  deepEqual(
    await problemsOf({ 'schema.graphql': withRule("hasRole('ADMIN') or author.login == authentication.name") }),
    [],
  );
  const [odd] = await problemsOf({ 'schema.graphql': withRule('likes + principal.bonus > 3') });
  match(
    odd!,
    /schema\.graphql:3:.*@auth\(read:\) of Note: .*cannot be decided by a search index: "likes \+ principal\.bonus > 3"/,
  );
  const key = NOTES_SCHEMA.replace('id: ID!', `id: ID! @auth(read: "hasRole('ADMIN')")`);
  match(
    (await problemsOf({ 'schema.graphql': key }))[0]!,
    /Note\.id cannot hold in search, where every hit shows its key/,
  );
  const many = NOTES_SCHEMA.replace('notes: [Note!]!', 'notes: [Note!]! @search').replace(
    'type Note @entity',
    'type Note @entity @auth(read: "author.login == authentication.name")',
  );
  match((await problemsOf({ 'schema.graphql': many }))[0]!, /Author hold the objects of "notes" side by side/);
  const embedded = NOTES_SCHEMA.replace(
    'name: String @search',
    `name: String @search @auth(read: "login == authentication.name")`,
  );
  deepEqual(await problemsOf({ 'schema.graphql': embedded }), []);
});

test("a field that no index can be built with is reported with its location, among the schema's mistakes", async () => {
  const schema = `type Note @entity {
  id: ID!
  title: String @search(type: "txt", analyzer: "nope")
  body: String @search(analyzer: "englsh")
  likes: Int @search(analyzer: "english")
  place: String @search(type: "nested")
  made: Strin
}
type Query { note(id: ID!): Note }`;
  const problems = await problemsOf({ 'schema.graphql': schema });
  match(problems[0]!, /^schema\.graphql:3:3: @search\(type: "txt"\) of Note\.title: No handler for type \[txt\].*text/);
  match(
    problems[1]!,
    /^schema\.graphql:3:3: @search\(analyzer: "nope"\) of Note\.title: analyzer \[nope\] has not been configured in mappings/,
  );
  match(problems[2]!, /^schema\.graphql:4:3: @search\(analyzer: "englsh"\) .*Did you mean "english"\?/);
  match(problems[3]!, /^schema\.graphql:5:3: @search\(analyzer: "english"\) of Note\.likes: only text is analyzed/);
  match(problems[4]!, /^schema\.graphql:6:3: @search\(type: "nested"\) of Note\.place/);
  match(problems[5]!, /^schema\.graphql:7:9: Unknown type "Strin"/);
  equal(problems.length, 6);
});

test('an embedded object is searched by a type that takes objects, and by no other', async () => {
  const schema = `type Note @entity {
  id: ID!
  made: Place @search
  seen: [Place!] @search(type: "text")
  kept: Place @search(type: "flattened")
  spot: Place @search(type: "geo_point")
}
type Place { lat: Float! lon: Float! }
type Query { note(id: ID!): Note }`;
  const problems = await problemsOf({ 'schema.graphql': schema });
  match(
    problems[0]!,
    /^schema\.graphql:3:3: @search of Note\.made: Place is embedded, and an object is no value of a keyword/,
  );
  match(
    problems[1]!,
    /^schema\.graphql:4:3: @search of Note\.seen: Place is embedded, and type "text" takes no objects/,
  );
  equal(problems.length, 2);
});

test('a search type that takes no value of the field is a mistake', async () => {
  const schema = `scalar DateTime
enum Genre { NOVEL ESSAY }
type Note @entity {
  id: ID!
  text: String @search(type: "rank_features")
  genre: Genre @search(type: "date")
  done: Boolean @search(type: "long")
  made: DateTime @search(type: "ip")
  marks: [Float!] @search(type: "rank_feature")
  span: String @search(type: "integer_range")
  likes: Int @search(type: "text")
  mark: Float @search(type: "rank_feature")
  at: String @search(type: "ip_range")
  day: Int @search(type: "date")
}
type Query { note(id: ID!): Note }`;
  deepEqual(await problemsOf({ 'schema.graphql': schema }), [
    'schema.graphql:5:3: @search(type: "rank_features") of Note.text: no String value fits this type.',
    'schema.graphql:6:3: @search(type: "date") of Note.genre: no Genre value fits this type.',
    'schema.graphql:7:3: @search(type: "long") of Note.done: no Boolean value fits this type.',
    'schema.graphql:8:3: @search(type: "ip") of Note.made: no DateTime value fits this type.',
    'schema.graphql:9:3: @search(type: "rank_feature") of Note.marks: no [Float] value fits this type.',
    'schema.graphql:10:3: @search(type: "integer_range") of Note.span: no String value fits this type.',
  ]);
});

test("a mistake in the resolvers is reported with their file or the configuration's", async () => {
  const schema = 'type Note @entity { id: ID! } type Query { note(id: ID!): Note }';
  const inFile = await problemsOf({
    'schema.graphql': schema,
    'resolvers.mjs': 'export default { Note: { titel: () => 1 } };',
  });
  match(inFile.join('\n'), /^resolvers\.mjs: A resolver is given for the unknown field "Note\.titel"/);
  const config = 'export default { resolvers: { Note: { id: 5 } } };';
  const inConfig = await problemsOf({ 'schema.graphql': schema, 'lockstitch.config.mjs': config });
  match(inConfig.join('\n'), /^lockstitch\.config\.mjs: The resolver of "Note\.id" is not a function/);
});

test('missing modules of the configuration are reported by key', async () => {
  const config = `export default { resolvers: './nope.ts', seed: './gone.ts', schema: 'none/*.graphql' };`;
  const problems = await problemsOf({ 'lockstitch.config.mjs': config });
  match(problems.join('\n'), /No file matches "none\/\*\.graphql" of "schema"/);
  match(problems.join('\n'), /There is no file "\.\/nope\.ts" for "resolvers"/);
  match(problems.join('\n'), /There is no file "\.\/gone\.ts" for "seed"/);
});

test('loadApp throws one error with every mistake in it', async () => {
  const folder = temporaryFolder(undefined, { 'schema.graphql': 'type A @entity { id: ID! b: B c: C }' });
  await rejects(loadApp(folder, {}), (error: Error) => /"B"/.test(error.message) && /"C"/.test(error.message));
});
