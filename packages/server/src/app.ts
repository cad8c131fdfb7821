// Sews an application together: store, graph, search, security, routes. The one place where all packages meet; the command
// line and the tests call it. It decides nothing that one of them could decide.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createGraph, type Graph } from '@lockstitch/graph';
import { type Log, silentLog } from '@lockstitch/kernel';
import type { Security } from '@lockstitch/security';

import { buildSecurity, type BuiltSecurity } from './security/build-security.ts';
import { readAccess } from './config/access.ts';
import type { LoadedApp } from './app/load-app.ts';
import { dataFolder } from './config/load-config.ts';
import { lockDataFolder } from './data/data-lock.ts';
import { openStore } from './data/open-store.ts';
import { seedOnce, writeAll } from './data/seed.ts';
import { openSessionStore, openUserStore } from './data/user-store.ts';
import { serverErrors } from './errors.ts';
import { createGithub } from './github/github.ts';
import { errorAnswer, type RouteResponse } from './http/answer.ts';
import { type AppRequest, type AppResponse, createInProcess } from './http/in-process.ts';
import { listen, type Listening } from './http/listen.ts';
import { createListener } from './http/node-listener.ts';
import { createRechecks } from './http/recheck.ts';
import type { Starting } from './http/starting.ts';
import { loadTracing } from './http/tracing.ts';
import { createUpgradeListener } from './http/upgrade.ts';
import { createProcessMeter, type ProcessMeter } from './metrics/process-meter.ts';
import { createRequestMeter, type RequestMeter } from './metrics/request-meter.ts';
import { appRoutes, staticRoute } from './routes/app-routes.ts';
import { consoleRoute } from './routes/console.ts';
import { consoleFirst } from './routes/console-first.ts';
import { graphRoute } from './routes/graph.ts';
import { lookAtDoors } from './routes/doors.ts';
import { health, readiness } from './http/health.ts';
import { metricsRoute } from './routes/metrics.ts';
import { createRouter, type Handle, type MaybeHandle, type Methods } from './http/router.ts';
import { searchRoute } from './routes/search.ts';
import { createSubscriptionRoutes, type SubscriptionRoutes } from './routes/subscriptions.ts';
import { openAudit } from './security/open-audit.ts';
import { createFullText } from './sync/full-text.ts';
import { openChangeLog } from './sync/change-log.ts';
import { serveIndexControl } from './sync/index-control.ts';
import { type OpenedSearch, openSearch } from './sync/open-search.ts';
import { readerName } from './sync/reader-name.ts';
import type { OnBuild } from './sync/build-index.ts';
import type { SyncStatus } from './sync/sync-status.ts';
import type { AppServices } from './services.ts';

/** What a start may be told besides its configuration. */
export interface AppOptions {
  /** Default: silent. */
  readonly log?: Log;
  /** Told while an index is built. */
  readonly onBuild?: OnBuild;
  /** A socket that listens already, for `listen` to take over. */
  readonly starting?: Starting;
  /** Told how many rows the seed has written. */
  readonly onSeed?: (rows: number) => void;
}

/** A running application. */
export interface App {
  readonly graph: Graph;
  readonly security: Security;
  /** The user made up because none is configured, with the password to print once. */
  readonly generated: BuiltSecurity['generated'];
  readonly hasConsole: boolean;
  /** Answers a request as a value, through the same chain and routes as a socket. */
  handle(request: AppRequest): Promise<AppResponse>;
  /** Starts to answer on a socket. @throws ProductError SERVER_PORT_TAKEN, … */
  listen(): Promise<Listening>;
  status(): Promise<SyncStatus>;
  /** Stops as load balancers need it: `/readyz` says 503 at once, requests come in for `limits.drainDelay` ms more, then `close`. */
  drain(): Promise<void>;
  /** Lets requests in flight finish, commits and closes everything; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens an application: database, seed, indexes, security, routes. It listens nowhere yet.
 *
 * @throws ProductError when a part cannot work; what was opened by then is closed again
 */
export async function createApp(loaded: LoadedApp, options: AppOptions = {}): Promise<App> {
  const cleaning: (() => Promise<void> | void)[] = [];
  const clean = async (): Promise<void> => {
    for (let step = cleaning.pop(); step !== undefined; step = cleaning.pop()) await step();
  };
  try {
    return await open(loaded, options, cleaning, clean);
  } catch (error) {
    await clean();
    throw error;
  }
}

async function open(
  loaded: LoadedApp,
  options: AppOptions,
  cleaning: (() => Promise<void> | void)[],
  clean: () => Promise<void>,
): Promise<App> {
  const { config, model, resolvers } = loaded;
  const log = options.log ?? silentLog;
  const folder = dataFolder(loaded);
  // Before anything is opened: rules that cannot work should not cost a look at the database.
  buildSecurity(config, loaded.user, silentLog);
  const tracing = config.tracing ? await loadTracing() : undefined;
  if (folder !== ':memory:') {
    const lock = lockDataFolder(folder);
    cleaning.push(() => lock.release());
  }
  const store = await openStore(config.database.url, folder, config.graph.limits.time);
  cleaning.push(() => store.close());
  const audit = openAudit(loaded, log);
  cleaning.push(() => audit.close());
  const { security, generated, users } = buildSecurity(config, loaded.user, log, {
    audit: audit.sink,
    ...(config.userStore === 'sql' ? { users: await openUserStore(store) } : {}),
    ...(config.session.store === 'database' ? { sessions: await openSessionStore(store) } : {}),
  });
  const graph = await createGraph({
    model,
    store,
    resolvers,
    limits: config.graph.limits,
    introspection: readAccess(config.graph.introspection),
    explain: readAccess(config.graph.explain),
    persisted: { trusted: loaded.trusted, onlyTrusted: config.graph.onlyTrusted },
    eventStreams: STREAM_PATH,
    ...(tracing === undefined ? {} : { tracing: tracing.graph }),
    // Asked once requests come in; by then the index is open.
    fullText: createFullText({ model, search: () => search }),
    log,
  });
  cleaning.push(() => graph.feed.close());
  if (config.audit.changes !== undefined) {
    const file = resolve(loaded.folder, config.audit.changes);
    const changes = await openChangeLog({ feed: graph.feed, file, readerName: changesReader(folder), log });
    cleaning.push(() => changes.close());
  }
  const search = await openSearch({ graph, folder, config, readerName: readerName(folder), log });
  cleaning.push(() => search.close());
  if (loaded.seed !== undefined)
    await seedOnce(graph, loaded.seed, {
      onSeed: options.onSeed ?? (() => undefined),
      lost: () => search.sync.ahead(),
      database: store.description,
    });
  await search.sync.start(options.onBuild ?? (() => undefined));
  if (folder !== ':memory:') {
    // A folder that can hold no socket is no reason not to serve.
    const control = await serveIndexControl(folder, search.sync).catch((error: unknown) => {
      log.write('warn', 'The command "index" cannot reach this server', { error });
      return undefined;
    });
    cleaning.push(() => control?.close());
  }

  let ready = true;
  const meters = config.metrics.enabled ? createMeters(generated !== undefined) : undefined;
  cleaning.push(() => meters?.close());
  const services: AppServices = {
    ...config.services,
    github: createGithub(config.github),
    write: (type, rows) => writeAll(graph, type, rows),
  };
  const subscriptions = createSubscriptionRoutes({
    graph,
    services,
    limit: { bytes: config.limits.bodySize, key: 'bodySize' },
    limits: config.graph.subscriptions,
    recheck: createRechecks(security, users),
    log,
  });
  const answer = buildRoutes({ loaded, graph, services, search, subscriptions, meters, isReady: () => ready });
  const { trustProxy } = config;
  const plain = createListener({ security, answer, log, logRequests: config.log.requests, trustProxy });
  const listener = tracing === undefined ? plain : tracing.wrap(plain, KNOWN_PATHS);
  const upgrade = createUpgradeListener({
    security,
    config,
    path: '/graphql',
    accept: (...given) => subscriptions.upgrade(...given),
    log,
  });
  const listening: Listening[] = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      ready = false;
      subscriptions.close();
      await Promise.all(listening.map((each) => each.close()));
      await clean();
    })());
  return {
    graph,
    security,
    generated,
    hasConsole: config.console,
    handle: createInProcess(security, answer, log),
    async listen() {
      const { starting } = options;
      const started = starting?.listening ?? (await listen(listener, config));
      starting?.handOver(listener);
      meters?.requests.watch(started.server);
      started.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        upgrade(request, socket, head),
      );
      listening.push(started);
      return started;
    },
    status: () => search.sync.status(),
    async drain() {
      ready = false;
      for (const each of listening) each.announceClose();
      await sleep(config.limits.drainDelay);
      await close();
    },
    close,
  };
}

/** Paths that traces tell as they are; what others hold may be somebody's. */
const STREAM_PATH = '/graphql/stream';

const KNOWN_PATHS: ReadonlySet<string> = new Set(['/', '/graphql', STREAM_PATH, '/healthz', '/readyz']);

interface RouteParts {
  readonly loaded: LoadedApp;
  readonly graph: Graph;
  readonly services: AppServices;
  readonly search: OpenedSearch;
  readonly subscriptions: SubscriptionRoutes;
  readonly meters: Meters | undefined;
  readonly isReady: () => boolean;
}

function buildRoutes({ loaded, graph, services, search, subscriptions, meters, isReady }: RouteParts): Handle {
  const { config, folder } = loaded;
  const limit = { bytes: config.limits.bodySize, key: 'bodySize' } as const;
  const operations = graphRoute({
    handle: (request, context) => graph.handleHttp(request, context),
    services,
    limit,
    feed: graph.feed,
    sync: search.sync,
    syncWait: config.search.syncWait,
  });
  const searching = searchRoute({
    search,
    feed: graph.feed,
    sync: search.sync,
    limit,
    bulkLimit: { bytes: config.limits.bulkBodySize, key: 'bulkBodySize' },
    ownIndexes: config.search.ownIndexes,
  });
  const others: (MaybeHandle | undefined)[] = [
    config.console ? consoleRoute() : undefined,
    appRoutes(config.routes, limit),
    staticRoute(config.static === undefined ? undefined : resolve(folder, config.static)),
  ];
  const stream = subscriptions.stream;
  const metrics: readonly (readonly [string, Methods])[] =
    meters === undefined
      ? []
      : [['/metrics', metricsRoute({ sync: search.sync, feed: graph.feed, ...meters, ...readersOf(config, meters) })]];
  return createRouter({
    exact: new Map<string, Methods>([
      ['/', { GET: consoleFirst(searching, config.console), POST: operations.POST }],
      ['/graphql', { ...operations, GET: consoleFirst(operations.GET, config.console) }],
      [STREAM_PATH, { GET: stream, POST: stream, PUT: stream, DELETE: stream }],
      ['/healthz', health],
      ['/readyz', readiness({ isDraining: () => !isReady(), look: () => lookAtDoors(graph.feed, search.sync) })],
      ...metrics,
    ]),
    others: others.filter((route) => route !== undefined),
    fallback: (request): RouteResponse | Promise<RouteResponse> =>
      request.path.startsWith('/_console') || request.path.startsWith('/graphql/')
        ? errorAnswer(serverErrors.create('SERVER_NOT_FOUND', { path: request.path }), request.path)
        : searching(request),
  });
}

interface Meters {
  readonly requests: RequestMeter;
  readonly process: ProcessMeter;
  /** The one user is made up by the server: whoever knows the password is its operator. */
  readonly isOperators: boolean;
  close(): void;
}

function createMeters(isOperators: boolean): Meters {
  const requests = createRequestMeter();
  const process = createProcessMeter();
  return {
    requests,
    process,
    isOperators,
    close() {
      requests.close();
      process.close();
    },
  };
}

function readersOf({ metrics }: LoadedApp['config'], { isOperators }: Meters) {
  return { authorities: isOperators ? undefined : metrics.authorities };
}

/** Several servers on one database each keep a record of their own. */
function changesReader(folder: string): string {
  return readerName(folder).replace('search-', 'changes-');
}
