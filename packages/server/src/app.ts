// Wires an application together: store, graph, search, security, routes. The only place where all packages meet.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createGraph, type Graph, type Store, type WatchedReplica } from '@lockstitch/graph';
import { type Log, silentLog } from '@lockstitch/kernel';
import type { Security } from '@lockstitch/security';

import { openToAll } from './security/is-open-to-all.ts';
import { buildSecurity, type BuiltSecurity } from './security/build-security.ts';
import { readAccess } from './config/access.ts';
import type { LoadedApp } from './app/load-app.ts';
import { dataFolder } from './config/load-config.ts';
import { lockDataFolder } from './data/data-lock.ts';
import { openReplica, openStore } from './data/open-store.ts';
import { seedOnce, writeAll } from './data/seed.ts';
import { openLoginState, openSessionStore, openUserStore } from './data/user-store.ts';
import { serverErrors } from './errors.ts';
import { register } from './fleet/server-registry.ts';
import { migrateBeside } from './fleet/wait-for-others.ts';
import { createGithub } from './github/github.ts';
import { errorResponse, type RouteResponse } from './http/route-response.ts';
import { type AppRequest, type AppResponse, createInProcess } from './http/in-process.ts';
import { listen, type Listening } from './http/listen.ts';
import { createListener } from './http/node-listener.ts';
import { createRechecks } from './http/recheck.ts';
import type { Starting } from './http/starting.ts';
import { loadTracing, type Tracing } from './http/tracing.ts';
import { createUpgradeListener } from './http/upgrade.ts';
import { createEventMeter, type EventMeter } from './metrics/event-meter.ts';
import { createProcessMeter, type ProcessMeter } from './metrics/process-meter.ts';
import { createRequestMeter, type RequestMeter } from './metrics/request-meter.ts';
import { appRoutes, staticRoute } from './routes/app-routes.ts';
import { consoleRoute } from './routes/console.ts';
import { consoleFirst } from './routes/console-first.ts';
import { graphRoute } from './routes/graph.ts';
import { probeApis } from './routes/probe-apis.ts';
import { health, readiness } from './http/health.ts';
import { metricsRoute } from './routes/metrics.ts';
import { createRouter, type Handle, type MaybeHandle, type Methods } from './http/router.ts';
import { searchRoute } from './routes/search.ts';
import { createSubscriptionRoutes, type SubscriptionRoutes } from './routes/subscriptions.ts';
import { openAudit } from './security/open-audit.ts';
import { createFullText } from './sync/full-text.ts';
import { openChangeLog } from './sync/change-log.ts';
import { serveIndexControl } from './sync/index-control.ts';
import type { OpenedSearch } from './sync/opened-search.ts';
import { openSearch } from './cluster/open-search.ts';
import { readerName } from './sync/reader-name.ts';
import type { OnBuild } from './sync/build-index.ts';
import type { SyncStatus } from './sync/sync-status.ts';
import type { AppServices } from './services.ts';

/** Options of a start that are not part of the configuration. */
export interface AppOptions {
  /** Default: silent. */
  readonly log?: Log;
  /** Reports progress while an index is built. */
  readonly onBuild?: OnBuild;
  /** A listening socket for `listen` to take over. */
  readonly starting?: Starting;
  /** Reports the number of rows that the seed has written. */
  readonly onSeed?: (rows: number) => void;
}

export interface App {
  readonly graph: Graph;
  readonly security: Security;
  /** The generated user, if no users are configured; its password is printed once. */
  readonly generated: BuiltSecurity['generated'];
  readonly hasConsole: boolean;
  /** Handles a request value through the same chain and routes as a socket. */
  handle(request: AppRequest): Promise<AppResponse>;
  /** Starts to listen on a socket. @throws ProductError SERVER_PORT_TAKEN, … */
  listen(): Promise<Listening>;
  status(): Promise<SyncStatus>;
  /**
   * Stops in the way load balancers need: `/readyz` returns 503 at once, requests are accepted for `limits.drainDelay`
   * ms more, then `close`.
   */
  drain(): Promise<void>;
  /** Waits for requests in flight, commits and closes everything. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens an application: database, seed, indexes, security, routes. It does not listen yet.
 *
 * @throws ProductError if a part cannot work; everything opened before is closed again
 */
export async function createApp(loaded: LoadedApp, options: AppOptions = {}): Promise<App> {
  const cleanup = new Cleanup();
  try {
    const opened = await openParts(loaded, options, cleanup);
    return serve(loaded, options, opened, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

type CleanupStep = () => Promise<void> | void;

/** Steps that close what was opened, last opened first. */
class Cleanup {
  readonly #steps: CleanupStep[] = [];

  add(step: CleanupStep): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}

/** The parts of an application without its HTTP side. */
interface OpenedParts {
  readonly built: BuiltSecurity;
  readonly graph: Graph;
  readonly search: OpenedSearch;
  readonly tracing: Tracing | undefined;
  readonly store: Store;
  readonly replica: WatchedReplica | undefined;
  readonly events: EventMeter;
}

async function openParts(loaded: LoadedApp, options: AppOptions, cleanup: Cleanup): Promise<OpenedParts> {
  const { config } = loaded;
  const events = createEventMeter(options.log ?? silentLog);
  const { log } = events;
  const folder = dataFolder(loaded);
  // Fail on invalid security settings before the database is opened.
  buildSecurity(config, loaded.user, silentLog);
  const tracing = config.tracing ? await loadTracing() : undefined;
  if (folder !== ':memory:') {
    const lock = lockDataFolder(folder);
    cleanup.add(() => lock.release());
  }
  const store = await openStore(config.database.url, folder, config.graph.limits.time);
  cleanup.add(() => store.close());
  const replica = config.database.replica === undefined ? undefined : openReplica(config.database.replica, store, log);
  cleanup.add(() => replica?.close());
  const registration = config.servers === 'several' ? await register(store, loaded.model, config.port, log) : undefined;
  cleanup.add(() => registration?.leave());
  if (registration !== undefined) await migrateBeside(loaded.model, store, registration, log);
  const audit = openAudit(loaded, log);
  cleanup.add(() => audit.close());
  const built = buildSecurity(config, loaded.user, log, {
    audit: events.countEvents(audit.sink),
    ...(config.userStore === 'sql' ? { users: await openUserStore(store) } : {}),
    ...(config.session.store === 'database' ? { sessions: await openSessionStore(store) } : {}),
    ...(config.servers === 'several' ? { loginState: await openLoginState(store) } : {}),
  });
  // Called by requests only; the index is open by then.
  const graph = await openGraph(loaded, store, replica, tracing, () => search, events);
  cleanup.add(() => graph.feed.close());
  if (graph.sequencer !== undefined) {
    // Before the indexes start: what waits in the outbox is part of the data that they are built from.
    const { sequencer } = graph;
    cleanup.add(() => sequencer.close());
    // A failure is reported and retried from the start on.
    await sequencer.catchUp().catch(() => undefined);
    sequencer.start();
  }
  if (config.audit.changes !== undefined) {
    const file = resolve(loaded.folder, config.audit.changes);
    const changes = await openChangeLog({ feed: graph.feed, file, readerName: changesReader(folder), log });
    cleanup.add(() => changes.close());
  }
  const opened = await openSearch({
    graph,
    folder,
    config,
    fleet: registration,
    readerName: readerName(folder),
    log,
  });
  cleanup.add(() => opened.close());
  const search: OpenedSearch =
    tracing === undefined ? opened : { ...opened, handle: tracing.wrapSearch((...given) => opened.handle(...given)) };
  if (loaded.seed !== undefined)
    await seedOnce(graph, loaded.seed, {
      onSeed: options.onSeed ?? (() => undefined),
      lost: () => search.sync.ahead(),
      database: store.description,
    });
  await search.sync.start(options.onBuild ?? (() => undefined));
  if (folder !== ':memory:') await openControl(folder, search, log, cleanup);
  return { built, graph, search, tracing, store, replica, events };
}

function openGraph(
  { config, model, resolvers, trusted }: LoadedApp,
  store: Store,
  replica: WatchedReplica | undefined,
  tracing: Tracing | undefined,
  search: () => OpenedSearch,
  events: EventMeter,
): Promise<Graph> {
  return createGraph({
    model,
    store,
    ...(replica === undefined ? {} : { replica: { replica, maxStaleness: config.database.maxStaleness } }),
    resolvers,
    limits: config.graph.limits,
    introspection: readAccess(config.graph.introspection),
    explain: readAccess(config.graph.explain),
    persisted: { trusted, onlyTrusted: config.graph.onlyTrusted },
    eventStreams: STREAM_PATH,
    ...(tracing === undefined ? {} : { tracing: tracing.graph }),
    fullText: createFullText({ model, search }),
    onError: (code) => events.graphError(code),
    log: events.log,
  });
}

async function openControl(folder: string, search: OpenedSearch, log: Log, cleanup: Cleanup): Promise<void> {
  // A folder in which no socket can be created must not prevent the start.
  const control = await serveIndexControl(folder, search.sync).catch((error: unknown) => {
    log.write('warn', 'The command "index" cannot reach this server', { error });
    return undefined;
  });
  cleanup.add(() => control?.close());
}

/** Adds the HTTP side. */
function serve(
  loaded: LoadedApp,
  options: AppOptions,
  { built, graph, search, tracing, store, replica, events }: OpenedParts,
  cleanup: Cleanup,
): App {
  const { config } = loaded;
  const { generated, security, users } = built;
  const { log } = events;
  let ready = true;
  const meters = config.metrics.enabled ? createMeters(generated !== undefined) : undefined;
  cleanup.add(() => meters?.close());
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
  const answer = buildRoutes({
    loaded,
    graph,
    security,
    services,
    search,
    subscriptions,
    store,
    replica,
    events,
    meters,
    isReady: () => ready,
  });
  const { trustProxy } = config;
  const plain = createListener({ security, answer, log, logRequests: config.log.requests, trustProxy });
  const listener = tracing === undefined ? plain : tracing.wrap(plain, trustProxy);
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
      await cleanup.run();
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

const STREAM_PATH = '/graphql/stream';

interface RouteParts {
  readonly loaded: LoadedApp;
  readonly graph: Graph;
  readonly security: Security;
  readonly services: AppServices;
  readonly search: OpenedSearch;
  readonly subscriptions: SubscriptionRoutes;
  readonly store: Store;
  readonly replica: WatchedReplica | undefined;
  readonly events: EventMeter;
  readonly meters: Meters | undefined;
  readonly isReady: () => boolean;
}

function buildRoutes(parts: RouteParts): Handle {
  const { loaded, graph, security, services, search, subscriptions, isReady } = parts;
  const { config, folder } = loaded;
  const limit = { bytes: config.limits.bodySize, key: 'bodySize' } as const;
  const operations = graphRoute({
    handle: (request, context) => graph.handleHttp(request, context),
    services,
    limit,
    isOpenToAll: openToAll(security),
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
    ownIndexes: config.search.ownIndexes === true,
  });
  const others: (MaybeHandle | undefined)[] = [
    config.console ? consoleRoute() : undefined,
    appRoutes(config.routes, limit),
    staticRoute(config.static === undefined ? undefined : resolve(folder, config.static)),
  ];
  const stream = subscriptions.stream;
  return createRouter({
    exact: new Map<string, Methods>([
      ['/', { GET: consoleFirst(searching, config.console), POST: operations.POST }],
      ['/graphql', { ...operations, GET: consoleFirst(operations.GET, config.console) }],
      [STREAM_PATH, { GET: stream, POST: stream, PUT: stream, DELETE: stream }],
      ['/healthz', health],
      ['/readyz', readiness({ isDraining: () => !isReady(), look: () => probeApis(graph.feed, search.sync) })],
      ...metricsRoutes(parts),
    ]),
    others: others.filter((route) => route !== undefined),
    fallback: (request): RouteResponse | Promise<RouteResponse> =>
      request.path.startsWith('/_console') || request.path.startsWith('/graphql/')
        ? errorResponse(serverErrors.create('SERVER_NOT_FOUND', { path: request.path }), request.path)
        : searching(request),
  });
}

interface Meters {
  readonly requests: RequestMeter;
  readonly process: ProcessMeter;
  /** True if the only user is generated: that user is the operator. */
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

function metricsRoutes(parts: RouteParts): readonly (readonly [string, Methods])[] {
  const { loaded, graph, search, subscriptions, store, replica, events, meters } = parts;
  if (meters === undefined) return [];
  const { requests, process, isOperators } = meters;
  const resources = {
    store,
    replica,
    folder: dataFolder(loaded),
    search,
    subscriptions: () => subscriptions.count(),
  };
  const authorities = isOperators ? undefined : loaded.config.metrics.authorities;
  const route = metricsRoute({
    sync: search.sync,
    feed: graph.feed,
    requests,
    process,
    events,
    resources,
    authorities,
  });
  return [['/metrics', route]];
}

/** Several servers on one database each write their own change log. */
function changesReader(folder: string): string {
  return readerName(folder).replace('search-', 'changes-');
}
