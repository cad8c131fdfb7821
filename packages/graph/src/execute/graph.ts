// The interface of a graph: options, execution, subscriptions, tools. Not here: creating it (create-graph.ts) and
// executing operations (executor.ts).
import type { Clock, Log, Principal } from '@lockstitch/kernel';
import type { Sequencer } from '../capture/sequencer.ts';
import type { Feed } from '../feed/feed.ts';
import type { HttpAnswer, HttpRequest, RawParameters } from '../http/http-contract.ts';
import type { PersistedOptions, Resolved } from '../http/persisted-operations.ts';
import type { Limits } from '../plan/limits.ts';
import type { Model, RelationField } from '../schema/model.ts';
import type { Resolvers } from '../schema/resolvers.ts';
import type { ReadReplica } from './read-replica.ts';
import type { MaybePromise, Store } from '../store/store.ts';
import type { SubscribeContext, Subscribed } from '../subscribe/subscriptions.ts';
import type { ImportRows } from '../write/import-rows.ts';
import type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from './contracts.ts';
import type { ReadExplanation } from './explain-read.ts';
import type { FullText } from './full-text.ts';
import type { GraphTracing } from './tracing.ts';
import type { DocumentRange, LoadedDocument } from './load-documents.ts';
import type { LoadedRow, RowRange } from './load-rows.ts';

/** Options of createGraph. */
export interface GraphOptions {
  readonly model: Model;
  readonly store: Store;
  /** Answers queries of one statement in place of the store. Default: none. */
  readonly replica?: ReplicaUse;
  /** Whether to migrate the store, without data loss; default true. */
  readonly migrates?: boolean;
  /** The resolvers passed to readSchema. Default: none. */
  readonly resolvers?: Resolvers;
  /** Limits of one operation; others keep their defaults. */
  readonly limits?: Partial<Limits>;
  /** Who may introspect; default everyone. Errors for other callers contain no suggestions. */
  readonly introspection?: boolean | ((principal: Principal) => boolean);
  /** The index for fields that return a `PhotoSearchConnection`. Default: none; such fields then return an error. */
  readonly fullText?: FullText;
  /** Who may request explanations, SQL included (`extensions: { explain: true }`); default nobody. */
  readonly explain?: boolean | ((principal: Principal) => boolean);
  /** Creates OpenTelemetry spans. Default: none, at no cost. */
  readonly tracing?: GraphTracing;
  /** Persisted documents, and whether only those are executed over HTTP. */
  readonly persisted?: PersistedOptions;
  /** Address of event streams, for clients that request them elsewhere. Default: none. */
  readonly eventStreams?: string;
  /** Called with the code of each error in an answer to an operation; for counting. */
  readonly onError?: (code: string) => void;
  /** Default: silent. */
  readonly log?: Log;
  readonly clock?: Clock;
}

/** How a read replica is used. */
export interface ReplicaUse {
  readonly replica: Pick<ReadReplica, 'read' | 'lag'>;
  /**
   * Milliseconds that the replica may be behind, also where a rule reads other rows than its own (a member who has been
   * removed may still read for so long). Default: 30,000, and the store answers queries with such rules.
   */
  readonly maxStaleness?: number | undefined;
}

/** A schema over a store. */
export interface Graph {
  readonly model: Model;
  readonly store: Store;
  readonly feed: Feed;
  /** Moves what others write into the feed, once it is started; undefined if no type has `@captureChanges`. */
  readonly sequencer: Sequencer | undefined;
  readonly limits: Limits;
  /** Executes one operation. Never throws for a client's mistake. */
  execute(request: GraphRequest, context?: GraphContext): MaybePromise<GraphResponse>;
  /** The kind of operation of a request; undefined if it cannot be determined (executing it reports why). */
  operationKind(request: GraphRequest, context?: GraphContext): 'query' | 'mutation' | 'subscription' | undefined;
  /**
   * Prepares a subscription: which changes it wants and how an event is resolved. Otherwise returns the response with
   * the errors.
   */
  subscription(request: GraphRequest, context?: GraphContext): PreparedSubscription | GraphResponse;
  /** Starts a subscription: returns its events, or the response with the errors. */
  subscribe(request: GraphRequest, context?: SubscribeContext): Promise<Subscribed>;
  /**
   * The operation of HTTP parameters: by text, by the hash of an earlier one, or by the id of a trusted document. May
   * return a response that requests the text instead.
   *
   * @throws ProductError GRAPH_HTTP_PARAMETER, GRAPH_TRUSTED_ONLY, …
   */
  resolveRequest(raw: RawParameters): Resolved;
  /** Whether all callers get the same answer to an operation. */
  isCallerIndependent(request: GraphRequest, context?: GraphContext): boolean;
  /** Serves GraphQL over HTTP, independent of a framework. Never throws for a client's mistake. */
  handleHttp(request: HttpRequest, context?: GraphContext): MaybePromise<HttpAnswer>;
  /** Objects of a type as search documents (see searchDocumentShape); keys without an object are omitted. */
  loadDocuments(type: string, range: DocumentRange): Promise<readonly LoadedDocument[]>;
  /**
   * Rows of a type as an import takes them, without rules.
   *
   * @param isIncluded which many-to-many relations are part of the rows; default: all
   */
  loadRows(
    type: string,
    range: RowRange,
    isIncluded?: (field: RelationField) => boolean,
  ): Promise<readonly LoadedRow[]>;
  /** Writes rows in bulk, with their feed entries; invalid rows are rejected individually with reasons. */
  readonly importRows: ImportRows;
  /** The number of objects of a type. */
  countDocuments(type: string): Promise<number>;
  /**
   * The keys of the objects that a caller may read (with `field`: including that field; with `includeDeleted`: and of deleted
   * ones on request), in key order; `keys` limits the candidates. For tools that explain or test rules.
   */
  readableKeys(
    type: string,
    principal: Principal,
    options?: { readonly keys?: readonly string[]; readonly field?: string; readonly includeDeleted?: boolean },
  ): Promise<readonly string[]>;
  /** Explains why a caller may or may not read one object and its fields with rules. */
  explainRead(type: string, key: string, principal: Principal): Promise<ReadExplanation>;
}
