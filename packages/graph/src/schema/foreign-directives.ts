// Directives of other schema languages, each with what to write here instead. Where one of ours means the same, reading
// goes on with it, so that one run finds the mistakes behind it too.

/** A directive of another schema language. */
export interface ForeignDirective {
  /** The languages that have it, as a message names them. */
  readonly of: string;
  /** What to write instead, as a sentence. */
  readonly remedy: string;
  /** Our directive of the same meaning, and which of its arguments each of theirs is; undefined: there is none. */
  readonly same?: { readonly name: string; readonly arguments: Readonly<Record<string, string>> } | undefined;
}

const RESOLVER = 'Answer the field with a resolver in resolvers.ts.';
const RULES = 'Write a rule: @auth(read: "hasRole(\'ADMIN\')"), with read, create, update and delete.';
const TABLE = 'The name of a table is @entity(table: "photos"), that of a column @column(name: "full_name").';
const ROOT_FIELDS = 'The root fields that Query and Mutation declare are those that clients get: remove it.';
const SEARCH = 'Write @search on the fields that a search finds.';
const COST = 'Write @cost(weight: 10).';
const KEY = 'Write @id on the key field, and @unique(fields: ["a", "b"]) on the type for a combination.';
const SUPERGRAPH = 'To be a subgraph, set graph: { federation: true } in the configuration; else remove it.';

const entity = { name: 'entity', arguments: {} } as const;
const id = { name: 'id', arguments: {} } as const;
const relation = (their: string): ForeignDirective['same'] => ({ name: 'relation', arguments: { [their]: 'inverse' } });

/** Directives of one meaning by their names. */
const named = (names: string, directive: ForeignDirective): Readonly<Record<string, ForeignDirective>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, directive]));

const DIRECTIVES: Readonly<Record<string, ForeignDirective>> = {
  model: { of: 'Amplify and Grafbase', remedy: 'Write @entity.', same: entity },
  primaryKey: { of: 'Amplify', remedy: 'Write @id.', same: id },
  searchable: { of: 'Amplify', remedy: SEARCH },
  ...named('hasOne belongsTo', { of: 'Amplify and Lighthouse', remedy: relationRemedy('a field of the other type') }),
  hasMany: { of: 'Amplify and Lighthouse', remedy: relationRemedy('a list of the other type') },
  manyToMany: { of: 'Amplify', remedy: relationRemedy('a list on both types') },
  belongsToMany: { of: 'Lighthouse', remedy: relationRemedy('a list on both types') },
  connection: { of: 'Amplify', remedy: relationRemedy('a field of the other type') },
  versioned: { of: 'Amplify', remedy: 'Write a field "version: Int! @default(value: "version")".' },
  ...named('function http predictions', { of: 'Amplify', remedy: RESOLVER }),
  ...named('aws_auth aws_cognito_user_pools aws_api_key aws_iam aws_oidc aws_lambda', { of: 'AppSync', remedy: RULES }),
  aws_subscribe: {
    of: 'AppSync',
    remedy: 'Subscriptions follow the changes of stored types by themselves: remove it.',
  },

  hasInverse: {
    of: 'Dgraph',
    remedy: 'Write @relation(inverse: "posts"), with the field of the other type.',
    same: relation('field'),
  },
  dgraph: { of: 'Dgraph', remedy: TABLE },
  secret: { of: 'Dgraph', remedy: 'Leave secrets out of the schema: what it does not name is never read.' },
  ...named('lambda custom remote', { of: 'Dgraph', remedy: RESOLVER }),
  generate: { of: 'Dgraph', remedy: ROOT_FIELDS },
  withSubscription: { of: 'Dgraph', remedy: 'Write the field in type Subscription: "photoChanged(id: ID): Photo!".' },

  ...named('relayId globalId', {
    of: 'Neo4j and Lighthouse',
    remedy: 'Write a field beside the key: "nodeId: ID! @nodeId".',
  }),
  db: { of: 'Prisma 1', remedy: TABLE },
  map: { of: 'Prisma', remedy: TABLE },
  createdAt: { of: 'Prisma 1', remedy: 'Write @default(value: "now").' },
  updatedAt: { of: 'Prisma 1', remedy: 'Write @default(value: "updatedAt").' },
  embedded: { of: 'Prisma 1 and Fauna', remedy: 'A type without a key is embedded by itself: remove it.' },
  scalarList: { of: 'Prisma 1', remedy: 'A list of scalars needs no directive: remove it.' },
  linkTable: { of: 'Prisma 1', remedy: 'A list on both types makes its join table: remove the type.' },
  collection: {
    of: 'Fauna',
    remedy: 'Write @entity(table: "photos").',
    same: { ...entity, arguments: { name: 'table' } },
  },
  resolver: { of: 'Fauna and Grafbase', remedy: RESOLVER },

  node: { of: 'Neo4j', remedy: 'Write @entity.', same: entity },
  relationship: { of: 'Neo4j', remedy: relationRemedy('a field or a list of the other type') },
  ...named('authorization authentication', { of: 'Neo4j', remedy: RULES }),
  timestamp: { of: 'Neo4j', remedy: 'Write @default(value: "now"), or "updatedAt" where updates set it too.' },
  fulltext: { of: 'Neo4j', remedy: SEARCH },
  ...named('cypher customResolver populatedBy', { of: 'Neo4j', remedy: RESOLVER }),
  coalesce: { of: 'Neo4j', remedy: 'Write @default(value: "…").' },
  plural: { of: 'Neo4j', remedy: TABLE },
  ...named('query mutation subscription', { of: 'Neo4j', remedy: ROOT_FIELDS }),

  all: { of: 'Lighthouse', remedy: 'A field that returns a list of a stored type needs no directive: remove it.' },
  find: { of: 'Lighthouse', remedy: 'An argument named like a field looks the object up: remove it.' },
  paginate: { of: 'Lighthouse', remedy: 'Arguments "first: Int = 25, start: Int = 0" page a list.' },
  eq: { of: 'Lighthouse', remedy: 'An argument named like a field filters by it: remove it.' },
  ...named('can guard', { of: 'Lighthouse', remedy: RULES }),
  ...named('softDeletes trashed', {
    of: 'Lighthouse',
    remedy:
      'Write @entity(softDelete: "deletedAt") on the type, and an argument "deleted" of an enum with EXCLUDE, INCLUDE and ONLY.',
  }),
  ...named('restore forceDelete', {
    of: 'Lighthouse',
    remedy: 'A mutation called restorePhoto or purgePhoto needs no directive: remove it.',
  }),
  rules: { of: 'Lighthouse', remedy: 'Types and non-null are checked; for more, answer the field with a resolver.' },

  key: { of: 'Apollo Federation', remedy: `${KEY} ${SUPERGRAPH}` },
  ...named('link external provides shareable override tag inaccessible', {
    of: 'Apollo Federation',
    remedy: SUPERGRAPH,
  }),
  requires: {
    of: 'Apollo Federation',
    remedy: 'A statement cannot read values of other subgraphs: answer the field where those values are.',
  },
  interfaceObject: {
    of: 'Apollo Federation',
    remedy: 'Interface objects are not supported: write @key on the types that implement the interface.',
  },
  composeDirective: {
    of: 'Apollo Federation',
    remedy: 'Directives of your own are not told to the gateway: remove it.',
  },
  extends: { of: 'Apollo Federation 1', remedy: 'Write the type with its @key; Federation 2 needs no extension.' },
  ...named('requiresScopes authenticated policy', { of: 'Apollo Federation', remedy: RULES }),
  cacheControl: { of: 'Apollo Server', remedy: 'Answers are always read from the database: remove it.' },
  complexity: { of: 'Lighthouse', remedy: COST },
  cached: { of: 'Hasura', remedy: 'Answers are always read from the database: remove it.' },
};

function relationRemedy(written: string): string {
  return `Write ${written}; where several could be meant, @relation(inverse: "posts") says which.`;
}

/** The directive of that name in another schema language, if there is one. */
export function foreignDirective(name: string): ForeignDirective | undefined {
  return Object.hasOwn(DIRECTIVES, name) ? DIRECTIVES[name] : undefined;
}
