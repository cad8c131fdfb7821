// Schedules rebuilds and verifications, one per index at a time, and retries the rebuild of stale indexes. How an index
// is built is build-index.ts.
import { isProductError, type Log, reasonOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import type { OnBuild } from './build-index.ts';
import type { SchemaIndex } from './schema-index.ts';
import { sleep } from './sleep.ts';

export interface IndexRebuilderParts<Built> {
  readonly wanted: readonly SchemaIndex[];
  /** Types whose index has to be built. */
  readonly stale: ReadonlySet<string>;
  /** Builds an index and swaps it in; its type is then no longer stale. */
  readonly build: (index: SchemaIndex, onBuild: OnBuild) => Promise<Built>;
  /** Makes the built index searchable. */
  readonly refresh: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** How far a build is. */
export interface BuildProgress {
  /** Documents that are written, and those to write. */
  readonly done: number;
  readonly total: number;
  /** Seconds since the first one. */
  readonly seconds: number;
}

export interface IndexRebuilder<Built> {
  /** @throws ProductError SERVER_INDEX_BUSY */
  build(index: SchemaIndex, onBuild: OnBuild): Promise<Built>;
  /** Runs work on an index that is not being rebuilt. @throws ProductError SERVER_INDEX_BUSY */
  verifying<T>(index: SchemaIndex, work: () => Promise<T>): Promise<T>;
  readonly isRebuilding: (index: SchemaIndex) => boolean;
  /** undefined where none is being built. */
  readonly progress: (index: SchemaIndex) => BuildProgress | undefined;
  /** Rebuilds all stale indexes and retries until that succeeds or the signal aborts. */
  replaceStale(onBuild: OnBuild): Promise<void>;
  /** Reason of the current failure. */
  readonly trouble: string | undefined;
}

const RETRY_MS = 1000;
/** The retry pause grows up to this factor: on a full disk every attempt fills it again. */
const MOST_PAUSES = 30;

export function createIndexRebuilder<Built>(parts: IndexRebuilderParts<Built>): IndexRebuilder<Built> {
  const { log, refresh, signal, stale, wanted } = parts;
  /** By index name. */
  const busy = new Map<string, 'rebuilding' | 'verifying'>();
  /** Latest build of each index by name; most have ended. */
  const latest = new Map<string, Promise<Built>>();
  const progress = new Map<string, { readonly done: number; readonly total: number; readonly began: number }>();
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

  const build = (index: SchemaIndex, onBuild: OnBuild): Promise<Built> =>
    claim(index, 'rebuilding', () => {
      const began = performance.now();
      const noting: OnBuild = (event) => {
        progress.set(index.name, { ...event, began });
        onBuild(event);
      };
      const built = parts.build(index, noting).finally(() => progress.delete(index.name));
      latest.set(index.name, built);
      return built;
    });

  return {
    build,
    async verifying(index, work) {
      // Compare the new index if one is being built; if that fails, the current one.
      await latest.get(index.name)?.catch(() => undefined);
      return claim(index, 'verifying', work);
    },
    isRebuilding: ({ name }) => busy.get(name) === 'rebuilding',
    progress({ name }) {
      const found = progress.get(name);
      if (found === undefined) return undefined;
      const { began, done, total } = found;
      return { done, total, seconds: (performance.now() - began) / 1000 };
    },
    async replaceStale(onBuild) {
      for (const index of wanted) {
        for (let attempt = 1; stale.has(index.type) && !signal.aborted; attempt++) {
          try {
            await build(index, onBuild);
            trouble = undefined;
            await refresh();
            log.write('info', 'A search index was rebuilt', { index: index.name });
          } catch (error) {
            if (signal.aborted) return;
            // Another caller rebuilds or verifies it.
            if (isProductError(error, 'SERVER_INDEX_BUSY')) {
              await sleep(RETRY_MS, signal);
              continue;
            }
            trouble = reasonOf(error);
            log.write('error', 'A search index cannot be rebuilt; trying again', { index: index.name, error });
            await sleep(RETRY_MS * Math.min(attempt, MOST_PAUSES), signal);
          }
        }
      }
    },
    get trouble() {
      // A later attempt, such as `lockstitch index rebuild`, may have succeeded.
      return stale.size > 0 ? trouble : undefined;
    },
  };
}
