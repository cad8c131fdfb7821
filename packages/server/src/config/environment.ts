// What the environment says about a start: which variables are read, and what each changes. Nothing else reads process.env.
import type { ResolvedConfig } from './config.ts';

/** Every variable, for the reference page. */
export const ENVIRONMENT: readonly { readonly name: string; readonly doc: string }[] = [
  { name: 'PORT', doc: 'Port to listen on (`port`).' },
  {
    name: 'LOCKSTITCH_DRAIN_DELAY',
    doc: 'Milliseconds for which a stopping server still takes requests (`limits.drainDelay`).',
  },
  { name: 'LOCKSTITCH_USER_NAME', doc: 'Name of the generated user instead of `user`; only without `users`.' },
  {
    name: 'LOCKSTITCH_USER_PASSWORD',
    doc: 'Password of the generated user instead of a random one; only without `users`. Never shown.',
  },
  { name: 'DATABASE_URL', doc: 'PostgreSQL database (`database.url`).' },
  { name: 'SEARCH_URL', doc: 'Reserved for an OpenSearch or Elasticsearch cluster; setting it is an error for now.' },
  { name: 'GITHUB_CLIENT_ID', doc: 'Client id of the GitHub OAuth app (`github.clientId`).' },
  { name: 'GITHUB_CLIENT_SECRET', doc: 'Its secret (`github.clientSecret`). Never shown.' },
];

/** The user that is made at start when none is configured. */
export interface GeneratedUser {
  readonly name: string;
  /** Undefined: a random one is made. */
  readonly password: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Lays the environment over a configuration. An empty variable counts as not set. */
export function applyEnvironment(
  config: ResolvedConfig,
  environment: Environment,
): { readonly config: ResolvedConfig; readonly user: GeneratedUser; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const read = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  const portText = read('PORT');
  let { port } = config;
  if (portText !== undefined) {
    if (/^\d{1,5}$/.test(portText) && Number(portText) <= 65_535) port = Number(portText);
    else problems.push(`PORT must be a number from 0 to 65535, not "${portText}".`);
  }
  let { drainDelay } = config.limits;
  try {
    drainDelay = readDrainDelay(environment) ?? drainDelay;
  } catch (error) {
    problems.push((error as Error).message);
  }
  const databaseUrl = read('DATABASE_URL');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    problems.push('DATABASE_URL must start with postgres://. Leave it out for the embedded SQLite.');
  }
  if (read('SEARCH_URL') !== undefined) {
    problems.push(
      'SEARCH_URL is set, but an external search cluster cannot be used yet. Unset it; the index is embedded.',
    );
  }
  return {
    config: {
      ...config,
      port,
      limits: { ...config.limits, drainDelay },
      database: { ...config.database, url: databaseUrl ?? config.database.url },
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

/** How long a server that stops still takes requests, in ms; undefined when the environment does not say. @throws Error */
export function readDrainDelay(environment: Environment): number | undefined {
  const text = environment['LOCKSTITCH_DRAIN_DELAY'];
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`LOCKSTITCH_DRAIN_DELAY must be a whole number of milliseconds, not "${text}".`);
}
