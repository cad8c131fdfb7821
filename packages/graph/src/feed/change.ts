// What one entry of the feed says. Consumers: the search indexer, subscriptions, audit.

export type ChangeOperation = 'created' | 'updated' | 'deleted';

/**
 * An object's own values by field name: columns as a GraphQL response would show them (keys and IDs as strings, times as
 * ISO text), to-one relations kept in its row as the key of the other object (`{ type, key }` for an interface or union).
 */
export type Snapshot = Readonly<Record<string, unknown>>;

/** Objects that a relation kept in a table of pairs gained and lost, by key (`Type:key` for an interface or union). */
export interface LinkChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** One object changed, in one committed transaction. Several writes to it there are one change. */
export interface Change {
  /** Rises with the order of commits; gaps mean nothing. */
  readonly position: number;
  readonly type: string;
  readonly key: string;
  readonly operation: ChangeOperation;
  /** ISO time of the writing. */
  readonly at: string;
  /** The name of who wrote. */
  readonly principal: string;
  /** Updated: the former values of the fields that changed. Deleted: all values. */
  readonly before?: Snapshot;
  /** Created, updated: all values afterwards. */
  readonly after?: Snapshot;
  /** Relations kept as pairs that changed, by field name. Both objects of a pair have a change. */
  readonly links?: Readonly<Record<string, LinkChange>>;
  /**
   * Fields that changed from the other end of a relation, where a read rule may hide that end or the field. No subscriber gets them.
   */
  readonly quiet?: readonly string[];
}

/** A change on its way into the feed. */
export type NewChange = Omit<Change, 'position' | 'at' | 'principal'>;
