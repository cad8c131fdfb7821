// How one document is walked under a mapping: which field takes which value, what is copied where, what opens a nested element,
// and which fields the document brings that the mapping does not know yet.
import type { LearnedField } from '../index/indexed-document.ts';
import { asBoolean, isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument, mapperParsing, RequestError } from '../errors/request-error.ts';
import type { MappedField } from './field-type.ts';
import { malformed } from './malformed.ts';
import { type Dynamic, dynamicDefinition, type DynamicOptions } from './dynamic.ts';
import { geohash } from './geohash.ts';
import { parsePoint, type Point, storedPoint } from './geo.ts';
import type { DocumentPart } from './document-part.ts';
import { addValue, DocumentState, flatten } from './document-state.ts';
import { type MappingLimits, tooManyFields } from './merge-definition.ts';
import { type FieldNode, type ObjectNode, objectNode } from './mapping-tree.ts';

/** What of a mapping a walk reads. */
export interface WalkScope {
  readonly root: ObjectNode;
  readonly limits: MappingLimits;
  readonly options: DynamicOptions;
  /** Whether values that do not fit their fields are left out, and not refused. */
  readonly takesAll: boolean;
  nestedPathOf(path: string): string | undefined;
}

const OBJECTS: readonly string[] = ['object', 'nested'];

/** One walk through one document. */
export class DocumentWalk {
  readonly state: DocumentState;
  /** The fields that the mapping lacks; the document is to be walked again once it has them. */
  readonly learned: LearnedField[] = [];
  readonly #learnedTypes = new Map<string, string>();
  readonly #scope: WalkScope;

  constructor(id: string, scope: WalkScope, source: Json) {
    this.state = new DocumentState(id, source, scope.takesAll);
    this.#scope = scope;
  }

  /** Walks the document. @throws RequestError when a value does not fit its field */
  run(): void {
    this.#walk(this.#scope.root, this.state.source, this.state.root, undefined);
  }

  #walk(node: ObjectNode, value: Json, target: DocumentPart, dynamic: Dynamic | undefined): void {
    if (!node.enabled) return;
    const rule = node.dynamic ?? dynamic;
    for (const [key, member] of Object.entries(value)) {
      if (key === '')
        throw mapperParsing('failed to parse', {
          type: 'illegal_argument_exception',
          reason: 'field name cannot be an empty string',
        });
      const dot = key.indexOf('.');
      const name = dot > 0 ? key.slice(0, dot) : key;
      const inner = dot > 0 ? { [key.slice(dot + 1)]: member } : member;
      const path = node.path === '' ? name : `${node.path}.${name}`;
      if (dot === 0 || key.endsWith('.')) {
        throw mapperParsing('failed to parse', {
          type: 'illegal_argument_exception',
          reason: `object field starting or ending with a [.] makes object resolution ambiguous: [${key}]`,
        });
      }
      if (dot > 0) checkNoNested(node, key);
      const child = node.children.get(name);
      if (child?.kind === 'field') {
        this.#value(child, inner, target);
      } else if (child?.kind === 'object') {
        this.#object(child, inner, target, rule);
      } else {
        this.#unknown(node, name, path, inner, target, rule);
      }
    }
  }

  #object(node: ObjectNode, value: unknown, target: DocumentPart, dynamic: Dynamic | undefined): void {
    if (value === null || !node.enabled) return;
    const elements = Array.isArray(value) ? (value as readonly unknown[]).flat(Infinity) : [value];
    for (const element of elements) {
      if (element === null) continue;
      if (!isObject(element)) {
        throw mapperParsing(
          `object mapping for [${node.path}] tried to parse field [${Array.isArray(value) ? 'null' : node.path.slice(node.path.lastIndexOf('.') + 1)}] as object, but found a concrete value`,
        );
      }
      const rule = node.dynamic ?? dynamic;
      if (node.nested) {
        if (++this.state.nestedCount > this.#scope.limits.nestedObjects) {
          throw mapperParsing(
            `The number of nested documents has exceeded the allowed limit of [${this.#scope.limits.nestedObjects}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.`,
          );
        }
        const part = this.state.nested(target, node.path);
        this.#walk(node, element, part, rule);
        if (node.includeInParent) this.#walk(node, element, target, rule);
        else if (node.includeInRoot) this.#walk(node, element, this.state.root, rule);
      } else {
        this.#walk(node, element, target, rule);
      }
    }
  }

  #unknown(
    parent: ObjectNode,
    name: string,
    path: string,
    value: unknown,
    target: DocumentPart,
    dynamic: Dynamic | undefined,
  ): void {
    const rule = dynamic ?? true;
    if (rule === 'strict') {
      throw new RequestError(
        'SEARCH_MAPPING',
        'strict_dynamic_mapping_exception',
        `mapping set to strict, dynamic introduction of [${name}] within [${parent.path === '' ? '_doc' : parent.path}] is not allowed`,
      );
    }
    if (!rule) return;
    if (Array.isArray(value)) {
      for (const element of (value as readonly unknown[]).flat(Infinity)) {
        this.#unknown(parent, name, path, element, target, dynamic);
      }
      return;
    }
    if (value === null || value === undefined) return;
    const definition = dynamicDefinition(name, path, value, this.#scope.options);
    if (definition === undefined) return;
    if (isObject(value) && (definition['type'] === 'object' || definition['type'] === 'nested')) {
      // Walk an invisible object to learn the fields inside it, so that limits apply before anything is stored.
      const empty =
        Object.keys(value).length === 0 || definition['type'] === 'nested' || Object.keys(definition).length > 1;
      if (empty) this.#learn(path, definition);
      if (path.split('.').length > this.#scope.limits.depth) {
        throw illegalArgument(
          `Limit of mapping depth [${this.#scope.limits.depth}] has been exceeded due to object field [${path}]`,
        );
      }
      this.#walk(objectNode(path), value, this.state.scrap, dynamic);
      return;
    }
    this.#learn(path, definition);
    // Far too many end while they are found, not when all are.
    if (this.learned.length > this.#scope.limits.totalFields) throw tooManyFields(this.#scope.limits);
  }

  /** [1, 2.5]: as in Elasticsearch, a document may not bring a field as two types. Below objects it names the later one first. */
  #learn(path: string, definition: Json): void {
    const was = this.#learnedTypes.get(path);
    const type = textOf(definition['type']);
    if (was === undefined) {
      this.#learnedTypes.set(path, type);
      this.learned.push({ path, definition });
    } else if (was !== type && !OBJECTS.includes(was) && !OBJECTS.includes(type)) {
      const [from, to] = path.includes('.') ? [type, was] : [was, type];
      throw illegalArgument(`mapper [${path}] cannot be changed from type [${from}] to [${to}]`);
    }
  }

  /** @param parent the field that this one is a multi-field of */
  #value(node: FieldNode, value: unknown, target: DocumentPart, parent?: MappedField): void {
    const { field } = node;
    if (field.type === 'alias') {
      if (Array.isArray(value) && value.length === 0) return;
      throw malformed(field, value, this.state.id, illegalArgument(`Cannot write to a field alias [${field.path}].`));
    }
    if (field.family === 'geo') {
      this.#geo(node, value, target);
      return;
    }
    if (Array.isArray(value) && field.family !== 'completion') {
      for (const element of value) this.#value(node, element, target, parent);
      return;
    }
    if (field.type === 'flattened') {
      try {
        if (value !== null) flatten(field, value, target);
      } catch (error) {
        if (!this.#scope.takesAll) throw malformed(field, value, this.state.id, error);
        this.state.ignored.add(field.path);
      }
      return;
    }
    // An empty text is no number, and none is missed.
    let given =
      value === '' && field.family === 'number' && field.coerce && !COUNTED.includes(field.type) ? null : value;
    if (given === null || given === undefined) {
      if (field.nullValue === undefined || field.nullValue === null) return;
      given = field.nullValue;
    }
    const isIgnored = field.ignoreMalformed || this.#scope.takesAll;
    if (isObject(given) && field.family !== 'completion' && field.family !== 'range') {
      if (this.#scope.takesAll) {
        this.state.ignored.add(field.path);
        return;
      }
      // A multi-field finds its object read already.
      throw malformed(field, parent === undefined ? given : null, this.state.id, illegalArgument('an object'));
    }
    // The first value that a document has is that of all.
    if (field.type === 'constant_keyword' && field.definition['value'] === undefined) {
      this.#learn(field.path, { ...field.definition, value: textOf(given) });
      return;
    }
    try {
      addValue(field, given, target, this.state);
    } catch (error) {
      if (isIgnored) {
        this.state.ignored.add(field.path);
        return;
      }
      throw malformed(field, given, this.state.id, error);
    }
    for (const sub of node.multi.values()) this.#value(sub, given, target, field);
    for (const to of field.copyTo) this.#copy(to, given, target);
  }

  #copy(to: string, value: unknown, target: DocumentPart): void {
    const names = to.split('.');
    let node: ObjectNode = this.#scope.root;
    for (const name of names.slice(0, -1)) {
      const child = node.children.get(name);
      if (child?.kind !== 'object') break;
      node = child;
    }
    const leaf = node.children.get(names.at(-1)!);
    const into = this.#scope.nestedPathOf(to) === target.path ? target : this.state.root;
    if (leaf?.kind === 'field') {
      // A copy feeds the field and its multi-fields but is not copied on.
      const alone: FieldNode = { kind: 'field', field: { ...leaf.field, copyTo: [] }, multi: leaf.multi };
      this.#value(alone, value, into);
    } else if (leaf === undefined) {
      this.#unknown(node, names.at(-1)!, to, value, into, node.dynamic ?? this.#scope.root.dynamic);
    }
  }

  #geo(node: FieldNode, value: unknown, target: DocumentPart): void {
    const { field } = node;
    const given = value ?? field.nullValue;
    if (given === undefined || given === null) return;
    const isPair = Array.isArray(given) && typeof given[0] === 'number';
    const points: readonly unknown[] = isPair || !Array.isArray(given) ? [given] : (given as readonly unknown[]);
    const read: Point[] = [];
    for (const each of points) {
      if (each === null) continue;
      try {
        checkFlat(field, each);
        const point = parsePoint(each, field.path);
        target.geo(field.path).push(storedPoint(point));
        read.push(point);
      } catch (error) {
        if (field.ignoreMalformed || this.#scope.takesAll) this.state.ignored.add(field.path);
        else throw malformed(field, each, this.state.id, error);
      }
    }
    for (const sub of node.multi.values()) {
      if (sub.field.family === 'geo') this.#geo(sub, value, target);
      // Other fields take a point by the name of its cell.
      else for (const { lat, lon } of read) this.#value(sub, geohash(lat, lon, 12), target);
    }
  }
}

/** Types of numbers that read an empty text as they read others. */
const COUNTED: readonly string[] = ['token_count', 'rank_feature'];

/** @throws RequestError for a height where the field does not take any (`ignore_z_value`) */
function checkFlat({ definition }: MappedField, value: unknown): void {
  const ignored = definition['ignore_z_value'];
  if (ignored === undefined || asBoolean(ignored, 'ignore_z_value')) return;
  const parts: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  if (parts.length > 2)
    throw illegalArgument(
      `Exception parsing coordinates: found Z value [${String(parts[2])}] but [ignore_z_value] parameter is [false]`,
    );
}

/** @throws RequestError for a name with dots that leads into a nested object: its elements are objects of their own */
function checkNoNested(from: ObjectNode, key: string): void {
  let node = from;
  for (const name of key.split('.').slice(0, -1)) {
    const child = node.children.get(name);
    if (child?.kind !== 'object') return;
    if (child.nested)
      throw mapperParsing(
        `Cannot add a value for field [${key}] since one of the intermediate objects is mapped as a nested object: [${child.path}]`,
      );
    node = child;
  }
}
