// The security chain as the command line shows it, and its answers to "who may, and why".
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const FILES = {
  'schema.graphql': 'type Note @entity {\n  id: ID!\n  text: String!\n}\ntype Query {\n  note(id: ID!): Note\n}\n',
  'lockstitch.config.ts': `const audit = { name: 'own-audit', handle: (exchange, next) => next(exchange) };
export default {
  users: [
    { username: 'ada', password: 'ada-secret', roles: ['ADMIN'] },
    { username: 'bob', password: 'bob-secret' },
  ],
  passwordEncoder: 'noop',
  filters: { add: [{ filter: audit, before: 'basic' }] },
  rules: [
    { ant: '/public/**', access: 'permitAll' },
    { mvc: '/notes/{id:\\\\d+}', method: 'DELETE', access: "hasRole('ADMIN')" },
    { any: true, access: 'authenticated' },
  ],
};
`,
};

test('the chain and the rules are listed in the order in which they are asked', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { code, out } = await runLine(['policy', 'list', folder]);
  equal(code, 0);
  const lines = out.split('\n').map((line) => line.trim());
  const at = (start: RegExp) => lines.findIndex((line) => start.test(line));
  const order = [
    / firewall$/,
    / csrf/,
    / own-audit/,
    / basic$/,
    / authorization/,
    /^1 .*healthz/,
    /^5 .*public/,
    /^6 .*notes/,
    /^7 /,
  ];
  const places = order.map(at);
  deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  equal(places.includes(-1), false);
  equal(out.includes('secret'), false);

  const { chains, warnings } = JSON.parse((await runLine(['policy', 'list', folder, '--json'])).out);
  equal(chains.length, 1);
  equal(chains[0].filters[0].name, 'firewall');
  equal(chains[0].rules[5].access, "hasRole('ADMIN')");
  deepEqual(warnings, []);
});

test('a request is explained with filter, rule and reason, for an anonymous caller and a user', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const explain = async (...words: readonly string[]) => {
    const { out, err, code } = await runLine(['policy', 'explain', ...words, '--json']);
    equal(code, 0, err);
    const { granted, status = 0, filter, rule } = JSON.parse(out);
    return [granted, status, filter, rule?.number ?? 0];
  };
  deepEqual(await explain('GET', '/public/a', folder), [true, 0, 'authorization', 5]);
  deepEqual(await explain('delete', '/notes/7', folder), [false, 401, 'authorization', 6]);
  deepEqual(await explain('DELETE', '/notes/7', folder, '--as', 'bob'), [false, 403, 'authorization', 6]);
  deepEqual(await explain('DELETE', '/notes/7', folder, '--as', 'ada'), [true, 0, 'authorization', 6]);
  deepEqual(await explain('GET', '/public/../notes/7', folder), [false, 400, 'firewall', 0]);
  const told = await runLine(['policy', 'explain', 'DELETE', '/notes/7', folder, '--as', 'bob']);
  match(told.out, /^Refused with 403 by the filter "authorization"/);
  match(told.out, /Rule 6, .* refuses it to bob/);
});

test('users of the database can be asked for', async (t) => {
  const folder = temporaryFolder(t, {
    ...FILES,
    'lockstitch.config.ts': `export default { userStore: 'sql', rules: [{ any: true, access: "hasAuthority('read')" }] };\n`,
  });
  equal((await runLine(['user', 'add', folder, 'ada', '--authorities', 'read'], {}, 'long enough')).code, 0);
  match((await runLine(['policy', 'explain', 'GET', '/', folder, '--as', 'ada'])).out, /^Granted/);
  const { code, err } = await runLine(['policy', 'explain', 'GET', '/', folder, '--as', 'eve']);
  equal(code, 1);
  match(err, /There is no user "eve"/);
});

test('an unknown name is answered with the known ones, if they are in the configuration', async (t) => {
  const ask = async (folder: string): Promise<string> =>
    (await runLine(['policy', 'explain', 'GET', '/', folder, '--as', 'eve'])).err;
  match(await ask(temporaryFolder(t, FILES)), /no user "eve"\.\n"users" of the configuration holds ada, bob\./);
  const bare = temporaryFolder(t, { 'schema.graphql': FILES['schema.graphql'] });
  match(await ask(bare), /no user "eve"\.\nWithout "users" and "userStore" .* there is one user, "user"\./);
});

test('words that make no question are answered with the usage and exit code 2', async () => {
  const mistyped = await runLine(['policy', 'explane', 'GET', '/']);
  equal(mistyped.code, 2);
  match(mistyped.err, /Did you mean "explain"\?/);
  match((await runLine(['policy', 'explain', 'GET'])).err, /lockstitch policy explain <method> <path> \[dir\]/);
  equal((await runLine(['policy', 'list', 'a', 'b'])).code, 2);
});

test('several chains are listed each with its own filters and rules, and explained for accounts and for keys', async (t) => {
  const folder = temporaryFolder(t, {
    ...FILES,
    'lockstitch.config.ts': `export default {
      users: [{ username: 'bob', password: 'bob-secret', accountLocked: true, disabled: true }],
      passwordEncoder: 'noop',
      chains: [{
        name: 'partners',
        path: '/partners/**',
        staticKeys: [{ key: 'partner-secret', name: 'acme', authorities: ['read'] }],
        rules: [{ any: true, access: "hasAuthority('read')" }],
      }],
    };`,
  });
  const { chains } = JSON.parse((await runLine(['policy', 'list', folder, '--json'])).out);
  deepEqual(
    chains.map(({ name, paths }: { name: string; paths: string[] }) => [name, paths]),
    [
      ['partners', ['/partners/**']],
      ['every other path', ['/**']],
    ],
  );
  const explain = async (path: string, ...as: string[]) =>
    (await runLine(['policy', 'explain', 'GET', path, folder, ...as])).out;
  match(await explain('/partners/x', '--as', 'acme'), /^Granted by the filter "authorization" of chain "partners"/);
  match(await explain('/partners/x'), /^Refused with 401 by the filter "staticKey" of chain "partners"/);
  match(await explain('/partners/x', '--as', 'bob'), /^Refused with 401 by the filter "staticKey"/);
  const bob = await explain('/notes', '--as', 'bob');
  match(bob, /^Granted by the filter "authorization" of chain "every other path"/);
  match(bob, /Warning: bob cannot log in: the account is locked and is disabled\./);
  equal((await runLine(['policy', 'list', folder])).out.includes('secret'), false);
});

const RULED = {
  'schema.graphql': `type Note @entity @auth(read: "open or owner == authentication.name or hasRole('ADMIN')") {
  id: ID!
  text: String! @search
  secret: String @search @auth(read: "owner == authentication.name")
  open: Boolean!
  owner: String
}
type Query { notes: [Note!]! note(id: ID!): Note }`,
  'lockstitch.config.mjs': `export default {
  users: [{ username: 'ada', password: 'a', roles: ['ADMIN'] }, { username: 'bob', password: 'b', roles: ['USER'] }],
  passwordEncoder: 'noop',
};`,
  'notes.ndjson': `{"id": "1", "text": "open note", "secret": "of bob", "open": true, "owner": "bob"}
{"id": "2", "text": "closed note", "secret": "of cid", "open": false, "owner": "cid"}
`,
};

test('an object is explained through both doors, rule by rule and part by part', async (t) => {
  const folder = temporaryFolder(t, RULED);
  equal((await runLine(['policy', 'explain', 'Note', '1', folder])).code, 1);
  equal((await runLine(['import', folder, 'Note', join(folder, 'notes.ndjson')])).code, 0);
  const bob = await runLine(['policy', 'explain', 'Note', '2', folder, '--as', 'bob', '--json']);
  const explained = JSON.parse(bob.out) as Record<string, unknown>;
  deepEqual(explained['graph'], { readable: false, withheld: ['secret'] });
  deepEqual(explained['search'], { readable: false, document: null });
  const ada = await runLine(['policy', 'explain', 'Note', '2', folder, '--as', 'ada']);
  match(
    ada.out,
    /graph {3}shown, without secret\n {2}search {2}found as \{"id":"2","text":"closed note","secret":null\}/,
  );
  match(ada.out, /true {5}hasRole\('ADMIN'\)\n/);
  match(ada.out, /false {4}open\n/);
  match((await runLine(['policy', 'explain', 'Note', '9', folder])).out, /^There is no Note 9\./);
  match((await runLine(['policy', 'explain', 'Nota', '9', folder])).err, /no type "Nota"\. Did you mean "Note"/);
});

test('the policy of an application is tested on its own data', async (t) => {
  const folder = temporaryFolder(t, RULED);
  await runLine(['import', folder, 'Note', join(folder, 'notes.ndjson')]);
  const { code, out } = await runLine(['policy', 'test', folder, '--cases', '200', '--seed', '7']);
  equal(code, 0, out);
  match(
    out,
    /^None of 200 requests to the graph and search revealed hidden data \([\d,]+ hidden values changed, [\d,]+ requests answered and [\d,]+ refused, seed 7\)/,
  );
  const ada = await runLine(['policy', 'test', folder, '--cases', '40', '--as', 'ada', '--json']);
  const { answered, interference, refused } = JSON.parse(ada.out) as Readonly<Record<string, number | null>>;
  deepEqual([interference, answered! + refused!], [null, 40]);
  ok(answered! > 0);
});
