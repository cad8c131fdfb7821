// What `servers: 'several'` changes and refuses: everything that one server would keep to itself although a caller may
// reach another one next.
import type { ConfigProblem } from './check-config.ts';
import type { ResolvedConfig } from './config.ts';
import { isPostgresUrl, variableOf } from './database-address.ts';
import type { GeneratedUser } from './environment.ts';

/** Fills in the defaults that depend on the number of servers. */
export function applyServers(config: ResolvedConfig): ResolvedConfig {
  const several = config.servers === 'several';
  return {
    ...config,
    session: { ...config.session, store: config.session.store ?? (several ? 'database' : 'memory') },
    search: {
      ...config.search,
      ownIndexes: config.search.ownIndexes ?? (!several && config.search.engine === 'embedded'),
    },
  };
}

/** What several servers cannot have. The address of the database is known by then, if it is given at all. */
export function findServerProblems(config: ResolvedConfig, user: GeneratedUser): readonly ConfigProblem[] {
  if (config.servers === 'one') return [];
  const { chains, csrf, database, search, session, userStore, users } = config;
  const problems: ConfigProblem[] = [];
  const refuse = (keys: ConfigProblem['keys'], message: string, hint: string): void =>
    void problems.push({ keys, message, hint });
  const isKnown = database.url === undefined || variableOf(database.url) === undefined;
  if (isKnown && !isPostgresUrl(database.url ?? ''))
    refuse(
      ['servers'],
      'Several servers share their data in PostgreSQL, and no address of one is given.',
      "Set DATABASE_URL or database.url to postgres://…, or leave servers: 'several' out.",
    );
  if (session.store === 'memory')
    refuse(
      ['session', 'store'],
      'A session in memory is known to one of several servers only.',
      "Write store: 'database', or leave it out.",
    );
  if (search.ownIndexes === true)
    refuse(
      ['search', 'ownIndexes'],
      'A document that a client writes into an index of its own is found on one of several servers only.',
      'Leave ownIndexes out.',
    );
  if (userStore === 'config' && users === undefined && user.password === undefined)
    refuse(
      ['servers'],
      'Each of several servers would generate a password of its own.',
      "Write users, userStore: 'sql', or set LOCKSTITCH_USER_PASSWORD.",
    );
  const ofClients = [{ csrf, keys: [] }, ...chains.map((chain, at) => ({ csrf: chain.csrf, keys: ['chains', at] }))];
  for (const { csrf: each, keys } of ofClients)
    if (each?.repository === 'client')
      refuse(
        [...keys, 'csrf', 'repository'],
        'A CSRF token of a client is known to one of several servers only.',
        "Write repository: 'session' or 'cookie'.",
      );
  return problems;
}
