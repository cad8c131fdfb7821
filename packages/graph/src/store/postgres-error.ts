// Classifies PostgreSQL's errors: constraint violations, values that are too large, lost races that can be retried, and
// an unavailable database. Other errors are unchanged and count as internal.
import type { ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { ConstraintViolation } from './store.ts';

/** An error of the server, as `pg` reports it. */
interface ServerError extends Error {
  readonly severity: string | undefined;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly schema: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  /** The function in the server's source that raised it; unlike messages, it is not translated. */
  readonly routine: string | undefined;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'routine' in error;
}

/** Whether the server rejected the statement and the connection is still usable. */
export function isRefusal(error: unknown): boolean {
  return isServerError(error) && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

/** Error codes (PostgreSQL, appendix A) of constraint violations. */
const VIOLATIONS: Readonly<Record<string, ConstraintViolation['kind']>> = {
  '23001': 'foreignKey',
  '23502': 'notNull',
  '23503': 'foreignKey',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'exclusion',
  '44000': 'check',
  // Numeric overflow, invalid enum value, invalid date.
  '22003': 'value',
  '22007': 'value',
  '22008': 'value',
  '22P02': 'value',
  // A value for a column that the database generates.
  '428C9': 'value',
  // Missing privileges, row-level security.
  '42501': 'privilege',
  // RAISE EXCEPTION.
  P0001: 'trigger',
};

/** stack_depth_limit exceeded: the statement nests too deeply. */
const STATEMENT_TOO_COMPLEX = '54001';
/** too_many_columns: more than 1,664 columns and sort terms. */
const TOO_MANY_COLUMNS = '54011';
/** program_limit_exceeded: an index row larger than a third of a page. */
const LIMIT_EXCEEDED = '54000';

/** string_data_right_truncation: the column got a length limit after start-up. */
const TEXT_TOO_LONG = '22001';

/** Translates an error of a statement: a ConstraintViolation, or a product error for its size; others are unchanged. */
export function translateRefusal(error: unknown): unknown {
  if (!isServerError(error)) return error;
  if (error.code === STATEMENT_TOO_COMPLEX || error.code === TOO_MANY_COLUMNS)
    return graphErrors.create('GRAPH_TOO_INVOLVED');
  if (error.code === LIMIT_EXCEEDED && error.message.startsWith('index row'))
    return graphErrors.create('GRAPH_VALUE_TOO_LONG', {}, { cause: error });
  if (error.code === TEXT_TOO_LONG) return graphErrors.create('GRAPH_TEXT_TOO_LONG', {}, { cause: error });
  const kind = VIOLATIONS[error.code ?? ''];
  if (kind === undefined) return error;
  // 'Key (a, "B")=(1, 2) already exists.'
  const named = error.column ?? /^Key \((.*?)\)=/.exec(error.detail ?? '')?.[1] ?? '';
  const columns = named
    .split(', ')
    .filter(Boolean)
    .map((name) => name.replaceAll(/^"|"$/g, ''));
  return new ConstraintViolation(kind, error.table, columns, error, error.constraint);
}

/**
 * A deadlock, a serialization failure, or something that another session has created meanwhile, which PostgreSQL reports
 * even to IF NOT EXISTS: the transaction had no effect and can be retried.
 */
export function isLostRace(error: unknown): boolean {
  if (!isServerError(error)) return false;
  const { code, schema, routine } = error;
  if (code === '40P01' || code === '40001') return true;
  // Two transactions wrote the same row of a table of the system.
  return (
    (code === '23505' && schema === 'pg_catalog') ||
    (code === 'XX000' && /^simple_heap_(?:update|delete)$/.test(routine ?? ''))
  );
}

/** A table has changed since the statement was prepared on this connection; it must be prepared again. */
export function isOutOfDate(error: unknown): boolean {
  return isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

const AWAY = 'it cannot be reached at present';
const BROKEN = 'the connection to it broke';
const FULL = 'it is out of room';
const WAITED = 'it gave up waiting, by a time limit that is set in the database';

/** Codes, or classes by their first two digits. */
const OUTAGES: Readonly<Record<string, string>> = {
  '08': BROKEN,
  '25006': 'it takes no writes at present',
  '25P03': WAITED,
  '40001': 'too many others were writing the same objects',
  '40P01': 'too many others were writing the same objects',
  '53100': FULL,
  '53200': FULL,
  '53300': AWAY,
  '55P03': WAITED,
  '57014': WAITED,
  '57P01': BROKEN,
  '57P02': BROKEN,
  '57P03': AWAY,
  '57P05': BROKEN,
};

/** Why the database is unavailable; undefined for other errors. */
function outageOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as { readonly code?: string };
  if (isServerError(error)) return OUTAGES[code] ?? OUTAGES[code.slice(0, 2)];
  // Errors of the driver, and Node's socket errors.
  if (error.message.startsWith('timeout exceeded')) return 'no connection to it became free in time';
  if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return AWAY;
  if (
    /^E[A-Z]+$/.test(code) ||
    /^Connection terminated|^timeout expired|connection error|not queryable|was closed/.test(error.message)
  )
    return BROKEN;
  return undefined;
}

/** GRAPH_STORE_UNAVAILABLE if the database is unavailable; else the error itself. */
export function translateOutage(error: unknown): unknown {
  const reason = outageOf(error);
  return reason === undefined ? error : unavailable(reason, error);
}

/** The same for a commit: if the connection breaks, it is unknown whether the commit succeeded. */
export function translateLostCommit(error: unknown): unknown {
  if (outageOf(error) !== BROKEN) return error;
  return unavailable(`${BROKEN} during the commit, so whether this was written is not known`, error);
}

function unavailable(reason: string, cause: unknown): ProductError {
  return graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason }, { cause });
}
