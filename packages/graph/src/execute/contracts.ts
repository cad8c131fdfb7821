// The inputs and outputs of a graph: requests, callers, responses, prepared subscriptions. Not here: the graph
// (graph.ts) and HTTP (http/).
import type { Principal, ProductError } from '@lockstitch/kernel';
import type { RootBinding } from '../schema/model.ts';
import type { MaybePromise } from '../store/store.ts';

/** An operation to execute, as in a request body. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The caller, and what resolvers receive. */
export interface GraphContext {
  /** Default: anonymous. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal | undefined;
  readonly services?: unknown;
  /**
   * The caller sends the response unread and then frees its memory; a long response may come as `bytes`. Default:
   * false. Otherwise the garbage collector must free it, which costs more than it saves: V8 runs a full collection at
   * 64 MB of external memory.
   */
  readonly takesBytes?: boolean;
  /** Position of the feed that the answer must have seen, where a replica may give it. Default: 0. */
  readonly minPosition?: number;
}

/** A response. */
export interface GraphResponse {
  /** JSON text: `{"data": …}`, `{"data": …, "errors": …}` or `{"errors": …}`. */
  readonly body: string;
  /**
   * The same in UTF-8, only with `takesBytes`. The bytes belong to the caller; `body` is decoded from them on demand.
   */
  readonly bytes?: Buffer | undefined;
  /** False if nothing was executed: syntax, validation, variables, limits (HTTP 400 if the media type allows it). */
  readonly executed: boolean;
  /** Some part of the response failed. */
  readonly hasErrors?: true;
  /** Of a query: no read rule was looked up for it. Default: false. */
  readonly isRuleFree?: boolean;
  /** After a mutation: the feed position of its last change. */
  readonly position?: number;
  /** The database was unavailable for part of the response. */
  readonly outage?: ProductError;
}

/** A prepared subscription. */
export interface PreparedSubscription {
  /** Name of the Subscription field. */
  readonly field: string;
  readonly binding: RootBinding;
  /**
   * Subscriptions with the same text get the same responses: same operation, variables and rights. Undefined if that
   * cannot be determined.
   */
  readonly alike: string | undefined;
  /** Its coerced arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether some objects of a stored type, or their keys, are hidden from the caller. */
  hidesKeys(type: string): boolean;
  /** Whether a stored object satisfies the arguments and the caller may read it. */
  matches(key: string): MaybePromise<boolean>;
  /** The response for one event; `values` are the object's own values at that event, from the feed. */
  respond(key: string, values: Readonly<Record<string, unknown>> | undefined): MaybePromise<GraphResponse>;
}
