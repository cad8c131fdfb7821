// A document in a pipeline: its source, its metadata, and how paths such as `a.b.0` address values in it. Errors have the words of
// Elasticsearch's IngestDocument.
import { illegalArgument } from '../errors/request-error.ts';
import { notANumber, setMember } from '../json/json.ts';
import { UnhandledFailure } from './unhandled-failure.ts';
import { classOf, isMembers, type Members, MOST_LEVELS, sizeOf, textOfValue } from './ingest-values.ts';

/** Names of the metadata of a document. */
const METADATA = [
  '_index',
  '_type',
  '_id',
  '_routing',
  '_version',
  '_version_type',
  '_if_seq_no',
  '_if_primary_term',
] as const;

/** Units of work that one document may cost: 1 for a step, 10 for one with a regular expression, more for what they read. A unit takes 0.1 ms at worst. */
const MOST_UNITS = 20_000;
/** Characters and elements that a step reads for one unit. */
const READ_PER_UNIT = 1000;
/** Cost of finding a path, besides its length. */
const PATH_SIZE = 20;
/** Printing an element costs so many times more than reading it. */
const PRINTED_READS = 8;
/** Maximum depth of nested lists of steps: of pipelines, of `foreach` and of `on_failure`. */
const MOST_NESTED = 200;
/** Characters and elements that the steps of one document may add to it. */
const MOST_CHARACTERS = 10_000_000;

/** The characters that were added to documents that are in memory together. */
export interface Growth {
  characters: number;
}

/** No `on_failure` handles it: its steps would run into the same limit. */
const tooMuch = (what: string): UnhandledFailure =>
  new UnhandledFailure(
    illegalArgument(`the pipelines of one document ${what}`, {
      hint: 'Divide the document, or make its pipelines shorter.',
    }),
  );

/** A document while pipelines change it. */
export class IngestDocument {
  /** Metadata and the source, as pipelines see them. */
  readonly members: Members;
  /** What `_ingest` holds. */
  readonly ingest: Members;
  /** Names of the pipelines that it is in, innermost last. */
  readonly pipelines: string[] = [];
  readonly #growth: Growth;
  #units = 0;
  #nested = 0;

  /** @param source its members with names of metadata are left out: a document does not choose where it is written */
  constructor(metadata: Members, source: Members, timestamp: string, growth: Growth = { characters: 0 }) {
    this.members = { ...metadata };
    this.merge(source);
    this.ingest = { timestamp };
    this.#growth = growth;
  }

  /** Copies the members of an object into the source, except those with names of metadata. */
  merge(members: Members): void {
    for (const [name, value] of Object.entries(members)) if (!isMetadata(name)) setMember(this.members, name, value);
  }

  /** Whether a path leads to metadata, which names from the text of a document may not set. */
  isMetadata(path: string): boolean {
    const { start, steps } = this.#steps(path);
    return start === this.members && isMetadata(steps[0]!);
  }

  /** Counts work. @throws RequestError if the document has cost too much */
  spend(units: number): void {
    if ((this.#units += units) > MOST_UNITS) throw tooMuch(`take more than [${MOST_UNITS}] steps`);
  }

  /** Runs nested steps. @throws RequestError if they are nested too deeply */
  nest<Made>(run: () => Made): Made {
    if (this.#nested >= MOST_NESTED) throw tooMuch(`run more than [${MOST_NESTED}] inside of each other`);
    this.#nested++;
    try {
      return run();
    } finally {
      this.#nested--;
    }
  }

  /** Counts what a step reads. @param size in characters and elements @throws RequestError if the document has cost too much */
  read(size: number): void {
    this.spend(size / READ_PER_UNIT);
  }

  /** Counts the characters that a step adds. @throws RequestError if they are too many */
  grow(characters: number): void {
    if ((this.#growth.characters += characters) > MOST_CHARACTERS)
      throw tooMuch(`make more than [${MOST_CHARACTERS}] characters`);
  }

  /** The source alone. */
  get source(): Members {
    const source: Members = {};
    for (const [name, value] of Object.entries(this.members)) if (!isMetadata(name)) setMember(source, name, value);
    return source;
  }

  get metadata(): Members {
    const found: Members = {};
    for (const name of METADATA)
      if (this.members[name] !== undefined && this.members[name] !== null) found[name] = this.members[name];
    return found;
  }

  /** The value at a path. @throws RequestError if there is none */
  get(path: string): unknown {
    const { start, steps } = this.#steps(path);
    return steps.reduce((context, step) => resolve(step, path, context), start);
  }

  /** The value at a path; undefined if there is none. */
  find(path: string): unknown {
    return this.has(path) ? this.get(path) : undefined;
  }

  /** Whether there is a value at a path. @param isStrict refuses an index beyond the end of a list @throws RequestError */
  has(path: string, isStrict = false): boolean {
    const { start, steps } = this.#steps(path);
    let context = start;
    for (const step of steps) {
      if (isMembers(context)) {
        if (!Object.hasOwn(context, step)) return false;
        context = context[step];
      } else if (Array.isArray(context)) {
        const at = /^\d+$/.test(step) ? Number(step) : -1;
        if (isStrict && at >= 0) indexIn(context, step, path);
        if (at < 0 || at >= context.length) return false;
        context = context[at];
      } else return false;
    }
    return true;
  }

  /** A text. @param value at the path */
  asText(path: string, value: unknown): string {
    if (typeof value === 'string') return value;
    throw castError(`field [${path}]`, value, 'java.lang.String');
  }

  asList(path: string, value: unknown): unknown[] {
    if (Array.isArray(value)) return value;
    throw castError(`field [${path}]`, value, 'java.util.List');
  }

  remove(path: string): void {
    const { context, leaf } = this.#parent(path, resolve);
    if (context === null) throw illegalArgument(`cannot remove [${leaf}] from null as part of path [${path}]`);
    if (Array.isArray(context)) {
      this.read(context.length);
      context.splice(indexIn(context, leaf, path), 1);
    } else if (isMembers(context)) {
      if (!Object.hasOwn(context, leaf)) throw illegalArgument(`field [${leaf}] not present as part of path [${path}]`);
      delete context[leaf];
    } else
      throw illegalArgument(
        `cannot remove [${leaf}] from object of type [${classOf(context)}] as part of path [${path}]`,
      );
  }

  set(path: string, value: unknown): void {
    this.#put(path, () => {
      // Else repeated steps could nest values ever deeper.
      if (typeof value === 'object' && value !== null) this.read(sizeOf(value, path.split('.').length));
      return value;
    });
  }

  /** Appends values to the list at a path; a single value there becomes its first element. */
  append(path: string, values: unknown, allowsDuplicates = true): void {
    this.#put(path, (before) => {
      const list = before === undefined ? [] : Array.isArray(before) ? before : [before];
      if (!allowsDuplicates) this.read(PRINTED_READS * (sizeOf(list) + sizeOf(values)));
      if (Array.isArray(values)) this.grow(values.length);
      const known = allowsDuplicates ? undefined : new Set(list.map((each) => JSON.stringify(each)));
      for (const value of Array.isArray(values) ? values : [values]) {
        const text = known === undefined ? undefined : JSON.stringify(value);
        if (text !== undefined && known!.has(text)) continue;
        if (text !== undefined) known!.add(text);
        list.push(value);
      }
      return list;
    });
  }

  #put(path: string, make: (before: unknown) => unknown): void {
    this.grow(path.length);
    const { context, leaf } = this.#parent(path, resolveOrMake);
    if (context === null) throw illegalArgument(`cannot set [${leaf}] with null parent as part of path [${path}]`);
    if (Array.isArray(context)) {
      const at = indexIn(context, leaf, path);
      context[at] = make(context[at]);
    } else if (isMembers(context))
      setMember(context, leaf, make(Object.hasOwn(context, leaf) ? context[leaf] : undefined));
    else
      throw illegalArgument(
        `cannot set [${leaf}] with parent object of type [${classOf(context)}] as part of path [${path}]`,
      );
  }

  #parent(path: string, step: typeof resolve): { readonly context: unknown; readonly leaf: string } {
    const { start, steps } = this.#steps(path);
    const context = steps.slice(0, -1).reduce((inner, each) => step(each, path, inner), start);
    return { context, leaf: steps.at(-1)! };
  }

  #steps(path: string): { readonly start: unknown; readonly steps: readonly string[] } {
    if (path === '') throw illegalArgument('path cannot be null nor empty');
    this.read(PATH_SIZE + path.length);
    const isOfIngest = path.startsWith('_ingest.');
    const inside = isOfIngest || path.startsWith('_source.') ? path.slice(8) : path;
    // As Java's split: without empty steps at the end.
    const steps = inside.split('.');
    while (steps.length > 1 && steps.at(-1) === '') steps.pop();
    if (steps.length > MOST_LEVELS)
      throw illegalArgument(`a path of [${steps.length}] steps has more than [${MOST_LEVELS}]`);
    if (steps.length === 1 && steps[0] === '') throw illegalArgument(`path [${path}] is not valid`);
    return { start: isOfIngest ? this.ingest : this.members, steps };
  }
}

const isMetadata = (name: string): boolean => (METADATA as readonly string[]).includes(name);

/**
 * The value of the field that a step reads; undefined if it is missing or null and that is ignored. It counts as read, and as added by
 * the step.
 *
 * @param refused the end of the sentence that refuses null
 * @throws RequestError if the field is missing
 */
export function fieldValue(
  document: IngestDocument,
  field: string,
  ignores: boolean,
  refused: string,
  word = 'field',
): unknown {
  const value = ignores ? (document.find(field) ?? null) : document.get(field);
  if (value === null) {
    if (ignores) return undefined;
    throw illegalArgument(`${word} [${field}] is null, ${refused}`);
  }
  const size = sizeOf(value);
  document.read(size);
  document.grow(size);
  return value;
}

export function castError(what: string, value: unknown, to: string, list?: string): Error {
  const where = list === undefined ? '' : ` in list field [${list}]`;
  return illegalArgument(`${what} of type [${classOf(value)}]${where} cannot be cast to [${to}]`);
}

function indexIn(list: readonly unknown[], step: string, path: string): number {
  if (!/^[+-]?\d+$/.test(step))
    throw illegalArgument(`[${step}] is not an integer, cannot be used as an index as part of path [${path}]`, {
      causedBy: notANumber(step),
    });
  const at = Number(step);
  if (at >= 0 && at < list.length) return at;
  throw illegalArgument(`[${at}] is out of bounds for array with length [${list.length}] as part of path [${path}]`);
}

function resolve(step: string, path: string, context: unknown): unknown {
  if (context === null) throw illegalArgument(`cannot resolve [${step}] from null as part of path [${path}]`);
  if (Array.isArray(context)) return context[indexIn(context, step, path)];
  if (!isMembers(context))
    throw illegalArgument(
      `cannot resolve [${step}] from object of type [${classOf(context)}] as part of path [${path}]`,
    );
  if (Object.hasOwn(context, step)) return context[step];
  throw illegalArgument(`field [${step}] not present as part of path [${path}]`);
}

function resolveOrMake(step: string, path: string, context: unknown): unknown {
  if (!isMembers(context)) return resolve(step, path, context);
  if (!Object.hasOwn(context, step)) setMember(context, step, {});
  return context[step];
}

/** A value as text for a template; empty if there is none. */
export function shownInTemplate(value: unknown): string {
  if (value === undefined || value === null) return '';
  // Mustache sees a list as a map of its elements.
  if (Array.isArray(value)) return `{${value.map((each, at) => `${at}=${textOfValue(each)}`).join(', ')}}`;
  return textOfValue(value);
}
