// Parses `highlight`: the options of each field, with the outer ones as defaults.
import { wordsOf } from '@lockstitch/kernel';
import { asBoolean, asString, isObject, type Json, textOf, tokenOf, toList } from '../json/json.ts';
import { checkToken, coercedInteger, unknownMember, within } from '../json/object-parser.ts';
import { contentError, illegalArgument, parsingError } from '../errors/request-error.ts';
import { DEFAULT_BOUNDARIES, DEFAULT_MARGIN, DEFAULT_SCAN } from './fvh.ts';

const FIELD_KEYS = wordsOf(`
  type pre_tags post_tags fragment_size number_of_fragments fragment_offset no_match_size order require_field_match
  highlight_query matched_fields boundary_scanner boundary_scanner_locale boundary_chars boundary_max_scan
  fragmenter force_source highlight_filter phrase_limit options`);
const GLOBAL_KEYS = [
  'fields',
  'encoder',
  'tags_schema',
  ...FIELD_KEYS.filter((key) => key !== 'matched_fields' && key !== 'fragment_offset'),
];

/** Token types of the options. */
const KINDS: Readonly<Record<string, Parameters<typeof checkToken>[3]>> = {
  ...of('string', 'order', 'boundary_scanner', 'boundary_chars', 'boundary_scanner_locale', 'type', 'fragmenter'),
  ...of('string', 'tags_schema', 'encoder'),
  ...of('strings', 'pre_tags', 'post_tags', 'matched_fields'),
  ...of('number', 'fragment_size', 'number_of_fragments', 'no_match_size', 'boundary_max_scan', 'phrase_limit'),
  ...of('number', 'fragment_offset'),
  ...of('boolean', 'highlight_filter', 'require_field_match', 'force_source'),
  ...of('object', 'options', 'highlight_query'),
};

function of<K>(kind: K, ...names: readonly string[]): Readonly<Record<string, K>> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/** How the texts of one field are highlighted. */
export interface HighlightOptions {
  /** `unified`, `plain`, `fvh`, or a name that is none: refused once there is a hit. */
  readonly type: string;
  /** With `fvh`, one per term or phrase of the query in turn; other highlighters use the first. */
  readonly preTags: readonly string[];
  readonly postTags: readonly string[];
  readonly fragmentSize: number;
  /** 0: whole values. */
  readonly fragments: number;
  readonly noMatchSize: number;
  readonly byScore: boolean;
  readonly html: boolean;
  readonly requireFieldMatch: boolean;
  readonly query: unknown;
  readonly matchedFields: readonly string[];
  readonly scanner: 'sentence' | 'word' | 'chars' | undefined;
  readonly fragmenter: string | undefined;
  /** Locale of sentences and words. */
  readonly locale: string;
  /** Of `fvh`: characters before a match; where fragments end, and how far they are looked for; matches of a field that are looked at. */
  readonly margin: number;
  readonly boundaries: string;
  readonly maxScan: number;
  readonly phraseLimit: number;
}

/** The tags of `"tags_schema": "styled"`. */
const STYLED = Array.from({ length: 10 }, (_, at) => `<em class="hlt${at + 1}">`);

/** Reads `highlight`. @returns fields and patterns in order, with their options */
export function readHighlight(body: Json): readonly (readonly [string, HighlightOptions])[] {
  checkNames(body, 'highlight', GLOBAL_KEYS);
  const given = body['fields'] ?? {};
  if (typeof given !== 'object')
    throw contentError(`[highlight] fields doesn't support values of type: ${tokenOf(given)}`);
  const defaults = readOptions(body, {}, 'highlight');
  const lists = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  const fields = within('highlight', 'fields', () =>
    lists.flatMap((each) => {
      if (!isObject(each) || (Array.isArray(given) && Object.keys(each).length !== 1)) throw wrongFields();
      return Object.entries(each).map(([pattern, own]) =>
        within('fields', pattern, () => {
          if (!isObject(own)) throw contentError(`[highlight_field] Expected START_OBJECT but was: ${tokenOf(own)}`);
          checkNames(own, 'highlight_field', FIELD_KEYS);
          const options = { ...defaults, ...readOptions(own, body, 'highlight_field') };
          checkTags(own);
          return [pattern, options] as const;
        }),
      );
    }),
  );
  checkTags(body);
  return fields;
}

/** @throws RequestError for one tag without the other, once all options are read */
function checkTags({ post_tags: post, pre_tags: pre }: Json): void {
  if (pre !== undefined && post === undefined) throw parsingError('pre_tags are set but post_tags are not set');
}

function wrongFields(): Error {
  return contentError(
    '[fields] can be a single object with any number of fields or an array where each entry is an object with a single field',
  );
}

function checkNames(object: Json, where: string, known: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownMember(where, unknown, known);
}

function readOptions(body: Json, base: Json, where: string): HighlightOptions {
  const pick = (key: string): unknown => body[key] ?? base[key];
  for (const [key, value] of Object.entries(body)) {
    const kind = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
    if (kind !== undefined) checkToken(where, key, value, kind);
  }
  const parsed = <T>(key: string, read: (value: unknown) => T): T | undefined => {
    const value = pick(key);
    if (value === undefined) return undefined;
    try {
      return read(value);
    } catch {
      throw contentError(`[${where}] failed to parse field [${key}]`);
    }
  };
  const number = (key: string, fallback: number): number =>
    parsed(key, (value) => coercedInteger(value, key)) ?? fallback;
  const schema = pick('tags_schema');
  if (schema !== undefined && schema !== 'styled' && schema !== 'default')
    throw contentError('[highlight] failed to parse field [tags_schema]', {
      type: 'illegal_argument_exception',
      reason: `Unknown tag schema [${textOf(schema)}]`,
    });
  const tags = (key: string, fallback: readonly string[]): readonly string[] => {
    const given = pick(key);
    const found = given === undefined ? fallback : toList(given).map((each) => asString(each, key));
    if (found.length === 0) throw parsingError(`[${key}] a string is expected, but got nothing`);
    return found;
  };
  const type = parsed('type', (value) => asString(value, 'type')) ?? 'unified';
  const flag = (key: string): boolean | undefined => parsed(key, (value) => value !== '' && asBoolean(value, key));
  for (const key of ['highlight_filter', 'force_source']) flag(key);
  const scanner = parsed('boundary_scanner', (value) => {
    const name = asString(value, 'boundary_scanner').toLowerCase();
    if (name === 'sentence' || name === 'word' || name === 'chars') return name;
    throw illegalArgument(name);
  });
  const offset = number('fragment_offset', -1);
  /** -1 counts as unset. */
  const unless = (key: string, fallback: number): number => {
    const value = number(key, fallback);
    return value === -1 ? fallback : value;
  };
  return {
    type,
    preTags: tags('pre_tags', schema === 'styled' ? STYLED : ['<em>']),
    postTags: tags('post_tags', ['</em>']),
    fragmentSize: unless('fragment_size', 100),
    fragments: number('number_of_fragments', 5),
    noMatchSize: number('no_match_size', 0),
    byScore: pick('order') !== undefined && textOf(pick('order')).toLowerCase() === 'score',
    html: base['encoder'] === undefined ? body['encoder'] === 'html' : base['encoder'] === 'html',
    requireFieldMatch: flag('require_field_match') ?? true,
    query: pick('highlight_query'),
    scanner,
    fragmenter: parsed('fragmenter', (value) => asString(value, 'fragmenter')),
    locale: readLocale(pick('boundary_scanner_locale')),
    margin: offset === -1 ? DEFAULT_MARGIN : offset,
    boundaries: parsed('boundary_chars', (value) => asString(value, 'boundary_chars')) ?? DEFAULT_BOUNDARIES,
    maxScan: unless('boundary_max_scan', DEFAULT_SCAN),
    phraseLimit: unless('phrase_limit', 256),
    matchedFields: body['matched_fields'] === undefined ? [] : toList(body['matched_fields']).map(textOf),
  };
}

/** A name that is no language tag means no language (Locale.forLanguageTag). */
function readLocale(value: unknown): string {
  if (value === undefined || value === '') return 'en';
  const name = asString(value, 'boundary_scanner_locale').replaceAll('_', '-');
  try {
    return Intl.getCanonicalLocales(name)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
