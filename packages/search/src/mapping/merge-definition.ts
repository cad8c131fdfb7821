// How definitions of fields come into the tree of a mapping: new ones are added, known ones may change in what does not touch
// documents already indexed.
import type { Analysis } from '../analysis/analysis-registry.ts';
import { isObject, type Json } from '../json/json.ts';
import { illegalArgument, mapperParsing, parseException, RequestError } from '../errors/request-error.ts';
import { checkUpdate } from './check-update.ts';
import { createField, type FieldDefaults } from './field-type.ts';
import { readDynamic } from './dynamic.ts';
import { FIELD_TYPES, withoutDropped } from './field-parameters.ts';
import { type FieldNode, type ObjectNode, objectNode } from './mapping-tree.ts';
import { show, javaClass } from './java-values.ts';
import { convertedFlag } from './parameter-values.ts';
import { addSearchAsYouType } from './search-as-you-type.ts';

/** Limits of a mapping (`index.mapping.*`). */
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
}

/** A refusal of what an index has too much of, and not of how a mapping is written. */
export class MappingLimitError extends RequestError {
  constructor(reason: string) {
    super('SEARCH_ILLEGAL_ARGUMENT', 'illegal_argument_exception', reason);
  }
}

/** The refusal of a mapping that grows too large. */
export function tooManyFields(limits: MappingLimits): Error {
  return illegalArgument(`Limit of total fields [${limits.totalFields}] has been exceeded`);
}

/** What definitions are read with. */
export interface MergeScope {
  readonly limits: MappingLimits;
  readonly analysis: Analysis;
  readonly defaults: FieldDefaults;
  /** Whether documents bring the fields: their names may be spaces. */
  readonly isLearned?: boolean;
}

/** Adds `properties` to an object; existing fields keep their type. @throws RequestError on conflicts */
export function mergeProperties(
  scope: MergeScope,
  parent: ObjectNode,
  properties: unknown,
  nestedPath: string | undefined,
  depth: number,
): void {
  if (Array.isArray(properties) && properties.length === 0) return;
  if (!isObject(properties)) throw parseException('properties must be a map type');
  if (depth > scope.limits.depth) {
    throw new MappingLimitError(
      `Limit of mapping depth [${scope.limits.depth}] has been exceeded due to object field [${parent.path}]`,
    );
  }
  for (const [name, value] of Object.entries(properties)) {
    if (name.length > scope.limits.nameLength)
      throw new MappingLimitError(
        `Field name [${name}] is longer than the limit of [${scope.limits.nameLength}] characters`,
      );
    if ((scope.isLearned !== true && /^\s*$/.test(name)) || name.startsWith('.') || name.includes('..'))
      throw illegalArgument('name cannot be empty string');
    if (Array.isArray(value) && value.length === 0) continue;
    // Elasticsearch names this class whatever the value is.
    if (!isObject(value))
      throw mapperParsing(`Expected map for property [fields] on field [${name}] but got a class java.lang.String`);
    const dot = name.indexOf('.');
    if (dot > 0) {
      // `a.b` is short for an object `a` with a property `b`.
      mergeProperties(
        scope,
        parent,
        { [name.slice(0, dot)]: { properties: { [name.slice(dot + 1)]: value } } },
        nestedPath,
        depth,
      );
      continue;
    }
    mergeOne(scope, parent, name, value, nestedPath, depth);
  }
}

function mergeOne(
  scope: MergeScope,
  parent: ObjectNode,
  name: string,
  value: Json,
  nestedPath: string | undefined,
  depth: number,
): void {
  const path = parent.path === '' ? name : `${parent.path}.${name}`;
  const existing = parent.children.get(name);
  const type = value['type'] === undefined || value['type'] === null ? undefined : show(value['type']);
  if (type === undefined && value['properties'] === undefined && existing === undefined && !isObjectDefinition(value)) {
    throw mapperParsing(`No type specified for field [${name}]`);
  }
  if (type === undefined || type === 'object' || type === 'nested') {
    if (existing?.kind === 'field') {
      throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
    }
    if (existing !== undefined && type !== undefined) checkNested(existing, type);
    const node = existing ?? objectNode(path);
    if (existing === undefined) {
      node.nested = type === 'nested';
      node.typed = type === 'object';
      parent.children.set(name, node);
    }
    for (const [key, setting] of Object.entries(value)) {
      if (key === 'dynamic') node.dynamic = readDynamic(setting);
      else if (key === 'enabled') node.enabled = convertedFlag(setting, 'enabled.enabled');
      else if (key === 'include_in_parent' && node.nested)
        node.includeInParent = convertedFlag(setting, `${name}.${key}`);
      else if (key === 'include_in_root' && node.nested) node.includeInRoot = convertedFlag(setting, `${name}.${key}`);
      else if (!NAMES_OF_OBJECTS.includes(key)) {
        throw mapperParsing(
          `Mapping definition for [${name}] has unsupported parameters:  [${key} : ${show(setting)}]`,
        );
      }
    }
    if (value['properties'] !== undefined) {
      mergeProperties(scope, node, value['properties'], node.nested ? path : nestedPath, depth + 1);
    }
    return;
  }
  if (existing?.kind === 'object') {
    throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
  }
  parent.children.set(name, mergeField(scope, existing, path, value, nestedPath));
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
  const multi = new Map(existing?.multi);
  let definition: Json = own;
  if (existing !== undefined) {
    const before = existing.field.definition;
    if (before['type'] !== own['type']) {
      throw illegalArgument(
        `mapper [${path}] cannot be changed from type [${String(before['type'])}] to [${String(own['type'])}]`,
      );
    }
    definition = { ...own };
  }
  const field = createField(path, definition, scope.analysis, nestedPath, scope.defaults);
  if (existing !== undefined) checkUpdate(path, field.family, existing.field.definition, own);
  if (fields !== undefined && !(Array.isArray(fields) && fields.length === 0)) {
    if (!isObject(fields))
      throw mapperParsing(
        `expected map for property [fields] on field [${show(fields)}] or [fields] but got a class ${javaClass(fields)}`,
      );
    const own = path.slice(path.lastIndexOf('.') + 1);
    for (const [name, sub] of Object.entries(fields)) {
      if (name.includes('.'))
        throw mapperParsing(`Field name [${name}] which is a multi field of [${own}] cannot contain '.'`);
      if (!isObject(sub)) throw mapperParsing(`illegal field [${name}], only fields can be specified inside fields`);
      const subType = sub['type'];
      if (subType === undefined || subType === null) throw mapperParsing(`no type specified for property [${name}]`);
      if (subType === 'object' || subType === 'nested' || subType === 'alias')
        throw mapperParsing(`Type [${subType}] cannot be used in multi field`);
      if (!FIELD_TYPES.includes(show(subType)))
        throw mapperParsing(`no handler for type [${show(subType)}] declared on field [${name}]`);
      multi.set(name, mergeField(scope, multi.get(name), `${path}.${name}`, sub, nestedPath));
    }
  }
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
    checkNesting(child, value['properties']);
  }
}

const NAMES_OF_OBJECTS: readonly string[] = [
  'type',
  'properties',
  'include_in_all',
  'include_in_parent',
  'include_in_root',
];

function isObjectDefinition(value: Json): boolean {
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.every((key) => ['dynamic', 'enabled', 'include_in_parent', 'include_in_root'].includes(key))
  );
}
