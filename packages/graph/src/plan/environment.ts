// State that all parts of the planner share for one operation: model, document, the caller's view, counters.
import type { Clock } from '@lockstitch/kernel';
import type { FieldNode, GraphQLField } from 'graphql';
import type { ArgumentBindings, Entity, Model } from '../schema/model.ts';
import type { Expr, Json } from '../sql/sql.ts';
import type { CollectContext } from './collect-fields.ts';
import type { FieldArguments, Slot } from './field-arguments.ts';
import type { Limits } from './limits.ts';
import type { Aliases, RelatedRows, RowScope } from './rows.ts';

/** What the caller may read, as predicates; undefined: everything. */
export interface View {
  /** Rows of the scope's entity that the caller may read. */
  rows(scope: RowScope): Expr | undefined;
  /** Which of the deleted rows that the caller asks for they may see, beside `rows`. */
  deleted(scope: RowScope): Expr | undefined;
  /** Whether the caller may read a field of the row; undefined: always. */
  field(scope: RowScope, name: string): Expr | undefined;
  /** Whether `rows` restricts the entity at all. */
  restricts(entity: string): boolean;
}

/** Shared state of a plan under construction. */
export interface Environment extends CollectContext {
  readonly model: Model;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly view: View;
  readonly aliases: Aliases;
  /**
   * `whole`: the statement's text is the response; what SQL cannot answer exactly throws NotCompilable. `prefetch`: the
   * statement fetches data for graphql-js, which resolves, checks and reports; values are under their response keys.
   */
  readonly mode: 'whole' | 'prefetch';
  /** Fields with variables; undefined in a plan for a single request. */
  readonly slots: Slot[] | undefined;
  /** Set if the text may contain a VIOLATION. */
  mayViolate: boolean;
  /** Set if a rule reads other rows than the one that it is about. */
  readsOtherRows: boolean;
  /** Set if a read rule was looked up that exists, whatever it says to this caller. */
  asksRules: boolean;
  /** Reads the arguments of a field; undefined if prefetch mode has recorded an error for it. */
  argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): FieldArguments | undefined;
  /** Connections contain selections, which contain connections. Passing the function here avoids an import cycle. */
  selectConnection(
    typeName: string,
    target: string,
    bindings: ArgumentBindings,
    args: FieldArguments,
    nodes: readonly FieldNode[],
    rowsOf: (entity: Entity) => RelatedRows,
  ): Json;
  /** The same for objects that a gateway names. */
  selectEntities(args: FieldArguments, nodes: readonly FieldNode[]): Json;
  /** Throws the error in whole mode; in prefetch mode records it, for graphql-js to report at the field. */
  refuse(node: FieldNode, error: unknown): void;
}

/** Thrown in `whole` mode if only graphql-js gives the exact response. */
export class NotCompilable extends Error {
  /** The root field of a mutation that is the reason. */
  nodes: readonly FieldNode[] = [];
}
