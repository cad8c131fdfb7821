// What `_analyze` answers: what an analyzer, or one put together in the request, makes of a text; with `explain`, after each step.
import { runParts } from '../analysis/analyzer.ts';
import { standardAnalysis } from '../analysis/analysis-registry.ts';
import { asBoolean, asObject, asString, checkKeys, isObject, type Json, textOf, toList } from '../json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { illegalArgument, validationError } from '../request-error.ts';

/** What a request asks for, read. */
interface Asked {
  readonly analysis: Mapping['analysis'];
  readonly texts: readonly string[];
  readonly explains: boolean;
  /** Name of an analyzer. */
  readonly named: unknown;
  readonly normalizer: unknown;
  readonly field: MappedField | undefined;
  /** Parts that the request puts together; undefined: none. */
  readonly parts: AskedParts | undefined;
  /** Whether an index is asked. */
  readonly ofIndex: boolean;
}

interface AskedParts {
  readonly tokenizer: unknown;
  readonly filters: readonly unknown[];
  readonly charFilters: readonly unknown[];
}

/** A token of one text. */
interface Found {
  readonly token: string;
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly position: number;
  readonly positionLength?: number | undefined;
}

/**
 * Analyses the texts of a request.
 *
 * @param given the body
 * @param params what the URL says beside it
 * @param mapping of the index that is asked; undefined: of none
 * @param most tokens that may come of it
 * @throws RequestError
 */
export function runAnalyze(
  given: unknown,
  params: Readonly<Record<string, string>>,
  mapping: Mapping | undefined,
  most: number,
): Json {
  const asked = readAsked(given, params, mapping);
  const tokens: Json[] = [];
  let offset = 0;
  let position = 0;
  for (const text of asked.texts) {
    checkCount((part) => tokens.length + tokensOf(part, asked).length, text, most);
    const found = tokensOf(text, asked);
    for (const token of found) {
      tokens.push({
        token: token.token,
        start_offset: token.start + offset,
        end_offset: token.end + offset,
        type: token.type,
        position: token.position + position,
        ...(token.positionLength === undefined || token.positionLength === 1
          ? {}
          : { positionLength: token.positionLength }),
      });
    }
    offset += text.length + 1;
    position = (found.at(-1)?.position ?? -1) + position + 100 + 1;
    if (tokens.length > most) throw tooManyTokens(most);
  }
  return asked.explains ? { detail: detailOf(asked, tokens, most) } : { tokens };
}

function readAsked(given: unknown, params: Readonly<Record<string, string>>, mapping: Mapping | undefined): Asked {
  const body = asObject(given ?? {}, 'analyze');
  checkKeys(body, 'analyze', [
    'text',
    'analyzer',
    'tokenizer',
    'filter',
    'char_filter',
    'normalizer',
    'field',
    'explain',
    'attributes',
  ]);
  const pick = (name: string): unknown => body[name] ?? params[name];
  const texts = pick('text');
  if (texts === undefined) throw validationError('text is missing');
  const list = toList(texts).map((text) => asString(text, 'text'));
  const fieldName = pick('field');
  if (fieldName !== undefined && mapping === undefined)
    throw illegalArgument('analysis based on a specific field requires an index');
  const field = fieldName === undefined ? undefined : mapping!.field(asString(fieldName, 'field'));
  const isCustom = pick('tokenizer') !== undefined || pick('filter') !== undefined || pick('char_filter') !== undefined;
  return {
    analysis: mapping?.analysis ?? standardAnalysis,
    texts: list,
    explains: body['explain'] !== undefined && asBoolean(body['explain'], 'explain'),
    named: pick('analyzer'),
    normalizer: pick('normalizer'),
    field,
    parts:
      isCustom && pick('analyzer') === undefined
        ? {
            tokenizer: pick('tokenizer'),
            filters: asList(pick('filter')),
            charFilters: asList(pick('char_filter')),
          }
        : undefined,
    ofIndex: mapping !== undefined,
  };
}

function tokensOf(text: string, { analysis, named, normalizer, field, parts, ofIndex }: Asked): readonly Found[] {
  const whole = (token: string): readonly Found[] => [{ token, start: 0, end: text.length, type: 'word', position: 0 }];
  if (normalizer !== undefined) {
    const found = analysis.normalizer(asString(normalizer, 'normalizer'));
    if (found === undefined) throw illegalArgument(`failed to find normalizer under [${textOf(normalizer)}]`);
    return whole(found(text));
  }
  if (parts !== undefined)
    return runParts(analysis.custom(parts), text).tokens.map((token) => ({ ...token, token: token.term }));
  if (named === undefined && field !== undefined && field.family !== 'text')
    return whole(field.normalizer === undefined ? text : field.normalizer(text));
  const chosen =
    named === undefined
      ? (field?.analyzer ?? analysis.analyzer('default'))
      : analysis.analyzer(asString(named, 'analyzer'));
  if (chosen === undefined)
    throw illegalArgument(`failed to find ${ofIndex ? '' : 'global '}analyzer [${String(named)}]`);
  const found = chosen.analyze(text);
  return found.terms.map((token, at) => ({
    token,
    start: found.starts[at]!,
    end: found.ends[at]!,
    type: found.types[at] ?? 'word',
    position: found.positions[at]!,
    positionLength: found.lengths?.[at],
  }));
}

/** What each step makes of the texts. */
function detailOf({ analysis, texts, named, field, parts }: Asked, tokens: readonly Json[], most: number): Json {
  if (parts === undefined)
    return { custom_analyzer: false, analyzer: { name: named ?? field?.analyzer.name ?? 'standard', tokens } };
  const { tokenizer, filters, charFilters } = parts;
  return {
    custom_analyzer: true,
    charfilters: charFilters.map((each) => ({ name: partName(each), filtered_text: texts })),
    tokenizer: {
      name: partName(tokenizer ?? 'keyword'),
      tokens: explained(analysis, tokenizer, [], texts, most),
    },
    tokenfilters: filters.map((each, at, all) => ({
      name: partName(each),
      tokens: explained(analysis, tokenizer, all.slice(0, at + 1), texts, most),
    })),
  };
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

function asList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : typeof value === 'string' ? value.split(',') : toList(value);
}

function partName(value: unknown): string {
  return isObject(value) ? `__anonymous__${String(value['type'])}` : String(value);
}

function explained(
  analysis: Mapping['analysis'],
  tokenizer: unknown,
  filterDefinitions: readonly unknown[],
  texts: readonly string[],
  most: number,
): Json[] {
  const parts = analysis.custom({ tokenizer, filters: filterDefinitions });
  const tokens = texts.flatMap((text) => runParts(parts, text).tokens);
  // A filter that comes later may take most of them away again.
  if (tokens.length > most) throw tooManyTokens(most);
  return tokens.map((token) => ({
    token: token.term,
    start_offset: token.start,
    end_offset: token.end,
    type: token.type,
    position: token.position,
    ...(token.keyword === undefined ? {} : { keyword: token.keyword }),
  }));
}
