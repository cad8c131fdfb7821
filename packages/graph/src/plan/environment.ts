// What every part of plan-making shares for one operation: the model, the document, the caller's view and the counters.
import type { FieldNode, GraphQLField } from 'graphql';
import type { ArgumentBindings, Entity, Model } from '../schema/model.ts';
import type { Expr, Json } from '../sql/sql.ts';
import type { CollectContext } from './collect-fields.ts';
import type { FieldArguments, Slot } from './field-arguments.ts';
import type { Limits } from './limits.ts';
import type { Aliases, RelatedRows, RowScope } from './rows.ts';

/** What the caller may see, as predicates; undefined: everything. */
export interface View {
  /** Rows of the scope's entity that the caller may read. */
  rows(scope: RowScope): Expr | undefined;
  /** Whether the caller may read a field of the row; undefined: always. */
  field(scope: RowScope, name: string): Expr | undefined;
  /** Whether `rows` restricts the entity at all. */
  restricts(entity: string): boolean;
}

/** Shared state of one plan in the making. */
export interface Environment extends CollectContext {
  readonly model: Model;
  readonly limits: Limits;
  readonly view: View;
  readonly aliases: Aliases;
  /**
   * `whole`: the statement's text is the answer; what SQL cannot answer exactly throws NotCompilable.
   * `prefetch`: the statement feeds graphql-js, which resolves, checks and reports; it holds values under response keys.
   */
  readonly mode: 'whole' | 'prefetch';
  /** Fields with variables; undefined in a plan for one request. */
  readonly slots: Slot[] | undefined;
  /** Set when the text must be read and written again by JavaScript: floats print differently. */
  normalize: boolean;
  /** Set when a VIOLATION may stand in the text. */
  mayViolate: boolean;
  /** Reads the arguments of a field; in prefetch mode a refusal is kept for the field and answers undefined. */
  argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): FieldArguments | undefined;
  /** Connections contain selections, which contain connections: the way round is here, so that no file imports in a circle. */
  selectConnection(
    typeName: string,
    target: string,
    bindings: ArgumentBindings,
    args: FieldArguments,
    nodes: readonly FieldNode[],
    rowsOf: (entity: Entity) => RelatedRows,
  ): Json;
  /** In prefetch mode keeps the refusal for graphql-js to report at the field; in whole mode throws it. */
  refuse(node: FieldNode, error: unknown): void;
}

/** Thrown in `whole` mode where only graphql-js gives the exact answer. */
export class NotCompilable extends Error {}
