// How one document is walked under a mapping: which field takes which value, what is copied where, what opens a nested element,
// and which fields the document brings that the mapping does not know yet.
import { isProductError } from '@lockstitch/kernel';
import type { LearnedField } from '../index/indexed-document.ts';
import { asBoolean, isObject, type Json, textOf } from '../json/json.ts';
import type { NumberLiterals } from '../json/number-literals.ts';
import { illegalArgument, mapperParsing, RequestError } from '../errors/request-error.ts';
import { isStored, type MappedField } from './field-type.ts';
import type { Family } from './field-parameters.ts';
import { DynamicUpdate } from './dynamic-update.ts';
import { malformed, tooLong } from './malformed.ts';
import { type Dynamic, dynamicDefinition, type DynamicOptions } from './dynamic.ts';
import { geohash } from './geohash.ts';
import { parsePoint, type Point, storedPoint } from './geo.ts';
import type { DocumentPart } from './document-part.ts';
import { addValue, DocumentState, flatten } from './document-state.ts';
import { addFeatures } from './feature-terms.ts';
import { type MappingLimits, tooManyFields } from './mapping-limits.ts';
import { type FieldNode, type ObjectNode, objectNode } from './mapping-tree.ts';
import { METADATA_FIELDS } from './metadata-fields.ts';

/** What of a mapping a walk reads. */
export interface WalkScope {
  readonly root: ObjectNode;
  readonly limits: MappingLimits;
  readonly options: DynamicOptions;
  /** Whether values that do not fit their fields are left out, and not refused. */
  readonly takesAll: boolean;
  nestedPathOf(path: string): string | undefined;
}

/** One walk through one document. */
export class DocumentWalk {
  readonly state: DocumentState;
  /** The fields that the mapping lacks; the document is to be walked again once it has them. */
  readonly #update = new DynamicUpdate();
  readonly #scope: WalkScope;
  readonly #literals: NumberLiterals | undefined;
  /** The path of the nested document whose fields another is given. */
  #included: string | undefined;
  /** The object that was made of a name with dots, of which no reader of JSON knows. */
  #led: Json | undefined;

  /** @param literals how the numbers of the document are written; without them 5.0 is taken for 5 */
  constructor(id: string, scope: WalkScope, source: Json, literals?: NumberLiterals) {
    this.state = new DocumentState(id, source, scope.takesAll);
    this.#scope = scope;
    this.#literals = literals;
  }

  /** Walks the document. @returns the fields that the mapping lacks @throws RequestError when a value does not fit its field */
  run(): readonly LearnedField[] {
    this.#walk(this.#scope.root, this.state.source, this.state.root, undefined);
    this.#update.check();
    return this.#update.learned;
  }

  #walk(node: ObjectNode, value: Json, target: DocumentPart, dynamic: Dynamic | undefined): void {
    if (!node.enabled) return;
    const rule = node.dynamic ?? dynamic;
    for (const [key, member] of Object.entries(value)) {
      let name = key;
      let inner = member;
      if (key === '') throw unparsable('field name cannot be an empty string');
      if (key.includes('.')) {
        const [first, ...rest] = namesIn(key);
        if (rest.length > 0 && !leadsOn(node, [first, ...rest], key, member)) continue;
        name = first;
        inner = rest.length === 0 ? member : (this.#led = { [rest.join('.')]: member });
      }
      const path = node.path === '' ? name : `${node.path}.${name}`;
      // What a name with dots leads to is read under that name.
      if (value !== this.#led) this.state.member = key;
      const child = node.children.get(name);
      if (child?.kind === 'field') this.#value(child, inner, target);
      else if (child?.kind === 'object') this.#object(child, inner, target, rule);
      else if (node === this.#scope.root && METADATA_FIELDS.has(name)) this.#metadata(name, inner);
      else this.#unknown(node, name, path, inner, target, rule);
    }
  }

  /** @throws RequestError as what is known of every document does not come from its source */
  #metadata(name: string, value: unknown): void {
    const [first] = Array.isArray(value) ? (value as readonly unknown[]).flat(Infinity) : [value];
    if (first === undefined) return;
    if (this.#scope.takesAll) {
      this.state.ignored.add(name);
      return;
    }
    const reason = `Field [${name}] is a metadata field and cannot be added inside a document. Use the index API request parameters.`;
    throw malformed(METADATA_FIELDS.get(name)!, first, this.state.id, mapperParsing(reason));
  }

  #object(node: ObjectNode, value: unknown, target: DocumentPart, dynamic: Dynamic | undefined): void {
    if (value === null || !node.enabled) return;
    const elements = Array.isArray(value) ? (value as readonly unknown[]).flat(Infinity) : [value];
    for (const element of elements) {
      if (element === null) continue;
      if (!isObject(element))
        throw mapperParsing(
          `object mapping for [${node.path}] tried to parse field [${Array.isArray(value) ? 'null' : this.state.member}] as object, but found a concrete value`,
        );
      const rule = node.dynamic ?? dynamic;
      if (node.nested) {
        if (this.#included !== undefined) {
          if (node.includeInParent) this.#include(node, element, target, rule);
          continue;
        }
        if (++this.state.nestedCount > this.#scope.limits.nestedObjects)
          throw mapperParsing(
            `The number of nested documents has exceeded the allowed limit of [${this.#scope.limits.nestedObjects}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.`,
          );
        const part = this.state.nested(target, node.path);
        this.#walk(node, element, part, rule);
        if (node.includeInParent) this.#include(node, element, target, rule);
        if (node.includeInRoot && !(node.includeInParent && target === this.state.root))
          this.#include(node, element, this.state.root, rule);
      } else {
        this.#walk(node, element, target, rule);
      }
    }
  }

  /** Gives a document the fields of a nested one below it, but no nested documents of their own (DocumentParser.nested). */
  #include(node: ObjectNode, element: Json, target: DocumentPart, dynamic: Dynamic | undefined): void {
    const outer = this.#included;
    this.#included = node.path;
    this.#walk(node, element, target, dynamic);
    this.#included = outer;
  }

  #unknown(
    parent: ObjectNode,
    name: string,
    path: string,
    value: unknown,
    target: DocumentPart,
    dynamic: Dynamic | undefined,
  ): void {
    // The nested document itself had them added.
    if (this.#included !== undefined) return;
    const rule = dynamic ?? true;
    if (rule === 'strict')
      throw new RequestError(
        'SEARCH_MAPPING',
        'strict_dynamic_mapping_exception',
        `mapping set to strict, dynamic introduction of [${name}] within [${parent.path === '' ? '_doc' : parent.path}] is not allowed`,
      );
    if (!rule) return;
    if (Array.isArray(value)) {
      for (const element of (value as readonly unknown[]).flat(Infinity))
        this.#unknown(parent, name, path, element, target, dynamic);
      return;
    }
    if (value === null || value === undefined) return;
    const literal = typeof value === 'number' ? this.#literals?.next(path) : undefined;
    const definition = dynamicDefinition(name, path, value, this.#scope.options, literal);
    if (definition === undefined) return;
    if (isObject(value) && (definition['type'] === 'object' || definition['type'] === 'nested')) {
      this.#update.add(path, definition);
      if (path.split('.').length > this.#scope.limits.depth)
        throw illegalArgument(
          `Limit of mapping depth [${this.#scope.limits.depth}] has been exceeded due to object field [${path}]`,
        );
      this.#walk(objectNode(path), value, this.state.scrap, dynamic);
      return;
    }
    this.#update.add(path, definition);
    // Far too many end while they are found, not when all are.
    if (this.#update.learned.length > this.#scope.limits.totalFields) throw tooManyFields(this.#scope.limits);
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
      this.state.member = null;
      // What is neither stored nor a column is not read, not even an object.
      if (
        field.type === 'binary' &&
        !field.docValues &&
        !isStored(field) &&
        node.multi.size + field.copyTo.length === 0
      )
        return;
      for (const element of value) this.#value(node, element, target, parent);
      return;
    }
    if (field.type === 'flattened') {
      try {
        if (value !== null) flatten(field, value, target);
      } catch (error) {
        if (!this.#scope.takesAll || !isProductError(error)) throw malformed(field, value, this.state.id, error);
        this.state.ignored.add(field.path);
      }
      return;
    }
    if (field.type === 'rank_features') {
      try {
        addFeatures(field, value, target);
      } catch (error) {
        if (!this.#scope.takesAll || !isProductError(error)) throw malformed(field, value, this.state.id, error);
        this.state.ignored.add(field.path);
      }
      for (const to of field.copyTo) this.#copy(to, value, target, field);
      return;
    }
    // An empty text is no number, and none is missed.
    let given =
      value === '' && field.family === 'number' && field.coerce && !COUNTED.includes(field.type) ? null : value;
    if (given === null || given === undefined) {
      given = field.nullValue;
      if (given === undefined || given === null) {
        this.#further(node, value, target);
        return;
      }
    }
    const isIgnored = field.ignoreMalformed || this.#scope.takesAll;
    if (isObject(given) && field.family !== 'completion' && field.family !== 'range') {
      if (this.#scope.takesAll) {
        this.state.ignored.add(field.path);
        return;
      }
      // A multi-field finds its object read already.
      if (parent === undefined) throw malformed(field, given, this.state.id, illegalArgument('an object'));
      throw malformed(field, null, this.state.id, illegalArgument('an object'), 'END_OBJECT');
    }
    if (field.type === 'long' && typeof given === 'number' && Math.abs(given) >= 2 ** 63) this.#checkLong(field, given);
    // The first value that a document has is that of all.
    if (field.type === 'constant_keyword' && field.definition['value'] === undefined) {
      this.#update.replace(field.path, { ...field.definition, value: textOf(given) });
      return;
    }
    try {
      addValue(field, given, target, this.state);
    } catch (error) {
      // The nested document itself took it: only one more value of a feature fails here, which Elasticsearch does not check.
      if (this.#included !== undefined && isProductError(error)) return;
      // A reader of JSON complains of a flag where a scaled number is expected, before the field ignores what it holds.
      const isFlag = field.type === 'scaled_float' && typeof given === 'boolean' && !this.#scope.takesAll;
      if (isIgnored && !isFlag && isProductError(error)) {
        this.state.ignored.add(field.path);
        return;
      }
      throw malformed(field, given, this.state.id, error);
    }
    this.#further(node, value, target);
  }

  /** Hands a value, as the document has it, to multi-fields and to the fields that it is copied to: null stands for what each says. */
  #further({ field, multi }: FieldNode, value: unknown, target: DocumentPart): void {
    for (const sub of multi.values()) {
      // It finds an object read already, too.
      if (isObject(value) && sub.field.family === 'range')
        throw malformed(
          sub.field,
          null,
          this.state.id,
          mapperParsing(`error parsing field [${sub.field.path}], expected an object but got ${this.state.member}`),
        );
      this.#value(sub, value, target, field);
    }
    for (const to of field.copyTo) this.#copy(to, value, target, field);
  }

  /** @throws RequestError for a number that the double read of it does not tell from the last long */
  #checkLong(field: MappedField, value: number): void {
    if (field.ignoreMalformed || this.#scope.takesAll) return;
    const isBeyond = (text: string): boolean =>
      /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) !== BigInt(text);
    if (this.#literals?.at(field.path).some(isBeyond) === true)
      throw malformed(field, value, this.state.id, tooLong(value));
  }

  /** @param from the field that is copied, whose reader has read an object already */
  #copy(to: string, value: unknown, target: DocumentPart, from: MappedField): void {
    const names = to.split('.');
    let node: ObjectNode = this.#scope.root;
    for (const name of names.slice(0, -1)) {
      const child = node.children.get(name);
      if (child?.kind !== 'object') break;
      node = child;
    }
    const leaf = node.children.get(names.at(-1)!);
    // A field that reads a list or an object as a whole leaves nothing to those that it is copied to.
    const isRead = isObject(value) || (Array.isArray(value) && (from.family === 'geo' || from.family === 'completion'));
    if (isRead && leaf === undefined) return;
    if (isRead && leaf?.kind === 'field' && !this.#scope.takesAll && !WHOLE.includes(leaf.field.family))
      throw malformed(
        leaf.field,
        null,
        this.state.id,
        illegalArgument('an object'),
        isObject(value) ? 'END_OBJECT' : 'END_ARRAY',
      );
    // The document above is given what was copied into the nested one; what was copied elsewhere is there already.
    if (this.#included !== undefined && this.#scope.nestedPathOf(to) !== this.#included) return;
    const isBeside = this.#included !== undefined || this.#scope.nestedPathOf(to) === target.path;
    const into = isBeside ? target : this.state.root;
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
        if (!isProductError(error) || !(field.ignoreMalformed || this.#scope.takesAll))
          throw malformed(field, each, this.state.id, error);
        this.state.ignored.add(field.path);
      }
    }
    for (const sub of node.multi.values()) {
      if (sub.field.family === 'geo') this.#geo(sub, value, target);
      // Other fields take a point by the name of its cell.
      else for (const { lat, lon } of read) this.#value(sub, geohash(lat, lon, 12), target);
    }
    for (const to of field.copyTo) this.#copy(to, value, target, field);
  }
}

/** Families that read objects. */
const WHOLE: readonly Family[] = ['geo', 'range', 'completion'];

/** Types of numbers that read an empty text as they read others. */
const COUNTED: readonly string[] = ['token_count', 'rank_feature'];

/** @throws RequestError for a height where the field does not take any (`ignore_z_value`) */
function checkFlat({ definition }: MappedField, value: unknown): void {
  const ignored = definition['ignore_z_value'];
  if (ignored === undefined || asBoolean(ignored, 'ignore_z_value')) return;
  const parts: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  if (parts.length > 2)
    throw illegalArgument(
      `Exception parsing coordinates: found Z value [${textOf(parts[2])}] but [ignore_z_value] parameter is [false]`,
    );
}

const unparsable = (reason: string, type = 'illegal_argument_exception'): RequestError =>
  mapperParsing('failed to parse', { type, reason });

/** The names in a name with dots, as Java splits it: dots at its end say nothing. @throws RequestError where a name is missing */
function namesIn(key: string): readonly [string, ...string[]] {
  const [first, ...rest] = key.replace(/(?<!\.)\.+$/, '').split('.');
  if (first === undefined || (first === '' && rest.length === 0))
    throw unparsable('Index -1 out of bounds for length 0', 'array_index_out_of_bounds_exception');
  const names = [first, ...rest] as const;
  if (names.includes(''))
    throw unparsable(`object field starting or ending with a [.] makes object resolution ambiguous: [${key}]`);
  if (rest.length > 0 && names.some((name) => name.trim() === ''))
    throw unparsable(`object field cannot contain only whitespace: ['${key}']`);
  return names;
}

/**
 * Whether a name with dots leads to a value.
 *
 * @throws RequestError where it leads through a nested object, whose elements are objects of their own, or through a field
 */
function leadsOn(from: ObjectNode, names: readonly string[], key: string, value: unknown): boolean {
  let node = from;
  for (const [at, name] of names.slice(0, -1).entries()) {
    const child = node.children.get(name);
    const field =
      child?.kind === 'field' ? child.field : at === 0 && from.path === '' ? METADATA_FIELDS.get(name) : undefined;
    if (field !== undefined) {
      if (value === null) return false;
      throw mapperParsing(
        `Could not dynamically add mapping for field [${names.join('.')}]. Existing mapping for [${field.path}] must be of type object but found [${field.type}].`,
      );
    }
    if (child?.kind !== 'object') return true;
    if (child.nested)
      throw mapperParsing(
        `Cannot add a value for field [${key}] since one of the intermediate objects is mapped as a nested object: [${child.path}]`,
      );
    node = child;
  }
  return true;
}
