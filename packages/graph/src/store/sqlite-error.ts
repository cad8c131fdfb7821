// Classifies SQLite's errors.
import { graphErrors } from '../errors.ts';
import { ConstraintViolation } from './store.ts';
import { TextTooLong } from './text-limit.ts';

/** Extended result codes (https://www.sqlite.org/rescode.html) of constraint violations. */
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

/** SQLITE_TOOBIG: a text or row longer than the connection's limit. */
const TOO_BIG = 18;

/** Primary result codes of an unavailable database, and the reasons for clients. */
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
 * Translates constraint violations to ConstraintViolation, length errors to TextTooLong, and disk errors or a damaged
 * file to GRAPH_STORE_UNAVAILABLE; other errors are unchanged.
 */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  // SQLite has no error code for statements beyond its limits: 1,000 levels, 2,000 terms and columns, 64 tables.
  if (
    /^Expression tree is too large|^parser stack overflow|^Recursion limit$|^too many (?:terms|columns) in |^at most \d+ tables in a join/i.test(
      error.message,
    )
  )
    return graphErrors.create('GRAPH_TOO_INVOLVED');
  // In the file, one bit distinguishes a text from a blob; the engine stores no blobs.
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
  const reason = OUTAGES[Number(error.errcode) & 0xff];
  if (reason !== undefined) return graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason }, { cause: error });
  const kind = VIOLATIONS[Number(error.errcode)];
  if (kind === undefined) return error;
  // SQLite implements ON DELETE RESTRICT with internal triggers; other triggers are the application's.
  if (error.errcode === TRIGGER && !error.message.startsWith('FOREIGN KEY'))
    return new ConstraintViolation('trigger', undefined, [], error);
  // "UNIQUE constraint failed: photos.a, photos.b", "… failed: index 'by_mail'", "CHECK constraint failed: price > 0",
  // "cannot store TEXT value in INTEGER column t.a"; foreign key errors name nothing.
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
