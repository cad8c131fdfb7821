// What SQLite's errors mean to the engine.
import { graphErrors } from '../errors.ts';
import { ConstraintViolation } from './store.ts';
import { TextTooLong } from './text-limit.ts';

/** SQLite's extended result codes (https://www.sqlite.org/rescode.html) to what the engine knows. */
const VIOLATIONS: Readonly<Record<number, ConstraintViolation['kind']>> = {
  275: 'check',
  787: 'foreignKey',
  1299: 'notNull',
  1555: 'unique',
  1811: 'foreignKey',
  2067: 'unique',
  2579: 'unique',
  3091: 'value',
};

/** SQLITE_CONSTRAINT_TRIGGER: RAISE() in a trigger. */
const TRIGGER = 1811;

/** SQLITE_TOOBIG: a text or row longer than the limit of its connection. */
const TOO_BIG = 18;

/** Primary result codes of a database that cannot be used, in words of ours. */
const OUTAGES: Readonly<Record<number, string>> = {
  5: 'another process keeps it locked',
  8: 'it takes no writes at present',
  10: 'its file could not be read or written',
  11: 'its file is damaged',
  13: 'it is out of room',
  14: 'its file could not be opened',
  26: 'its file is damaged',
};

/**
 * Turns a refusal by the data into a ConstraintViolation, one by length into TextTooLong, one by a disk that is full or
 * gone, or a file that is damaged, into GRAPH_STORE_UNAVAILABLE; every other error stays as it is.
 */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // SQLite has no code of its own for a statement that nests more than a thousand levels.
  if (/^Expression tree is too large|^parser stack overflow|^Recursion limit$/i.test(error.message))
    return graphErrors.create('GRAPH_TOO_INVOLVED');
  // One bit tells a text from a blob in the file; the engine stores no blobs.
  if (error.message === 'JSON cannot hold BLOB values')
    return graphErrors.create(
      'GRAPH_STORE_UNAVAILABLE',
      {
        reason:
          'it holds bytes where a text or a number should be, or no key where one should be ("lockstitch check <dir> --integrity" says where)',
      },
      { cause: error },
    );
  if (error.errcode === TOO_BIG) return new TextTooLong(error.message, { cause: error });
  const reason = OUTAGES[(error.errcode as number) & 0xff];
  if (reason !== undefined) return graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason }, { cause: error });
  const kind = VIOLATIONS[error.errcode as number];
  if (kind === undefined) return error;
  // SQLite restricts deletions by triggers of its own; what others raise is somebody's own words.
  if (error.errcode === TRIGGER && !error.message.startsWith('FOREIGN KEY'))
    return new ConstraintViolation('trigger', undefined, [], error);
  // "UNIQUE constraint failed: photos.a, photos.b", "… failed: index 'by_mail'", "CHECK constraint failed: price > 0", "cannot store TEXT value
  // in INTEGER column t.a"; foreign keys name nothing.
  const [, named = ''] = /constraint failed: (.+)$/s.exec(error.message) ?? / column (\S+)$/.exec(error.message) ?? [];
  if (kind === 'check') return new ConstraintViolation(kind, undefined, [], error, named === '' ? undefined : named);
  const index = /^index '(.*)'$/.exec(named)?.[1];
  if (index !== undefined) return new ConstraintViolation(kind, undefined, [], error, index);
  const columns = named.split(', ').filter((name) => name.includes('.'));
  const table = columns[0]?.split('.')[0];
  return new ConstraintViolation(
    kind,
    table,
    columns.map((name) => name.slice(name.indexOf('.') + 1)),
    error,
  );
}
