// The sources of hits as the cluster sends them, byte for byte: reading and printing them again would change numbers.
import { isObject, type Json } from '../json/json.ts';
import { KEY_FIELD } from '../query/cluster/leaves.ts';
import { keyMembers } from './cluster-index.ts';

/** One document of an answer. */
export interface FoundDocument {
  readonly key: string;
  /** As it was written, without what says its key. */
  readonly source: string;
}

/** What the source of each of our documents starts with. In a text it would have backslashes, so it is found where a source starts only. */
const START = `"_source":{"${KEY_FIELD}":`;

/** The documents of the hits of an answer, in their order. @throws TypeError for one that is none of ours */
export function documentsOf(text: string, hits: readonly Json[]): readonly FoundDocument[] {
  let from = 0;
  return hits.map((hit) => {
    const key = isObject(hit['_source']) ? hit['_source'][KEY_FIELD] : undefined;
    const start = text.indexOf(START, from);
    if (typeof key !== 'string' || start < 0) throw new TypeError('a hit of the cluster has no key');
    const begin = start + '"_source":'.length;
    from = endOfObject(text, begin);
    const members = keyMembers(key);
    if (!text.startsWith(members, begin + 1))
      throw new TypeError('a hit of the cluster was not written by this product');
    const rest = text.slice(begin + 1 + members.length, from);
    return { key, source: `{${rest.startsWith(',') ? rest.slice(1) : rest}` };
  });
}

const TOKENS = /["{}]/g;

/** The end of the object that begins at a place. */
function endOfObject(text: string, begin: number): number {
  let depth = 0;
  TOKENS.lastIndex = begin;
  for (let found = TOKENS.exec(text); found !== null; found = TOKENS.exec(text)) {
    if (found[0] === '"') TOKENS.lastIndex = endOfText(text, found.index);
    else if (found[0] === '{') depth++;
    else if (--depth === 0) return found.index + 1;
  }
  throw new TypeError('a source in an answer of the cluster does not end');
}

/** Where a text ends that begins there. */
function endOfText(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  throw new TypeError('a text in an answer of the cluster does not end');
}
