// How much work the documents of a mapping are: they are flushed and divided into turns by it.
import type { MappedField } from './field-type.ts';
import type { FieldNode, ObjectNode } from './mapping-tree.ts';

/**
 * The weight of the value that is analysed most: for its field, for the fields beside that, and for those that it is copied to.
 *
 * @param fields by path
 */
export function weightOf(root: ObjectNode, fields: ReadonlyMap<string, MappedField>): number {
  let most = 1;
  const own = ({ field, multi }: FieldNode): number => {
    let weight = field.family === 'text' ? field.analyzer.weight : 0;
    for (const sub of multi.values()) weight += own(sub);
    return weight;
  };
  const walk = (node: ObjectNode | FieldNode): void => {
    if (node.kind === 'object') {
      for (const child of node.children.values()) walk(child);
      return;
    }
    let weight = own(node);
    for (const to of node.field.copyTo) weight += fields.get(to)?.analyzer.weight ?? 0;
    most = Math.max(most, weight);
  };
  walk(root);
  return most;
}
