// Table of all configuration keys: type, meaning, default, unit and environment variable. The file is read by
// load-config.ts, validated by check-config.ts and documented by print-reference.ts.

import type { Resolvers } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';

import { nodeHttp } from '../node-http.ts';
import { CLUSTER_SETTINGS, EMBEDDED_SETTINGS } from './cluster-settings.ts';
import { isDatabaseUrl, isReplicaUrl } from './database-address.ts';
import { SECURITY_SETTINGS } from './security-settings.ts';
import {
  anything,
  callable,
  choice,
  expression,
  flag,
  group,
  integer,
  type InputOf,
  list,
  map,
  milliseconds,
  oneOf,
  type ResolvedOf,
  text,
  textLike,
  typed,
} from './setting.ts';

/** A request as an application's route sees it. */
export interface RouteRequest {
  readonly method: string;
  /** The canonical path that the security rules saw. */
  readonly path: string;
  /** Named parts of the route's path: `/pictures/:id` gives `id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  readonly principal: Principal;
  /** Nonce of the response's Content-Security-Policy; undefined if `headers.contentSecurityPolicy` has none. */
  readonly cspNonce?: string | undefined;
}

/** Response of an application's route. */
export interface RouteAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Writes the rows of a seed; each call is one transaction. */
export interface SeedTarget {
  /** Inserts rows of a type. Relations are given by key: `{ name: 'Dusk', postedBy: 'u17', taggedUsers: ['u3'] }`. */
  write(type: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
}

type RouteHandler = (request: RouteRequest) => RouteAnswer | undefined | Promise<RouteAnswer | undefined>;

const isMethod = (name: string): boolean => nodeHttp.METHODS.includes(name.toUpperCase());

function isRoutePath(path: string): boolean {
  try {
    return path.startsWith('/') && new URLPattern({ pathname: path }) instanceof URLPattern;
  } catch {
    // The pattern has a mistake.
    return false;
  }
}

const MEBIBYTE = 1024 * 1024;
/** Every key of `lockstitch.config.ts`. */
export const CONFIG_SETTINGS = {
  port: {
    shape: integer(0, 65_535),
    doc: 'Port to listen on; 0 takes a free one.',
    default: 4000,
    environment: 'PORT',
  },
  host: {
    shape: text('0.0.0.0'),
    doc: 'Address to listen on. The default reaches this machine only; `0.0.0.0` is every network.',
    default: '127.0.0.1',
    environment: 'HOST',
  },
  data: {
    shape: text('/var/lib/photos'),
    doc: "Folder for the database and the search index, relative to the application's folder. `:memory:` keeps nothing.",
    default: '.lockstitch',
    environment: 'LOCKSTITCH_DATA',
  },
  database: {
    shape: group({
      url: {
        shape: textLike('postgres://app@db/photos', 'postgres://…, sqlite:<file> or env:<variable>', isDatabaseUrl),
        doc: 'A PostgreSQL database, or an existing SQLite file (`sqlite:../shop.db`, relative to the folder), instead of the embedded one. `env:SHOP_DATABASE` names the variable that holds the address: a start without it fails.',
        default: undefined,
        defaultText: 'SQLite in `data`',
        environment: 'DATABASE_URL',
        secret: true,
      },
      replica: {
        shape: textLike('postgres://app@standby/photos', 'postgres://… or env:<variable>', isReplicaUrl),
        doc: 'A hot standby of the PostgreSQL database, one server, that answers GraphQL queries of one statement. It may be away or behind: then the database itself answers.',
        default: undefined,
        defaultText: 'none',
        environment: 'DATABASE_REPLICA_URL',
        secret: true,
      },
      maxStaleness: {
        shape: integer(0, 3_600_000),
        doc: 'Milliseconds that the replica may be behind; a replica further behind is not asked. Once it is set, queries with rules that read other rows are asked of the replica too: for so long somebody who has lost a membership may still read.',
        default: undefined,
        defaultText: '30,000, and the database itself answers queries with such rules',
      },
    }),
    doc: 'Where rows live.',
    default: {},
  },
  servers: {
    shape: choice('one', 'several'),
    doc: 'Whether several servers share the database, behind a load balancer. With `several`, sessions, failed log-ins, nonces and used one-time passwords are kept in PostgreSQL, and what one server would keep to itself is refused.',
    default: 'one',
    environment: 'LOCKSTITCH_SERVERS',
  },
  schema: {
    shape: oneOf(text('schema.graphql'), list(text())),
    doc: 'GraphQL files, as paths or patterns relative to the folder.',
    default: undefined,
    defaultText: '`schema.graphql` and `schema/*.graphql`',
  },
  resolvers: {
    shape: oneOf(text('./resolvers.ts'), typed<Resolvers>(map(anything))),
    doc: 'Resolvers by type and field, or the module whose default export they are.',
    default: undefined,
    defaultText: '`./resolvers.ts` when it exists',
  },
  services: {
    shape: map(anything),
    doc: 'Anything resolvers need; they find it as `context.services`.',
    default: {},
  },
  seed: {
    shape: oneOf(text('./seed.ts'), callable<(target: SeedTarget) => Promise<void>>('async (target) => …')),
    doc: 'Function (or the module whose default export it is) that fills an empty database once, at the first start.',
    default: undefined,
    defaultText: 'nothing',
  },
  static: {
    shape: text('./public'),
    doc: 'Folder whose files are served by their names, for GET and HEAD, under the same security rules.',
    default: undefined,
    defaultText: 'nothing',
  },
  routes: {
    shape: list(
      group({
        method: {
          shape: textLike('GET', 'an HTTP method', isMethod),
          doc: 'HTTP method. A GET route answers HEAD as well.',
          default: 'GET',
        },
        path: {
          shape: textLike('/pictures/:id.svg', 'a path that starts with "/", as URLPattern writes them', isRoutePath),
          doc: 'Path with named parts, as URLPattern writes them.',
          default: undefined,
          required: true,
        },
        handle: {
          shape: callable<RouteHandler>('(request) => ({ status, headers, body })'),
          doc: 'Answers; `undefined` is a 404.',
          default: undefined,
          required: true,
        },
      }),
    ),
    doc: 'Further endpoints of the application. They stand behind the same security chain.',
    default: [],
  },
  ...SECURITY_SETTINGS,
  limits: {
    shape: group({
      bodySize: {
        shape: integer(1),
        doc: 'Largest request body; a larger one is answered 413. GraphQL reads its body in one piece, for up to 7 ms a megabyte, during which no other request is answered: load large data in several requests.',
        unit: 'bytes',
        default: MEBIBYTE,
      },
      bulkBodySize: {
        shape: integer(1),
        doc: 'Largest body of a search `_bulk` or `_msearch` request.',
        unit: 'bytes',
        default: 16 * MEBIBYTE,
      },
      headerSize: { shape: integer(1024), doc: 'Largest request header.', unit: 'bytes', default: 16_384 },
      headersTimeout: { shape: milliseconds(1), doc: 'Time to send the headers.', unit: 'ms', default: 10_000 },
      requestTimeout: { shape: milliseconds(1), doc: 'Time to send the whole request.', unit: 'ms', default: 60_000 },
      keepAliveTimeout: {
        shape: milliseconds(1),
        doc: 'Time an idle connection stays open.',
        unit: 'ms',
        default: 10_000,
      },
      stallTimeout: {
        shape: milliseconds(100),
        doc: 'Time a connection may stand still, neither sending nor taking anything, while a request or its answer is under way.',
        unit: 'ms',
        default: 120_000,
      },
      drainDelay: {
        shape: milliseconds(0),
        doc: 'Time between SIGTERM, from which on `/readyz` answers 503, and the end of accepting connections. Behind a load balancer: as long as it takes to notice.',
        unit: 'ms',
        default: 500,
        environment: 'LOCKSTITCH_DRAIN_DELAY',
      },
      drainTimeout: {
        shape: milliseconds(0),
        doc: 'Time that requests in flight get to finish after that.',
        unit: 'ms',
        default: 10_000,
      },
      connections: { shape: integer(1), doc: 'Connections at a time.', default: 10_000 },
    }),
    doc: 'What one request may cost.',
    default: {},
  },
  graph: {
    shape: group({
      limits: {
        shape: group({
          documentSize: { shape: integer(1), doc: 'Characters of the document.', default: 100_000 },
          tokens: { shape: integer(1), doc: 'Tokens of the document.', default: 5000 },
          nesting: {
            shape: integer(1),
            doc: 'Levels of nested brackets of any kind, in the document and in its variables.',
            default: 100,
          },
          depth: { shape: integer(1), doc: 'Levels of nested fields, fragments followed.', default: 15 },
          aliases: { shape: integer(1), doc: 'Aliases in the document.', default: 100 },
          directives: { shape: integer(1), doc: 'Directives in the document.', default: 100 },
          fields: { shape: integer(1), doc: 'Fields selected, fragments followed.', default: 5000 },
          cost: {
            shape: integer(1),
            doc: 'Objects that may be returned, by estimate, and the fields selected of each. `@cost` and `@listSize` adjust it.',
            default: 250_000,
          },
          pageSize: { shape: integer(1), doc: 'Largest page that `first` or `last` may ask for.', default: 1000 },
          writeSize: {
            shape: integer(1),
            doc: 'Objects that one mutation may change or delete by a filter (`where`).',
            default: 10_000,
          },
          answerSize: {
            shape: integer(1024),
            doc: 'Size of one answer, and of what is read for it.',
            unit: 'bytes',
            default: 16_777_216,
          },
          time: { shape: milliseconds(1), doc: 'Time one operation may take.', unit: 'ms', default: 10_000 },
        }),
        doc: 'Limits of one operation.',
        default: {},
      },
      federation: {
        shape: flag,
        doc: 'The schema is a subgraph of Apollo Federation 2: a gateway may ask for its SDL (as `introspection` allows) and for objects by their keys.',
        default: false,
      },
      introspection: {
        shape: oneOf(flag, expression("hasRole('DEVELOPER')")),
        doc: 'Whether callers may introspect the schema, or an expression that grants it. Without that right, errors contain no "Did you mean" either.',
        default: true,
      },
      explain: {
        shape: oneOf(flag, expression("hasRole('ADMIN')")),
        doc: 'Whether, or by an expression who, may send `extensions: { "explain": true }` and is told plan, SQL and times with the answer.',
        default: false,
      },
      trusted: {
        shape: text('./operations.json'),
        doc: "Operations known beforehand: a JSON file of texts by id (Relay and others), or Apollo's persisted query manifest. Clients send `documentId`.",
        default: undefined,
        defaultText: 'none',
      },
      onlyTrusted: { shape: flag, doc: 'Answer the operations of `graph.trusted` and no others.', default: false },
      subscriptions: {
        shape: group({
          perConnection: {
            shape: integer(1),
            doc: 'Operations at a time on one WebSocket or event stream.',
            default: 100,
          },
          total: { shape: integer(1), doc: 'Subscriptions at a time, of everybody.', default: 10_000 },
          lag: {
            shape: integer(1),
            doc: 'Changes that a slow subscriber may be behind before the subscription is ended with an error.',
            default: 10_000,
          },
          recheck: {
            shape: milliseconds(10),
            doc: 'How often it is looked at whether a subscriber may still be connected, and with which rights.',
            unit: 'ms',
            default: 30_000,
          },
        }),
        doc: 'Subscriptions, over WebSockets and as server-sent events.',
        default: {},
      },
    }),
    doc: 'The GraphQL endpoint.',
    default: {},
  },
  search: {
    shape: group({
      engine: {
        shape: choice('embedded', 'opensearch', 'elasticsearch'),
        doc: 'Where indexes lie: in the data folder, or on a cluster of your own (see the guide "Search on a cluster").',
        default: 'embedded',
      },
      ...CLUSTER_SETTINGS,
      refreshInterval: {
        shape: milliseconds(1),
        doc: 'Longest time until a write becomes searchable.',
        unit: 'ms',
        default: 1000,
      },
      commitInterval: {
        shape: milliseconds(10),
        doc: 'How often the index and its position in the feed are made durable. After a crash the feed since then is read again.',
        unit: 'ms',
        default: 2000,
      },
      syncWait: {
        shape: milliseconds(0),
        doc: 'How long the answer to a mutation waits for its change to be searchable; 0 does not wait.',
        unit: 'ms',
        default: 0,
      },
      maxSearchTime: {
        shape: milliseconds(1),
        doc: 'How long one search may take; then it is ended, with what it found or an error.',
        unit: 'ms',
        default: 10_000,
      },
      ...EMBEDDED_SETTINGS,
      ownIndexes: {
        shape: flag,
        doc: 'Whether clients may create and fill indexes of their own by REST, beside those of the schema.',
        default: undefined,
        defaultText: "on; off with `servers: 'several'` and on a cluster",
      },
    }),
    doc: 'The search indexes and how they follow the data.',
    default: {},
  },
  github: {
    shape: group({
      clientId: {
        shape: text(),
        doc: 'Client id of the OAuth app.',
        default: undefined,
        defaultText: 'none',
        environment: 'GITHUB_CLIENT_ID',
      },
      clientSecret: {
        shape: text(),
        doc: 'Its secret.',
        default: undefined,
        defaultText: 'none',
        environment: 'GITHUB_CLIENT_SECRET',
        secret: true,
      },
      baseUrl: {
        shape: text('https://github.example.com'),
        doc: 'Where GitHub is.',
        default: 'https://github.com',
      },
      apiUrl: { shape: text(), doc: "Where GitHub's API is.", default: 'https://api.github.com' },
    }),
    doc: 'Log-in with GitHub, for resolvers that exchange its code.',
    default: {},
  },
  metrics: {
    shape: group({
      enabled: { shape: flag, doc: 'Serve `GET /metrics` in the text format of Prometheus.', default: true },
      authorities: {
        shape: list(text('ROLE_ADMIN')),
        doc: 'Authorities of which a caller needs one, whatever the rules open: the figures count rows that not everybody may see. The generated user needs none.',
        default: ['ROLE_ADMIN'],
      },
    }),
    doc: 'Figures for monitoring: lag of the index, requests, latencies, memory.',
    default: {},
  },
  tracing: {
    shape: flag,
    doc: 'Spans of OpenTelemetry for requests, operations and SQL. Needs the package `@opentelemetry/api`; an SDK that the application starts decides where spans go.',
    default: false,
  },
  console: { shape: flag, doc: 'Serve the browser console under `/_console/`.', default: true },
  log: {
    shape: group({
      format: {
        shape: choice('auto', 'pretty', 'json', 'none'),
        doc: '`auto` is `pretty` on a terminal and `json` elsewhere.',
        default: 'auto',
      },
      level: { shape: choice('debug', 'info', 'warn', 'error'), doc: 'Mildest severity written.', default: 'info' },
      requests: { shape: flag, doc: 'One line a request.', default: false },
    }),
    doc: 'What is written to standard error.',
    default: {},
  },
} as const;

/** Default export of `lockstitch.config.ts`. */
export type Config = InputOf<typeof CONFIG_SETTINGS>;

/** Configuration with all defaults filled in. */
export type ResolvedConfig = ResolvedOf<typeof CONFIG_SETTINGS>;

/**
 * Types a configuration; it returns what it is given. A plain default-exported object does as well.
 *
 * @example
 * export default defineConfig({ port: 8080, rules: [{ ant: '/public/**', access: 'permitAll' }, { any: true, access: 'authenticated' }] });
 */
export function defineConfig(config: Config): Config {
  return config;
}
