// How large a mapping may become (`index.mapping.*`).
import { illegalArgument, type RequestError } from '../errors/request-error.ts';
import { inHashOrder } from '../text/java-order.ts';
import type { FieldNode, ObjectNode } from './mapping-tree.ts';
import { fieldsBeside } from './print-field.ts';

/** Limits of a mapping. */
export interface MappingLimits {
  /** Fields, objects included; 1,000. */
  readonly totalFields: number;
  /** Levels of objects; 20. */
  readonly depth: number;
  /** Nested fields; 50. */
  readonly nestedFields: number;
  /** Elements of all nested fields in one document; 10,000. */
  readonly nestedObjects: number;
  /** Characters of a field's name without those of the objects around it; unlimited. */
  readonly nameLength: number;
  /** Whether the index keeps its documents in an order, which nested ones would break; false. */
  readonly isSorted?: boolean;
}

/** Elasticsearch's defaults. */
export const DEFAULT_LIMITS: MappingLimits = {
  totalFields: 1000,
  depth: 20,
  nestedFields: 50,
  nestedObjects: 10_000,
  nameLength: Infinity,
};

/** The refusal of a mapping that grows too large. */
export function tooManyFields(limits: MappingLimits): RequestError {
  return illegalArgument(`Limit of total fields [${limits.totalFields}] has been exceeded`);
}

/** Names of metadata fields, which count as those of fields. Elasticsearch meets them in an order that each process has its own of. */
const METADATA_NAMES: readonly string[] = ['_routing', '_field_names'];

/** Checks a whole mapping. @returns its fields and objects @throws RequestError for what there is too much of */
export function checkLimits(root: ObjectNode, limits: MappingLimits): number {
  let count = 0;
  let nested = 0;
  const objects: string[] = [];
  const names: { readonly objects: string[]; readonly fields: string[] } = { objects: [], fields: [] };
  const walk = (node: ObjectNode | FieldNode): void => {
    for (const [name, child] of node.kind === 'object' ? node.children : node.multi) {
      count += 1 + (child.kind === 'field' ? fieldsBeside(child.field, false).length : 0);
      if (child.kind === 'object') {
        if (child.nested) nested++;
        objects.push(child.path);
      }
      // Names of multi-fields may be longer.
      if (node.kind === 'object') names[child.kind === 'object' ? 'objects' : 'fields'].push(name);
      walk(child);
    }
  };
  walk(root);
  if (count > limits.totalFields) throw tooManyFields(limits);
  if (limits.nameLength < Infinity) checkNames([...names.objects, ...METADATA_NAMES, ...names.fields], limits);
  if (nested > 0 && limits.isSorted === true)
    throw illegalArgument('cannot have nested fields when index sort is activated');
  if (nested > limits.nestedFields)
    throw illegalArgument(`Limit of nested fields [${limits.nestedFields}] has been exceeded`);
  checkDepth(objects, limits);
  return count;
}

/** Checks the fields that a document brings, before they are added. @throws RequestError */
export function checkPaths(paths: readonly string[], limits: MappingLimits): void {
  if (limits.nameLength < Infinity)
    checkNames(
      paths.flatMap((path) => path.split('.')),
      limits,
    );
  checkDepth(
    paths.flatMap((path) => (path.includes('.') ? [path.slice(0, path.lastIndexOf('.'))] : [])),
    limits,
  );
}

function checkNames(names: readonly string[], { nameLength }: MappingLimits): void {
  const name = names.find((each) => each.length > nameLength);
  if (name !== undefined)
    throw illegalArgument(`Field name [${name}] is longer than the limit of [${nameLength}] characters`);
}

function checkDepth(objects: readonly string[], { depth }: MappingLimits): void {
  const isDeep = (path: string): boolean => path.split('.').length >= depth;
  if (!objects.some(isDeep)) return;
  throw illegalArgument(
    `Limit of mapping depth [${depth}] has been exceeded due to object field [${inHashOrder(objects).find(isDeep)!}]`,
  );
}
