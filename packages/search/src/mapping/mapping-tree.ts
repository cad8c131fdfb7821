// The tree that a mapping is: objects, nested objects and fields; and how it is printed back as `GET _mapping` shows it.
import { type Json, setMember } from '../json/json.ts';
import type { MappedField } from './field-type.ts';
import type { Dynamic } from './dynamic.ts';
import { printField } from './print-field.ts';

/** A leaf of the mapping with its multi-fields. */
export interface FieldNode {
  readonly kind: 'field';
  readonly field: MappedField;
  readonly multi: Map<string, FieldNode>;
}

/** An object of the mapping; the root has the empty path. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly path: string;
  nested: boolean;
  enabled: boolean;
  dynamic: Dynamic | undefined;
  includeInParent: boolean;
  includeInRoot: boolean;
  typed: boolean;
  readonly children: Map<string, FieldNode | ObjectNode>;
}

/** An object without members. */
export function objectNode(path: string): ObjectNode {
  return {
    kind: 'object',
    path,
    nested: false,
    enabled: true,
    dynamic: undefined,
    includeInParent: false,
    includeInRoot: false,
    typed: false,
    children: new Map(),
  };
}

/** The members of an object as `properties`. */
export function printChildren(children: ReadonlyMap<string, FieldNode | ObjectNode>): Json {
  const found: Record<string, unknown> = {};
  for (const name of [...children.keys()].sort()) {
    const node = children.get(name)!;
    if (node.kind === 'field') {
      setMember(found, name, printField(node.field, node.multi));
      continue;
    }
    const printed: Record<string, unknown> = {};
    if (node.nested) printed['type'] = 'nested';
    else if (node.children.size === 0) printed['type'] = 'object';
    if (node.includeInParent) printed['include_in_parent'] = true;
    if (node.includeInRoot) printed['include_in_root'] = true;
    if (node.dynamic !== undefined) printed['dynamic'] = String(node.dynamic);
    if (!node.enabled) printed['enabled'] = false;
    if (node.children.size > 0) printed['properties'] = printChildren(node.children);
    setMember(found, name, printed);
  }
  return found;
}
