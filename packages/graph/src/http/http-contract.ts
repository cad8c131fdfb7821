// The values that GraphQL over HTTP is made of: a request, an answer, and what a request carries before it is trusted.
import type { GraphContext, GraphRequest, GraphResponse } from '../execute/contracts.ts';
import type { MaybePromise } from '../store/store.ts';

/** A request, as far as the graph is concerned. */
export interface HttpRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same in UTF-8, of a context that `takesBytes` only. */
  readonly bytes?: Buffer | undefined;
}

/** What the handler needs of a graph. */
export interface HttpGraph {
  execute(request: GraphRequest, context?: GraphContext): MaybePromise<GraphResponse>;
  operationKind(request: GraphRequest, context?: GraphContext): 'query' | 'mutation' | 'subscription' | undefined;
}

export type HttpHandler = (request: HttpRequest, context?: GraphContext) => MaybePromise<HttpAnswer>;

/** What a request carries, not yet trusted to be of the right kinds. */
export interface RawParameters {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
  readonly documentId?: unknown;
}
