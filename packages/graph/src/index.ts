// Public API of the graph package. Everything else is internal and may change.
import './this-node.ts';

export type {
  ArgumentBinding,
  ArgumentBindings,
  AuthRules,
  ColumnField,
  DefaultValue,
  Entity,
  Field,
  Model,
  RelationField,
  RelationStorage,
  ResolverField,
  RootBinding,
  SearchField,
  SourceLocation,
  Storage,
  WriteBinding,
} from './schema/model.ts';
export { storedColumnsOf } from './schema/model.ts';
export { adviseOnDefaults } from './schema/advise-on-defaults.ts';
export { adviseOnPayloads } from './schema/advise-on-payloads.ts';
export { adviseOnRules } from './schema/advise-on-rules.ts';
export { adviseOnSoftDeletion } from './schema/advise-on-soft-deletion.ts';
export type { SchemaProblem } from './schema/problems.ts';
export { quoteName, quoteTable } from './schema/table-name.ts';
export { sortableDecimal, toStoredDecimal } from './schema/decimal.ts';
export { printTypes } from './schema/print-types.ts';
export { readSchema, type ReadSchemaOptions, type SchemaSource } from './schema/read-schema.ts';
export type { Resolver, ResolverContext, ResolverFunction, Resolvers, ResolverWithNeeds } from './schema/resolvers.ts';
export { type Adoption } from './adopt/adoption.ts';
export { settleAdoption } from './adopt/settle-adoption.ts';
export { compareDescriptions, type DatabaseChange } from './adopt/compare-descriptions.ts';
export type { DatabaseDescription } from './adopt/database-description.ts';
export { describePostgres, describeSqlite, openTablesOf } from './adopt/describe-database.ts';
export { printReport } from './adopt/print-report.ts';
export { printAdoptedSchema } from './adopt/print-schema.ts';
export { createGraph } from './execute/create-graph.ts';
export { graphErrors } from './errors.ts';
export type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from './execute/contracts.ts';
export type { Graph, GraphOptions, ReplicaUse } from './execute/graph.ts';
export type { GraphTracing, TraceSource, TraceSpan } from './execute/tracing.ts';
export type { FullText, FullTextHighlight, FullTextHit, FullTextPage, FullTextQuery } from './execute/full-text.ts';
export { DEFAULT_LIMITS, type Limits } from './plan/limits.ts';
export { openSqliteStore, type SqliteOptions } from './store/store-sqlite.ts';
export { type ReadReplica, type WatchedReplica, watchReplica } from './execute/read-replica.ts';
export { openPostgresStore, type PostgresOptions } from './store/store-postgres.ts';
export type { PoolUse, Store } from './store/store.ts';
export { embeddedPaths } from './execute/document-shape.ts';
export {
  searchDocumentShape,
  type DocumentField,
  type DocumentRange,
  type LoadedDocument,
} from './execute/load-documents.ts';
export type { LoadedRow, RowRange } from './execute/load-rows.ts';
export { type ImportOrder, importOrderOf } from './schema/import-order.ts';
export type { Change, ChangeOperation, LinkChange, Snapshot } from './feed/change.ts';
export type { Backlog, Sequencer } from './capture/sequencer.ts';
export type { Feed, FeedReader, TrimOptions } from './feed/feed.ts';
export { knownHead } from './feed/known-head.ts';
export { createHttpHandler } from './http/graphql-http.ts';
export type { HttpAnswer, HttpHandler, HttpRequest, RawParameters } from './http/http-contract.ts';
export { readBody, readQuery } from './http/read-parameters.ts';
export {
  createSubscriptions,
  type Subscribe,
  type SubscribeContext,
  type Subscribed,
  type SubscriptionEvent,
} from './subscribe/subscriptions.ts';
export type { PersistedOptions, Resolved } from './http/persisted-operations.ts';
export { managedCopy, type ManagedCopy } from './migrate/managed-copy.ts';
export { checkIntegrity, type IntegrityFinding, type IntegrityReport } from './migrate/check-integrity.ts';
export { applyMigration, type MigrationPermissions, type MigrationTurn } from './migrate/apply-migration.ts';
export type { MigrationStep } from './migrate/change.ts';
export { schemaFingerprint } from './migrate/schema-fingerprint.ts';
export { type MigrationPlan, planMigration } from './migrate/plan-migration.ts';
export { type ArgumentPlace, type MutationShape, readMutation } from './write/mutation-shape.ts';
export { type InputBinding, type InputMap, mapInput } from './write/input-map.ts';
export type { ImportOptions, ImportRejection, ImportResult, ImportRow, ImportRows } from './write/import-rows.ts';
export {
  type Dependency,
  type DocumentPolicy,
  type DocumentRule,
  fieldsReadByRules,
  readDocumentPolicy,
} from './execute/document-policy.ts';
export type { ExplainedPart, ReadExplanation } from './execute/explain-read.ts';
export { keyOf, type RuleForm, type RuleInput, tupleOf } from './plan/rule-form.ts';
