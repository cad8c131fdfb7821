// How reads on SQLite's reading connection share a transaction: all that are made in one turn of the event loop see the same
// snapshot. Taking the locks of a read and giving them back costs 2.6 µs, twice what finding two fields by a key does (1.0), and
// under load some handfuls of requests are answered in each turn. Not here: when writes commit.
import type { DatabaseSync } from 'node:sqlite';

/** The transaction of a connection that only reads. */
export interface SharedRead {
  /** Before each read: opens the transaction where none is open. */
  begin(): void;
  /** Gives its locks back; the next read sees whatever has been committed by then. */
  end(): void;
}

/**
 * Creates it. It ends by itself once the turn has seen to what arrived, so other processes' commits are seen from the next turn
 * on; whoever commits in this process ends it first, for a reader that stays would also keep the write-ahead log from starting
 * over.
 */
export function createSharedRead(reader: DatabaseSync): SharedRead {
  const start = reader.prepare('BEGIN');
  const finish = reader.prepare('COMMIT');
  let isOpen = false;
  const giveUp = (): void => {
    try {
      if (reader.isTransaction) reader.exec('ROLLBACK');
    } catch {
      // The same again.
    }
  };
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    try {
      // Some errors (I/O, out of memory) have ended it already.
      if (reader.isTransaction) finish.run();
    } catch {
      // A file that was damaged or cut off beneath us: whoever reads next is told, nobody who is told here would be asking.
      giveUp();
    }
  };
  return {
    begin() {
      if (isOpen) return;
      start.run();
      isOpen = true;
      setImmediate(end);
    },
    end,
  };
}
