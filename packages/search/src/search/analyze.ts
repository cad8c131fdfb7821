// What `_analyze` answers: what an analyzer, or one put together in the request, makes of a text; with `explain`, after each step.
import { type AnalyzerParts, runParts } from '../analysis/analyzer.ts';
import { type NamedParts, standardAnalysis } from '../analysis/analysis-registry.ts';
import { LANGUAGES } from '../analysis/language-analyzers.ts';
import { mostCharacters } from '../analysis/char-filter.ts';
import { asString, isObject, type Json, textOf, toList } from '../json/json.ts';
import { exactTokenOf, show } from '../json/java-values.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { FLAG, type Parsed, parseObject, TEXT, TEXTS } from '../json/object-parser.ts';
import { contentError, illegalArgument, validationError } from '../errors/request-error.ts';

/** What a request asks for, read. */
interface Asked {
  readonly analysis: Mapping['analysis'];
  readonly texts: readonly string[];
  readonly explains: boolean;
  /** Of those that `explain` adds, the ones that are shown; none: all. */
  readonly attributes: readonly string[];
  /** Name of an analyzer. */
  readonly named: string | undefined;
  readonly normalizer: string | undefined;
  readonly field: MappedField | undefined;
  /** Parts that the request puts together; undefined: none. */
  readonly parts: NamedParts | undefined;
  /** Whether an index is asked. */
  readonly ofIndex: boolean;
}

/** A token of one text. */
interface Found {
  readonly token: string;
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly position: number;
  readonly positionLength?: number | undefined;
  readonly keyword?: boolean | undefined;
}

/** The tokens of one text, and how many positions it takes. */
interface FoundTokens {
  readonly tokens: readonly Found[];
  readonly end: number;
  /** Of the place up to which it was read; its length when absent. */
  readonly endOffset?: number;
}

/**
 * Analyses the texts of a request.
 *
 * @param given the body
 * @param mapping of the index that is asked; undefined: of none
 * @param most tokens that may come of it
 * @throws RequestError
 */
export function runAnalyze(given: unknown, mapping: Mapping | undefined, most: number): Json {
  const asked = readAsked(given, mapping);
  if (asked.explains) return { detail: detailOf(asked, most) };
  const tokens = tokensOf(asked.texts, (text) => tokensOfText(text, asked), gapOf(asked), most);
  return { tokens: tokens.map(printToken) };
}

/** The tokens of several texts, one behind the other. @param find those of one @param gap positions between two */
function tokensOf(
  texts: readonly string[],
  find: (text: string) => FoundTokens,
  gap: number,
  most: number,
): readonly Found[] {
  const all: Found[] = [];
  let offset = 0;
  let position = 0;
  for (const text of texts) {
    checkCount((part) => all.length + find(part).tokens.length, text, most);
    const { end, endOffset = text.length, tokens } = find(text);
    for (const token of tokens)
      all.push({ ...token, start: token.start + offset, end: token.end + offset, position: token.position + position });
    offset += endOffset + 1;
    position += end + gap;
    if (all.length > most) throw tooManyTokens(most);
  }
  return all;
}

function printToken({ end, position, positionLength = 1, start, token, type }: Found): Json {
  return {
    token,
    start_offset: start,
    end_offset: end,
    type,
    position,
    ...(positionLength === 1 ? {} : { positionLength }),
  };
}

/** @throws RequestError for a definition that is no settings, of which a list holds no null */
function checkPart(part: unknown): void {
  if (!isObject(part)) return;
  if (Object.values(part).some((value) => Array.isArray(value) && value.includes(null)))
    throw illegalArgument(`Failed to parse [${show(part)}]`);
}

/** A name or a definition. */
const PART = {
  kind: 'objectOrString',
  read(value: unknown): unknown {
    checkPart(value);
    return value;
  },
} as const;
const PARTS = {
  kind: 'objects',
  read(value: unknown): readonly unknown[] {
    const list = toList(value);
    const odd = list.find((each) => typeof each !== 'string' && !isObject(each));
    if (odd !== undefined) throw contentError(`Expected [VALUE_STRING] or [START_OBJECT], got ${exactTokenOf(odd)}`);
    for (const each of list) checkPart(each);
    return list;
  },
} as const;

const ANALYZE = {
  text: TEXTS,
  analyzer: TEXT,
  tokenizer: PART,
  filter: PARTS,
  char_filter: PARTS,
  field: TEXT,
  explain: FLAG,
  attributes: TEXTS,
  normalizer: TEXT,
} as const;

/** @throws RequestError for parts that do not go together */
function checkParts(
  { analyzer, char_filter: chars, field, filter, normalizer, text, tokenizer }: Parsed<typeof ANALYZE>,
  hasIndex: boolean,
): void {
  const hasParts = tokenizer !== undefined || (filter ?? []).length > 0 || (chars ?? []).length > 0;
  const problems = [
    ...((text ?? []).length === 0 ? ['text is missing'] : []),
    ...(!hasIndex && normalizer !== undefined ? ['index is required if normalizer is specified'] : []),
    ...(normalizer !== undefined && (tokenizer !== undefined || analyzer !== undefined)
      ? ['tokenizer/analyze should be null if normalizer is specified']
      : []),
    ...(analyzer !== undefined && hasParts ? ['cannot define extra components on a named analyzer'] : []),
    ...(normalizer !== undefined && hasParts ? ['cannot define extra components on a named normalizer'] : []),
    ...(field !== undefined && hasParts ? ['cannot define extra components on a field-specific analyzer'] : []),
  ];
  if (problems.length > 0) throw validationError(...problems);
}

/** The members of a request. @throws RequestError for the first mistake, before any index is asked */
export function readAnalyze(given: unknown, hasIndex: boolean): Parsed<typeof ANALYZE> {
  if (!isObject(given)) throw contentError(`[analyze_request] Expected START_OBJECT but was: ${exactTokenOf(given)}`);
  const body = parseObject(given, 'analyze_request', ANALYZE);
  checkParts(body, hasIndex);
  return body;
}

function readAsked(given: unknown, mapping: Mapping | undefined): Asked {
  const body = readAnalyze(given, mapping !== undefined);
  const { analyzer, attributes = [], explain = false, field: fieldName, normalizer, text = [] } = body;
  if (fieldName !== undefined && analyzer === undefined && mapping === undefined)
    throw illegalArgument('analysis based on a specific field requires an index');
  const field = fieldName === undefined ? undefined : mapping?.field(fieldName);
  if (
    field !== undefined &&
    analyzer === undefined &&
    normalizer === undefined &&
    field.family !== 'text' &&
    field.type !== 'keyword'
  )
    throw illegalArgument(
      `Can't process field [${fieldName}], Analysis requests are only supported on tokenized fields`,
    );
  return {
    analysis: mapping?.analysis ?? standardAnalysis,
    texts: text,
    attributes: attributes.map((each) => each.toLowerCase()),
    explains: explain,
    named: analyzer,
    normalizer,
    field,
    parts: partsOf(body),
    ofIndex: mapping !== undefined,
  };
}

/** The analyzer that a request puts together, by its parts. */
function partsOf({
  char_filter: charFilters = [],
  filter: filters = [],
  tokenizer,
}: Parsed<typeof ANALYZE>): NamedParts | undefined {
  if (tokenizer === undefined && filters.length + charFilters.length === 0) return undefined;
  return { tokenizer, filters, charFilters };
}

/** Positions between two texts, as Elasticsearch counts them: those of the analyzers of an index, and of parts that are not explained. */
function gapOf({ analysis, explains, field, named, normalizer, ofIndex, parts }: Asked): number {
  if (parts !== undefined) return explains ? 0 : 100;
  if (!ofIndex || normalizer !== undefined) return 0;
  if (named !== undefined) return analysis.analyzer(named)?.positionIncrementGap ?? 0;
  if (field === undefined) return analysis.analyzer('default')?.positionIncrementGap ?? 0;
  return field.family === 'text' && !/\._\dgram$/.test(field.path) ? field.analyzer.positionIncrementGap : 0;
}

/** What is put together without a tokenizer is a normalizer. */
function customParts({ analysis }: Asked, parts: NamedParts): AnalyzerParts {
  return analysis.custom(parts, parts.tokenizer === undefined);
}

function tokensOfText(text: string, asked: Asked): FoundTokens {
  const { analysis, named, normalizer, field, parts, ofIndex } = asked;
  const whole = (token: string): FoundTokens => ({
    tokens: [{ token, start: 0, end: text.length, type: 'word', position: 0 }],
    end: 1,
  });
  if (normalizer !== undefined) {
    const found = analysis.normalizer(asString(normalizer, 'normalizer'));
    if (found === undefined) throw illegalArgument(`failed to find normalizer under [${textOf(normalizer)}]`);
    return whole(found(text));
  }
  if (parts !== undefined) return runNamed(customParts(asked, parts), text);
  if (named === undefined && field !== undefined && field.family !== 'text')
    return whole(field.normalizer === undefined ? text : field.normalizer(text));
  const chosen =
    named === undefined
      ? (field?.analyzer ?? analysis.analyzer('default'))
      : analysis.analyzer(asString(named, 'analyzer'));
  if (chosen === undefined)
    throw illegalArgument(`failed to find ${ofIndex ? '' : 'global '}analyzer [${String(named)}]`);
  const found = chosen.analyze(text);
  return {
    tokens: found.terms.map((token, at) => ({
      token,
      start: found.starts[at]!,
      end: found.ends[at]!,
      type: found.types[at] ?? 'word',
      position: found.positions[at]!,
      positionLength: found.lengths?.[at],
    })),
    end: found.endPosition,
  };
}

function runNamed(parts: AnalyzerParts, text: string): FoundTokens {
  const { tokens, ...ends } = runParts(parts, text);
  return { tokens: tokens.map((token) => ({ ...token, token: token.term })), ...ends };
}

/** What each step makes of the texts. */
function detailOf(asked: Asked, most: number): Json {
  const { analysis, field, named, normalizer, texts } = asked;
  const parts = asked.parts ?? ownParts(asked);
  const wanted = (tokens: readonly Found[], marks: boolean): Json[] =>
    tokens.map((token) => explained(token, marks, asked));
  if (parts === undefined) {
    const usual = field?.family === 'keyword' ? '_keyword' : (field?.analyzer.name ?? 'default');
    const name = textOf(normalizer ?? named ?? usual);
    const tokens = tokensOf(texts, (text) => tokensOfText(text, asked), gapOf(asked), most);
    return {
      custom_analyzer: false,
      analyzer: {
        name,
        tokens: wanted(tokens, LANGUAGES.includes(name)),
      },
    };
  }
  const { tokenizer = 'keyword', filters, charFilters } = parts;
  const step = (count: number): Json[] => {
    const own = analysis.custom({ tokenizer, filters: filters.slice(0, count), charFilters });
    return wanted(
      tokensOf(texts, (text) => runNamed(own, text), gapOf(asked), most),
      own.marksKeywords,
    );
  };
  const changed = filteredTexts(customParts(asked, parts).charFilters ?? [], texts);
  return {
    custom_analyzer: true,
    charfilters: charFilters.map((each, at) => ({ name: partName(each, 'char_filter'), filtered_text: changed[at]! })),
    tokenizer: { name: partName(tokenizer, 'tokenizer'), tokens: step(0) },
    tokenfilters: filters.map((each, at) => ({ name: partName(each, 'filter'), tokens: step(at + 1) })),
  };
}

/** The parts of the analyzer or normalizer of a name or field, where the index puts it together. */
function ownParts({ analysis, field, named, normalizer }: Asked): NamedParts | undefined {
  if (normalizer !== undefined) return analysis.partsOf('normalizer', textOf(normalizer));
  if (named !== undefined) return analysis.partsOf('analyzer', textOf(named));
  if (field?.family === 'keyword')
    return analysis.partsOf('normalizer', textOf(field.definition['normalizer'] ?? 'lowercase'));
  return field === undefined ? undefined : analysis.partsOf('analyzer', field.analyzer.name);
}

/** What each character filter makes of the texts, one after the other. */
function filteredTexts(filters: NonNullable<AnalyzerParts['charFilters']>, texts: readonly string[]): string[][] {
  let current = [...texts];
  return filters.map((filter) => (current = current.map((text) => filter(text, mostCharacters(text)).text)));
}

/** Characters of a text that are analysed first. */
const FIRST_PART = 1 << 16;

/** Looks at ever longer beginnings of a long text: one that has too many tokens is refused before all of them are made. */
function checkCount(count: (part: string) => number, text: string, most: number): void {
  for (let length = FIRST_PART; length < text.length; length *= 4) {
    // The last token may be one that was cut.
    if (count(text.slice(0, length)) > most + 1) throw tooManyTokens(most);
  }
}

function tooManyTokens(most: number): Error {
  return illegalArgument(
    `The number of tokens produced by calling _analyze has exceeded the allowed maximum of [${most}]. This limit can be set by changing the [index.analyze.max_token_count] index level setting.`,
  );
}

function partName(value: unknown, kind: string): string {
  return isObject(value) ? `__anonymous__${textOf(value['type'] ?? kind)}` : textOf(value);
}

/** Attributes beside those that are always shown. */
function explained(found: Found, marks: boolean, { attributes }: Asked): Json {
  const bytes = [...Buffer.from(found.token)].map((byte) => byte.toString(16)).join(' ');
  const more: Json = {
    bytes: `[${bytes}]`,
    positionLength: found.positionLength ?? 1,
    termFrequency: 1,
    ...(marks ? { keyword: found.keyword ?? false } : {}),
  };
  const shown = Object.entries(more).filter(
    ([name]) => attributes.length === 0 || attributes.includes(name.toLowerCase()),
  );
  const { positionLength: _length, ...usual } = printToken(found);
  return { ...usual, ...Object.fromEntries(shown) };
}
