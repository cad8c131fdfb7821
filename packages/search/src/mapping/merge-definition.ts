// How definitions of fields come into the tree of a mapping: new ones are added, known ones may change in what does not touch
// documents already indexed. Definitions were checked before (parse-definition.ts).
import type { Analysis } from '../analysis/analysis-registry.ts';
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { isObject, type Json, textOf } from '../json/json.ts';
import { checkUpdate } from './check-update.ts';
import { readDynamic } from './dynamic.ts';
import { withoutDropped } from './field-parameters.ts';
import { createField, type FieldDefaults } from './field-type.ts';
import { type FieldNode, type ObjectNode, objectNode } from './mapping-tree.ts';
import { convertedFlag } from './parameter-values.ts';
import { typeIn } from './parse-definition.ts';
import { addSearchAsYouType } from './search-as-you-type.ts';

/** What definitions are read with. */
export interface MergeScope {
  readonly analysis: Analysis;
  readonly defaults: FieldDefaults;
}

/** Adds `properties` to an object; existing fields keep their type. @throws RequestError on conflicts */
export function mergeProperties(
  scope: MergeScope,
  parent: ObjectNode,
  properties: unknown,
  nestedPath: string | undefined,
): void {
  if (!isObject(properties)) return;
  for (const [key, value] of Object.entries(properties)) {
    if (!isObject(value)) continue;
    // `a.b` is short for an object `a` with a property `b`; a dot at the end says nothing.
    const name = key.replace(/(?<!\.)\.+$/, '');
    const dot = name.indexOf('.');
    if (dot < 0) mergeOne(scope, parent, name, value, nestedPath);
    else mergeOne(scope, parent, name.slice(0, dot), { properties: { [name.slice(dot + 1)]: value } }, nestedPath);
  }
}

function mergeOne(
  scope: MergeScope,
  parent: ObjectNode,
  name: string,
  value: Json,
  nestedPath: string | undefined,
): void {
  const path = parent.path === '' ? name : `${parent.path}.${name}`;
  const existing = parent.children.get(name);
  const type = typeIn(value);
  const contradiction = (): Error =>
    illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
  if (type !== undefined && type !== 'object' && type !== 'nested') {
    if (existing?.kind === 'object') throw contradiction();
    parent.children.set(name, mergeField(scope, existing, path, value, nestedPath));
    return;
  }
  if (existing?.kind === 'field') throw contradiction();
  if (existing !== undefined && type !== undefined) checkNested(existing, type);
  const node = existing ?? objectNode(path);
  if (existing === undefined) {
    node.nested = type === 'nested';
    node.typed = type === 'object';
    parent.children.set(name, node);
  }
  const { dynamic, enabled, include_in_parent: inParent, include_in_root: inRoot, properties } = value;
  if (dynamic !== undefined) node.dynamic = readDynamic(dynamic);
  if (enabled !== undefined) node.enabled = convertedFlag(enabled, 'enabled.enabled');
  // Read of every object, though only a nested one goes by them.
  const isInParent = inParent !== undefined && convertedFlag(inParent, `${name}.include_in_parent`);
  const isInRoot = inRoot !== undefined && convertedFlag(inRoot, `${name}.include_in_root`);
  if (inParent !== undefined && node.nested) node.includeInParent = isInParent;
  if (inRoot !== undefined && node.nested) node.includeInRoot = isInRoot;
  mergeProperties(scope, node, properties, node.nested ? path : nestedPath);
}

function mergeField(
  scope: MergeScope,
  existing: FieldNode | undefined,
  path: string,
  value: Json,
  nestedPath: string | undefined,
): FieldNode {
  const { fields, ...given } = value;
  const own = withoutDropped(given);
  const before = existing?.field.definition;
  if (before !== undefined && before['type'] !== own['type'])
    throw illegalArgument(
      before['type'] === 'alias'
        ? `Cannot merge a field alias mapping [${path}] with a mapping that is not for a field alias.`
        : `mapper [${path}] cannot be changed from type [${textOf(before['type'])}] to [${own['type'] === 'alias' ? 'FieldAliasMapper' : textOf(own['type'])}]`,
    );
  const field = createField(path, { ...own }, scope.analysis, nestedPath, scope.defaults);
  if (before !== undefined) checkUpdate(path, field.family, before, own);
  const multi = new Map(existing?.multi);
  for (const [name, sub] of Object.entries(isObject(fields) ? fields : {}))
    if (isObject(sub)) multi.set(name, mergeField(scope, multi.get(name), `${path}.${name}`, sub, nestedPath));
  if (field.type === 'search_as_you_type') addSearchAsYouType(field, multi, scope.analysis, nestedPath);
  return { kind: 'field', field, multi };
}

/** @throws RequestError where an object would become nested, or a nested one an object */
function checkNested(node: ObjectNode, type: string | undefined): void {
  if (node.nested === (type === 'nested')) return;
  throw illegalArgument(
    node.nested
      ? 'cannot change object mapping from nested to non-nested'
      : 'cannot change object mapping from non-nested to nested',
  );
}

/** The same for all objects of a request, where one without a type is no nested one. */
export function checkNesting(node: ObjectNode, properties: unknown): void {
  if (!isObject(properties)) return;
  for (const [name, value] of Object.entries(properties)) {
    const child = node.children.get(name);
    if (child?.kind !== 'object' || !isObject(value)) continue;
    const { type } = value;
    if (type === undefined || type === 'object' || type === 'nested') checkNested(child, type);
    if (child.nested) checkIncludes(child, value);
    checkNesting(child, value['properties']);
  }
}

/** @throws RequestError where the elements of a nested object would be included elsewhere than they are */
function checkIncludes({ includeInParent, includeInRoot }: ObjectNode, definition: Json): void {
  for (const [key, was] of Object.entries({ include_in_parent: includeInParent, include_in_root: includeInRoot }))
    if (was !== convertedFlag(definition[key] ?? false, key))
      throw new RequestError(
        'SEARCH_MAPPING',
        'mapper_exception',
        `the [${key}] parameter can't be updated on a nested object mapping`,
      );
}

/** A nested object whose elements reach the root through their parents says no more that it includes them there. */
export function removeRedundantIncludes(node: ObjectNode, reachesRoot = true): void {
  for (const child of node.children.values()) {
    if (child.kind !== 'object') continue;
    const throughParents = reachesRoot && child.nested && child.includeInParent;
    const reaches = throughParents || (child.nested && child.includeInRoot);
    if (throughParents) child.includeInRoot = false;
    removeRedundantIncludes(child, reaches);
  }
}
