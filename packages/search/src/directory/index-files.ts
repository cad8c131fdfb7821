// Which files of a folder an index has made: what may be removed when no manifest names it, where a user may have put other things.

/** Marks a folder whose index is being made or removed: without a manifest it is swept, and no index was lost. */
export const UNFINISHED = 'unfinished';

const MADE = /^(?:s\d+(?:-[0-9a-f]+)?\.(?:seg|live)|translog-\d+\.log|manifest|unfinished)(?:\.tmp)?$/;

/** Whether a file has a name that segments, deletions, logs of changes or manifests get, half written ones included. */
export function isIndexFile(name: string): boolean {
  return MADE.test(name);
}
