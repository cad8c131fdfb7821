// Random parts of analyzers with their options, and texts that are hard to cut. The parts are those that the free build of Elasticsearch
// has without files.
import type { Random } from '@lockstitch/search/requests';
import { ANALYZERS } from '../../packages/search/src/analysis/built-in-analyzers.ts';
import { CHAR_FILTERS } from '../../packages/search/src/analysis/char-filters.ts';
import type { PartDefinition, PartTable } from '../../packages/search/src/analysis/part-definition.ts';
import type { Option } from '../../packages/search/src/analysis/part-options.ts';
import { TOKEN_FILTERS } from '../../packages/search/src/analysis/token-filters.ts';
import { TOKENIZERS } from '../../packages/search/src/analysis/tokenizers.ts';
import type { Json } from './random-fields.ts';

type Values = readonly unknown[];

/** Values as JSON, which is shorter than one a line. */
const list = <T>(text: string): readonly T[] => JSON.parse(`[${text}]`) as readonly T[];
type Options = Readonly<Record<string, Values>>;

const FLAG: Values = [true, false, true, false, 'true', 'false'];
const SIZES: Values = [1, 2, 3, 4, '2', 5, 10];
const WORDS: Values = list(
  String.raw`["red","fox","Quick"], "red,fox", ["the"], "_english_", "_none_", [], ["_german_","fox"], "_french_"`,
);
const CHARS: Values = list(
  String.raw`["letter"], ["letter","digit"], "letter,digit", ["whitespace","punctuation","symbol"], [], ["letter","custom"]`,
);
const PATTERNS: Values = list(
  String.raw`"\\W+", "[aeiou]", "(\\d+)", "\\s+", ",", "(?i)fox", "([A-Z])(\\w*)", "\\p{L}+", "", "\\bfox\\b", ".", "a|", "[^\\w\\s]", "(?<=e)d",
    "\\p{Lu}"`,
);
const LUCENE_PATTERNS: Values = ['[a-z]+', '[0-9]{2}', 'fox|red', '.', '[^ ]+', '', '"x"', '<1-9>', 'a?', '[ ,]'];

const LANGUAGES: Values = list(
  String.raw`"english", "light_english", "minimal_english", "possessive_english", "porter2", "lovins", "german", "light_german", "minimal_german",
    "german2", "french", "light_french", "minimal_french", "spanish", "light_spanish", "italian", "light_italian", "portuguese",
    "light_portuguese", "minimal_portuguese", "portuguese_rslp", "dutch", "dutch_kp", "swedish", "light_swedish", "norwegian", "light_norwegian",
    "minimal_norwegian", "light_nynorsk", "minimal_nynorsk", "danish", "finnish", "light_finnish", "russian", "light_russian", "hungarian",
    "light_hungarian", "turkish", "arabic", "armenian", "basque", "bengali", "brazilian", "bulgarian", "catalan", "czech", "galician",
    "minimal_galician", "greek", "hindi", "indonesian", "irish", "latvian", "lithuanian", "romanian", "sorani", "estonian", "English", "porter"`,
);
const SNOWBALL: Values = list(
  String.raw`"English", "German", "German2", "French", "Dutch", "Kp", "Lovins", "Porter", "Russian", "Spanish", "Italian", "Swedish", "Norwegian",
    "Danish", "Finnish", "Hungarian", "Turkish", "Romanian", "Basque", "Catalan", "Armenian", "Irish", "Lithuanian", "Portuguese", "Arabic",
    "Estonian"`,
);
const SYNONYMS: Values = list(
  String.raw`["red, crimson","quick => fast"], ["new york, ny, big apple"], ["fox, dog","dog, cat"], ["a b => c"], ["red => "], [], ["# comment","x,y"],
    ["brown fox => animal, beast"], ["the => a"], ["x\\,y, z"]`,
);

/** Values of options that have no others than their kind. */
const BY_KIND: Readonly<Record<Option<unknown>['kind'], Values>> = {
  flag: FLAG,
  integer: SIZES,
  text: ['', ' ', '_', 'x'],
  words: WORDS,
  list: [['red', 'fox'], 'red,fox', []],
  pattern: PATTERNS,
  patternFlags: ['CASE_INSENSITIVE', 'CASE_INSENSITIVE|COMMENTS', 'DOTALL', '', 'MULTILINE'],
  script: [{ source: "token.type == 'ALPHANUM'" }, { source: 'token.term.length() > 3' }],
};

/** Values of options by name, of one type (`type.option`) or of all. */
const BY_NAME: Options = {
  max_token_length: [1, 3, 5, 255, '4'],
  hash_count: [1, 2],
  bucket_count: [512, 4],
  hash_set_size: [1, 2],
  max_output_size: [5, 255, '20'],
  min_gram: [1, 2, 1, '1'],
  max_gram: [2, 3, 2, '3'],
  token_chars: CHARS,
  custom_token_chars: ['+-', '_', ''],
  group: [-1, 0, 1, '0'],
  'simple_pattern.pattern': LUCENE_PATTERNS,
  'simple_pattern_split.pattern': LUCENE_PATTERNS,
  tokenize_on_chars: list(
    String.raw`["whitespace"], ["whitespace","-","\n"], ["letter"], ["punctuation","digit"], ["symbol","x"], [], "-", ["\\u0065"], ["\\n","\\t"]`,
  ),
  'path_hierarchy.delimiter': ['/', '-', ' '],
  'path_hierarchy.replacement': ['/', '_'],
  skip: [0, 1, 2, '1'],
  'delimited_payload.delimiter': ['|', '-', '_'],
  encoding: ['float', 'int', 'identity'],
  ignored_scripts: [['han'], ['hiragana', 'katakana'], ['hangul'], 'han,hangul', []],
  word_list: [['red', 'fox', 'ball', 'foot', 'otb']],
  max_subword_size: [3, 15, '5'],
  side: ['front', 'back'],
  articles: [['l', 'd'], 'l,d', []],
  separator: ['+', ' ', '-'],
  types: [['<NUM>'], ['<ALPHANUM>', '<EMOJI>'], ['word'], '<NUM>,word', []],
  mode: ['include', 'exclude'],
  keywords_pattern: ['fox.*', '.*ing'],
  min: [0, 2, 4, '3'],
  max: [3, 5, 100, '4'],
  max_token_count: [1, 3, '2', 0],
  'lowercase.language': ['greek', 'irish', 'turkish', 'Greek'],
  filters: [['lowercase', 'lowercase, porter_stem'], ['uppercase'], 'lowercase', [], ['lowercase', '']],
  patterns: [['(\\w{2})', '(\\d+)'], '([a-z]+)(\\d*)', ['(x)'], [], ['(([a-z]+)(\\d*))']],
  replacement: ['', 'X', '_', '$1', '$0-', '$1 $1', '$2', '\\$'],
  min_shingle_size: [2, 3, '2'],
  max_shingle_size: [2, 3, 4, '3'],
  token_separator: [' ', '', '_', '+'],
  filler_token: ['_', '', 'X'],
  'snowball.language': SNOWBALL,
  'snowball.name': SNOWBALL,
  language: LANGUAGES,
  name: LANGUAGES,
  rules: [['running => run', 'foxes=>fox'], ['red, blue => colour'], ['wrong'], [], ['a => b => c']],
  synonyms: SYNONYMS,
  format: ['solr', 'wordnet'],
  length: [1, 3, '5', 0, 10],
  type_table: [['- => ALPHA', '. => DIGIT'], ['$ => DIGIT', '\\u002C => SUBWORD_DELIM'], ['x => UPPER'], []],
  escaped_tags: [['b'], 'b,i', []],
  mappings: list(
    String.raw`["a => e","x=>yy"], [":) => _happy_","é => e"], ["ph=>f","p => q"], ["\\u0020 => -"], ["fox=>"], [], ["wrong"], ["a=>b","a=>c"],
      [" => x"], ["🦊 => fox"]`,
  ),
  stem_exclusion: [['foxes'], 'running,foxes'],
};

/** The types of one kind of part, with values of their options. */
function valuesOf(table: PartTable<PartDefinition>): Readonly<Record<string, Options>> {
  return Object.fromEntries(
    table.names.map((type) => [
      type,
      Object.fromEntries(
        Object.entries(table.find(type)?.options ?? {}).map(([name, { kind }]) => [
          name,
          BY_NAME[`${type}.${name}`] ?? BY_NAME[name] ?? BY_KIND[kind],
        ]),
      ),
    ]),
  );
}

/** Elasticsearch has the first two in plugins, cuts words of other scripts by rules of Java in the third, and runs no scripts about tokens in its free build. */
const OTHERS = new Set(['chinese', 'japanese', 'thai', 'condition', 'predicate_token_filter']);

function withoutOthers(parts: Readonly<Record<string, Options>>): Readonly<Record<string, Options>> {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => !OTHERS.has(name)));
}

const KINDS = {
  tokenizer: withoutOthers(valuesOf(TOKENIZERS)),
  filter: withoutOthers(valuesOf(TOKEN_FILTERS)),
  char_filter: valuesOf(CHAR_FILTERS),
  analyzer: withoutOthers(valuesOf(ANALYZERS)),
} as const;

/** Kinds of parts. */
type PartKind = keyof typeof KINDS;

const WRONG: Values = list(
  String.raw`"wrong", "", null, -1, 0, 1.5, [], ["a","b"], {}, {"a":1}, "TRUE", 10000000000, [null], [1], "_absent_", "[", "(", true, "a,b"`,
);
const WRONG_TYPES: Values = list(
  String.raw`"wrong", "", null, 7, "Standard", "nGram", "edgeNGram", "PathHierarchy", "lower_case", "html", ["standard"], {}, "standard",
    "delimited_payload_filter", "synonyms", "stopwords", "icu_folding", "hunspell", "phonetic"`,
);

/** Filters that Elasticsearch takes by their names alone. */
const REFUSED: readonly string[] = ['keyword_repeat', 'type_as_payload'];

/** A part with its options. @param isWrong whether to make a mistake */
function randomPart(random: Random, kind: PartKind, isWrong: boolean): Json {
  const picked = random.pick(Object.keys(KINDS[kind]));
  const type = REFUSED.includes(picked) && !random.once(100) ? 'lowercase' : picked;
  const options = (KINDS[kind] as Readonly<Record<string, Options>>)[type] ?? {};
  const names = Object.keys(options);
  const part: Record<string, unknown> = { type };
  for (const name of names) if (random.once(names.length > 5 ? 3 : 2)) part[name] = random.pick(options[name]!);
  if (!isWrong) return part;
  switch (random.int(4)) {
    case 0:
      part['type'] = random.pick(WRONG_TYPES);
      break;
    case 1:
      // Mostly one that we would refuse by name.
      if (!random.once(40)) break;
      part[
        random.pick([
          'unknown',
          'langage',
          'min_grams',
          'patern',
          'synonyms_path',
          'stopwords_path',
          'version',
          'ignore_cases',
        ])
      ] = random.pick(WRONG);
      break;
    default:
      part[names.length === 0 ? 'type' : random.pick(names)] = random.pick(WRONG);
  }
  return part;
}

/** Parts by name, as most people use them. */
const PLAIN_FILTERS = [
  'lowercase',
  'lowercase',
  'asciifolding',
  'stop',
  'porter_stem',
  'uppercase',
  'trim',
  'unique',
  'reverse',
  'shingle',
  'absent',
];

/** What `_analyze` is asked with parts given in place. */
export function randomChain(random: Random): Json {
  const isWrong = random.once(12);
  const wrongAt = isWrong ? random.int(3) : -1;
  const filters = Array.from({ length: random.int(3) }, (_, at) =>
    random.once(4) ? random.pick(PLAIN_FILTERS) : randomPart(random, 'filter', wrongAt === 1 && at === 0),
  );
  const before = random.once(3)
    ? [random.once(4) ? 'html_strip' : randomPart(random, 'char_filter', wrongAt === 2)]
    : [];
  return {
    tokenizer: random.once(2)
      ? random.pick(['standard', 'whitespace', 'keyword'])
      : randomPart(random, 'tokenizer', wrongAt === 0),
    ...(filters.length > 0 ? { filter: filters } : {}),
    ...(before.length > 0 ? { char_filter: before } : {}),
  };
}

/** Settings of analysis with the names of what they define. */
export function randomAnalysis(random: Random): {
  readonly settings: Json;
  readonly analyzers: readonly string[];
  readonly normalizers: readonly string[];
} {
  const wrongAt = random.once(6)
    ? random.pick(['filter', 'tokenizer', 'char_filter', 'analyzer', 'custom', 'normalizer'] as const)
    : undefined;
  const custom = (at: number): Json => ({
    ...(random.once(2) ? { type: 'custom' } : {}),
    tokenizer: random.pick([
      'own',
      'standard',
      'whitespace',
      'keyword',
      ...(wrongAt === 'custom' ? ['absent', null, 7, ['standard']] : []),
    ]),
    filter: random.pick<unknown>([
      ['own'],
      'own',
      ['lowercase', 'own'],
      ['own', 'lowercase'],
      [],
      ...(wrongAt === 'custom' ? [['absent'], null, 7, {}, [{ type: 'lowercase' }]] : []),
    ]),
    ...(random.once(2)
      ? {
          char_filter: random.pick<unknown>([
            'own',
            ['own'],
            ['html_strip'],
            ...(wrongAt === 'custom' ? ['absent', {}] : []),
          ]),
        }
      : {}),
    ...(random.once(4)
      ? { position_increment_gap: random.pick<unknown>([0, 5, '7', ...(wrongAt === 'custom' ? [-1, 'x'] : [])]) }
      : {}),
    ...(wrongAt === 'custom' && random.once(3)
      ? { [random.pick(['filters', 'wrong', 'stopwords', 'char_filters'])]: ['own'] }
      : {}),
    ...(at === 1 && wrongAt === 'custom' ? random.pick<object>([{ tokenizer: undefined }, {}]) : {}),
  });
  const normal = (): Json => ({
    ...(random.once(2) ? { type: 'custom' } : {}),
    filter: random.pick<unknown>([
      ['lowercase'],
      ['lowercase', 'asciifolding'],
      'uppercase',
      ['own'],
      ['trim', 'own'],
      [],
      ...(wrongAt === 'normalizer' ? [['stop'], ['shingle'], ['absent'], 7, ['porter_stem']] : []),
    ]),
    ...(random.once(3) ? { char_filter: random.pick<unknown>([['own'], ['html_strip'], []]) } : {}),
    ...(wrongAt === 'normalizer' && random.once(2)
      ? random.pick<object>([{ tokenizer: 'keyword' }, { type: 'wrong' }, { type: 'lowercase' }, { wrong: 1 }])
      : {}),
  });
  return {
    settings: {
      filter: { own: randomPart(random, 'filter', wrongAt === 'filter') },
      tokenizer: { own: randomPart(random, 'tokenizer', wrongAt === 'tokenizer') },
      char_filter: { own: randomPart(random, 'char_filter', wrongAt === 'char_filter') },
      analyzer: {
        mine: custom(0),
        ...(random.once(3) ? { other: custom(1) } : {}),
        named: randomPart(random, 'analyzer', wrongAt === 'analyzer'),
      },
      ...(random.once(2) ? { normalizer: { folding: normal() } } : {}),
    },
    analyzers: ['mine', 'named'],
    normalizers: ['folding', 'lowercase'],
  };
}

const TEXTS: readonly string[] = list(
  String.raw`"The Quick Brown-Foxes jumped over 2 lazy dogs!", "O'Neil's l'avion d’été isn't John's", "Wi-Fi PowerShot500 SD-500 XL500-42-AutoCoder j2se",
    "foo@example.com http://example.com/a/b?c=d www.example.org:8080", "/usr/local/lib/node-modules", "Café naïve Übergröße straße Åse øre æble",
    "東京都に行く ひらがな カタカナ 한국어 ｶﾀｶﾅ ＡＢＣ１２３", "🦊 fox 👩‍👩‍👧 🇩🇪 ❤️ 𝒳𝓎", "<b>bold</b> &amp; <i>italic</i><br>line&nbsp;break <script>x</script>",
    "running foxes ran easily, the communities generalizations", "", " ", "3.14 1,000 1.2.3 10-20 50% $9.99 ½ ٣٤ १२", "red|2.5 fox|3 blue|x",
    "new york ny big apple the the fox fox", "ИЗДАНИЕ красивая Ελλάδα ΣΊΣΥΦΟΣ المكتبة کتابخانه हिन्दी বাংলা ไทยแลนด์ İstanbul ISPARTA",
    "Donaudampfschiff football redfox häuser bücher chevaux journaux niños", "a\tb\nc\r\nd e​f　g",
    "U.S.A. I.B.M. AT&T C++ c# x_y_z __init__ snake_case camelCase HTMLParser", "é ﬁne ﬀ ǅ İ ß ſ K",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`,
);

/** A text to cut, or several. */
export function randomText(random: Random): unknown {
  return random.once(8) ? [random.pick(TEXTS), random.pick(TEXTS)] : random.pick(TEXTS);
}
