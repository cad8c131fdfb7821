// One request on its way through the chain, with the values that filters leave for later filters and the application.
// One object of fixed shape per request; optional parts are created on first use.
import { inspect } from 'node:util';
import { ANONYMOUS, type Principal } from '@lockstitch/kernel';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Answer, ResponseHead, SecurityRequest } from './request.ts';

/** The authenticated principal, and how it was authenticated. */
export interface CurrentAuthentication {
  readonly principal: Principal;
  /** `full`: by credentials or a session made from them; `remembered`: only by a remember-me cookie. */
  readonly login: 'anonymous' | 'remembered' | 'full';
}

/** Typed key of a value that filters leave on the exchange: `const CSRF = attribute<CsrfToken>('_csrf')`. */
export interface Attribute<T> {
  readonly name: string;
  /** Carries the type only; never set. */
  readonly of?: T;
}

/** Creates an attribute key. Keys with the same name share one slot. */
export function attribute<T>(name: string): Attribute<T> {
  return { name };
}

/** One reading of the request target. `encodedPath` is the path percent-encoded in its one spelling. */
export interface Reading {
  readonly path: string;
  readonly encodedPath: string;
  readonly query: string;
}

/** Nearly every request has one reading only. */
export const NO_READINGS: readonly Reading[] = Object.freeze([]);

/** Shared by all exchanges, as every function on an exchange should be: see `createSecurity`. */
const doNothing = (): undefined => undefined;

/** Passes the request to the rest of the chain; settles after the rest, including the application, has responded. */
export type Next = (exchange: SecurityExchange) => MaybePromise<void>;

/** A request, and the response being prepared for it. */
export class SecurityExchange {
  readonly request: SecurityRequest;
  readonly response: ResponseHead;
  /** The HTTP method, checked by the firewall. */
  readonly method: string;
  /** The canonical, decoded path, set by the firewall. Matchers and routers use no other. */
  path = '';
  /** The canonical path percent-encoded in its one spelling, for routers that read URLs. */
  encodedPath = '';
  /** The raw query without `?`; `''` without a query. */
  query = '';
  /**
   * Other paths that the client sent or the router may route, if the URL was rewritten. A rule or an exception has to
   * allow each of them.
   */
  otherReadings: readonly Reading[] = NO_READINGS;
  /** Undefined until authentication; the anonymous filter sets it otherwise. */
  authentication: CurrentAuthentication | undefined = undefined;
  /** Set once a filter stopped the request. */
  answer: Answer | undefined = undefined;
  /** True once the request has passed the whole chain. */
  passed = false;
  /** Path variables of the rule that decided: `{id}` in `/photos/{id}`. */
  variables: Readonly<Record<string, string>> | undefined = undefined;
  /**
   * The application, which runs at the end of the chain. It is per request because the chain is composed once for all
   * requests. Adapters pass it to `security.run`.
   */
  application: Next = doNothing;
  /** The next chain of the same layer, if the readings of one request belong to several chains. */
  nextChain: Next | undefined = undefined;
  /** Called if end-of-request work fails after the response was sent; it logs. */
  onLateError: (error: unknown) => void = doNothing;
  // Most requests have one attribute, the CSRF token, which needs no Map.
  #soleName: string | undefined = undefined;
  #soleValue: unknown = undefined;
  #attributes: Map<string, unknown> | undefined = undefined;
  #parameters: URLSearchParams | undefined = undefined;
  #done: (() => MaybePromise<void>)[] | undefined = undefined;
  readonly #first: SecurityExchange;
  #ofRequest: Map<object, unknown> | undefined = undefined;

  /** @param previous the exchange of an earlier chain of the same request */
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

  /** Stops the request with this response, including all headers set on `response` before or after. */
  respond(status: number, body?: string | Uint8Array, contentType?: string): void {
    if (contentType !== undefined) this.response.setHeader('Content-Type', contentType);
    this.answer = { status, body };
  }

  /** Returns the value that an earlier filter set. */
  get<T>(key: Attribute<T>): T | undefined {
    if (this.#soleName === key.name) return this.#soleValue as T;
    return this.#attributes?.get(key.name) as T | undefined;
  }

  /** Sets a value for later filters and the application. */
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

  /** Returns what a part of the layer kept for all chains of this request: its session, a proof that counts once. */
  ofRequest(part: object): unknown {
    return this.#first.#ofRequest?.get(part);
  }

  /** Keeps a value for all chains of this request. */
  keepForRequest(part: object, value: unknown): void {
    (this.#first.#ofRequest ??= new Map()).set(part, value);
  }

  /**
   * Returns whether a test holds for every reading of the target. During the test, `path` and `query` are those of the
   * reading.
   */
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

  /** Makes a reading the one to judge. */
  take({ path, encodedPath, query }: Reading): void {
    this.path = path;
    this.encodedPath = encodedPath;
    this.query = query;
    this.#parameters = undefined;
  }

  /** First value of a query parameter. For form fields see `readForm`. */
  parameter(name: string): string | undefined {
    // Fast path: do not parse thousands of other parameters for an absent one.
    if (this.query === '' || (!this.query.includes(name) && !/[%+]/.test(this.query))) return undefined;
    this.#parameters ??= new URLSearchParams(this.query);
    return this.#parameters.get(name) ?? undefined;
  }

  /**
   * Registers end-of-request work: saving a session, writing an audit line. If the chain itself responds, the work is
   * awaited before the response is sent; if the application responds, it runs afterwards.
   */
  onDone(work: () => MaybePromise<void>): void {
    if (this.#done === undefined) {
      this.#done = [];
      this.response.once?.('close', () => void this.finish()?.catch(this.onLateError));
    }
    this.#done.push(work);
  }

  /** Leaves out headers, attributes and bodies, which hold credentials, tokens and personal data. */
  [inspect.custom](): string {
    const outcome = this.answer === undefined ? (this.passed ? 'passed' : 'running') : String(this.answer.status);
    return `SecurityExchange [${this.method} ${this.path}, principal=${this.principal.name}, ${outcome}]`;
  }

  /** Runs the registered work once; undefined if there is none. Called by adapters. */
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
