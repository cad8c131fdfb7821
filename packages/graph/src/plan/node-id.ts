// Node ids: opaque texts of type and key, `Photo:7` in base64url. Any other spelling of the same is no node id, so that
// an object has one. Not here: the SQL that prints them (sql/print.ts).
import type { Entity } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import { isStorable, toWhole } from './bound-value.ts';

/** Characters that a node id has at most: a key has 2,600 bytes. */
const LONGEST = 8000;

/** What precedes the key. Names of types contain no colon. */
export function nodeIdStart(type: string): string {
  return `${type}:`;
}

/** The node id of an object; `key` is as responses contain it. */
export function toNodeId(type: string, key: string): string {
  return Buffer.from(nodeIdStart(type) + key, 'utf8').toString('base64url');
}

/** The key of the row that a node id names; null if it names no row of the type. */
export function keyOfNodeId({ name, key }: Entity, id: unknown): SqlValue {
  if (typeof id !== 'string' || id.length > LONGEST) return null;
  const text = Buffer.from(id, 'base64url').toString('utf8');
  const start = nodeIdStart(name);
  if (!text.startsWith(start)) return null;
  const named = text.slice(start.length);
  if (toNodeId(name, named) !== id) return null;
  if (key.storage === 'integer') return toWhole(named);
  return isStorable(named) ? named : null;
}
