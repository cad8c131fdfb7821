// What a partial update makes of a document.
import { isObject, type Json, setMember } from './json.ts';

/** Merges a partial document into a document, objects deeply, everything else replaced. */
export function mergeDocument(base: Json, change: Json): { readonly merged: Json; readonly changed: boolean } {
  const merged: Record<string, unknown> = { ...base };
  let changed = false;
  for (const [key, value] of Object.entries(change)) {
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (isObject(before) && isObject(value)) {
      const inner = mergeDocument(before, value);
      setMember(merged, key, inner.merged);
      changed ||= inner.changed;
    } else if (!Object.hasOwn(merged, key) || JSON.stringify(before) !== JSON.stringify(value)) {
      setMember(merged, key, value);
      changed = true;
    }
  }
  return { merged, changed };
}
