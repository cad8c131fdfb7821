// What `_analyze` answers: what an analyzer, or one put together in the request, makes of a text; with `explain`, after each step.
import { runParts } from '../analysis/analyzer.ts';
import { standardAnalysis } from '../analysis/analysis-registry.ts';
import { asBoolean, asObject, asString, checkKeys, isObject, type Json, textOf, toList } from '../json.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { illegalArgument, validationError } from '../request-error.ts';

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
  const analysis = mapping?.analysis ?? standardAnalysis;
  const texts = pick('text');
  if (texts === undefined) throw validationError('text is missing');
  const list = toList(texts).map((text) => asString(text, 'text'));
  const fieldName = pick('field');
  if (fieldName !== undefined && mapping === undefined)
    throw illegalArgument('analysis based on a specific field requires an index');
  const field = fieldName === undefined ? undefined : mapping!.field(asString(fieldName, 'field'));
  const tokens: Json[] = [];
  let offset = 0;
  let position = 0;
  const isCustom = pick('tokenizer') !== undefined || pick('filter') !== undefined || pick('char_filter') !== undefined;
  const explaining = body['explain'] !== undefined && asBoolean(body['explain'], 'explain');
  const named = pick('analyzer');
  const normalizer = pick('normalizer');
  const run = (
    text: string,
  ): {
    token: string;
    start: number;
    end: number;
    type: string;
    position: number;
    positionLength?: number | undefined;
  }[] => {
    if (normalizer !== undefined) {
      const found = analysis.normalizer(asString(normalizer, 'normalizer'));
      if (found === undefined) throw illegalArgument(`failed to find normalizer under [${textOf(normalizer)}]`);
      return [{ token: found(text), start: 0, end: text.length, type: 'word', position: 0 }];
    }
    if (named === undefined && isCustom) {
      const tokenizer = pick('tokenizer');
      const parts = analysis.custom({
        tokenizer,
        filters: asList(pick('filter')),
        charFilters: asList(pick('char_filter')),
      });
      return runParts(parts, text).tokens.map((token) => ({
        token: token.term,
        start: token.start,
        end: token.end,
        type: token.type,
        position: token.position,
        positionLength: token.positionLength,
      }));
    }
    if (named === undefined && field !== undefined && field.family !== 'text') {
      const value = field.normalizer === undefined ? text : field.normalizer(text);
      return [{ token: value, start: 0, end: text.length, type: 'word', position: 0 }];
    }
    const chosen =
      named === undefined
        ? (field?.analyzer ?? analysis.analyzer('default'))
        : analysis.analyzer(asString(named, 'analyzer'));
    if (chosen === undefined)
      throw illegalArgument(`failed to find ${mapping === undefined ? 'global ' : ''}analyzer [${String(named)}]`);
    const found = chosen.analyze(text);
    return found.terms.map((token, at) => ({
      token,
      start: found.starts[at]!,
      end: found.ends[at]!,
      type: found.types[at] ?? 'word',
      position: found.positions[at]!,
    }));
  };
  for (const text of list) {
    checkCount((part) => tokens.length + run(part).length, text, most);
    const found = run(text);
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
  if (explaining) {
    const detail =
      isCustom && named === undefined
        ? {
            custom_analyzer: true,
            charfilters: asList(pick('char_filter')).map((each) => ({ name: partName(each), filtered_text: list })),
            tokenizer: {
              name: partName(pick('tokenizer') ?? 'keyword'),
              tokens: explained(analysis, pick('tokenizer'), [], list, most),
            },
            tokenfilters: asList(pick('filter')).map((each, at, all) => ({
              name: partName(each),
              tokens: explained(analysis, pick('tokenizer'), all.slice(0, at + 1), list, most),
            })),
          }
        : { custom_analyzer: false, analyzer: { name: named ?? field?.analyzer.name ?? 'standard', tokens } };
    return { detail };
  }
  return { tokens };
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
