// What a graph is to those who use it: how it is opened, asked and followed. Not here: how it is made (create-graph.ts) and how it
// answers (executor.ts).
import type { Clock, Log, Principal } from '@lockstitch/kernel';
import type { Feed } from '../feed/feed.ts';
import type { HttpAnswer, HttpRequest, RawParameters } from '../http/http-contract.ts';
import type { PersistedOptions, Resolved } from '../http/persisted-operations.ts';
import type { Limits } from '../plan/limits.ts';
import type { Model } from '../schema/model.ts';
import type { Resolvers } from '../schema/resolvers.ts';
import type { MaybePromise, Store } from '../store/store.ts';
import type { SubscribeContext, Subscribed } from '../subscribe/subscriptions.ts';
import type { ImportRows } from '../write/import-rows.ts';
import type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from './contracts.ts';
import type { ReadExplanation } from './explain-read.ts';
import type { FullText } from './full-text.ts';
import type { GraphTracing } from './tracing.ts';
import type { DocumentRange, LoadedDocument } from './load-documents.ts';

/** What a graph is made of. */
export interface GraphOptions {
  readonly model: Model;
  readonly store: Store;
  /** Whether the store is brought to the model, as far as nothing is lost; default true. */
  readonly migrates?: boolean;
  /** The same that readSchema was given. Default: none. */
  readonly resolvers?: Resolvers;
  /** Bounds of one operation; those not given keep their defaults. */
  readonly limits?: Partial<Limits>;
  /** Who may introspect; default everyone. Whoever may not gets no "Did you mean" either. */
  readonly introspection?: boolean | ((principal: Principal) => boolean);
  /** The index that answers fields returning a `PhotoSearchConnection`. Default: none; then such fields answer an error. */
  readonly fullText?: FullText;
  /** Who may have operations explained (`extensions: { explain: true }`), SQL and all; default nobody. */
  readonly explain?: boolean | ((principal: Principal) => boolean);
  /** Makes spans of OpenTelemetry. Default: none, at no cost. */
  readonly tracing?: GraphTracing;
  /** Documents known beforehand, and whether only those are answered over HTTP. */
  readonly persisted?: PersistedOptions;
  /** Address of event streams, for clients that ask for them where there are none. Default: none. */
  readonly eventStreams?: string;
  /** Default: silent. */
  readonly log?: Log;
  readonly clock?: Clock;
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
  /**
   * The operation that parameters name, whichever way they came: by its text, by the hash of one sent before, or by the id
   * of a trusted document. Instead of a request there may be an answer, which asks for the text.
   *
   * @throws ProductError GRAPH_HTTP_PARAMETER, GRAPH_TRUSTED_ONLY, …
   */
  resolveRequest(raw: RawParameters): Resolved;
  /** Answers GraphQL over HTTP, framework-free. Never throws for what a client sent. */
  handleHttp(request: HttpRequest, context?: GraphContext): MaybePromise<HttpAnswer>;
  /** Objects of a type as search documents (see searchDocumentShape); keys without an object are left out. */
  loadDocuments(type: string, range: DocumentRange): Promise<readonly LoadedDocument[]>;
  /** Writes rows in bulk, with their entries in the feed; each bad row is refused with its reasons. */
  readonly importRows: ImportRows;
  /** How many objects of a type there are. */
  countDocuments(type: string): Promise<number>;
  /**
   * The keys of the objects of a type that a caller may read (with `field`: and of which he may read that field), in key
   * order; `keys` limits which are asked about. For tools that explain or test the rules.
   */
  readableKeys(
    type: string,
    principal: Principal,
    options?: { readonly keys?: readonly string[]; readonly field?: string },
  ): Promise<readonly string[]>;
  /** Why a caller may or may not read one object, and each of its fields that has a rule. */
  explainRead(type: string, key: string, principal: Principal): Promise<ReadExplanation>;
}
