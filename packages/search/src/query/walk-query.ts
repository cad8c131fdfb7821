// Walks over whole queries, by what each kind says of its children.
import { kindOf } from './kinds.ts';
import type { Query } from './query.ts';
import type { MarkVisitor } from './query-kind.ts';

/** Whether a query or one that it is made of has a `_name`. */
export function hasNamedQuery(query: Query): boolean {
  if (query.name !== undefined) return true;
  const { matching, other } = kindOf(query).children(query);
  return matching.some(hasNamedQuery) || other.some(hasNamedQuery);
}

/** Words, ranges and patterns of a whole query, which its limit counts together: a tree of small ones costs as much as one large query. */
export function clausesOf(query: Query): number {
  const kind = kindOf(query);
  const { matching, other } = kind.children(query);
  let count = kind.clauses(query);
  for (const child of matching) count += clausesOf(child);
  for (const child of other) count += clausesOf(child);
  return count;
}

/** Whether the content of a segment alone decides what a query matches there. */
export function dependsOnSegment(query: Query): boolean {
  const kind = kindOf(query);
  if (kind.caching(query) === 'none') return false;
  const { matching, other } = kind.children(query);
  return matching.every(dependsOnSegment) && other.every(dependsOnSegment);
}

/** Reports what a query marks in texts. */
export function visitMarks(query: Query, visitor: MarkVisitor): void {
  const kind = kindOf(query);
  kind.mark(query, visitor);
  for (const child of kind.children(query).matching) visitor.query(child);
}
