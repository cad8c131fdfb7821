// Actions that an operator can run on the indexes: status, verify, rebuild. They are the same for a command that has
// the data folder to itself and one that talks to a running server.
import { membersIn } from '@lockstitch/kernel';
import { serverErrors } from '../errors.ts';
import type { RebuildReport, Sync } from './sync.ts';
import type { SyncStatus } from './sync-status.ts';
import type { VerifyReport } from './verify-index.ts';

/** Without names: every index of the schema. */
export type IndexAction =
  | { readonly kind: 'status' }
  | { readonly kind: 'verify'; readonly indexes: readonly string[]; readonly mend: boolean }
  | { readonly kind: 'rebuild'; readonly indexes: readonly string[] };

export interface IndexProgress {
  readonly index: string;
  readonly done: number;
  readonly total: number;
}

export type IndexResult =
  | { readonly kind: 'status'; readonly status: SyncStatus }
  | { readonly kind: 'verify'; readonly reports: readonly VerifyReport[] }
  | { readonly kind: 'rebuild'; readonly reports: readonly RebuildReport[] };

/** Runs an action, one index after the other. @throws ProductError SERVER_INDEX_UNKNOWN, SERVER_INDEX_BUSY */
export async function runIndexAction(
  sync: Pick<Sync, 'status' | 'select' | 'verify' | 'rebuild'>,
  action: IndexAction,
  onProgress: (progress: IndexProgress) => void,
  signal?: AbortSignal,
): Promise<IndexResult> {
  if (action.kind === 'status') return { kind: 'status', status: await sync.status() };
  const selected = sync.select(action.indexes);
  if (action.kind === 'verify') {
    const reports: VerifyReport[] = [];
    for (const index of selected) reports.push(await sync.verify(index, { mend: action.mend, signal, onProgress }));
    return { kind: 'verify', reports };
  }
  const reports: RebuildReport[] = [];
  for (const index of selected) reports.push(await sync.rebuild(index, onProgress));
  return { kind: 'rebuild', reports };
}

/** Parses an action from JSON. @throws ProductError SERVER_BAD_ARGUMENTS */
export function readIndexAction(value: unknown): IndexAction {
  const { kind, indexes = [], mend = false } = membersIn(value);
  const named = Array.isArray(indexes) && indexes.every((name) => typeof name === 'string');
  if (kind === 'status') return { kind };
  if (kind === 'rebuild' && named) return { kind, indexes };
  if (kind === 'verify' && named && typeof mend === 'boolean') return { kind, indexes, mend };
  throw serverErrors.create('SERVER_BAD_ARGUMENTS', {
    reason: 'This server does not know what was asked of its index.',
  });
}
