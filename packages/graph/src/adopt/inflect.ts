// English singulars and plurals of the last word of a table's name, and names of GraphQL from names of SQL.
import { plural as regularPlural, shortHash } from '../schema/names.ts';
import { last } from '../present.ts';

const IRREGULAR: readonly (readonly [singular: string, plural: string])[] = [
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
  ['mouse', 'mice'],
  ['goose', 'geese'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['ox', 'oxen'],
  ['datum', 'data'],
  ['criterion', 'criteria'],
  ['index', 'indices'],
  ['vertex', 'vertices'],
  ['matrix', 'matrices'],
  ['appendix', 'appendices'],
  ['movie', 'movies'],
  ['cookie', 'cookies'],
  ['zombie', 'zombies'],
  ['selfie', 'selfies'],
  ['pie', 'pies'],
  ['tie', 'ties'],
  ['cache', 'caches'],
  ['shoe', 'shoes'],
  ['axis', 'axes'],
  ['quiz', 'quizzes'],
];
/** Words that are their own plural, or that no rule fits. */
const UNCOUNTABLE = new Set(
  'news series species staff equipment information metadata media data sms dns gps css js os aws tls https ios sheep fish address_data analytics statistics feedback software hardware'.split(
    ' ',
  ),
);
const SINGULAR: readonly (readonly [RegExp, string])[] = [
  [/(status|bonus|virus|campus|census|corpus|octopus|bus|alias|canvas|gas|atlas|lens|bias|focus)es$/i, '$1'],
  [/(hero|potato|tomato|echo|veto)es$/i, '$1'],
  [/(wol|shel|hal|cal|el|lea|loa|thie|sel)ves$/i, '$1f'],
  [/(li|kni|wi)ves$/i, '$1fe'],
  [/([aeiou]y|ee)s$/i, '$1'],
  [/ies$/i, 'y'],
  [/(analy|cri|the|diagno|synop|paraly|hypothe|ba|empha|oa)ses$/i, '$1sis'],
  [/(ss|sh|ch|x|zz)es$/i, '$1'],
  [/(ss|us|is|lens|gas|atlas|canvas|bias|alias)$/i, '$1'],
  [/s$/i, ''],
];

/** people → person, categories → category, status → status. */
export function singular(word: string): string {
  const known = IRREGULAR.find(([one, many]) => many === word || one === word);
  if (known !== undefined && word !== 'data') return known[0];
  if (UNCOUNTABLE.has(word) || word.length < 3) return word;
  // "bases" and "databases", "uses", "cases": the plural of a word with an e.
  if (/(?:ba|ca|^u|cau|pau|hou|clau|spou|excu|purcha|relea|respon|lea|expen|licen|phra|increa)ses$/i.test(word))
    return word.slice(0, -1);
  const rule = SINGULAR.find(([pattern]) => pattern.test(word));
  return rule === undefined ? word : word.replace(rule[0], rule[1]);
}

/** person → people, category → categories. */
export function pluralOf(word: string): string {
  const known = IRREGULAR.find(([one]) => one === word);
  if (known !== undefined) return known[1];
  if (UNCOUNTABLE.has(word)) return word;
  return /[^aeiou]sis$|[yi]sis$/.test(word) ? word.replace(/sis$/, 'ses') : regularPlural(word);
}

/** The words of a name of SQL in lower case, as far as GraphQL can write them: `OrderDetails`, `order_details`, `Größe`. */
export function sqlWords(name: string): readonly string[] {
  return name
    .replaceAll('ß', 'ss')
    .replaceAll(/[Ææ]/g, 'ae')
    .replaceAll(/[Øø]/g, 'o')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Words with a capital each: `OrderDetail`. */
export function pascal(words: readonly string[], name: string): string {
  const text = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  // A name in a script that GraphQL cannot write.
  if (text === '') return `Name${shortHash(name)}`;
  return /^\d/.test(text) ? `N${text}` : text;
}

/** Words with a capital each but the first: `orderDetail`. */
export function camel(words: readonly string[], name: string): string {
  const text = pascal(words, name);
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The words with the last one in the singular. */
export function singularWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (at === words.length - 1 ? singular(word) : word));
}

/** The words with the last one in the plural. */
export function pluralWords(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (at === words.length - 1 ? pluralOf(singular(word)) : word));
}

/** Hands out names, each once: the first of the candidates that is free, else the last one with a number. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  take(...candidates: readonly string[]): string {
    const free = candidates.find((name) => !this.#taken.has(name.toLowerCase()));
    const base = free ?? last(candidates);
    let name = base;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count++) name = `${base}${count}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
