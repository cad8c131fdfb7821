// One request on its way through the chain: what filters read, what they leave for later filters and for the
// application. One object of fixed shape per request; everything optional is created when first asked for.
import { inspect } from 'node:util';
import { ANONYMOUS, type Principal } from '@lockstitch/kernel';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Answer, ResponseHead, SecurityRequest } from './request.ts';

/** Who the request was authenticated as, and how firmly. */
export interface CurrentAuthentication {
  readonly principal: Principal;
  /** `full`: by credentials or a session made from them; `remembered`: by a remember-me cookie only. */
  readonly login: 'anonymous' | 'remembered' | 'full';
}

/** Names a value that filters leave on the exchange, with its type: `const CSRF = attribute<CsrfToken>('_csrf')`. */
export interface Attribute<T> {
  readonly name: string;
  /** Carries the type only; never set. */
  readonly of?: T;
}

/** Makes an attribute key. Keys with the same name share one slot. */
export function attribute<T>(name: string): Attribute<T> {
  return { name };
}

/** One way to read the request target. `encodedPath` is the path percent-encoded in its one spelling. */
export interface Reading {
  readonly path: string;
  readonly encodedPath: string;
  readonly query: string;
}

/** Nearly every request has one reading only. */
export const NO_READINGS: readonly Reading[] = Object.freeze([]);

/** Shared by all exchanges, as whatever else hangs on one should be: see `createSecurity`. */
const doNothing = (): undefined => undefined;

/** Passes the request to the rest of the chain; settles when the rest, the application included, has answered. */
export type Next = (exchange: SecurityExchange) => MaybePromise<void>;

/** One request and the response being prepared for it. */
export class SecurityExchange {
  readonly request: SecurityRequest;
  readonly response: ResponseHead;
  /** The HTTP method; the firewall has seen it. */
  readonly method: string;
  /** The canonical, decoded path; the firewall sets it, matchers and the router use nothing else. */
  path = '';
  /** The canonical path percent-encoded in its one spelling, for routers that read URLs. */
  encodedPath = '';
  /** The query without `?`, raw; `''` when there is none. */
  query = '';
  /**
   * Other paths that the client sent or that the router may route: not those of `path` and `query`, where somebody
   * rewrote the URL. A rule or an exception has to allow each of them.
   */
  otherReadings: readonly Reading[] = NO_READINGS;
  /** Undefined until somebody authenticates; the anonymous filter fills it in. */
  authentication: CurrentAuthentication | undefined = undefined;
  /** Set once a filter stopped the request. */
  answer: Answer | undefined = undefined;
  /** True once the request came out of the far end of the chain. */
  passed = false;
  /** Path variables of the rule that decided: `{id}` in `/photos/{id}`. */
  variables: Readonly<Record<string, string>> | undefined = undefined;
  /** What the end of the chain runs; the chain is composed once for all requests. Adapters give it to `security.run`. */
  application: Next = doNothing;
  /** The next chain of the same layer, where the readings of one request belong to several. */
  nextChain: Next | undefined = undefined;
  /** Told when work for the end fails after the response has gone; the log goes here. */
  onLateError: (error: unknown) => void = doNothing;
  // Most requests carry one attribute, the CSRF token; it needs no Map.
  #soleName: string | undefined = undefined;
  #soleValue: unknown = undefined;
  #attributes: Map<string, unknown> | undefined = undefined;
  #parameters: URLSearchParams | undefined = undefined;
  #done: (() => MaybePromise<void>)[] | undefined = undefined;
  readonly #first: SecurityExchange;
  #ofRequest: Map<object, unknown> | undefined = undefined;

  /** @param previous the exchange of an earlier chain that the same request went through */
  constructor(request: SecurityRequest, response: ResponseHead, previous?: SecurityExchange) {
    this.request = request;
    this.response = response;
    this.method = request.method;
    this.#first = previous === undefined ? this : previous.#first;
  }

  /** The caller; anonymous until authenticated. */
  get principal(): Principal {
    return this.authentication === undefined ? ANONYMOUS : this.authentication.principal;
  }

  /** Stops the request with this answer. Headers set on `response` before or after go with it. */
  respond(status: number, body?: string | Uint8Array, contentType?: string): void {
    if (contentType !== undefined) this.response.setHeader('Content-Type', contentType);
    this.answer = { status, body };
  }

  /** What an earlier filter left under this key. */
  get<T>(key: Attribute<T>): T | undefined {
    if (this.#soleName === key.name) return this.#soleValue as T;
    return this.#attributes?.get(key.name) as T | undefined;
  }

  /** Leaves a value for later filters and the application. */
  set<T>(key: Attribute<T>, value: T): void {
    if (this.#soleName === key.name || (this.#soleName === undefined && this.#attributes === undefined)) {
      this.#soleName = key.name;
      this.#soleValue = value;
      return;
    }
    (this.#attributes ??= new Map()).set(key.name, value);
  }

  delete(key: Attribute<unknown>): void {
    if (this.#soleName === key.name) {
      this.#soleName = undefined;
      this.#soleValue = undefined;
    }
    this.#attributes?.delete(key.name);
  }

  /** What a part of the layer kept for every chain that this request goes through: its session, a proof that counts once. */
  ofRequest(part: object): unknown {
    return this.#first.#ofRequest?.get(part);
  }

  /** Keeps a value for every chain that this request goes through. */
  keepForRequest(part: object, value: unknown): void {
    (this.#first.#ofRequest ??= new Map()).set(part, value);
  }

  /** Whether a test holds for every reading of the target; `path` and `query` are those of the reading meanwhile. */
  everyReading(test: (exchange: SecurityExchange) => boolean): boolean {
    if (this.otherReadings.length === 0) return test(this);
    const { path, encodedPath, query } = this;
    const routed: Reading = { path, encodedPath, query };
    try {
      return [...this.otherReadings, routed].every((reading) => {
        this.take(reading);
        return test(this);
      });
    } finally {
      this.take(routed);
    }
  }

  /** Takes a reading for the one to judge. */
  take({ path, encodedPath, query }: Reading): void {
    this.path = path;
    this.encodedPath = encodedPath;
    this.query = query;
    this.#parameters = undefined;
  }

  /** The first value of a query parameter. Form fields are not here: see `readForm`. */
  parameter(name: string): string | undefined {
    // Thousands of other parameters are not read for one that is not there.
    if (this.query === '' || (!this.query.includes(name) && !/[%+]/.test(this.query))) return undefined;
    this.#parameters ??= new URLSearchParams(this.query);
    return this.#parameters.get(name) ?? undefined;
  }

  /**
   * Registers work for the end of the request: saving a session, writing an audit line. When the chain answers by
   * itself the work is awaited before the answer is sent; when the application answers, it runs after the response.
   */
  onDone(work: () => MaybePromise<void>): void {
    if (this.#done === undefined) {
      this.#done = [];
      this.response.once?.('close', () => void this.finish()?.catch(this.onLateError));
    }
    this.#done.push(work);
  }

  /** Without request headers, attributes and bodies, which hold credentials, tokens and what people wrote. */
  [inspect.custom](): string {
    const outcome = this.answer === undefined ? (this.passed ? 'passed' : 'running') : String(this.answer.status);
    return `SecurityExchange [${this.method} ${this.path}, principal=${this.principal.name}, ${outcome}]`;
  }

  /** Runs and forgets the registered work; undefined when there is none. Adapters call it. */
  finish(): Promise<void> | undefined {
    const work = this.#done;
    if (work === undefined) return undefined;
    this.#done = undefined;
    return runAll(work);
  }
}

async function runAll(work: readonly (() => MaybePromise<void>)[]): Promise<void> {
  for (const step of work) await step();
}
