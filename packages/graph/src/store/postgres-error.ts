// What PostgreSQL's errors mean to the engine: the data refused a row, a value is too much for it, a race was lost and may be
// run again, or the database cannot be used at present. Everything else stays as it is and is a fault of ours.
import type { ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { ConstraintViolation } from './store.ts';

/** An error that the server has sent, as `pg` shows it. */
interface ServerError extends Error {
  readonly severity: string | undefined;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly constraint: string | undefined;
  /** Where in the server's source it was raised; words differ by language, this does not. */
  readonly routine: string | undefined;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'routine' in error;
}

/** Tells whether the server said no over a connection that works on. */
export function isRefusal(error: unknown): boolean {
  return isServerError(error) && error.severity !== 'FATAL' && error.severity !== 'PANIC';
}

/** PostgreSQL's error codes (appendix A) to what the engine knows. */
const VIOLATIONS: Readonly<Record<string, ConstraintViolation['kind']>> = {
  '23001': 'foreignKey',
  '23502': 'notNull',
  '23503': 'foreignKey',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'exclusion',
  '44000': 'check',
  // Out of the range of a number, no value of an enum, no such date.
  '22003': 'value',
  '22007': 'value',
  '22008': 'value',
  '22P02': 'value',
  // RAISE EXCEPTION.
  P0001: 'trigger',
};

/** PostgreSQL's stack_depth_limit, said of a statement that nests too deeply. */
const STATEMENT_TOO_COMPLEX = '54001';
/** program_limit_exceeded: for what the engine writes, a row of an index that is larger than a third of a page. */
const LIMIT_EXCEEDED = '54000';

/** string_data_right_truncation: of a column that has been given a length since the start. */
const TEXT_TOO_LONG = '22001';

/** What a statement was refused for: by the data as a ConstraintViolation, by its size with a code; else the error as it is. */
export function translateRefusal(error: unknown): unknown {
  if (!isServerError(error)) return error;
  if (error.code === STATEMENT_TOO_COMPLEX) return graphErrors.create('GRAPH_TOO_INVOLVED');
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

/** A deadlock or a serialization failure: the transaction did nothing, and may well succeed when run again. */
export function isLostRace(error: unknown): boolean {
  return isServerError(error) && (error.code === '40P01' || error.code === '40001');
}

/** A table has changed since the statement was prepared on this connection: prepared anew, it runs. */
export function isOutOfDate(error: unknown): boolean {
  return isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

const AWAY = 'it cannot be reached at present';
const BROKEN = 'the connection to it broke';
const FULL = 'it is out of room';
const WAITED = 'it gave up waiting, by a time limit that is set in the database';

/** Codes, or their first two digits where a whole class says the same. */
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

/** Why the database could not be used, in words of ours; undefined for an error that says nothing of the kind. */
function outageOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as { readonly code?: string };
  if (isServerError(error)) return OUTAGES[code] ?? OUTAGES[code.slice(0, 2)];
  // The driver's own words, and Node's for sockets.
  if (error.message.startsWith('timeout exceeded')) return 'no connection to it became free in time';
  if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return AWAY;
  if (
    /^E[A-Z]+$/.test(code) ||
    /^Connection terminated|^timeout expired|connection error|not queryable|was closed/.test(error.message)
  )
    return BROKEN;
  return undefined;
}

/** GRAPH_STORE_UNAVAILABLE when the database cannot be used; else the error as it is. */
export function translateOutage(error: unknown): unknown {
  const reason = outageOf(error);
  return reason === undefined ? error : unavailable(reason, error);
}

/** The same for an error of a commit: when the connection breaks there, nobody knows what was written. */
export function translateLostCommit(error: unknown): unknown {
  if (outageOf(error) !== BROKEN) return error;
  return unavailable(`${BROKEN} during the commit, so whether this was written is not known`, error);
}

function unavailable(reason: string, cause: unknown): ProductError {
  return graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason }, { cause });
}
