// The fields that one document brings: each once, and refused where the document brings one name as two types. Elasticsearch sorts all
// that a document brings by name and merges neighbours, which decides which conflict is reported and which type is named first.
import type { LearnedField } from '../index/indexed-document.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { type Json, textOf } from '../json/json.ts';
import { checkUpdate } from './check-update.ts';
import { familyOf } from './field-parameters.ts';

interface Brought extends LearnedField {
  readonly type: string;
  readonly isObject: boolean;
}

/** Collects what a document brings. */
export class DynamicUpdate {
  readonly #all: Brought[] = [];
  /** In the order in which they came. */
  readonly learned: LearnedField[] = [];
  readonly #paths = new Set<string>();

  /** Adds a field or an object. */
  add(path: string, definition: Json): void {
    const type = textOf(definition['type']);
    this.#all.push({ path, definition, type, isObject: type === 'object' || type === 'nested' });
    this.replace(path, definition);
  }

  /** Adds a definition of a field that may be there already. */
  replace(path: string, definition: Json): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    this.learned.push({ path, definition });
  }

  /** @throws RequestError for a name that the document brings as two types, and for names of spaces */
  check(): void {
    if (this.#all.length < 2) {
      this.#all.forEach(checkName);
      return;
    }
    const sorted = this.#all.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    let previous = sorted[0]!;
    for (const [at, brought] of sorted.entries()) {
      checkName(brought);
      if (at === 0) continue;
      if (brought.path !== previous.path) previous = brought;
      // The first two are merged the other way round.
      else if (at === 1) checkMerge(previous, brought, true);
      else checkMerge(brought, previous, false);
    }
  }
}

function checkMerge(into: Brought, other: Brought, isFirst: boolean): void {
  const { path } = into;
  if (into.isObject && other.isObject) return;
  if (into.isObject || (isFirst && other.isObject))
    throw illegalArgument(`can't merge a non object mapping [${path}] with an object mapping`);
  if (into.type !== other.type)
    throw illegalArgument(
      `mapper [${path}] cannot be changed from type [${into.type}] to [${other.isObject ? 'ObjectMapper' : other.type}]`,
    );
  checkUpdate(path, familyOf(into.type), into.definition, other.definition);
}

function checkName({ path }: Brought): void {
  if (/\s/.test(path) && path.includes('.') && path.split('.').some((name) => name.trim() === ''))
    throw illegalArgument(`object field cannot contain only whitespace: ['${path}']`);
}
