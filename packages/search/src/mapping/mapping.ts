// Which fields an index has, and what it answers about them by path. Definitions are merged in `merge-definition.ts`, documents
// walked in `walk-document.ts`; the types of fields are in `field-type.ts`.
import { didYouMean } from '@lockstitch/kernel';
import type { Analysis } from '../analysis/analysis-registry.ts';
import {
  type DocumentMapper,
  type IndexedDocument,
  type LearnedField,
  TooManyForATurn,
} from '../index/indexed-document.ts';
import { globMatches } from '../text/glob.ts';
import { asBoolean, isObject, type Json, parseJson, toList } from '../json/json.ts';
import { NumberLiterals } from '../json/number-literals.ts';
import { illegalArgument, mapperParsing, RequestError } from '../errors/request-error.ts';
import { checkMetadata, checkReferences, checkTemplates, readMetadata } from './check-mapping.ts';
import { dateFormat } from './date-format.ts';
import { type FieldDefaults, type MappedField, USUAL_DEFAULTS } from './field-type.ts';
import { type DynamicOptions, printTemplates, readDynamic, readTemplates, USUAL_DATES } from './dynamic.ts';
import { METADATA_FIELDS } from './metadata-fields.ts';
import {
  checkNesting,
  mergeProperties,
  MappingLimitError,
  type MappingLimits,
  tooManyFields,
} from './merge-definition.ts';
import { type FieldNode, type ObjectNode, objectNode, printChildren } from './mapping-tree.ts';
import { inHashOrder, show } from './java-values.ts';
import { convertedFlag } from './parameter-values.ts';
import { piecesOf } from './pieces.ts';
import { besideSearchAsYouType, printField } from './print-field.ts';
import { DocumentWalk } from './walk-document.ts';

const DEFAULT_LIMITS: MappingLimits = {
  totalFields: 1000,
  depth: 20,
  nestedFields: 50,
  nestedObjects: 10_000,
  nameLength: Infinity,
};

const METADATA_KEYS = ['_source', '_routing', '_field_names', '_meta'];
/** Metadata without settings. */
const FIXED_KEYS: readonly string[] = ['_id', '_type', '_index', '_ignored', '_seq_no', '_version'];

const ROOT_KEYS: readonly string[] = [
  'properties',
  'dynamic',
  'enabled',
  'dynamic_templates',
  'date_detection',
  'dynamic_date_formats',
  'numeric_detection',
  'include_in_all',
  ...METADATA_KEYS,
];

/** For fields that an index has already. */
const UNLIMITED = { totalFields: Infinity, depth: Infinity, nestedFields: Infinity };

/** The mapping of one index; grows as documents bring new fields. */
export class Mapping implements DocumentMapper {
  version = 1;
  #root: ObjectNode = objectNode('');
  #analysis: Analysis;
  #limits: MappingLimits;
  #defaults: FieldDefaults;
  #extra = new Map<string, unknown>();
  #options: DynamicOptions = { templates: [], dates: true, dateFormats: USUAL_DATES, numbers: false };
  #fields: ReadonlyMap<string, MappedField> | undefined;
  #empty = true;
  /** Fields and objects, as they were last counted. */
  #count = 0;
  #weighed: { readonly version: number; readonly weight: number } | undefined;
  /** Whether values that do not fit their fields are left out, and not refused. */
  takesAll = false;
  /** Told of the fields that documents bring. */
  onLearned: ((fields: readonly LearnedField[]) => void) | undefined;

  constructor(
    definition: unknown,
    analysis: Analysis,
    limits: Partial<MappingLimits> = {},
    defaults: FieldDefaults = USUAL_DEFAULTS,
  ) {
    this.#analysis = analysis;
    this.#defaults = defaults;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    if (definition !== undefined && definition !== null) this.merge(definition);
  }

  get analysis(): Analysis {
    return this.#analysis;
  }

  /** A mapping of some of the fields, whose documents are read as those of this one. */
  restricted(definition: Json): Mapping {
    const found = new Mapping(definition, this.#analysis, UNLIMITED, this.#defaults);
    found.#limits = this.#limits;
    return found;
  }

  /** Adds a definition to the mapping; existing fields keep their type. @throws RequestError on conflicts */
  merge(definition: unknown): void {
    if (!isObject(definition)) throw mapperParsing('Expected map for the mapping definition');
    // A trial on a copy first, so that a refused change leaves nothing behind.
    if (!this.#empty) {
      const trial = new Mapping(this.toJSON(), this.#analysis, this.#limits, this.#defaults);
      trial.#merge(definition);
    }
    this.#merge(definition);
    this.#empty = false;
    this.version++;
    this.#fields = undefined;
  }

  /**
   * Does what `merge` does, in steps: nothing of it can be seen before the last.
   *
   * @param newType the name of the type where the index or template is new: Elasticsearch words a mistake in it otherwise
   * @throws RequestError on conflicts
   */
  *mergeInSteps(definition: unknown, newType?: string): Generator<void, void> {
    if (!isObject(definition)) throw mapperParsing('Expected map for the mapping definition');
    for (;;) {
      const { version } = this;
      const grown = new Mapping(undefined, this.#analysis, this.#limits, this.#defaults);
      try {
        for (const whole of [this.toJSON(), definition]) {
          for (const piece of piecesOf(whole)) {
            grown.#apply(piece);
            yield;
          }
          grown.#applyMetadata(whole);
        }
      } catch (error) {
        throw newType === undefined ? error : inNewMapping(error, newType);
      }
      if (!this.#empty) checkMetadata(this.toJSON(), definition);
      checkNesting(this.#root, definition['properties']);
      grown.#checkLimits();
      checkReferences(grown.#root, grown.fields);
      // Somebody else, or a document, has changed the mapping meanwhile.
      if (this.version !== version) continue;
      this.#root = grown.#root;
      this.#extra = grown.#extra;
      this.#options = grown.#options;
      this.#count = grown.#count;
      this.#empty = false;
      this.version++;
      this.#fields = undefined;
      return;
    }
  }

  /** Becomes what another mapping is: the same fields, made with changed settings. */
  become(other: Mapping): void {
    this.#analysis = other.#analysis;
    this.#limits = other.#limits;
    this.#defaults = other.#defaults;
    this.#root = other.#root;
    this.#extra = other.#extra;
    this.#options = other.#options;
    this.#count = other.#count;
    this.#empty = other.#empty;
    this.takesAll = other.takesAll;
    this.version++;
    this.#fields = undefined;
  }

  #merge(definition: Json): void {
    this.#apply(definition);
    this.#applyMetadata(definition);
    this.#checkLimits();
  }

  /** Reads the fields and what is said of all of them. */
  #apply(definition: Json): void {
    const flag = (key: string, before: boolean): boolean => {
      const value = definition[key];
      if (value === undefined) return before;
      const found = convertedFlag(value, key);
      this.#extra.set(key, found);
      return found;
    };
    if (definition['dynamic'] !== undefined) this.#root.dynamic = readDynamic(definition['dynamic']);
    if (definition['enabled'] !== undefined)
      this.#root.enabled = convertedFlag(definition['enabled'], 'enabled.enabled');
    const formats = definition['dynamic_date_formats'];
    if (formats !== undefined) this.#extra.set('dynamic_date_formats', toList(formats));
    const templates = definition['dynamic_templates'];
    if (templates !== undefined) {
      checkTemplates(templates);
      this.#extra.set('dynamic_templates', templates);
    }
    this.#options = {
      templates: templates === undefined ? this.#options.templates : readTemplates(templates),
      dates: flag('date_detection', this.#options.dates),
      dateFormats: formats === undefined ? this.#options.dateFormats : dynamicFormats(formats),
      numbers: flag('numeric_detection', this.#options.numbers),
    };
    const properties = definition['properties'];
    if (properties !== undefined)
      mergeProperties(
        { limits: this.#limits, analysis: this.#analysis, defaults: this.#defaults },
        this.#root,
        properties,
        undefined,
        1,
      );
  }

  /** Reads what is said of the whole document. */
  #applyMetadata(definition: Json): void {
    for (const key of METADATA_KEYS) {
      const value = definition[key];
      if (value === undefined) continue;
      if (key !== '_meta') this.#extra.set(key, readMetadata(key, value));
      else if (value !== null && !isObject(value))
        throw mapperParsing(`[_meta] must be an object, got [${show(value)}]`);
      else if (value !== null) this.#extra.set(key, value);
    }
    const others = Object.keys(definition).filter((key) => !ROOT_KEYS.includes(key));
    const fixed = others.find((key) => FIXED_KEYS.includes(key));
    if (fixed !== undefined) throw mapperParsing(`${fixed} is not configurable`);
    if (others.length > 0)
      throw mapperParsing(
        `Root mapping definition has unsupported parameters: ${inHashOrder(others)
          .map((key) => ` [${key} : ${show(definition[key])}]`)
          .join('')}${didYouMean(others[0]!, ROOT_KEYS)}`,
      );
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
    this.#count = count;
    if (count > this.#limits.totalFields) throw tooManyFields(this.#limits);
    if (nested > this.#limits.nestedFields) {
      throw illegalArgument(`Limit of nested fields [${this.#limits.nestedFields}] has been exceeded`);
    }
  }

  /**
   * All fields by path: leaves and multi-fields. In the order of their paths: those of `*` are searched and shown in it, and the order in
   * which they became known would be another one after a restart, in a search thread, and for somebody who sees other documents.
   */
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
      this.#fields = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
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
      return METADATA_FIELDS.get(path);
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
    if (!this.#root.enabled) found['enabled'] = false;
    for (const [key, value] of this.#extra)
      if (!isDefault(key, value)) found[key] = key === 'dynamic_templates' ? printTemplates(value) : value;
    if (this.#root.children.size > 0) found['properties'] = printChildren(this.#root.children);
    return found;
  }

  /** What a field's definition looks like in `GET _mapping/field`, below its name there. */
  fieldJson(path: string, includeDefaults: boolean): Json | undefined {
    const node = this.#node(path);
    if (node === undefined) return undefined;
    const type = besideSearchAsYouType(path, this.fields.get(path.slice(0, path.lastIndexOf('.'))));
    if (type !== undefined)
      return { [path]: printField({ ...node.field, type, definition: {} }, undefined, includeDefaults) };
    return { [path.slice(path.lastIndexOf('.') + 1)]: printField(node.field, node.multi, includeDefaults) };
  }

  /** The field at a path, with its multi-fields. */
  #node(path: string): FieldNode | undefined {
    let node: ObjectNode | FieldNode | undefined = this.#root;
    for (const name of path.split('.'))
      node = node?.kind === 'object' ? node.children.get(name) : node?.multi.get(name);
    return node?.kind === 'field' ? node : undefined;
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

  parse(id: string, source: Uint8Array, routing?: string, most = Infinity): IndexedDocument {
    if (source.length === 0) throw mapperParsing('failed to parse, document is empty');
    let json: unknown;
    try {
      json = parseJson(source);
    } catch (error) {
      throw mapperParsing('failed to parse', {
        type: error instanceof RequestError ? error.type : 'json_parse_exception',
        reason: error instanceof Error ? error.message : 'malformed JSON',
      });
    }
    if (!isObject(json))
      throw mapperParsing('failed to parse', {
        type: 'not_x_content_exception',
        reason: 'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
      });
    const walk = this.#walk(id, json, new NumberLiterals(() => decoder.decode(source)));
    const learned = walk.run();
    if (learned.length > 0) {
      if (learned.length > most) throw new TooManyForATurn();
      this.#learn(learned);
      return this.parse(id, source, routing, most);
    }
    const { state } = walk;
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

  /** Refuses a document as `parse` does. Nothing of it is kept, not the fields that it would bring either. @throws RequestError */
  check(id: string, source: Json): void {
    this.#walk(id, source).run();
  }

  #walk(id: string, source: Json, literals?: NumberLiterals): DocumentWalk {
    return new DocumentWalk(
      id,
      {
        root: this.#root,
        limits: this.#limits,
        options: this.#options,
        takesAll: this.takesAll,
        nestedPathOf: (path) => this.nestedPathOf(path),
      },
      source,
      literals,
    );
  }

  learn(learned: readonly LearnedField[]): void {
    this.#add(learned);
    this.#empty = false;
    this.version++;
  }

  /** Adds fields that a document brings. @throws RequestError when they are too many */
  #learn(learned: readonly LearnedField[]): void {
    // On a copy first, so that a document with too many fields leaves none behind.
    // Only near the limit, as a copy for each new field of a large mapping costs too much.
    if (this.#count + learned.length * 10 > this.#limits.totalFields) {
      const trial = new Mapping(this.#empty ? undefined : this.toJSON(), this.#analysis, this.#limits, this.#defaults);
      trial.#add(learned);
    }
    this.#add(learned);
    this.#empty = false;
    this.version++;
    this.onLearned?.(learned);
  }

  #add(learned: readonly LearnedField[]): void {
    this.#fields = undefined;
    for (const { path, definition } of learned) {
      const properties = path
        .split('.')
        .reverse()
        .reduce<Json>((inner, name, at) => (at === 0 ? { [name]: definition } : { [name]: { properties: inner } }), {});
      mergeProperties(
        { limits: this.#limits, analysis: this.#analysis, defaults: this.#defaults, isLearned: true },
        this.#root,
        properties,
        undefined,
        1,
      );
    }
    this.#checkLimits();
    this.#fields = undefined;
  }

  /** As `DocumentMapper.weight`. */
  get weight(): number {
    if (this.#weighed?.version !== this.version) this.#weighed = { version: this.version, weight: this.#weigh() };
    return this.#weighed.weight * (1 + this.#count / HEAVY_FIELDS);
  }

  /** Of the value that is analysed most: by its field, by what is beside that, and by where it is copied to. */
  #weigh(): number {
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
      for (const to of node.field.copyTo) weight += this.fields.get(to)?.analyzer.weight ?? 0;
      most = Math.max(most, weight);
    };
    walk(this.#root);
    return most;
  }

  /** Names of the fields that match a pattern with `*`. */
  matching(pattern: string): readonly MappedField[] {
    if (!pattern.includes('*')) {
      const field = this.field(pattern);
      return field === undefined ? [] : [field];
    }
    return [...this.fields.values()].filter((field) => globMatches(pattern, field.path));
  }

  /** The fields that a name or pattern stands for, each by the name it was found by: an alias keeps its own. */
  named(pattern: string): readonly { readonly name: string; readonly field: MappedField }[] {
    const names = pattern.includes('*')
      ? [...this.fields.keys()].filter((name) => globMatches(pattern, name))
      : [pattern];
    return names.flatMap((name) => {
      const field = this.field(name);
      return field === undefined ? [] : [{ name, field }];
    });
  }
}

/** Whether a metadata field of a mapping says what is so without it. */
function isDefault(key: string, value: unknown): boolean {
  const usual = { _source: '{"enabled":true}', _routing: '{"required":false}' }[key];
  const text = JSON.stringify(value);
  return text === usual || (text === '{}' && key.startsWith('_') && key !== '_meta');
}

/** A mistake in a new mapping, as Elasticsearch words it. */
function inNewMapping(error: unknown, type: string): unknown {
  if (!(error instanceof RequestError) || error instanceof MappingLimitError) return error;
  const { causedBy } = error.details;
  return mapperParsing(`Failed to parse mapping [${type}]: ${error.message}`, {
    type: error.type,
    reason: error.message,
    ...(causedBy === undefined ? {} : { caused_by: causedBy }),
  });
}

function dynamicFormats(value: unknown): DynamicOptions['dateFormats'] {
  return toList(value).map((format) => {
    if (typeof format !== 'string' && !(value === format && typeof value === 'number'))
      throw illegalArgument(`Invalid format: [${show(format)}]: expected string value`);
    return dateFormat(String(format));
  });
}

/** Fields of an index that make its documents twice as heavy: one that is new to a buffer costs as much as a hundred words. */
const HEAVY_FIELDS = 500;

const EMPTY_SOURCE = new Uint8Array(0);
const decoder = new TextDecoder();
