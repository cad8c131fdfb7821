// Every option at every depth is checked: a name that does not exist, a value of another kind, a number out of range. The
// tables follow the types by `KeysOf`: a key that is added to a type alone does not compile; here the tables are walked.
import { deepEqual, doesNotThrow, equal, match, ok, throws } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import * as library from '@lockstitch/security';
import { createSecurity, type SecurityConfig, userNamed } from '@lockstitch/security';
import { SECURITY } from '../../src/config/config-shapes.ts';
import * as loginParts from '../../src/options/login-shapes.ts';
import * as otherParts from '../../src/options/part-shapes.ts';
import { findMistakes, type Shape } from '../../src/options/shape.ts';
import { USERS } from '../support/serve.ts';

const parts = { ...otherParts, ...loginParts };

function refusal(build: () => unknown): string {
  try {
    build();
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.message;
  }
  return 'accepted';
}

const refused = (config: unknown): string =>
  refusal(() => createSecurity({ ...USERS, print: () => undefined, ...(config as SecurityConfig) }));

test('3.3 misspelt keys and values at any depth are rejected with a suggestion', () => {
  for (const [config, message] of [
    [{ context: 'MODE_NOPE' }, /"context" is "MODE_NOPE", but must be one of MODE_THREADLOCAL, MODE_INHER/],
    [{ csrf: { ignorign: [] } }, /csrf has the unknown key "ignorign"\. Did you mean "ignoring"\?/],
    [{ csrf: 'false' }, /"csrf" is the text "false", but must be true or false, or an object with repository/],
    [{ csrf: null }, /"csrf" is null, but must be/],
    [
      { sessions: { sameSite: 'laxx' } },
      /"sessions\.sameSite" is "laxx", but must be one of lax, strict, none\. Did you mean "lax"\?/,
    ],
    [
      { firewall: { allowedMethod: [] } },
      /firewall has the unknown key "allowedMethod"\. Did you mean "allowedMethods"\?/,
    ],
    [{ firewall: { allowedMethods: [] } }, /"firewall\.allowedMethods" is empty, so that nothing would pass/],
    [{ attempts: { maxx: 3 } }, /attempts has the unknown key "maxx"\. Known: byPair, byAccount/],
    [
      { attempts: { byPair: { failures: 0, seconds: 1 } } },
      /"attempts\.byPair\.failures" is 0, but must be a whole number from 1/,
    ],
    [{ attempts: { byPair: { failures: 3 } } }, /"attempts\.byPair\.seconds" is missing/],
    [
      { matching: { caseSensitve: false } },
      /matching has the unknown key "caseSensitve"\. Did you mean "caseSensitive"\?/,
    ],
    [{ sessions: { maxIdle: Number.NaN } }, /"sessions\.maxIdle" is NaN/],
    [{ sessions: { maxAge: -1 } }, /"sessions\.maxAge" is -1/],
    [{ sessions: { maxAge: Number.POSITIVE_INFINITY } }, /"sessions\.maxAge" is Infinity/],
    [{ sessions: [] }, /"sessions" is a list/],
    [{ sessions: Promise.resolve({}) }, /"sessions" is a promise that was not awaited/],
    [{ headers: new Map() }, /"headers" is an object, but must be/],
    [{ cors: new Date() }, /"cors" is an object, but must be/],
    [{ sessions: Object.create({ sameSite: 'laxx' }) }, /"sessions\.sameSite" is "laxx"/],
    [{ sessions: () => undefined }, /"sessions" is a function/],
    [{ headers: { contentTypeOptions: true } }, /"headers\.contentTypeOptions" is true, but must be false/],
    [{ headers: { hsts: { maxage: 1 } } }, /headers\.hsts has the unknown key "maxage"\. Did you mean "maxAge"/],
    [{ cors: { '/a': { maxAge: '1800' } } }, /"cors\./],
    [{ httpBasic: { relm: 'x' } }, /Did you mean "realm"/],
    [{ formLogin: { path: 'login' } }, /"formLogin\.path" is a text, but must be a path that starts with "\/"/],
    [{ credentialCache: true }, /"credentialCache" is true, but must be false, or an object/],
    [{ credentialCache: { ttl: 3_600_000 } }, /"credentialCache\.ttl"/],
    [{ users: [{ username: 'x', password: 'y' }] }, /"users\[0\]" is an object, but must be a user made by userNamed/],
    [{ users: {} }, /"users" is an object/],
    [{ staticKeys: [{ key: 'k', authorites: [] }] }, /staticKeys\[0\] has the unknown key "authorites"/],
    [
      { filters: [{ filter: () => undefined, before: 'basic' }] },
      /"filters\[0\]\.filter" is a function, but must be a filter/,
    ],
    [
      { bearer: { keys: { kind: 'shared', secret: 'text' }, issuer: 'i', audience: 'a' } },
      /"bearer\.keys\.secret" is a text, but must be bytes/,
    ],
    [
      { oneTime: { verifier: { secretof: () => 'x' } } },
      /"oneTime\.verifier\.secretOf" is missing|Did you mean "secretOf"/,
    ],
    [
      { oauth2Login: { providers: [{ id: 'x', clientID: 'c', clientSecret: 's' }], baseUrl: 'https://h' } },
      /Did you mean "clientId"/,
    ],
    [{ rememberMe: { key: 'secret secret secret secret secret!' } }, /"rememberMe\.key" is a text, but must be bytes/],
    [{ requestId: { header: 'a b' } }, /"requestId\.header"/],
    [{ rules: 'permitAll' }, /"rules" is a text, but must be a list of rules/],
    [{ chains: {} }, /"chains" is an object, but must be a list/],
    [{ chains: [{ rules: [] }] }, /"chains\[0\]\.path" is missing/],
    [{ log: console }, /"log" is an object, but must be a log \(an object with write\)/],
    [{ denyUnmatched: 'yes' }, /"denyUnmatched" is a text, but must be true or false/],
    [{ maxPasswordBytes: 0 }, /"maxPasswordBytes" is 0/],
    [{ rules: [{ ant: '/a', access: 'permitAll', method: ['GET'] }] }, /\["GET"\]" is not an HTTP method/],
    [{ csrf: { ignoring: [{ ant: '/a', method: 'PSOT' }] } }, /Did you mean "POST"/],
    [{ cors: { allowedMethods: ['GTE'] } }, /"cors\.allowedMethods\[0\]" is "GTE", .* Did you mean "GET"/],
    [{ firewall: { allowedMethods: ['GET', 'PSOT'] } }, /"firewall\.allowedMethods\[1\]" is "PSOT"/],
    [{ headers: { referrerPolicy: 'no-referrer, same-orign' } }, /"same-orign".* Did you mean "same-origin"/],
    [{ headers: { crossOriginOpenerPolicy: 'same_origin' } }, /"headers\.crossOriginOpenerPolicy" is "same_origin"/],
    [{ headers: { crossOriginResourcePolicy: 'cross-orign' } }, /Did you mean "cross-origin"/],
    [{ rules: async () => undefined }, /function given to rules is async; await before it/],
  ] as const) {
    match(refused(config), message);
  }
});

test('3.3 all mistakes, including wrong rules, are reported at once without secrets', () => {
  const message = refused({
    csrf: { ignorign: [] },
    sesions: false,
    rules: [{ ant: '/a/{', access: 'permitAll' }],
    rememberMe: 'a very secret key of the server, 32',
    staticKeys: 'another secret',
  });
  for (const part of [
    /5 mistakes/,
    /"ignorign"/,
    /Did you mean "sessions"/,
    /"rememberMe" is a text/,
    /has no closing/,
  ])
    match(message, part);
  equal(/secret key of|another secret/.test(message), false);
});

test('3.3 a non-configuration is rejected, missing keys are not', () => {
  for (const config of [null, 'text', 7, [], true])
    match(
      refusal(() => createSecurity(config as never)),
      /"the security configuration" is/,
    );
  const left = Object.fromEntries(Object.keys(SECURITY.keys!).map((key) => [key, undefined]));
  doesNotThrow(() => createSecurity({ ...left, ...USERS }));
});

/** Every group below a table, with the place of its first occurrence and a value around it. */
function* groups(
  shape: Shape,
  place: string,
  wrap: (value: unknown) => unknown,
): Generator<[string, Shape, typeof wrap]> {
  if (shape.keys !== undefined) {
    yield [place, shape, wrap];
    for (const [key, each] of Object.entries(shape.keys)) {
      yield* groups(each, place === '' ? key : `${place}.${key}`, (value) => wrap({ [key]: value }));
    }
  }
  if (shape.item !== undefined) {
    const inList = shape.takes([]);
    yield* groups(shape.item, inList ? `${place}[0]` : place === '' ? '/x' : `${place}./x`, (value) =>
      wrap(inList ? [value] : { '/x': value }),
    );
  }
  for (const kind of shape.shapes ?? []) yield* groups(kind, place, wrap);
}

/** What makes a union choose this group. */
const KINDS: readonly object[] = [
  {},
  ...['jwks', 'public', 'shared', 'asymmetric'].map((kind) => ({ kind })),
  { verifier: {} },
];

test('3.3 the tables of all options are walked: a wrong value and a wrong name are seen at every key', () => {
  let keys = 0;
  const tables: readonly (readonly [string, unknown])[] = [...Object.entries(parts), ['SECURITY', SECURITY]];
  for (const [name, table] of tables) {
    for (const [place, shape, wrap] of groups(table as Shape, '', (value) => value)) {
      const mistakesOf = (value: object): string =>
        KINDS.map((kind) => findMistakes(table as Shape, wrap({ ...kind, ...value })).join('\n')).join('\n');
      match(mistakesOf({ noSuchKey: 1 }), /has the unknown key "noSuchKey"/, `${name} ${place}`);
      for (const key of Object.keys(shape.keys!)) {
        keys += 1;
        // Without its kind, the whole key is none.
        const at = key === 'kind' ? place : place === '' ? key : `${place}.${key}`;
        for (const wrong of [null, Symbol('wrong'), Number.NaN, new Date()]) {
          // A map of free names takes any object, and secrets any text.
          const isTaken = shape.keys![key]!.takes(wrong);
          if (!isTaken)
            ok(mistakesOf({ [key]: wrong }).includes(`"${at}" is `), `${name}: ${at} takes ${String(wrong)}`);
          else ok(wrong !== null, `${name}: ${at} takes null`);
        }
      }
    }
  }
  ok(keys > 400, `${keys} keys`);
});

test('3.3 every option that a type of this package has stands in a table', () => {
  const folder = new URL('../../src/', import.meta.url);
  const tables = Object.values(parts).flatMap((table) => [...groups(table as Shape, '', (value) => value)]);
  const known = new Set(
    [...tables, ...groups(SECURITY, '', (value) => value)].flatMap(([, { keys }]) => Object.keys(keys!)),
  );
  const missing: string[] = [];
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    for (const [, name, body] of source.matchAll(
      /export interface (\w*(?:Options|Config|Limits))\b[^{]*\{\n([^]*?)\n\}/g,
    )) {
      if (INNER.has(name!)) continue;
      for (const [, key] of body!.matchAll(/^ {2}readonly (\w+)\??:/gm))
        if (!known.has(key!)) missing.push(`${name}.${key}`);
    }
  }
  deepEqual(missing, []);
});

/** Made by the package itself, of options that were checked. */
const INNER: ReadonlySet<string> = new Set([
  'AuthorizationOptions',
  'ExceptionTranslationOptions',
  'SessionCookieOptions',
  'NodeRequestOptions',
]);

test('3.3 every function with options rejects unknown ones', async () => {
  const security = createSecurity({ ...USERS });
  const nothing = () => undefined;
  const before: Readonly<Record<string, readonly unknown[]>> = {
    connectHandler: [security],
    nodeHandler: [security, nothing],
    fetchHandler: [security, nothing],
    fastifySecurity: [{ addHook: nothing }],
    createSessionCsrfRepository: [security.sessions],
    createExpiringCsrfRepository: [library.createCookieCsrfRepository()],
  };
  // These take no options, or parts instead.
  const without = [
    'createHttpSecurity',
    'createCsrfToken',
    'createSavedRequests',
    'createLdapEncoder',
    'createNoOpEncoder',
    'createMessageDigestEncoder',
  ];
  let count = 0;
  for (const [name, make] of Object.entries(library)) {
    if (!/^(?:create|open)[A-Z]|Handler$|^fastifySecurity$/.test(name) || without.includes(name)) continue;
    count += 1;
    let message = 'accepted';
    try {
      await (make as (...given: unknown[]) => unknown)(...(before[name] ?? []), { noSuchOption: 1 }, nothing);
    } catch (error) {
      message = String(error);
    }
    match(message, /noSuchOption|must be|holds no|is an object/, name);
  }
  ok(count > 40, `${count}`);
});

test('3.3 words of an application that are no mistakes are taken', () => {
  const headers = { referrerPolicy: 'no-referrer, strict-origin', crossOriginResourcePolicy: 'same-site' } as const;
  const methods = ['GET', 'PROPFIND', 'FROBNICATE'];
  equal(
    refused({ headers, firewall: { allowedMethods: methods }, cors: { allowedMethods: [...methods, '*'] } }),
    'accepted',
  );
});

test('3.3 a builder that is async, and arguments of another kind, are rejected', () => {
  match(
    refusal(() => createSecurity((async () => undefined) as never)),
    /function given to createSecurity is async; await before it/,
  );
  for (const handler of [library.connectHandler, library.nodeHandler, library.fetchHandler])
    match(
      refusal(() => handler({ rules: [] } as never, (() => undefined) as never)),
      /"\w+\(security\)" is an object, but must be what createSecurity returns/,
    );
  const secret = new Uint8Array(32);
  for (const [key, request, message] of [
    [{ kind: 'shared', secrt: secret }, { method: 'GET', target: '/' }, /unknown key "secrt". Did you mean "secret"/],
    [{ kind: 'shard', secret }, { method: 'GET', target: '/' }, /"signRequest\.key" is an object, but must be \{ kind/],
    [{ kind: 'shared', secret }, { methd: 'GET', target: '/' }, /unknown key "methd". Did you mean "method"/],
  ] as const)
    match(
      refusal(() => library.signRequest('k', key as never, request as never)),
      message,
    );
  match(
    refusal(() => library.jsonLines('audit.jsonl' as never)),
    /"jsonLines" is a text, but must be a function/,
  );
});

test('3.3 users and their flags: non-booleans are rejected, because disabled("false") would disable', () => {
  const john = userNamed('john').password('x').authorities();
  for (const flag of ['accountLocked', 'accountExpired', 'credentialsExpired', 'disabled'] as const) {
    throws(() => john[flag]('false' as never).build(), { code: 'SECURITY_USER_INVALID' }, flag);
    throws(() => john[flag](null as never).build(), { code: 'SECURITY_USER_INVALID' }, flag);
  }
  throws(() => john.attributes(null as never).build(), { code: 'SECURITY_USER_INVALID' });
});
