// The names that indices may have, and the folders that they lie in.
import { searchError } from '../errors/search-errors.ts';

/** Files that stand beside the folders of indexes. */
// `lock` is a file of earlier versions.
const TAKEN: ReadonlySet<string> = new Set(['lock', 'metadata', 'metadata.tmp']);
/** Most bytes of an index name: a file name, less the `@` and generation of a shadow index. */
const LONGEST_FOLDER = 255 - 12;

/** The folder that an index of this folder's name has; undefined when no index can have it. */
export function folderIn(folder: string): string | undefined {
  try {
    const [, generation] = /@([1-9]\d*)$/.exec(folder) ?? [];
    const name = nameOf(folder);
    checkIndexName(name);
    return generation === undefined ? folderOf(name) : `${folderOf(name)}@${generation}`;
  } catch {
    // A folder that is not ours: its name is no index's, or is not encoded.
    return undefined;
  }
}

/** The folder of an index. @throws ProductError `SEARCH_INVALID_INDEX_NAME` when no file system takes its name */
export function folderOf(name: string): string {
  // Two names must never meet: percent-encoding what needs none gives a folder that no other name has.
  if (TAKEN.has(name)) return `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  const folder = encodeURIComponent(name);
  if (folder.length > LONGEST_FOLDER) {
    const reason = `index name is too long, (${folder.length} > ${LONGEST_FOLDER} bytes, percent-encoded)`;
    throw searchError('SEARCH_INVALID_INDEX_NAME', { index: name, reason });
  }
  return folder;
}

/** The folder of a shadow index is `<name>@<generation>`; names themselves are written without an `@`. */
export function isShadowFolder(folder: string): boolean {
  return folder.includes('@');
}

export function nameOf(folder: string): string {
  return decodeURIComponent(folder.split('@')[0]!);
}

export function generationOf(folder: string): number {
  return Number(folder.split('@')[1] ?? 0);
}

/** @throws ProductError `SEARCH_INVALID_INDEX_NAME` for a name that no index can have */
export function checkIndexName(name: string): void {
  const reason = whyNoName(name) ?? (name === name.toLowerCase() ? undefined : 'must be lowercase');
  if (reason !== undefined) throw searchError('SEARCH_INVALID_INDEX_NAME', { index: name, reason });
}

/** Why neither an index nor an alias can have a name, by MetadataCreateIndexService.validateIndexOrAliasName; undefined where an alias can. */
export function whyNoName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (/[\\/*?"<>| ,]/.test(name)) return 'must not contain the following characters [ , ", *, \\, <, |, ,, >, /, ?]';
  if (name.includes('#')) return "must not contain '#'";
  if (name.includes(':')) return "must not contain ':'";
  if (/^[_\-+]/.test(name)) return "must not start with '_', '-', or '+'";
  if (name === '.' || name === '..') return "must not be '.' or '..'";
  const bytes = Buffer.byteLength(name);
  return bytes > 255 ? `index name is too long, (${bytes} > 255)` : undefined;
}
