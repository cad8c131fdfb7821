// Explains a security layer without a request: its chains, and which filter and rule decide for a method, path and
// user. For people at a terminal; requests never run this.
import { ANONYMOUS, type Principal } from '@lockstitch/kernel';
import { type AccessRequest, decideAccess } from '../authorization/access.ts';
import type { RuleIndex } from '../authorization/rule-index.ts';
import { type CurrentAuthentication, SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { HeaderList } from '../chain/header-list.ts';
import type { OrderedFilter } from '../chain/order-filters.ts';
import { describePattern } from '../match/matcher.ts';
import { viewPath } from '../match/path-view.ts';

/** A chain with its description. */
export interface NamedChain {
  readonly name: string;
  /** Ant patterns; undefined: every path. */
  readonly paths: readonly string[] | undefined;
  readonly filters: readonly OrderedFilter[];
  readonly index: RuleIndex;
  readonly denyUnmatched: boolean;
}

export interface ChainListing {
  readonly name: string;
  readonly paths: readonly string[] | undefined;
  /** First to last, including the firewall. */
  readonly filters: readonly {
    readonly name: string;
    readonly order: number;
    readonly placement: string | undefined;
  }[];
  readonly rules: readonly { readonly number: number; readonly selects: string; readonly access: string }[];
  /** What happens to requests that no rule selects. */
  readonly unmatched: 'open' | 'refused';
}

/** The caller to explain for. Default: anonymous. */
export interface ExplainAs {
  readonly principal: Principal;
  readonly login?: CurrentAuthentication['login'] | undefined;
  readonly remoteAddress?: string | undefined;
  /** Whether the request carries one of the chain's static keys. Default: false. */
  readonly hasStaticKey?: boolean | undefined;
}

export interface Explanation {
  readonly granted: boolean;
  /** Status of a denial: 400, 401 or 403. */
  readonly status: number | undefined;
  readonly path: string;
  readonly chain: string | undefined;
  /** The filter that decides. */
  readonly filter: string;
  readonly rule: { readonly number: number; readonly selects: string; readonly access: string } | undefined;
  /** One sentence. */
  readonly because: string;
}

export function listChains(chains: readonly NamedChain[]): readonly ChainListing[] {
  return chains.map(({ name, paths, filters, index, denyUnmatched }) => ({
    name,
    paths,
    filters: [
      { name: 'firewall', order: 100, placement: undefined },
      ...filters.map(({ filter, order, placement }) => ({ name: filter.name, order, placement })),
    ],
    rules: index.rules.map(({ number, source, access }) => ({
      number,
      selects: describePattern(source),
      access: access.text,
    })),
    unmatched: denyUnmatched ? 'refused' : 'open',
  }));
}

/** Explains a request that satisfies the CSRF and CORS filters. Custom filters are not run. */
export async function explainRequest(
  firewall: Filter,
  find: (exchange: SecurityExchange) => NamedChain | undefined,
  method: string,
  target: string,
  as: ExplainAs = { principal: ANONYMOUS },
): Promise<Explanation> {
  const { principal } = as;
  const authentication: CurrentAuthentication = {
    principal,
    login: as.login ?? (principal.authenticated ? 'full' : 'anonymous'),
  };
  const exchange = new SecurityExchange(plainRequest(method, target, as.remoteAddress ?? ''), new HeaderList());
  try {
    await firewall.handle(exchange, () => undefined);
  } catch (error) {
    const because = error instanceof Error ? error.message : 'refused';
    return {
      granted: false,
      status: 400,
      path: exchange.path,
      chain: undefined,
      filter: 'firewall',
      rule: undefined,
      because,
    };
  }
  const chain = find(exchange);
  const base = { path: exchange.path, chain: chain?.name };
  if (chain === undefined)
    return {
      ...base,
      granted: true,
      status: undefined,
      filter: 'none',
      rule: undefined,
      because: 'No chain is declared for this path.',
    };
  if (as.hasStaticKey !== true && chain.filters.some(({ filter }) => filter.name === 'staticKey')) {
    const because = 'Every request of this chain must carry one of its static keys, and this one carries none.';
    return { ...base, granted: false, status: 401, filter: 'staticKey', rule: undefined, because };
  }
  const compiled = chain.index.find(method, exchange.path, exchange.query);
  const refusal = authentication.login === 'full' ? 403 : 401;
  if (compiled === undefined) {
    const granted = !chain.denyUnmatched;
    const because = granted
      ? 'No rule selects this request, so it is open to anyone.'
      : 'No rule selects this request, and denyUnmatched is on.';
    return {
      ...base,
      granted,
      status: granted ? undefined : refusal,
      filter: 'authorization',
      rule: undefined,
      because,
    };
  }
  const request: AccessRequest = {
    authentication,
    method,
    path: exchange.path,
    query: exchange.query,
    remoteAddress: as.remoteAddress ?? '',
    variables: compiled.matcher.variables(viewPath(exchange.path)),
    header: () => undefined,
  };
  const { granted, error } = await decideAccess(compiled.access, request);
  const rule = { number: compiled.number, selects: describePattern(compiled.source), access: compiled.access.text };
  const verdict = granted ? 'grants' : 'refuses';
  const failed = error instanceof Error ? ` (it failed: ${error.message})` : '';
  const because = `Rule ${rule.number}, ${rule.selects}, is the first that selects this request; ${rule.access} ${verdict} it to ${principal.name}${failed}.`;
  return { ...base, granted, status: granted ? undefined : refusal, filter: 'authorization', rule, because };
}

function plainRequest(method: string, target: string, remoteAddress: string) {
  return {
    method,
    target,
    rawHeaders: [],
    remoteAddress,
    secure: false,
    header: () => undefined,
    readBody: () => Promise.resolve(new Uint8Array()),
  };
}
