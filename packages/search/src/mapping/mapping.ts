// Which fields an index has, how its mapping grows, and what becomes of a document. Definitions are checked in `parse-definition.ts` and
// merged in `merge-definition.ts`, documents walked in `walk-document.ts`; the types of fields are in `field-type.ts`.
import type { Analysis } from '../analysis/analysis-registry.ts';
import { mapperParsing, RequestError } from '../errors/request-error.ts';
import {
  type DocumentMapper,
  type IndexedDocument,
  type LearnedField,
  TooManyForATurn,
} from '../index/indexed-document.ts';
import { isObject, type Json, parseJson, textOf } from '../json/json.ts';
import { NumberLiterals } from '../json/number-literals.ts';
import { runToEnd } from '../tasks/scheduler.ts';
import { globMatches } from '../text/glob.ts';
import { checkMetadata, checkReferences, checkTemplates } from './check-mapping.ts';
import { readDynamic } from './dynamic.ts';
import { fieldAt, fieldsOf, objectsAlong, objectsOf, restoring } from './field-lookup.ts';
import { type FieldDefaults, type MappedField, DEFAULT_DEFAULTS } from './field-type.ts';
import { checkLimits, checkPaths, type MappingLimits, DEFAULT_LIMITS } from './mapping-limits.ts';
import { type ObjectNode, objectNode, printChildren } from './mapping-tree.ts';
import { weightOf } from './mapping-weight.ts';
import { checkNesting, mergeProperties, removeRedundantIncludes } from './merge-definition.ts';
import { type Warn, warnOfMetadata, warnOfNullValues, warnOfObject, warnOfTemplates } from './mapping-warnings.ts';
import { METADATA_FIELDS } from './metadata-fields.ts';
import { convertedFlag } from './parameter-values.ts';
import { checkProperties } from './parse-definition.ts';
import { piecesOf } from './pieces.ts';
import { besideSearchAsYouType, fieldsBeside, printField } from './print-field.ts';
import { RootDefinition, type SourceSetting } from './root-definition.ts';
import { DocumentWalk } from './walk-document.ts';

/** For fields that an index has already. */
const UNLIMITED = { totalFields: Infinity, depth: Infinity, nestedFields: Infinity, nameLength: Infinity };

/** The mapping of one index; grows as documents bring new fields. */
export class Mapping implements DocumentMapper {
  version = 1;
  #root: ObjectNode = objectNode('');
  #definition = new RootDefinition();
  #analysis: Analysis;
  #limits: MappingLimits;
  #defaults: FieldDefaults;
  #fields: ReadonlyMap<string, MappedField> | undefined;
  #beside: readonly { readonly name: string; readonly field: MappedField }[] | undefined;
  #empty = true;
  /** Fields and objects, as they were last counted. */
  #count = 0;
  #weighed: { readonly version: number; readonly weight: number } | undefined;
  /** Whether values that do not fit their fields are left out, and not refused. */
  takesAll = false;
  /** Called with the fields that documents bring. */
  onLearned: ((fields: readonly LearnedField[]) => void) | undefined;

  constructor(
    definition: unknown,
    analysis: Analysis,
    limits: Partial<MappingLimits> = {},
    defaults: FieldDefaults = DEFAULT_DEFAULTS,
  ) {
    this.#analysis = analysis;
    this.#defaults = defaults;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    if (definition === undefined || definition === null) return;
    const given = asDefinition(definition);
    runToEnd(this.#check(given));
    runToEnd(this.#apply(given));
    this.#count = checkLimits(this.#root, this.#limits);
    this.#empty = false;
  }

  get analysis(): Analysis {
    return this.#analysis;
  }

  /** A mapping of some of the fields, whose documents are read as those of this one. */
  restricted(definition: Json): Mapping {
    const found = new Mapping(definition, this.#analysis, UNLIMITED, this.#defaults);
    found.#limits = this.#limits;
    found.takesAll = this.takesAll;
    return found;
  }

  /** Adds a definition to the mapping; existing fields keep their type. @throws RequestError on conflicts */
  merge(definition: unknown): void {
    runToEnd(this.mergeInSteps(definition));
  }

  /**
   * Does what `merge` does, in steps: nothing of it can be seen before the last.
   *
   * @param newType the name of the type where the index or template is new: Elasticsearch words a mistake in it otherwise
   * @param warn takes what Elasticsearch warns of, in the mapping that there is as well
   * @throws RequestError on conflicts
   */
  *mergeInSteps(given: unknown, newType?: string, warn?: Warn): Generator<void, void> {
    const definition = asDefinition(given);
    for (;;) {
      const { version } = this;
      const grown = this.#emptyCopy();
      try {
        // The mapping that there is is read first.
        if (warn !== undefined && !this.#empty) {
          const own = this.toJSON();
          yield* this.#check(own, warn);
          warnOfNullValues(own['properties'], warn);
          warnOfMetadata(own, warn);
        }
        yield* this.#check(definition, warn);
        if (!this.#empty) {
          // What is wrong with the definition alone comes before what contradicts the mapping.
          yield* this.#emptyCopy().#apply(definition);
          yield* grown.#apply(this.toJSON());
          removeRedundantIncludes(grown.#root);
        }
        yield* grown.#apply(definition);
        if (warn !== undefined) {
          warnOfNullValues(definition['properties'], warn);
          warnOfMetadata(definition, warn);
        }
      } catch (error) {
        throw newType === undefined ? error : inNewMapping(error, newType);
      }
      if (!this.#empty) checkMetadata(this.toJSON(), definition);
      checkNesting(this.#root, definition['properties']);
      checkReferences(grown.#root, grown.fields);
      grown.#count = checkLimits(grown.#root, this.#limits);
      // Another request, or a document, has changed the mapping meanwhile.
      if (this.version !== version) continue;
      this.#take(grown);
      return;
    }
  }

  /** Becomes what another mapping is: the same fields, made with changed settings. */
  become(other: Mapping): void {
    this.#analysis = other.#analysis;
    this.#limits = other.#limits;
    this.#defaults = other.#defaults;
    this.takesAll = other.takesAll;
    this.#take(other);
    this.#empty = other.#empty;
  }

  #take(other: Mapping): void {
    this.#root = other.#root;
    this.#definition = other.#definition;
    this.#count = other.#count;
    this.#empty = false;
    this.version++;
    this.#fields = undefined;
  }

  /** @throws RequestError for the first mistake in how fields are written */
  *#check(definition: Json, warn?: Warn): Generator<void, void> {
    for (const piece of piecesOf(definition)) {
      const { dynamic, dynamic_templates: templates, properties } = piece;
      if (dynamic !== undefined) readDynamic(dynamic);
      checkTemplates(templates);
      if (warn !== undefined) {
        warnOfObject(piece, warn);
        if (templates !== undefined) warnOfTemplates(templates, (...field) => this.#tryField(...field, warn), warn);
      }
      if (properties !== undefined) checkProperties(properties, warn);
      yield;
    }
  }

  /** Makes a field, and forgets it. @throws RequestError where it cannot be made */
  #tryField(name: string, field: Json, warn: Warn): void {
    const properties = { [name]: field };
    checkProperties(properties, warn);
    runToEnd(this.#emptyCopy().#apply({ properties }));
    warnOfNullValues(properties, warn);
  }

  #emptyCopy(): Mapping {
    return new Mapping(undefined, this.#analysis, this.#limits, this.#defaults);
  }

  /** Adds a checked definition. */
  *#apply(definition: Json): Generator<void, void> {
    for (const piece of piecesOf(definition)) {
      if (piece['dynamic'] !== undefined) this.#root.dynamic = readDynamic(piece['dynamic']);
      if (piece['enabled'] !== undefined) this.#root.enabled = convertedFlag(piece['enabled'], 'enabled.enabled');
      this.#definition.applyDynamic(piece);
      this.#mergeProperties(piece['properties']);
      yield;
    }
    this.#definition.applyMetadata(definition);
  }

  #mergeProperties(properties: unknown): void {
    mergeProperties({ analysis: this.#analysis, defaults: this.#defaults }, this.#root, properties, undefined);
  }

  /** As `fieldsOf`. */
  get fields(): ReadonlyMap<string, MappedField> {
    if (this.#fields === undefined) {
      this.#fields = fieldsOf(this.#root);
      this.#beside = undefined;
    }
    return this.#fields;
  }

  /** Returns the field at a path; resolves aliases. */
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
    return found.type === 'alias' ? this.fields.get(textOf(found.definition['path'])) : found;
  }

  /** The object at a path: whether it exists and is nested. */
  object(path: string): { readonly nested: boolean } | undefined {
    const along = objectsAlong(this.#root, path);
    return along.at(-1)?.path === path ? along.at(-1) : undefined;
  }

  /** Objects and nested fields by path, with their kind, for `_field_caps`. */
  objects(): ReadonlyMap<string, 'object' | 'nested'> {
    return objectsOf(this.#root);
  }

  /** The innermost nested path that a path lies in. */
  nestedPathOf(path: string): string | undefined {
    return objectsAlong(this.#root, path).findLast(({ nested }) => nested)?.path;
  }

  /** The mapping as `GET _mapping` shows it. */
  toJSON(): Json {
    const { children, dynamic, enabled } = this.#root;
    return {
      ...(dynamic === undefined ? {} : { dynamic: String(dynamic) }),
      ...(enabled ? {} : { enabled: false }),
      ...this.#definition.toJSON(),
      ...(children.size > 0 ? { properties: printChildren(children) } : {}),
    };
  }

  /** What a field's definition looks like in `GET _mapping/field`, below its name there. */
  fieldJson(path: string, includeDefaults: boolean): Json | undefined {
    const node = fieldAt(this.#root, path);
    if (node === undefined) return undefined;
    const type = besideSearchAsYouType(path, this.fields.get(path.slice(0, path.lastIndexOf('.'))));
    if (type !== undefined)
      return { [path]: printField({ ...node.field, type, definition: {} }, undefined, includeDefaults) };
    return { [path.slice(path.lastIndexOf('.') + 1)]: printField(node.field, node.multi, includeDefaults) };
  }

  get sourceSetting(): SourceSetting {
    return this.#definition.sourceSetting;
  }

  get routingRequired(): boolean {
    return this.#definition.routingRequired;
  }

  parse(id: string, source: Uint8Array, routing?: string, most = Infinity): IndexedDocument {
    const json = parseSource(source);
    const learned: LearnedField[] = [];
    const undo: (() => void)[] = [];
    let walk: DocumentWalk;
    try {
      for (;;) {
        walk = this.#walk(id, json, new NumberLiterals(() => decoder.decode(source)));
        const found = walk.run();
        if (found.length === 0) break;
        if (found.length > most) throw new TooManyForATurn();
        undo.push(this.#learn(found));
        learned.push(...found);
      }
    } catch (error) {
      // A refused document leaves no fields behind.
      for (const each of undo.reverse()) each();
      throw error;
    }
    if (learned.length > 0) this.onLearned?.(learned);
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
        options: this.#definition.options,
        takesAll: this.takesAll,
        nestedPathOf: (path) => this.nestedPathOf(path),
      },
      source,
      literals,
    );
  }

  learn(learned: readonly LearnedField[]): void {
    this.#learn(learned);
  }

  /** Adds fields that a document brings, all or none. @returns takes them away again @throws RequestError when they are too many */
  #learn(learned: readonly LearnedField[]): () => void {
    const paths = learned.map(({ path }) => path);
    checkPaths(paths, this.#limits);
    const isEmpty = this.#empty;
    const count = this.#count;
    const restored = paths.map((path) => restoring(this.#root, path));
    try {
      this.#add(learned);
      removeRedundantIncludes(this.#root);
    } catch (error) {
      for (const restore of restored) restore();
      throw error;
    }
    return () => {
      for (const restore of restored) restore();
      this.#fields = undefined;
      this.#count = count;
      this.#empty = isEmpty;
      this.version++;
    };
  }

  /** Only the tree has changed where this throws. @throws RequestError when the fields are too many, or contradict others */
  #add(learned: readonly LearnedField[]): void {
    for (const { path, definition } of learned) {
      const properties = path
        .split('.')
        .reverse()
        .reduce<Json>((inner, name, at) => (at === 0 ? { [name]: definition } : { [name]: { properties: inner } }), {});
      try {
        checkProperties(properties);
        this.#mergeProperties(properties);
      } catch (error) {
        throw this.#isUnmakeable(properties) ? unparsable(error) : error;
      }
    }
    this.#count = checkLimits(this.#root, this.#limits);
    this.#fields = undefined;
    this.#empty = false;
    this.version++;
  }

  /** Whether a field of a document cannot be made, also where no other contradicts it: then the document cannot be parsed. */
  #isUnmakeable(properties: Json): boolean {
    try {
      checkProperties(properties);
      this.#emptyCopy().#mergeProperties(properties);
      return false;
    } catch {
      return true;
    }
  }

  /** As `DocumentMapper.weight`. */
  get weight(): number {
    if (this.#weighed?.version !== this.version)
      this.#weighed = { version: this.version, weight: weightOf(this.#root, this.fields) };
    return this.#weighed.weight * (1 + this.#count / HEAVY_FIELDS);
  }

  /** Names of the fields that match a pattern with `*`. */
  matching(pattern: string): readonly MappedField[] {
    if (!pattern.includes('*')) {
      const field = this.field(pattern);
      return field === undefined ? [] : [field];
    }
    return [...this.fields.values()].filter((field) => globMatches(pattern, field.path));
  }

  /** The text fields with a field beside them, for prefixes or pairs of words, that matches a name or pattern; by that name. */
  besideNamed(pattern: string): readonly { readonly name: string; readonly field: MappedField }[] {
    const { fields } = this;
    this.#beside ??= [...fields.values()].flatMap((field) =>
      fieldsBeside(field, false).map(([name]) => ({ name, field })),
    );
    return this.#beside.filter(({ name }) => globMatches(pattern, name));
  }

  /** The fields that are copied to a field. */
  copiedTo(path: string): readonly string[] {
    return [...this.fields.values()].flatMap((field) => (field.copyTo.includes(path) ? [field.path] : []));
  }

  /** Returns the fields that match a name or pattern, by the matched name: that of an alias stays. */
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

/** Parses the source of a document. @throws RequestError for what is no object */
function parseSource(source: Uint8Array): Json {
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
  if (isObject(json)) return json;
  throw mapperParsing('failed to parse', {
    type: 'not_x_content_exception',
    reason: 'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
  });
}

function asDefinition(given: unknown): Json {
  if (!isObject(given)) throw mapperParsing('Expected map for the mapping definition');
  return given;
}

/** The refusal of a document whose fields cannot be made. */
function unparsable(error: unknown): unknown {
  if (!(error instanceof RequestError) || error.type === 'mapper_parsing_exception') return error;
  return mapperParsing('failed to parse', { type: error.type, reason: error.message });
}

/** A mistake in a new mapping, as Elasticsearch words it. */
function inNewMapping(error: unknown, type: string): unknown {
  if (!(error instanceof RequestError)) return error;
  const { causedBy } = error.details;
  return mapperParsing(`Failed to parse mapping [${type}]: ${error.message}`, {
    type: error.type,
    reason: error.message,
    ...(causedBy === undefined ? {} : { caused_by: causedBy }),
  });
}

/** Fields of an index that make its documents twice as heavy: one that is new to a buffer costs as much as a hundred words. */
const HEAVY_FIELDS = 500;

const EMPTY_SOURCE = new Uint8Array(0);
const decoder = new TextDecoder();
