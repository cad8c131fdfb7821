// What one caller may see of one index, as data: which documents exist, which fields do not, and which exist in some documents
// only. Not here: how that is made true (viewed-index.ts), and who may see what.
import type { Query } from '../query/query.ts';

/** What exists for a caller; everything is answered as if the rest had never been there. */
export interface IndexView {
  /** The documents; absent: all. It may ask fields that are hidden. */
  readonly rows?: Query | undefined;
  /** Dotted fields that do not exist, each with everything below it. */
  readonly hidden?: readonly string[];
  /** Dotted fields, each with everything below it, that have values only in the documents of a query. */
  readonly guarded?: readonly { readonly path: string; readonly when: Query }[];
}

/** Whether a field is at a path or below it. */
export function isWithin(field: string, path: string): boolean {
  return field.startsWith(path) && (field.length === path.length || field[path.length] === '.');
}

const keys = new WeakMap<IndexView, string>();

/** One text per view: equal views show the same. */
export function viewKey(view: IndexView): string {
  let key = keys.get(view);
  if (key === undefined) keys.set(view, (key = JSON.stringify(view)));
  return key;
}
