import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '@lockstitch/graph';
import fc from 'fast-check';

import { checkConfig, printKeys } from '../../src/config/check-config.ts';
import { CONFIG_SETTINGS } from '../../src/config/config.ts';

const messages = (written: unknown): string[] => checkConfig(written).problems.map((problem) => problem.message);

test('an empty configuration gets every default', () => {
  const { config, problems } = checkConfig({});
  deepEqual(problems, []);
  equal(config.port, 4000);
  equal(config.limits.bodySize, 1_048_576);
  deepEqual(config.graph.limits, DEFAULT_LIMITS);
  equal(config.users, undefined);
  deepEqual(config.csrf.ignore, []);
  equal(config.login.oneTime, undefined, 'a group that is off as a whole has no defaults of its own');
  deepEqual(Object.keys(config), Object.keys(CONFIG_SETTINGS));
});

test('a key whose environment variable is not set says so, and the hint is code', () => {
  const unset = 'is undefined; is it read from an environment variable that is not set?';
  const { problems } = checkConfig({
    login: { rememberMe: { key: undefined }, oneTime: { secrets: { ada: undefined } } },
  });
  deepEqual(
    problems.map(({ message, hint }) => [message, hint.split(' — ')[0]]),
    [
      [`"login.rememberMe.key" ${unset}`, 'Write key: process.env.REMEMBER_ME_KEY'],
      [`"login.oneTime.secrets.ada" ${unset}`, "Write ada: 'JBSWY3DPEHPK3PXP…'."],
    ],
  );
});

test('an unknown key is refused with the key that was meant, at any depth', () => {
  deepEqual(messages({ prot: 1 }), ['Unknown key "prot". Did you mean "port"?']);
  deepEqual(messages({ limits: { bodysize: 1 } }), ['Unknown key "bodysize" in "limits". Did you mean "bodySize"?']);
  deepEqual(messages({ users: [{ username: 'a', password: 'b', rolls: [] }] }), [
    'Unknown key "rolls" in "users[0]". Did you mean "roles"?',
  ]);
  deepEqual(messages({ graph: { limits: { deepth: 4 } } }), [
    'Unknown key "deepth" in "graph.limits". Did you mean "depth"?',
  ]);
  deepEqual(messages({ zebra: 1 }), ['Unknown key "zebra".']);
});

test('a misspelt word gets a suggestion, also in the hint', () => {
  const [problem] = checkConfig({ userStore: 'sqll' }).problems;
  match(problem?.message ?? '', /not the string "sqll"\. Did you mean "sql"\?$/);
  equal(problem?.hint, "Write userStore: 'sql'.");
});

test('a value of the wrong type names the expected type and an example', () => {
  const [problem] = checkConfig({ port: 'eighty' }).problems;
  equal(problem?.message, '"port" must be a whole number from 0 to 65535, not the string "eighty".');
  equal(problem?.hint, 'Write port: 1000.');
  deepEqual(messages({ port: 65_536 }), ['"port" must be a whole number from 0 to 65535, not 65536.']);
  deepEqual(messages({ port: 1.5 }), ['"port" must be a whole number from 0 to 65535, not 1.5.']);
  deepEqual(messages({ csrf: false }), ['"csrf" must be an object, not false.']);
  deepEqual(messages({ cors: {} }), ['"cors" must be a list, not an object.']);
  deepEqual(messages({ resolvers: 3 }), ['"resolvers" must be a string or an object, not 3.']);
  deepEqual(messages({ log: { format: 'jsno' } }), [
    '"log.format" must be one of auto, pretty, json, none, not the string "jsno". Did you mean "json"?',
  ]);
});

test('a missing required key is named with an example', () => {
  const [problem] = checkConfig({ users: [{ username: 'ada' }] }).problems;
  equal(problem?.message, '"users[0].password" is missing.');
  match(problem?.hint ?? '', /^Write password: '/);
});

test('all mistakes are reported at once', () => {
  equal(messages({ prot: 1, host: 3, limits: { bodySize: 0, x: 1 }, rules: [{ ant: '/a' }] }).length, 5);
});

test('a configuration that is not an object is rejected', () => {
  for (const value of [null, undefined, 'x', 3, [], () => ({})]) {
    match(messages(value)[0] ?? '', /^The configuration must be an object/);
  }
});

test('3.3 an invalid key has its default in later checks', () => {
  const defaults = checkConfig({}).config;
  for (const value of [null, 'x', Number.NaN, [], () => ({}), new Map(), Promise.resolve({})]) {
    deepEqual(checkConfig(value).config, defaults);
    deepEqual(checkConfig({ schema: [1], limits: value, graph: { trusted: 3 } }).config, defaults);
  }
});

test('3.3 texts of another form are rejected, and secrets are not quoted', () => {
  const handle = (): undefined => undefined;
  deepEqual(
    messages({
      database: { url: 'mysql://root:secret@db/x' },
      routes: [
        { path: 'a', handle },
        { path: '/:', handle },
        { path: '/b', method: 'GTE', handle },
      ],
      users: [{ username: 'ada', password: 'x', roles: ['EDITOR', 'ROLE_ADMIN'] }],
    }),
    [
      '"database.url" must be postgres://…, sqlite:<file> or env:<variable>.',
      '"routes[0].path" must be a path that starts with "/", as URLPattern writes them.',
      '"routes[1].path" must be a path that starts with "/", as URLPattern writes them.',
      '"routes[2].method" must be an HTTP method.',
      '"users[0].roles[1]" must be a role without the prefix ROLE_.',
    ],
  );
  deepEqual(
    messages({ database: { url: 'postgresql://db/x' }, routes: [{ path: '/a/:b', method: 'get', handle }] }),
    [],
  );
});

test('3.3 a time longer than a timer can hold, which would run off at once, is refused', () => {
  deepEqual(messages({ limits: { drainDelay: 2 ** 31, requestTimeout: 2 ** 31 - 1 } }), [
    '"limits.drainDelay" must be a whole number from 0 to 2147483647, not 2147483648.',
  ]);
});

test('names of prototype members are unknown keys like any other', () => {
  deepEqual(messages(JSON.parse('{"__proto__": {"port": 1}}')), ['Unknown key "__proto__".']);
  deepEqual(messages({ valueOf: 1 }), ['Unknown key "valueOf".']);
});

test('the check never throws, and never passes an invalid value silently', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(CONFIG_SETTINGS)), fc.anything()), (written) => {
      const { problems } = checkConfig(written);
      for (const problem of problems) equal(typeof printKeys(problem.keys), 'string');
      const port = written['port'];
      const portIsFine = port === undefined || (Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535);
      equal(
        problems.some((problem) => problem.keys[0] === 'port'),
        !portIsFine,
      );
    }),
    { numRuns: 300 },
  );
});
