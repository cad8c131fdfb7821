// What one caller may see of one index, as data: visible documents, hidden fields, and fields that are visible in some documents
// only. Not here: how that is enforced (viewed-engine.ts), and who may see what.
import type { Query } from '../query/query.ts';

/** What exists for a caller. Every answer is as if the rest had never existed. */
export interface IndexView {
  /** The visible documents; absent: all. The query may use hidden fields. */
  readonly rows?: Query | undefined;
  /** Hidden fields by dotted path, each with everything below it. */
  readonly hidden?: readonly string[];
  /** Fields by dotted path, each with everything below it, that are visible only in the documents of a query. */
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
