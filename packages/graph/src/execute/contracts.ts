// What goes into a graph and what comes out: requests, who asks, answers, subscriptions understood. Not here: the graph that
// answers them (graph.ts) and how they travel over HTTP (http/).
import type { Principal, ProductError } from '@lockstitch/kernel';
import type { RootBinding } from '../schema/model.ts';
import type { MaybePromise } from '../store/store.ts';

/** An operation to execute, as a request body carries it. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Who asks, and what resolvers get. */
export interface GraphContext {
  /** Default: anonymous. */
  readonly principal?: Principal;
  readonly signal?: AbortSignal | undefined;
  readonly services?: unknown;
  /**
   * The answer is sent unread, and its memory given back then: a long one may come as `bytes`. Default: false. Memory that is
   * left to the collector instead costs more than the bytes spare, for V8 collects everything as soon as 64 MB of it are out.
   */
  readonly takesBytes?: boolean;
}

/** An answer. */
export interface GraphResponse {
  /** JSON text: `{"data": …}`, `{"data": …, "errors": …}` or `{"errors": …}`. */
  readonly body: string;
  /** The same in UTF-8, of `takesBytes` only. They are the caller's alone; `body` is made from them when it is asked for. */
  readonly bytes?: Buffer | undefined;
  /** False when nothing was executed: syntax, validation, variables, limits (HTTP 400 where the media type allows it). */
  readonly executed: boolean;
  /** After a mutation: the feed's position of its last change. A reader of the feed that is there has seen it. */
  readonly position?: number;
  /** Why some of it could not be read: the database was away. */
  readonly outage?: ProductError;
}

/** A subscription, understood. */
export interface PreparedSubscription {
  /** Name of the field of Subscription. */
  readonly field: string;
  readonly binding: RootBinding;
  /**
   * Subscriptions with the same text get the same answers to the same changes: same operation, same variables, same rights.
   * Undefined where that cannot be told.
   */
  readonly alike: string | undefined;
  /** Its coerced arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Tells whether some objects of a stored type are hidden from the caller. */
  restricts(type: string): boolean;
  /** Tells whether a stored object satisfies the arguments and may be read by the caller. */
  matches(key: string): MaybePromise<boolean>;
  /** Answers one event about an object: `values` are its own values as of the event, as the feed keeps them. */
  respond(key: string, values: Readonly<Record<string, unknown>> | undefined): MaybePromise<GraphResponse>;
}
