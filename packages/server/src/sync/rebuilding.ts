// Which indexes are being built anew or verified, one piece of work each at a time, and when successors of what answers from an earlier schema
// are tried again. How one is built is not decided here (build-index.ts).
import type { Log } from '@lockstitch/kernel';
import type { Index } from '@lockstitch/search';

import { serverErrors } from '../errors.ts';
import type { OnBuild } from './build-index.ts';
import type { SchemaIndex } from './schema-index.ts';
import { pause } from './turns.ts';

/** What rebuilding needs. */
export interface RebuildingParts {
  readonly wanted: readonly SchemaIndex[];
  /** Types whose index follows no more. */
  readonly stale: ReadonlySet<string>;
  /** Fills an index and puts it in place; then its type is no longer stale. */
  readonly build: (index: SchemaIndex, onBuild: OnBuild) => Promise<Index>;
  /** Makes what was built searchable. */
  readonly refresh: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Builds indexes anew. */
export interface Rebuilding {
  /** @throws ProductError SERVER_INDEX_BUSY */
  build(index: SchemaIndex, onBuild: OnBuild): Promise<Index>;
  /** Runs work on an index that is not being built. @throws ProductError SERVER_INDEX_BUSY */
  verifying<T>(index: SchemaIndex, work: () => Promise<T>): Promise<T>;
  readonly isRebuilding: (index: SchemaIndex) => boolean;
  /** Builds all that is stale, again and again until it is there or the signal fires. */
  replaceStale(onBuild: OnBuild): Promise<void>;
  /** Why a successor cannot be built for now. */
  readonly trouble: string | undefined;
}

const RETRY_MS = 1000;
/** Attempts after which the pause grows no longer: where the disk is full, each fills it once more. */
const MOST_PAUSES = 30;

/** Makes it. */
export function createRebuilding(parts: RebuildingParts): Rebuilding {
  const { log, refresh, signal, stale, wanted } = parts;
  /** By name. */
  const busy = new Map<string, 'rebuilding' | 'verifying'>();
  /** The latest build of each, by name; most have ended. */
  const latest = new Map<string, Promise<Index>>();
  let trouble: string | undefined;

  const claim = async <T>(
    { name: index }: SchemaIndex,
    what: 'rebuilding' | 'verifying',
    work: () => Promise<T>,
  ): Promise<T> => {
    const now = busy.get(index);
    if (now !== undefined) throw serverErrors.create('SERVER_INDEX_BUSY', { index, now });
    busy.set(index, what);
    try {
      return await work();
    } finally {
      busy.delete(index);
    }
  };

  const build = (index: SchemaIndex, onBuild: OnBuild): Promise<Index> =>
    claim(index, 'rebuilding', () => {
      const built = parts.build(index, onBuild);
      latest.set(index.name, built);
      return built;
    });

  return {
    build,
    async verifying(index, work) {
      // A successor that is being built is what should be compared.
      await latest.get(index.name)?.catch(() => undefined);
      return claim(index, 'verifying', work);
    },
    isRebuilding: ({ name }) => busy.get(name) === 'rebuilding',
    async replaceStale(onBuild) {
      for (const index of wanted) {
        for (let attempt = 1; stale.has(index.type) && !signal.aborted; attempt++) {
          try {
            await build(index, onBuild);
            trouble = undefined;
            await refresh();
            log.write('info', 'A search index was built anew', { index: index.name });
          } catch (error) {
            if (signal.aborted) return;
            // Somebody else builds it, or still reads it.
            if ((error as { readonly code?: string }).code === 'SERVER_INDEX_BUSY') {
              await pause(RETRY_MS, signal);
              continue;
            }
            trouble = error instanceof Error ? error.message : String(error);
            log.write('error', 'A search index cannot be built anew; trying again', { index: index.name, error });
            await pause(RETRY_MS * Math.min(attempt, MOST_PAUSES), signal);
          }
        }
      }
    },
    get trouble() {
      // Another attempt than the one that failed, somebody's `lockstitch index rebuild` say, may have been the good one.
      return stale.size > 0 ? trouble : undefined;
    },
  };
}
