// Finds fields and objects of a mapping by their paths.
import type { MappedField } from './field-type.ts';
import type { FieldNode, ObjectNode } from './mapping-tree.ts';

/**
 * All fields by path: leaves and multi-fields. They come in the order of their paths, in which those of `*` are searched and shown: the
 * order in which they became known differs after a restart, in a search thread, and for callers who see other documents.
 */
export function fieldsOf(root: ObjectNode): ReadonlyMap<string, MappedField> {
  const found = new Map<string, MappedField>();
  const walk = (node: ObjectNode | FieldNode): void => {
    if (node.kind === 'field') found.set(node.field.path, node.field);
    for (const child of node.kind === 'object' ? node.children.values() : node.multi.values()) walk(child);
  };
  walk(root);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The field at a path, with its multi-fields. */
export function fieldAt(root: ObjectNode, path: string): FieldNode | undefined {
  let node: ObjectNode | FieldNode | undefined = root;
  for (const name of path.split('.')) node = node?.kind === 'object' ? node.children.get(name) : node?.multi.get(name);
  return node?.kind === 'field' ? node : undefined;
}

/** The objects that a path leads through, itself included if it is one, up to the first name that is no object. */
export function objectsAlong(root: ObjectNode, path: string): readonly ObjectNode[] {
  const found: ObjectNode[] = [];
  let node = root;
  for (const name of path.split('.')) {
    const child = node.children.get(name);
    if (child?.kind !== 'object') break;
    found.push((node = child));
  }
  return found;
}

/** Remembers the first entry on a path that is no object. @returns restores it, or removes what was added there */
export function restoring(root: ObjectNode, path: string): () => void {
  const along = objectsAlong(root, path);
  const { children } = along.at(-1) ?? root;
  const name = path.split('.')[along.length];
  if (name === undefined) return () => undefined;
  const before = children.get(name);
  return before === undefined ? () => void children.delete(name) : () => void children.set(name, before);
}

/** Objects and nested fields by path. */
export function objectsOf(root: ObjectNode): ReadonlyMap<string, 'object' | 'nested'> {
  const found = new Map<string, 'object' | 'nested'>();
  const walk = (node: ObjectNode): void => {
    for (const child of node.children.values()) {
      if (child.kind !== 'object') continue;
      found.set(child.path, child.nested ? 'nested' : 'object');
      walk(child);
    }
  };
  walk(root);
  return found;
}
