// The values of GraphQL over HTTP: request, response, and unvalidated parameters.
import type { GraphContext, GraphRequest, GraphResponse } from '../execute/contracts.ts';
import type { MaybePromise } from '../store/store.ts';

/** The part of an HTTP request that the graph needs. */
export interface HttpRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
  /** Whether everybody may send this request: shared caches may then keep an answer that no rule shapes. Default: no. */
  readonly isOpen?: (() => Promise<boolean>) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same in UTF-8, only for a context with `takesBytes`. */
  readonly bytes?: Buffer | undefined;
}

/** The part of a graph that the handler needs. */
export interface HttpGraph {
  execute(request: GraphRequest, context?: GraphContext): MaybePromise<GraphResponse>;
  isCallerIndependent(request: GraphRequest, context?: GraphContext): boolean;
  operationKind(request: GraphRequest, context?: GraphContext): 'query' | 'mutation' | 'subscription' | undefined;
}

export type HttpHandler = (request: HttpRequest, context?: GraphContext) => MaybePromise<HttpAnswer>;

/** Parameters of a request, before their types are checked. */
export interface RawParameters {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
  readonly documentId?: unknown;
}
