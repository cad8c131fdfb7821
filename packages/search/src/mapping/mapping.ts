// Which fields an index has, and how a document becomes terms and columns under them: explicit mappings, dynamic ones,
// multi-fields, copies, nested elements. The types of fields are in `field-type.ts`.
import { didYouMean } from '@lockstitch/kernel';
import type { Analysis } from '../analysis/analysis-registry.ts';
import type { DocumentMapper, IndexedDocument } from '../index/indexed-document.ts';
import { globMatches } from '../glob.ts';
import { asBoolean, asInteger, asString, isObject, type Json, parseJson, toList } from '../json.ts';
import { illegalArgument, mapperParsing, RequestError } from '../request-error.ts';
import { dateFormat } from './date-format.ts';
import { createField, type MappedField, NumberFormatError } from './field-type.ts';
import { type Dynamic, dynamicDefinition, type DynamicOptions, readDynamic, readTemplates } from './dynamic.ts';
import { parsePoint } from './geo.ts';
import { addValue, type DocumentPart, DocumentState, flatten } from './document-state.ts';

interface FieldNode {
  readonly kind: 'field';
  readonly field: MappedField;
  readonly multi: Map<string, FieldNode>;
}

interface ObjectNode {
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
}

const DEFAULT_LIMITS: MappingLimits = { totalFields: 1000, depth: 20, nestedFields: 50, nestedObjects: 10_000 };

const ROOT_KEYS = [
  'properties',
  'dynamic',
  'dynamic_templates',
  'date_detection',
  'dynamic_date_formats',
  'numeric_detection',
  '_source',
  '_routing',
  '_meta',
  '_field_names',
  '_size',
];

/** The mapping of one index; grows as documents bring new fields. */
export class Mapping implements DocumentMapper {
  version = 1;
  readonly #root: ObjectNode = objectNode('');
  readonly #analysis: Analysis;
  readonly #limits: MappingLimits;
  readonly #extra = new Map<string, unknown>();
  #options: DynamicOptions = { templates: [], dates: true, dateFormats: defaultDateFormats(), numbers: false };
  #fields: ReadonlyMap<string, MappedField> | undefined;
  #empty = true;

  constructor(definition: unknown, analysis: Analysis, limits: Partial<MappingLimits> = {}) {
    this.#analysis = analysis;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    if (definition !== undefined && definition !== null) this.merge(definition);
  }

  get analysis(): Analysis {
    return this.#analysis;
  }

  /** Adds a definition to the mapping; existing fields keep their type. @throws RequestError on conflicts */
  merge(definition: unknown): void {
    if (!isObject(definition)) throw mapperParsing('Expected map for the mapping definition');
    // A trial on a copy first, so that a refused change leaves nothing behind.
    if (!this.#empty) {
      const trial = new Mapping(this.toJSON(), this.#analysis, this.#limits);
      trial.#merge(definition);
    }
    this.#merge(definition);
    this.#empty = false;
    this.version++;
    this.#fields = undefined;
  }

  #merge(definition: Json): void {
    for (const key of Object.keys(definition)) {
      if (!ROOT_KEYS.includes(key)) {
        throw mapperParsing(
          `Root mapping definition has unsupported parameters:  [${key} : ${show(definition[key])}]${didYouMean(key, ROOT_KEYS)}`,
        );
      }
    }
    for (const key of [
      '_source',
      '_routing',
      '_meta',
      'date_detection',
      'numeric_detection',
      'dynamic_date_formats',
      'dynamic_templates',
    ]) {
      if (definition[key] !== undefined) this.#extra.set(key, definition[key]);
    }
    if (definition['dynamic'] !== undefined) this.#root.dynamic = readDynamic(definition['dynamic']);
    this.#options = {
      templates:
        definition['dynamic_templates'] === undefined
          ? this.#options.templates
          : readTemplates(definition['dynamic_templates']),
      dates:
        definition['date_detection'] === undefined
          ? this.#options.dates
          : asBoolean(definition['date_detection'], 'date_detection'),
      dateFormats:
        definition['dynamic_date_formats'] === undefined
          ? this.#options.dateFormats
          : toList(definition['dynamic_date_formats']).map((format) =>
              dateFormat(asString(format, 'dynamic_date_formats')),
            ),
      numbers:
        definition['numeric_detection'] === undefined
          ? this.#options.numbers
          : asBoolean(definition['numeric_detection'], 'numeric_detection'),
    };
    const properties = definition['properties'];
    if (properties !== undefined) this.#mergeProperties(this.#root, properties, undefined, 1);
    this.#checkLimits();
  }

  #mergeProperties(parent: ObjectNode, properties: unknown, nestedPath: string | undefined, depth: number): void {
    if (!isObject(properties))
      throw mapperParsing('Expected map for property [properties] but got ' + show(properties));
    if (depth > this.#limits.depth) {
      throw illegalArgument(
        `Limit of mapping depth [${this.#limits.depth}] has been exceeded due to object field [${parent.path}]`,
      );
    }
    for (const [name, value] of Object.entries(properties)) {
      if (name === '' || /^\s*$/.test(name)) throw illegalArgument('name cannot be empty string');
      if (!isObject(value)) {
        throw mapperParsing(`Expected map for property [fields] on field [${name}] but got a ${javaClass(value)}`);
      }
      const dot = name.indexOf('.');
      if (dot > 0) {
        // `a.b` is short for an object `a` with a property `b`.
        this.#mergeProperties(
          parent,
          { [name.slice(0, dot)]: { properties: { [name.slice(dot + 1)]: value } } },
          nestedPath,
          depth,
        );
        continue;
      }
      this.#mergeOne(parent, name, value, nestedPath, depth);
    }
  }

  #mergeOne(parent: ObjectNode, name: string, value: Json, nestedPath: string | undefined, depth: number): void {
    const path = parent.path === '' ? name : `${parent.path}.${name}`;
    const existing = parent.children.get(name);
    const type = value['type'];
    if (
      type === undefined &&
      value['properties'] === undefined &&
      existing === undefined &&
      !isObjectDefinition(value)
    ) {
      throw mapperParsing(`No type specified for field [${name}]`);
    }
    if (type === undefined || type === 'object' || type === 'nested') {
      if (existing?.kind === 'field') {
        throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
      }
      if (existing !== undefined && type !== undefined && existing.nested !== (type === 'nested')) {
        throw illegalArgument(
          type === 'nested'
            ? `can't merge a non nested mapping [${path}] with a nested mapping`
            : `can't merge a nested mapping [${path}] with a non-nested mapping`,
        );
      }
      const node = existing ?? objectNode(path);
      if (existing === undefined) {
        node.nested = type === 'nested';
        node.typed = type === 'object';
        parent.children.set(name, node);
      }
      for (const [key, setting] of Object.entries(value)) {
        if (key === 'dynamic') node.dynamic = readDynamic(setting);
        else if (key === 'enabled') node.enabled = asBoolean(setting, 'enabled');
        else if (key === 'include_in_parent' && node.nested) node.includeInParent = asBoolean(setting, key);
        else if (key === 'include_in_root' && node.nested) node.includeInRoot = asBoolean(setting, key);
        else if (key !== 'type' && key !== 'properties') {
          throw mapperParsing(
            `Mapping definition for [${name}] has unsupported parameters:  [${key} : ${show(setting)}]`,
          );
        }
      }
      if (value['properties'] !== undefined) {
        this.#mergeProperties(node, value['properties'], node.nested ? path : nestedPath, depth + 1);
      }
      return;
    }
    if (existing?.kind === 'object') {
      throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
    }
    parent.children.set(name, this.#mergeField(existing, path, value, nestedPath));
  }

  #mergeField(existing: FieldNode | undefined, path: string, value: Json, nestedPath: string | undefined): FieldNode {
    const { fields, ...own } = value;
    const multi = new Map(existing?.multi);
    let definition: Json = own;
    if (existing !== undefined) {
      const before = existing.field.definition;
      if (before['type'] !== own['type']) {
        throw illegalArgument(
          `mapper [${path}] cannot be changed from type [${String(before['type'])}] to [${String(own['type'])}]`,
        );
      }
      for (const key of [
        'analyzer',
        'format',
        'index',
        'doc_values',
        'normalizer',
        'store',
        'similarity',
        'norms',
      ] as const) {
        const was = before[key] ?? defaultOf(key, before);
        const now = own[key] ?? defaultOf(key, own);
        if (key === 'norms' && was === true && now === false) continue;
        if (String(was) !== String(now)) {
          throw illegalArgument(
            `Mapper for [${path}] conflicts with existing mapper:\n\tCannot update parameter [${key}] from [${String(was)}] to [${String(now)}]`,
          );
        }
      }
      definition = { ...own };
    }
    const field = createField(path, definition, this.#analysis, nestedPath);
    if (fields !== undefined && fields !== null) {
      if (!isObject(fields))
        throw mapperParsing(`expected map for property [fields] on field [${path}] but got a ${javaClass(fields)}`);
      for (const [name, sub] of Object.entries(fields)) {
        if (!isObject(sub)) throw mapperParsing(`Expected map for property [fields] on field [${name}]`);
        const subType = sub['type'];
        if (subType === undefined) throw mapperParsing(`no type specified for property [${name}]`);
        if (subType === 'object' || subType === 'nested')
          throw mapperParsing(`Type [${subType}] cannot be used in multi field`);
        multi.set(name, this.#mergeField(multi.get(name), `${path}.${name}`, sub, nestedPath));
      }
    }
    if (field.type === 'search_as_you_type') addSearchAsYouType(field, multi, this.#analysis, nestedPath);
    return { kind: 'field', field, multi };
  }

  #tooManyFields(): Error {
    return illegalArgument(`Limit of total fields [${this.#limits.totalFields}] has been exceeded`);
  }

  #checkLimits(): void {
    let count = 0;
    let nested = 0;
    const walk = (node: ObjectNode | FieldNode): void => {
      for (const child of node.kind === 'object' ? node.children.values() : node.multi.values()) {
        count++;
        if (child.kind === 'object' && child.nested) nested++;
        walk(child);
      }
    };
    walk(this.#root);
    if (count > this.#limits.totalFields) throw this.#tooManyFields();
    if (nested > this.#limits.nestedFields) {
      throw illegalArgument(`Limit of nested fields [${this.#limits.nestedFields}] has been exceeded`);
    }
  }

  /** All fields by path: leaves and multi-fields. */
  get fields(): ReadonlyMap<string, MappedField> {
    if (this.#fields === undefined) {
      const found = new Map<string, MappedField>();
      const walkField = (node: FieldNode): void => {
        found.set(node.field.path, node.field);
        for (const sub of node.multi.values()) walkField(sub);
      };
      const walk = (node: ObjectNode): void => {
        for (const child of node.children.values()) {
          if (child.kind === 'object') walk(child);
          else walkField(child);
        }
      };
      walk(this.#root);
      this.#fields = found;
    }
    return this.#fields;
  }

  /** The field at a path; an alias answers the field it stands for. */
  field(path: string): MappedField | undefined {
    const found = this.fields.get(path);
    if (found === undefined) {
      // A flattened field answers for every path below it.
      for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
        const above = this.fields.get(path.slice(0, dot));
        if (above?.type === 'flattened') return { ...above, path };
      }
      return undefined;
    }
    return found.type === 'alias' ? this.fields.get(String(found.definition['path'])) : found;
  }

  /** The object at a path: whether it exists and is nested. */
  object(path: string): { readonly nested: boolean } | undefined {
    let node: ObjectNode = this.#root;
    for (const name of path.split('.')) {
      const child = node.children.get(name);
      if (child?.kind !== 'object') return undefined;
      node = child;
    }
    return { nested: node.nested };
  }

  /** Objects and nested fields by path, with their kind, for `_field_caps`. */
  objects(): ReadonlyMap<string, 'object' | 'nested'> {
    const found = new Map<string, 'object' | 'nested'>();
    const walk = (node: ObjectNode): void => {
      for (const child of node.children.values()) {
        if (child.kind !== 'object') continue;
        found.set(child.path, child.nested ? 'nested' : 'object');
        walk(child);
      }
    };
    walk(this.#root);
    return found;
  }

  /** The innermost nested path that a path lies in. */
  nestedPathOf(path: string): string | undefined {
    let found: string | undefined;
    let node: ObjectNode = this.#root;
    for (const name of path.split('.')) {
      const child = node.children.get(name);
      if (child?.kind !== 'object') break;
      node = child;
      if (child.nested) found = child.path;
    }
    return found;
  }

  /** The mapping as `GET _mapping` shows it. */
  toJSON(): Json {
    const found: Record<string, unknown> = {};
    if (this.#root.dynamic !== undefined)
      found['dynamic'] = this.#root.dynamic === true ? 'true' : String(this.#root.dynamic);
    for (const [key, value] of this.#extra) found[key] = value;
    if (this.#root.children.size > 0) found['properties'] = printChildren(this.#root.children);
    return found;
  }

  /** What a field's definition looks like in `GET _mapping/field`. */
  fieldJson(path: string): Json | undefined {
    const field = this.fields.get(path);
    return field === undefined ? undefined : printField(field, undefined);
  }

  /** The `_source` setting. */
  get sourceSetting(): {
    readonly enabled: boolean;
    readonly includes: readonly string[];
    readonly excludes: readonly string[];
  } {
    const value = this.#extra.get('_source');
    if (!isObject(value)) return { enabled: true, includes: [], excludes: [] };
    const list = (key: string): string[] => (value[key] === undefined ? [] : toList(value[key]).map(String));
    return {
      enabled: value['enabled'] === undefined || asBoolean(value['enabled'], 'enabled'),
      includes: list('includes'),
      excludes: list('excludes'),
    };
  }

  /** Whether writes and reads must name a routing. */
  get routingRequired(): boolean {
    const value = this.#extra.get('_routing');
    return isObject(value) && (value['required'] === true || value['required'] === 'true');
  }

  parse(id: string, source: Uint8Array, routing?: string): IndexedDocument {
    let json: unknown;
    try {
      json = parseJson(source);
    } catch (error) {
      throw mapperParsing('failed to parse', {
        type: 'json_parse_exception',
        reason: error instanceof Error ? error.message : 'malformed JSON',
      });
    }
    if (!isObject(json))
      throw mapperParsing('failed to parse', {
        type: 'not_x_content_exception',
        reason: 'a document must be a JSON object',
      });
    const state = new DocumentState(id);
    const learned: { path: string; definition: Json }[] = [];
    this.#walk(this.#root, json, state.root, state, learned, undefined);
    if (learned.length > 0) this.#learn(learned);
    if (learned.length > 0) return this.parse(id, source, routing);
    const fields = state.finish(state.root);
    const ignored = [...state.ignored];
    if (ignored.length > 0) fields.push({ kind: 'keyword', field: '_ignored', values: ignored, docValues: true });
    if (routing !== undefined) fields.push({ kind: 'keyword', field: '_routing', values: [routing], docValues: false });
    return {
      id,
      source: this.sourceSetting.enabled ? source : EMPTY_SOURCE,
      routing,
      fields,
      nested: state.finishNested(state.root),
    };
  }

  #learn(learned: readonly { path: string; definition: Json }[]): void {
    // On a copy first, so that a document with too many fields leaves none behind.
    // Only near the limit, as a copy for each new field of a large mapping costs too much.
    if (this.fields.size + learned.length * 10 > this.#limits.totalFields) {
      const trial = new Mapping(this.#empty ? undefined : this.toJSON(), this.#analysis, this.#limits);
      trial.#add(learned);
    }
    this.#add(learned);
    this.#empty = false;
    this.version++;
  }

  #add(learned: readonly { path: string; definition: Json }[]): void {
    this.#fields = undefined;
    for (const { path, definition } of learned) {
      const properties = path
        .split('.')
        .reverse()
        .reduce<Json>((inner, name, at) => (at === 0 ? { [name]: definition } : { [name]: { properties: inner } }), {});
      this.#mergeProperties(this.#root, properties, undefined, 1);
    }
    this.#checkLimits();
    this.#fields = undefined;
  }

  #walk(
    node: ObjectNode,
    value: Json,
    target: DocumentPart,
    state: DocumentState,
    learned: { path: string; definition: Json }[],
    dynamic: Dynamic | undefined,
  ): void {
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
      const child = node.children.get(name);
      if (
        child?.kind === 'field' &&
        !(dot > 0 && child.multi.size === 0 && child.field.type !== 'flattened' && false)
      ) {
        this.#value(child, inner, target, state, learned);
      } else if (child?.kind === 'object') {
        this.#object(child, inner, target, state, learned, rule);
      } else {
        this.#unknown(node, name, path, inner, target, state, learned, rule);
      }
    }
  }

  #object(
    node: ObjectNode,
    value: unknown,
    target: DocumentPart,
    state: DocumentState,
    learned: { path: string; definition: Json }[],
    dynamic: Dynamic | undefined,
  ): void {
    if (value === null || !node.enabled) return;
    const elements = Array.isArray(value) ? (value as readonly unknown[]).flat(Infinity) : [value];
    for (const element of elements) {
      if (element === null) continue;
      if (!isObject(element)) {
        throw mapperParsing(
          `object mapping for [${node.path}] tried to parse field [${node.path.slice(node.path.lastIndexOf('.') + 1)}] as object, but found a concrete value`,
        );
      }
      const rule = node.dynamic ?? dynamic;
      if (node.nested) {
        if (++state.nestedCount > this.#limits.nestedObjects) {
          throw mapperParsing(
            `The number of nested documents has exceeded the allowed limit of [${this.#limits.nestedObjects}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.`,
          );
        }
        const part = state.nested(target, node.path);
        this.#walk(node, element, part, state, learned, rule);
        if (node.includeInParent) this.#walk(node, element, target, state, learned, rule);
        else if (node.includeInRoot) this.#walk(node, element, state.root, state, learned, rule);
      } else {
        this.#walk(node, element, target, state, learned, rule);
      }
    }
  }

  #unknown(
    parent: ObjectNode,
    name: string,
    path: string,
    value: unknown,
    target: DocumentPart,
    state: DocumentState,
    learned: { path: string; definition: Json }[],
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
        this.#unknown(parent, name, path, element, target, state, learned, dynamic);
      }
      return;
    }
    if (value === null || value === undefined) return;
    const definition = dynamicDefinition(name, path, value, this.#options);
    if (definition === undefined) return;
    if (isObject(value) && (definition['type'] === 'object' || definition['type'] === 'nested')) {
      // Walk an invisible object to learn the fields inside it, so that limits apply before anything is stored.
      if (!learned.some((entry) => entry.path === path)) {
        const empty =
          Object.keys(value).length === 0 || definition['type'] === 'nested' || Object.keys(definition).length > 1;
        if (empty) learned.push({ path, definition });
      }
      if (path.split('.').length > this.#limits.depth) {
        throw illegalArgument(
          `Limit of mapping depth [${this.#limits.depth}] has been exceeded due to object field [${path}]`,
        );
      }
      this.#walk(objectNode(path), value, state.scrap, state, learned, dynamic);
      return;
    }
    const before = learned.find((entry) => entry.path === path);
    // [1, 2.5]: as in Elasticsearch, the first value decides.
    if (before === undefined) learned.push({ path, definition });
    // Far too many end while they are found, not when all are.
    if (learned.length > this.#limits.totalFields) throw this.#tooManyFields();
  }

  #value(
    node: FieldNode,
    value: unknown,
    target: DocumentPart,
    state: DocumentState,
    learned: { path: string; definition: Json }[],
  ): void {
    const { field } = node;
    if (field.type === 'alias') {
      throw mapperParsing(`Cannot write to a field alias [${field.path}].`);
    }
    if (field.family === 'geo') {
      this.#geo(node, value, target, state);
      return;
    }
    if (Array.isArray(value) && field.family !== 'completion') {
      for (const element of value) this.#value(node, element, target, state, learned);
      return;
    }
    if (field.type === 'flattened') {
      if (value !== null) flatten(value, field.path, target);
      return;
    }
    let given = value;
    if (given === null || given === undefined) {
      if (field.nullValue === undefined || field.nullValue === null) return;
      given = field.nullValue;
    }
    if (isObject(given) && field.family !== 'completion') {
      throw this.#malformed(field, given, state.id, illegalArgument(`Can't get text on a START_OBJECT at 1:1`));
    }
    try {
      addValue(field, given, target, state);
    } catch (error) {
      if (field.ignoreMalformed) {
        state.ignored.add(field.path);
        return;
      }
      throw this.#malformed(field, given, state.id, error);
    }
    for (const sub of node.multi.values()) this.#value(sub, given, target, state, learned);
    for (const to of field.copyTo) this.#copy(to, given, target, state, learned);
  }

  #copy(
    to: string,
    value: unknown,
    target: DocumentPart,
    state: DocumentState,
    learned: { path: string; definition: Json }[],
  ): void {
    const names = to.split('.');
    let node: ObjectNode = this.#root;
    for (const name of names.slice(0, -1)) {
      const child = node.children.get(name);
      if (child?.kind !== 'object') break;
      node = child;
    }
    const leaf = node.children.get(names.at(-1)!);
    const into = this.nestedPathOf(to) === target.path ? target : state.root;
    if (leaf?.kind === 'field') {
      // A copy feeds the field and its multi-fields but is not copied on.
      const alone: FieldNode = { kind: 'field', field: { ...leaf.field, copyTo: [] }, multi: leaf.multi };
      this.#value(alone, value, into, state, learned);
    } else if (leaf === undefined) {
      this.#unknown(node, names.at(-1)!, to, value, into, state, learned, node.dynamic ?? this.#root.dynamic);
    }
  }

  #geo(node: FieldNode, value: unknown, target: DocumentPart, state: DocumentState): void {
    const { field } = node;
    const given = value ?? field.nullValue;
    if (given === undefined || given === null) return;
    const isPair = Array.isArray(given) && typeof given[0] === 'number';
    const points: readonly unknown[] = isPair || !Array.isArray(given) ? [given] : (given as readonly unknown[]);
    for (const each of points) {
      if (each === null) continue;
      try {
        target.geo(field.path).push(parsePoint(each));
      } catch (error) {
        if (field.ignoreMalformed) state.ignored.add(field.path);
        else throw this.#malformed(field, each, state.id, error);
      }
    }
    for (const sub of node.multi.values()) if (sub.field.family === 'geo') this.#geo(sub, value, target, state);
  }

  #malformed(field: MappedField, value: unknown, id: string, error: unknown): Error {
    const cause =
      error instanceof NumberFormatError
        ? { type: 'number_format_exception', reason: error.message }
        : error instanceof RequestError
          ? { type: error.type, reason: error.message }
          : undefined;
    if (cause === undefined) return error instanceof Error ? error : new Error(String(error));
    return mapperParsing(
      `failed to parse field [${field.path}] of type [${field.type}] in document with id '${id}'. Preview of field's value: '${show(value)}'`,
      cause,
    );
  }

  /** Names of the fields that match a pattern with `*`. */
  matching(pattern: string): readonly MappedField[] {
    if (!pattern.includes('*')) {
      const field = this.field(pattern);
      return field === undefined ? [] : [field];
    }
    return [...this.fields.values()].filter((field) => globMatches(pattern, field.path));
  }
}

const EMPTY_SOURCE = new Uint8Array(0);

function defaultDateFormats(): DynamicOptions['dateFormats'] {
  return [
    'strict_date_optional_time',
    'yyyy/MM/dd HH:mm:ss Z',
    'yyyy/MM/dd Z',
    'yyyy/MM/dd HH:mm:ss',
    'yyyy/MM/dd',
  ].map(dateFormat);
}

function objectNode(path: string): ObjectNode {
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

function isObjectDefinition(value: Json): boolean {
  const keys = Object.keys(value);
  return (
    keys.length > 0 && keys.every((key) => ['dynamic', 'enabled', 'include_in_parent', 'include_in_root'].includes(key))
  );
}

function defaultOf(key: string, definition: Json): unknown {
  switch (key) {
    case 'analyzer':
      return definition['type'] === 'text' ? 'default' : null;
    case 'format':
      return 'strict_date_optional_time||epoch_millis';
    case 'index':
    case 'doc_values':
      return true;
    case 'norms':
      return definition['type'] !== 'keyword';
    case 'store':
      return false;
    default:
      return null;
  }
}

function show(value: unknown): string {
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${key}=${show(member)}`)
      .join(', ')}}`;
  }
  return Array.isArray(value) ? `[${value.map(show).join(', ')}]` : String(value);
}

function javaClass(value: unknown): string {
  if (Array.isArray(value)) return 'java.util.ArrayList';
  if (typeof value === 'number') return 'java.lang.Integer';
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  return 'java.lang.String';
}

function printChildren(children: ReadonlyMap<string, FieldNode | ObjectNode>): Json {
  const found: Record<string, unknown> = {};
  for (const name of [...children.keys()].sort()) {
    const node = children.get(name)!;
    if (node.kind === 'field') {
      found[name] = printField(node.field, node.multi);
      continue;
    }
    const printed: Record<string, unknown> = {};
    if (node.nested) printed['type'] = 'nested';
    else if (node.children.size === 0 || !node.enabled) printed['type'] = 'object';
    if (node.includeInParent) printed['include_in_parent'] = true;
    if (node.includeInRoot) printed['include_in_root'] = true;
    if (node.dynamic !== undefined) printed['dynamic'] = String(node.dynamic);
    if (!node.enabled) printed['enabled'] = false;
    if (node.children.size > 0) printed['properties'] = printChildren(node.children);
    found[name] = printed;
  }
  return found;
}

function printField(field: MappedField, multi: ReadonlyMap<string, FieldNode> | undefined): Json {
  const { copy_to: copyTo, ...rest } = field.definition;
  const shown: Record<string, unknown> = { ...rest };
  if (copyTo !== undefined) shown['copy_to'] = toList(copyTo);
  const visible = [...(multi ?? [])].filter(
    ([name]) => field.type !== 'search_as_you_type' || !/^_(?:\dgram|index_prefix)$/.test(name),
  );
  if (visible.length > 0) {
    shown['fields'] = Object.fromEntries(
      visible.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, node]) => [name, printField(node.field, node.multi)]),
    );
  }
  return shown;
}

/** `search_as_you_type` has shingle sub-fields `_2gram`, `_3gram` … and a prefix sub-field. */
function addSearchAsYouType(
  field: MappedField,
  multi: Map<string, FieldNode>,
  analysis: Analysis,
  nestedPath: string | undefined,
): void {
  const size =
    field.definition['max_shingle_size'] === undefined
      ? 3
      : asInteger(field.definition['max_shingle_size'], 'max_shingle_size');
  if (size < 2 || size > 4) {
    throw mapperParsing(`[max_shingle_size] must be at least [2] and at most [4], got [${size}]`);
  }
  const { max_shingle_size: _size, ...rest } = field.definition;
  for (let width = 2; width <= size; width++) {
    const sub = createField(`${field.path}._${width}gram`, { ...rest, type: 'text' }, analysis, nestedPath);
    const analyzer = shingled(sub.analyzer, width);
    multi.set(`_${width}gram`, {
      kind: 'field',
      field: { ...sub, analyzer, searchAnalyzer: shingled(sub.searchAnalyzer, width), searchQuoteAnalyzer: analyzer },
      multi: new Map(),
    });
  }
}

function shingled(base: MappedField['analyzer'], width: number): MappedField['analyzer'] {
  const analyze: MappedField['analyzer']['analyze'] = (text) => {
    const list = base.analyze(text);
    const count = Math.max(0, list.terms.length - width + 1);
    return {
      terms: Array.from({ length: count }, (_, at) => list.terms.slice(at, at + width).join(' ')),
      positions: Array.from({ length: count }, (_, at) => at),
      starts: list.starts.slice(0, count),
      ends: list.ends.slice(width - 1),
      types: Array.from({ length: count }, () => 'shingle'),
      endPosition: count,
    };
  };
  return {
    name: base.name,
    positionIncrementGap: base.positionIncrementGap,
    analyze,
    push(text, from, target) {
      const list = analyze(text);
      list.terms.forEach((term, at) => target.add(term, from + at));
      return from + list.endPosition;
    },
  };
}
