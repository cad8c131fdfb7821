// A feed entry. Consumers: the search indexer, subscriptions, audit.

/** `invalidated`: any object of the type may have changed, outside the engine's sight; the key is empty. */
export type ChangeOperation = 'created' | 'updated' | 'deleted' | 'invalidated';

/**
 * An object's own values by field name: columns as in a GraphQL response (keys and IDs as strings, times as ISO text),
 * to-one relations in its row as the other object's key (`{ type, key }` for an interface or union).
 */
export type Snapshot = Readonly<Record<string, unknown>>;

/** Objects that a relation with a join table gained and lost, by key (`Type:key` for an interface or union). */
export interface LinkChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** A change of one object in one committed transaction; several writes are one change. */
export interface Change {
  /** Increases in the order of commits; gaps have no meaning. */
  readonly position: number;
  readonly type: string;
  readonly key: string;
  readonly operation: ChangeOperation;
  /** ISO time of the write. */
  readonly at: string;
  /** The name of the writing principal. */
  readonly principal: string;
  /** Updated: the former values of changed fields. Deleted: all values. */
  readonly before?: Snapshot;
  /** Created and updated: all values after the change. */
  readonly after?: Snapshot;
  /** Changed relations with a join table, by field name. Both joined objects have a change. */
  readonly links?: Readonly<Record<string, LinkChange>>;
  /** Fields changed from the other end of a relation that a read rule may hide. Not sent to subscribers. */
  readonly quiet?: readonly string[];
}

/** A change before it is appended. */
export type NewChange = Omit<Change, 'position' | 'at' | 'principal'>;
