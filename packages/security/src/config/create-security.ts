// The security layer: built and validated from a configuration, then called once per request. It knows no framework;
// adapters convert requests and responses.
import { isProductError, type Log, membersIn } from '@lockstitch/kernel';
import { covers } from '../authorization/check-rules.ts';
import { readRules, type SecurityWarning } from '../authorization/rules.ts';
import { securityErrors } from '../errors/chain-errors.ts';
import { compose } from '../chain/compose.ts';
import { type Next, type Reading, SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { HeaderList } from '../chain/header-list.ts';
import { respondThrown } from '../chain/error-handling.ts';
import type { SecurityRequest } from '../chain/request.ts';
import { type Authorize, createAuthorize } from '../context/authorize.ts';
import type { SecurityContextHolder } from '../context/security-context.ts';
import { createFirewallFilter } from '../firewall/firewall-filter.ts';
import { createHeadersFilter } from '../headers/headers-filter.ts';
import { compileMatcher, type RequestMatcher } from '../match/matcher.ts';
import { EXACT, type PathComparison, viewPath } from '../match/path-view.ts';
import type { Sessions } from '../session/sessions.ts';
import { type BuiltChain, buildChain } from './build-chain.ts';
import { SECURITY } from './config-shapes.ts';
import {
  type ChainListing,
  explainRequest,
  type Explanation,
  type ExplainAs,
  listChains,
  type NamedChain,
} from './explain.ts';
import { createHttpSecurity, type HttpSecurity } from './http-security.ts';
import type { ChainConfig, PathChainConfig, SecurityConfig } from './security-config.ts';
import { findMistakes, refuseOptions, refusePromise } from '../options/shape.ts';
import { createSharedParts, type SharedParts } from './shared-parts.ts';

/** Result of a request handled as a value. */
export type Outcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: string | Uint8Array | undefined;
    }
  | {
      readonly kind: 'pass';
      /** The caller, the canonical path, and attributes such as `_csrf`. */
      readonly exchange: SecurityExchange;
      /** To be added to the application's response. */
      readonly headers: readonly (readonly [name: string, value: string])[];
    };

export interface Security {
  /** Start-up warnings: settings that work but may be unintended. */
  readonly warnings: readonly string[];
  /** Those of one kind. */
  warningsOf(kind: SecurityWarning['kind']): readonly string[];
  readonly context: SecurityContextHolder;
  /** Guards functions with access expressions. */
  readonly authorize: Authorize;
  readonly sessions: Sessions | undefined;
  /** Handles a request as a value. The application then runs outside the security context. */
  handle(request: SecurityRequest): Promise<Outcome>;
  /**
   * Runs the chain around the application. Afterwards either `exchange.answer` is set, for the adapter to send, or the
   * application ran. Rejects only with an error of the application.
   */
  run(exchange: SecurityExchange, application: Next): MaybePromise<void>;
  /** Every chain with its filters and rules, in order. */
  list(): readonly ChainListing[];
  /** Explains which filter and rule decide a request, and why. */
  explain(method: string, target: string, as?: ExplainAs): Promise<Explanation>;
  /** The same layer for a router that compares paths more leniently. Shares users, sessions and context. */
  withMatching(comparison: Partial<PathComparison>): Security;
}

interface RunnableChain extends NamedChain {
  readonly matchers: readonly RequestMatcher[] | undefined;
  readonly run: Next;
}

/**
 * Builds a security layer from plain data or through the builder.
 *
 * @throws ProductError for everything that cannot work: unreachable rules, unknown filters, incomplete mappings, …
 */
export function createSecurity(given: SecurityConfig | ((http: HttpSecurity) => HttpSecurity | void) = {}): Security {
  const config = readConfig(given);
  refuseOptions(allMistakes(config));
  const warnings: SecurityWarning[] = [];
  return assemble(config, createSharedParts(config, warnings), warnings);
}

function readConfig(given: SecurityConfig | ((http: HttpSecurity) => HttpSecurity | void)): SecurityConfig {
  if (typeof given !== 'function') return given;
  const http = createHttpSecurity();
  refusePromise('createSecurity', given(http));
  return http.config;
}

/** Wrong keys and values at every depth, including rules, so that one start reports all problems. */
function allMistakes(config: SecurityConfig): readonly string[] {
  const mistakes = findMistakes(SECURITY, config);
  if (mistakes.length === 0) return mistakes;
  const { chains, beans }: SecurityConfig = Object(config);
  const sets: unknown[] = [config, ...(Array.isArray(chains) ? chains : [])].map((each) => membersIn(each)['rules']);
  const ofRules = sets.flatMap((rules) => (Array.isArray(rules) ? readRules(rules, { beans }).mistakes : []));
  return [...mistakes, ...ofRules.map(({ message }) => message)];
}

function assemble(config: SecurityConfig, shared: SharedParts, warnings: readonly SecurityWarning[]): Security {
  const firewall = createFirewallFilter(config.firewall);
  const { headers } = config;
  const refusalHeaders = headers === false ? undefined : createHeadersFilter(headers === true ? {} : headers);
  const chains = createChains(config, shared);
  const select: Next = (exchange) => {
    if (exchange.otherReadings.length > 0) return runReadings(chains, exchange);
    const chain = chains.length === 1 && chains[0]!.matchers === undefined ? chains[0] : findChain(chains, exchange);
    return chain === undefined ? finishChain(exchange) : chain.run(exchange);
  };
  const entry = compose([firewall], select);

  // One for all requests. A closure on each exchange, which refers to the exchange, kept every request until a full
  // collection: a scavenge took 15 ms instead of 1, and a small query twice the processor time.
  const onLateError = (error: unknown): void => logFault(shared.log, error);
  const onFailure = (exchange: SecurityExchange, error: unknown): MaybePromise<void> =>
    fail(exchange, error, shared, refusalHeaders);
  const run = (exchange: SecurityExchange, application: Next): MaybePromise<void> => {
    exchange.application = application;
    exchange.onLateError = onLateError;
    try {
      const running = entry(exchange);
      if (!(running instanceof Promise)) return settle(exchange, shared.log);
      // Once the application has the request, nothing is left to do here.
      if (exchange.passed) return running;
      return running.then(() => settle(exchange, shared.log)).catch((error: unknown) => onFailure(exchange, error));
    } catch (error) {
      return onFailure(exchange, error);
    }
  };

  return {
    warnings: warnings.map(({ message }) => message),
    warningsOf: (kind) => warnings.filter((each) => each.kind === kind).map(({ message }) => message),
    context: shared.context,
    authorize: createAuthorize(shared.context, { beans: shared.beans }),
    sessions: shared.sessions,
    run,
    async handle(request) {
      const head = new HeaderList();
      const exchange = new SecurityExchange(request, head);
      await run(exchange, () => undefined);
      if (exchange.answer === undefined) return { kind: 'pass', exchange, headers: head.toEntries() };
      // A filter may answer behind the application.
      await finish(exchange, shared.log);
      const { status, body } = exchange.answer;
      return { kind: 'answer', status, headers: head.toEntries(), body };
    },
    list: () => listChains(chains),
    explain: (method, target, as) =>
      explainRequest(firewall, (exchange) => findChain(chains, exchange), method, target, as),
    withMatching: (comparison) =>
      assemble(config, { ...shared, comparison: { ...shared.comparison, ...comparison } }, warnings),
  };
}

/**
 * Judges a request with several readings. The chain of each reading has to allow it, and authenticates by itself. The
 * chain of the routed path runs last, so that the application sees the user whom that chain accepted.
 */
function runReadings(chains: readonly RunnableChain[], exchange: SecurityExchange): MaybePromise<void> {
  const { path, encodedPath, query, otherReadings } = exchange;
  const routed: Reading = { path, encodedPath, query };
  const routedChain = findChain(chains, exchange);
  const groups = new Map<RunnableChain | undefined, Reading[]>();
  for (const reading of otherReadings) {
    exchange.take(reading);
    const chain = findChain(chains, exchange);
    const group = groups.get(chain);
    if (group === undefined) groups.set(chain, [reading]);
    else group.push(reading);
  }
  const own = groups.get(routedChain) ?? [];
  groups.delete(routedChain);
  groups.set(routedChain, [routed, ...own]);
  const runFrom = (remaining: readonly (readonly [RunnableChain | undefined, readonly Reading[]])[]): Next => {
    const [[chain, [first, ...others]], ...rest] = remaining as [[RunnableChain | undefined, [Reading, ...Reading[]]]];
    return (current) => {
      current.take(first);
      current.otherReadings = others;
      current.authentication = undefined;
      current.nextChain = rest.length === 0 ? undefined : runFrom(rest);
      return chain === undefined ? finishChain(current) : chain.run(current);
    };
  };
  return runFrom([...groups])(exchange);
}

const finishChain: Next = (exchange) => {
  const { nextChain } = exchange;
  if (nextChain !== undefined) return nextChain(exchange);
  exchange.passed = true;
  return exchange.application(exchange);
};

function settle(exchange: SecurityExchange, log: Log): MaybePromise<void> {
  if (exchange.passed) return;
  if (exchange.answer === undefined)
    respondThrown(exchange, new Error('A filter neither passed the request on nor answered it.'));
  return finish(exchange, log);
}

/** Finishes a response of the chain before it is sent: if its session cannot be stored, that is the response. */
function finish(exchange: SecurityExchange, log: Log): MaybePromise<void> {
  return exchange.finish()?.catch((error: unknown) => respondFault(exchange, error, log));
}

/** Errors of the application pass through; errors of the chain become responses. */
function fail(
  exchange: SecurityExchange,
  error: unknown,
  { log, audit }: SharedParts,
  headers: Filter | undefined,
): MaybePromise<void> {
  if (exchange.passed) throw error;
  if (exchange.path === '') {
    // The firewall runs before the filter that sets them, and no chain is chosen yet.
    void headers?.handle(exchange, () => undefined);
    audit.record({
      kind: 'firewall-refused',
      reason: error instanceof Error ? error.message : 'refused',
      address: exchange.request.remoteAddress,
      method: exchange.method.slice(0, 32),
    });
  }
  respondFault(exchange, error, log);
  return finish(exchange, log);
}

function respondFault(exchange: SecurityExchange, error: unknown, log: Log): void {
  respondThrown(exchange, error);
  if (exchange.answer !== undefined && exchange.answer.status >= 500) logFault(log, error);
}

function logFault(log: Log, error: unknown): void {
  // 501 is the client's mistake; for an unavailable store, code and cause say everything.
  if (isProductError(error) && error.status === 501) return;
  if (isProductError(error) && error.status === 503) {
    const reason = error.cause instanceof Error ? error.cause.message : undefined;
    log.write('warn', error.message, { code: error.code, reason });
    return;
  }
  log.write('error', 'The security chain failed.', {
    error: error instanceof Error ? (error.stack ?? error.message) : 'not an error object',
  });
}

function createChains(config: SecurityConfig, shared: SharedParts): readonly RunnableChain[] {
  const { chains } = config;
  if (chains === undefined) return [createChain(config, shared, undefined, 'security')];
  if (chains.length === 0) throw securityErrors.create('SECURITY_CONFIG_INVALID', { reason: 'chains is empty' });
  const built = chains.map((chain) => {
    return createChain({ ...config, ...chain }, shared, chain, chain.name ?? [chain.path].flat().join(', '));
  });
  checkChains(chains);
  if (!chains.some((chain) => [chain.path].flat().some((path) => path === '/**')))
    shared.warn({
      kind: 'unmatched',
      message: 'Requests that match no chain pass without any check. End the chains with one for "/**".',
    });
  return built;
}

function createChain(
  config: ChainConfig,
  shared: SharedParts,
  chain: PathChainConfig | undefined,
  name: string,
): RunnableChain {
  const built: BuiltChain = buildChain(config, shared, name);
  const paths = chain === undefined ? undefined : [chain.path].flat();
  return {
    name,
    paths,
    ...built,
    matchers: paths?.map((pattern) => compileMatcher({ kind: 'ant', pattern }, shared.comparison)),
    run: compose(
      built.filters.map(({ filter }) => filter),
      finishChain,
    ),
  };
}

function findChain<Chain extends RunnableChain>(
  chains: readonly Chain[],
  exchange: SecurityExchange,
): Chain | undefined {
  const view = viewPath(exchange.path);
  return chains.find(
    ({ matchers }) =>
      matchers === undefined || matchers.some((matcher) => matcher.matches(exchange.method, view, exchange.query)),
  );
}

/** @throws ProductError SECURITY_CHAIN_UNREACHABLE */
function checkChains(chains: readonly PathChainConfig[]): void {
  for (const [index, chain] of chains.entries()) {
    const earlier = chains.findIndex(
      (other, at) => at < index && [chain.path].flat().every((path) => takes(other, path)),
    );
    if (earlier < 0) continue;
    throw securityErrors.create('SECURITY_CHAIN_UNREACHABLE', {
      number: index + 1,
      name: [chain.path].flat().join(', '),
      earlier: earlier + 1,
      covering: [chains[earlier]!.path].flat().join(', '),
    });
  }
}

function takes(chain: PathChainConfig, path: string): boolean {
  return [chain.path].flat().some((pattern) => {
    const source = { kind: 'ant', pattern } as const;
    return covers(source, compileMatcher(source, EXACT), { kind: 'ant', pattern: path });
  });
}
