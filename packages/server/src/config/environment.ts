// Environment variables that a start reads, and their effect. No other code reads process.env.
import { resolve } from 'node:path';
import { reasonOf } from '@lockstitch/kernel';

import { readNodes, readPrefix } from './cluster-settings.ts';
import type { ResolvedConfig } from './config.ts';
import { isDatabaseAddress, isPostgresUrl, locateDatabase } from './database-address.ts';

/** All variables, for the reference page. */
export const ENVIRONMENT: readonly { readonly name: string; readonly doc: string }[] = [
  { name: 'PORT', doc: 'Port to listen on (`port`); also of `lockstitch search`.' },
  {
    name: 'HOST',
    doc: 'Address to listen on (`host`); also of `lockstitch search`. `0.0.0.0` in a container, whose published ports do not reach 127.0.0.1.',
  },
  {
    name: 'LOCKSTITCH_DATA',
    doc: 'Folder for database and index (`data`), relative to the working directory: the volume of a container. Also of `lockstitch search`.',
  },
  {
    name: 'LOCKSTITCH_DRAIN_DELAY',
    doc: 'Milliseconds for which a stopping server still takes requests (`limits.drainDelay`); also of `lockstitch search`.',
  },
  { name: 'LOCKSTITCH_SERVERS', doc: '`several` if several servers share the database (`servers`).' },
  { name: 'LOCKSTITCH_USER_NAME', doc: 'Name of the generated user instead of `user`; only without `users`.' },
  {
    name: 'LOCKSTITCH_USER_PASSWORD',
    doc: 'Password of the generated user instead of a random one; only without `users`. Never shown.',
  },
  {
    name: 'DATABASE_URL',
    doc: 'PostgreSQL database, or `sqlite:` and a file relative to the working directory (`database.url`).',
  },
  {
    name: 'DATABASE_REPLICA_URL',
    doc: 'A hot standby of the PostgreSQL database that answers queries (`database.replica`).',
  },
  {
    name: 'SEARCH_URL',
    doc: 'Addresses of the nodes of an OpenSearch or Elasticsearch cluster, separated by commas (`search.nodes`).',
  },
  {
    name: 'SEARCH_PREFIX',
    doc: 'What the names of the indexes on that cluster start with (`search.prefix`): a restored copy needs another one.',
  },
  { name: 'GITHUB_CLIENT_ID', doc: 'Client id of the GitHub OAuth app (`github.clientId`).' },
  { name: 'GITHUB_CLIENT_SECRET', doc: 'Its secret (`github.clientSecret`). Never shown.' },
  { name: 'NODE_ENV', doc: 'Not read: a server is the same everywhere.' },
  {
    name: 'NO_COLOR',
    doc: "Read by Node, as `NODE_OPTIONS`, `NODE_EXTRA_CA_CERTS` and Node's others are: output without colours.",
  },
];

/** The user that is generated if none is configured. */
export interface GeneratedUser {
  readonly name: string;
  /** Undefined: generate a random one. */
  readonly password: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Overrides a configuration by the environment. An empty variable counts as unset. */
export function applyEnvironment(
  config: ResolvedConfig,
  environment: Environment,
): { readonly config: ResolvedConfig; readonly user: GeneratedUser; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const read = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  const attempt = <T>(readValue: (environment: Environment) => T | undefined, otherwise: T): T => {
    try {
      return readValue(environment) ?? otherwise;
    } catch (error) {
      problems.push(reasonOf(error));
      return otherwise;
    }
  };
  const databaseUrl = read('DATABASE_URL');
  if (databaseUrl !== undefined && !isDatabaseAddress(databaseUrl))
    problems.push('DATABASE_URL must start with postgres:// or sqlite:. Leave it out for the embedded SQLite.');
  const replicaUrl = read('DATABASE_REPLICA_URL');
  if (replicaUrl !== undefined && !isPostgresUrl(replicaUrl))
    problems.push('DATABASE_REPLICA_URL must start with postgres://.');
  return {
    config: {
      ...config,
      port: attempt(readPortVariable, config.port),
      host: attempt(readHost, config.host),
      data: readDataFolder(environment) ?? config.data,
      servers: attempt(readServers, config.servers),
      search: {
        ...config.search,
        nodes: attempt(({ SEARCH_URL }) => readNodes(SEARCH_URL), config.search.nodes),
        prefix: attempt(({ SEARCH_PREFIX }) => readPrefix(SEARCH_PREFIX), config.search.prefix),
      },
      limits: { ...config.limits, drainDelay: attempt(readDrainDelay, config.limits.drainDelay) },
      database: {
        ...config.database,
        url: locateDatabase(databaseUrl, process.cwd(), {}) ?? config.database.url,
        replica: replicaUrl ?? config.database.replica,
      },
      github: {
        ...config.github,
        clientId: read('GITHUB_CLIENT_ID') ?? config.github.clientId,
        clientSecret: read('GITHUB_CLIENT_SECRET') ?? config.github.clientSecret,
      },
    },
    user: { name: read('LOCKSTITCH_USER_NAME') ?? 'user', password: read('LOCKSTITCH_USER_PASSWORD') },
    problems,
  };
}

/** Milliseconds for which a stopping server still accepts requests; undefined if not set. @throws Error */
export function readDrainDelay({ LOCKSTITCH_DRAIN_DELAY: text }: Environment): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`LOCKSTITCH_DRAIN_DELAY must be a whole number of milliseconds, not "${text}".`);
}

/** `servers`; undefined if not set. @throws Error */
function readServers({ LOCKSTITCH_SERVERS: text }: Environment): ResolvedConfig['servers'] | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'one' || text === 'several') return text;
  throw new Error(`LOCKSTITCH_SERVERS must be one or several, not "${text}".`);
}

/** Port to listen on; undefined if not set. @throws Error */
export function readPortVariable({ PORT: text }: Environment): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`PORT must be a number from 0 to 65535, not "${text}".`);
}

/** Address to listen on, an IPv6 address without brackets; undefined if not set. @throws Error */
export function readHost({ HOST: text }: Environment): string | undefined {
  if (text === undefined || text === '') return undefined;
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (/^[\w.-]+$/.test(host) || /^[\da-f:.]+(?:%[\w.-]+)?$/i.test(host)) {
    // Users of other programs write "0.0.0.0:80" and "http://…" here.
    if (!/^[^:]*:[^:]*$/.test(host)) return host;
  }
  throw new Error(`HOST must be an address or a name such as 0.0.0.0, without a scheme or port, not "${text}".`);
}

/** Absolute path of the data folder, or ":memory:"; undefined if not set. */
export function readDataFolder({ LOCKSTITCH_DATA: text }: Environment): string | undefined {
  if (text === undefined || text === '') return undefined;
  return text === ':memory:' ? text : resolve(text);
}
