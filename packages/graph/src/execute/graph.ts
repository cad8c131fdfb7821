// What a graph is to those who use it: how it is opened, asked and followed. Not here: how it answers (create-graph.ts).
import type { Clock, Log, Principal } from '@lockstitch/kernel';
import type { Feed } from '../feed/feed.ts';
import type { HttpAnswer, HttpRequest } from '../http/graphql-http.ts';
import type { PersistedOptions } from '../http/persisted-operations.ts';
import type { Limits } from '../plan/limits.ts';
import type { Model, RootBinding } from '../schema/model.ts';
import type { Resolvers } from '../schema/resolvers.ts';
import type { MaybePromise, Store } from '../store/store.ts';
import type { SubscribeContext, Subscribed } from '../subscribe/subscriptions.ts';
import type { ImportRows } from '../write/import-rows.ts';
import type { DocumentRange, LoadedDocument } from './load-documents.ts';

/** What a graph is made of. */
export interface GraphOptions {
  readonly model: Model;
  readonly store: Store;
  /** The same that readSchema was given. Default: none. */
  readonly resolvers?: Resolvers;
  /** Bounds of one operation; those not given keep their defaults. */
  readonly limits?: Partial<Limits>;
  /** Who may introspect; default everyone. Whoever may not gets no "Did you mean" either. */
  readonly introspection?: boolean | ((principal: Principal) => boolean);
  /** Documents known beforehand, and whether only those are answered over HTTP. */
  readonly persisted?: PersistedOptions;
  /** Default: silent. */
  readonly log?: Log;
  readonly clock?: Clock;
}

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
}

/** An answer. */
export interface GraphResponse {
  /** JSON text: `{"data": …}`, `{"data": …, "errors": …}` or `{"errors": …}`. */
  readonly body: string;
  /** False when nothing was executed: syntax, validation, variables, limits (HTTP 400 where the media type allows it). */
  readonly executed: boolean;
  /** After a mutation: the feed's position of its last change. A reader of the feed that is there has seen it. */
  readonly position?: number;
}

/** A subscription, understood. */
export interface PreparedSubscription {
  /** Name of the field of Subscription. */
  readonly field: string;
  readonly binding: RootBinding;
  /** Its coerced arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Tells whether a stored object satisfies the arguments and may be read by the caller. */
  matches(key: string): MaybePromise<boolean>;
  /** Answers one event about an object: `values` are its own values as of the event, as the feed keeps them. */
  respond(key: string, values: Readonly<Record<string, unknown>> | undefined): MaybePromise<GraphResponse>;
  /** Answers one event of a field that a resolver supplies: `value` is what its iterator yielded. */
  respondWith(value: unknown): MaybePromise<GraphResponse>;
}

/** A schema over a store. */
export interface Graph {
  readonly model: Model;
  readonly store: Store;
  readonly feed: Feed;
  readonly limits: Limits;
  /** Answers one operation. Never throws for what a client sent. */
  execute(request: GraphRequest, context?: GraphContext): MaybePromise<GraphResponse>;
  /** What kind of operation a request asks for; undefined when it cannot be told (its execution says why). */
  operationKind(request: GraphRequest, context?: GraphContext): 'query' | 'mutation' | 'subscription' | undefined;
  /**
   * Understands a subscription: which changes it wants and how an event of it is answered. A request that cannot be one
   * yields the response that says why.
   */
  subscription(request: GraphRequest, context?: GraphContext): PreparedSubscription | GraphResponse;
  /** Starts a subscription: its events, or the response that says why there are none. */
  subscribe(request: GraphRequest, context?: SubscribeContext): Promise<Subscribed>;
  /** Answers GraphQL over HTTP, framework-free. Never throws for what a client sent. */
  handleHttp(request: HttpRequest, context?: GraphContext): MaybePromise<HttpAnswer>;
  /** Objects of a type as search documents (see searchDocumentShape); keys without an object are left out. */
  loadDocuments(type: string, range: DocumentRange): Promise<readonly LoadedDocument[]>;
  /** Writes rows in bulk, with their entries in the feed; each bad row is refused with its reasons. */
  readonly importRows: ImportRows;
  /** How many objects of a type there are. */
  countDocuments(type: string): Promise<number>;
}
