// Every rule and table row of the specification, by area and in its order, in few words. A row is proven by the tests that
// name its id; one that waits for later work says so in `todo`. docs/spec-coverage.md is printed from this list.

/** One rule or table row of the specification. */
export interface SpecRow {
  /** Area, chapter and number: `A.rule.5`. Tests are named after it. */
  readonly id: string;
  readonly text: string;
  /** What is still missing; absent when the row is to be proven by a test. */
  readonly todo?: string;
}

const chapter = (prefix: string, texts: readonly (string | readonly [text: string, todo: string])[]): SpecRow[] =>
  texts.map((entry, index) => {
    const id = `${prefix}.${index + 1}`;
    return typeof entry === 'string' ? { id, text: entry } : { id, text: entry[0], todo: entry[1] };
  });

export const SPEC_ROWS: readonly SpecRow[] = [
  ...chapter('A.service', [
    'all data in one request; the answer has the shape of the query',
    'every query is validated against the schema',
    'one endpoint for every data shape',
    'operation kinds query, mutation, subscription',
    'one document may define several operations',
    'an answer can hold both data and errors',
    'the API can be asked about its own schema',
  ]),
  ...chapter('A.scalar', [
    'Int is a number',
    'Float is a number',
    'String is a string',
    'ID is a string',
    'Boolean is a boolean',
  ]),
  ...chapter('A.rule', [
    'a scalar has no fields',
    'a custom scalar is a JSON string that is serialized, validated and formatted',
    'an enum restricts a field to fixed string values',
    '! makes a type non-nullable',
    'the four list forms',
    'a list of a union or an interface holds elements of different types',
    'object types nest without a depth limit of the type system',
    'a union lets a field return one of several object types',
    'an implementing type has the fields of its interface and may add its own',
    'the root types Query, Mutation and Subscription',
    'arguments with types, defaults, mandatory and optional',
    'descriptions in quotes and block quotes',
  ]),
  ...chapter('A.shape', [
    'Photo.id: ID!',
    'Photo.name: String!',
    'Photo.url: String!',
    'Photo.description: String',
    'Photo.created: DateTime!',
    'Photo.category: PhotoCategory!',
    'Photo.postedBy: User!',
    'Photo.taggedUsers: [User!]!',
    'User.githubLogin: ID!',
    'User.name: String',
    'User.avatar: String',
    'User.postedPhotos: [Photo!]!',
    'User.inPhotos: [Photo!]!',
    'AuthPayload.user: User!',
    'AuthPayload.token: String!',
  ]),
  ...chapter('A.enum', [
    'PhotoCategory: PORTRAIT, LANDSCAPE',
    'SortDirection: ASCENDING, DESCENDING',
    'SortablePhotoField: name, description, category, created',
  ]),
  ...chapter('A.relationship', [
    'one-to-many: postedPhotos and postedBy, from either end',
    'many-to-many: inPhotos and taggedUsers, from either end',
  ]),
  ...chapter('A.root', [
    'User(githubLogin: ID!)',
    'Photo(category: PhotoCategory)',
    'allUsers(first: Int = 50, start: Int = 0)',
    'allPhotos(first: Int = 25, start: Int = 0, sort: SortDirection = DESCENDING, sortBy: SortablePhotoField = created)',
    'githubAuth(code: String!): AuthPayload!',
  ]),
  ...chapter('A.endpoint', ['POST / with Content-Type application/json and the member query answers data and errors']),
  ...chapter('A.query', [
    'query, mutation, subscription, named and anonymous, and the shorthand',
    'selection sets nest',
    'an alias is the key of the answer',
    'arguments separated by spaces or commas; bare enum values; quoted strings',
    'variables; ! makes one required',
    'named fragments',
    'inline fragments pick fields by concrete type',
    'a mutation returns an object and the request selects fields of it',
    'only the selected fields; each element of an abstract list has those of its type',
    'introspection: __schema types; __type fields',
  ]),
  ...chapter('B.service', [
    'documents in an inverted index behind HTTP',
    'status check, query-string search, query DSL, count, aggregations',
  ]),
  ...chapter('B.data', [
    'an index is the first path segment',
    'a type is the second path segment',
    'a nested field is addressed by a dotted path',
  ]),
  ...chapter('B.endpoint', [
    'GET / with pretty: the status',
    'GET /_search, with and without match_all: all documents',
    'GET /<index>/<type>/_search with q=<field>:<value> or a body',
    'GET /<index>/<type>/_count',
  ]),
  ...chapter('B.body', ['match on a field', 'terms aggregation on a dotted path']),
  ...chapter('C.service', [
    'HTTP Basic authentication with authorities and roles',
    'a chain of request filters',
    'CSRF protection, on by default',
    'CORS policies',
  ]),
  ...chapter('C.object', [
    'User: username, password, authorities and the four account flags',
    'Authority: any string; a user needs at least one when built',
    'Role: an authority with the prefix ROLE_',
    'CSRF token: headerName X-CSRF-TOKEN, parameterName _csrf, a random UUID',
    'Authentication: principal, credentials, details, authorities, authenticated',
    'Security context: the authentication of the current request',
  ]),
  ...chapter('C.user-manager', [
    'create user',
    'update user',
    'delete user by username',
    'change password (old, new)',
    'user exists by username',
    'load user by username',
  ]),
  ...chapter('C.encoder', [
    'encode: raw to encoded',
    'matches: raw, encoded to boolean',
    'upgrade-encoding: default false',
    'NoOp stores clear text',
    'Standard is SHA-256',
    'Pbkdf2',
    'BCrypt',
    'SCrypt',
  ]),
  ...chapter('C.state', [
    'right credentials: authenticated, stored in the context, on to authorization',
    'unknown user: 401, authorization not run',
    'wrong password: 401, authorization not run',
    'an allowing rule forwards; the handler reads the authentication',
    'no allowing rule: refused as an authorization failure',
  ]),
  ...chapter('C.path', [
    '/a matches only /a',
    '/a/* matches /a/b, not /a/b/c',
    '/a/** matches /a, /a/b, /a/b/c',
    '/a/**/c matches /a/b/c, /a/b/d/c and deeper',
    '/a/{param} matches /a with a path parameter',
    '/a/{param:<regex>} matches only when the parameter does',
  ]),
  ...chapter('C.matcher', [
    'MVC: /hello and /hello/ alike',
    'Ant: /hello does not match /hello/',
    'regex',
    'by path, by method, by both',
  ]),
  ...chapter('C.rule-kind', [
    'permitAll',
    'authenticated',
    'denyAll',
    'hasAuthority',
    'hasAnyAuthority',
    'hasRole without the prefix',
    'hasAnyRole',
    'access(expression), with a time condition too',
  ]),
  ...chapter('C.rule', [
    'particular to general; a specific rule after the catch-all is an error',
    'a request that matches no rule is open',
    'no rules: everything needs a valid user by HTTP Basic',
    'a rule is for all methods unless one is given',
  ]),
  ...chapter('C.filter', [
    'a filter stops the request or passes it on',
    'add before, after or at a known filter',
    'a once-per-request filter does not run twice',
    'Request-Id missing or blank: 400 and no further',
  ]),
  ...chapter('C.authentication', [
    'HTTP Basic: Authorization: Basic base64(username:password)',
    'the default user with a new random password, printed at start',
    'a replaced user store without a password encoder: authentication fails with an error',
    'filter, manager, provider, store and encoder; the result in the context',
    'a provider answers null, an error, or an authentication without the password',
    'failure is 401, customisable by an entry point',
    'wrong credentials on an open endpoint: 401',
    'a static key in Authorization',
    'a signature over part of the request',
    'a one-time password from a third-party authentication server',
    'MODE_THREADLOCAL: each its own context',
    'MODE_INHERITABLETHREADLOCAL: handed to tasks the framework starts',
    'MODE_GLOBAL: one context for all',
    'tasks of the application get the context by decoration',
    'githubAuth returns AuthPayload',
    'the graph and search endpoints are behind the chain',
  ]),
  ...chapter('C.csrf', [
    'GET, HEAD, TRACE and OPTIONS pass',
    'any other method needs the token in X-CSRF-TOKEN: otherwise 403',
    'a random UUID in the session of the cookie JSESSIONID',
    'on the request as _csrf; hidden in the login form',
    'own repositories: bound to a client, and expiring',
    'off wholesale, or by Ant, MVC, or regex with a method',
    'serves a frontend of the same server',
  ]),
  ...chapter('C.cors', [
    'another origin is refused unless allowed; other hosts, ports and spellings are other origins',
    'Access-Control-Allow-Origin, -Methods, -Headers',
    'the preflight is answered; a refused one is refused',
    'per endpoint and central; * means all',
  ]),
  ...chapter('Event', ['subscription listens for data changes']),
  ...chapter('Error', [
    'authentication failure: 401',
    'mutating request without a token: 403',
    'no Request-Id: 400',
    'a failed graph operation carries errors next to data',
    'the 401 body: status, error, message, path',
  ]),
  ...chapter('Limit', ['allUsers: first 50, start 0', 'allPhotos: first 25, start 0']),
];
