// Processors that change, cut and join texts.
import type { BoundedRegex } from '../analysis/bounded-regex.ts';
import { htmlStrip } from '../analysis/html-strip.ts';
import { fillReplacement, readPattern } from '../analysis/java-pattern.ts';
import { illegalArgument, parseException, RequestError } from '../errors/request-error.ts';
import { readJavaDouble } from '../json/java-values.ts';
import { notANumber } from '../json/json.ts';
import { castError, fieldValue, type IngestDocument } from './ingest-document.ts';
import { textOfValue } from './ingest-values.ts';
import type { CreateProcessor, Processors } from './processor.ts';
import type { ConfigReader } from './read-config.ts';

/** Units of a step with a regular expression. */
const REGEX_UNITS = 10;
/** Matching a character costs so many times more than reading it, at worst. */
const REGEX_READS = 4;
/** Cost of a match, besides its text. */
const MATCH_SIZE = 10;

/** Counts a text that a regular expression is matched against. */
export function readByRegex(document: IngestDocument, text: string): void {
  document.spend(REGEX_UNITS);
  document.read(REGEX_READS * text.length);
}

/** Makes a value of a text. */
type Change = (text: string, document: IngestDocument) => unknown;

/** Creates a processor that changes a text, or each text of a list. */
const ofTexts =
  (create: (config: ConfigReader) => Change): CreateProcessor =>
  (config) => {
    const field = config.text('field');
    const ignores = config.flag('ignore_missing');
    const target = config.optionalText('target_field') ?? field;
    const change = create(config);
    return (document) => {
      const value = fieldValue(document, field, ignores, 'cannot process it.');
      if (value === undefined) return;
      const all = Array.isArray(value)
        ? value.map((each: unknown) => {
            if (typeof each === 'string') return change(each, document);
            throw castError(`value [${textOfValue(each)}]`, each, `java.lang.String`, field);
          })
        : change(document.asText(field, value), document);
      document.set(target, all);
    };
  };

/** A pattern of a configuration. @throws RequestError naming the member */
function patternOf(config: ConfigReader, name: string): BoundedRegex {
  const source = config.text(name);
  try {
    return readPattern(source);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw config.refuse(name, `Invalid regex pattern. ${error.message}`);
  }
}

const gsub = ofTexts((config) => {
  const pattern = patternOf(config, 'pattern');
  const replacement = config.text('replacement');
  const references = replacement.split('$').length - 1;
  return (text, document) => {
    readByRegex(document, text);
    const pieces: string[] = [];
    let from = 0;
    for (const match of text.matchAll(pattern.over([text]))) {
      document.read(MATCH_SIZE + replacement.length);
      document.grow(replacement.length + references * match[0].length);
      const filled = fillReplacement(replacement, match);
      pieces.push(text.slice(from, match.index), filled);
      from = match.index + match[0].length;
    }
    return pieces.join('') + text.slice(from);
  };
});

/** Reads a pattern; a mistake in it fails each document, and not the pipeline. */
export function laterPattern(source: string): BoundedRegex {
  try {
    return readPattern(source);
  } catch (error) {
    const over = (): never => {
      throw error;
    };
    return { groups: 0, over };
  }
}

/** Splits a text as Java's `split` does. @param most maximum parts; 0: all but empty ones at the end, -1: all */
export function splitText(text: string, pattern: BoundedRegex, most: number): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern.over([text]))) {
    if (most > 0 && parts.length === most - 1) break;
    const end = match.index + match[0].length;
    // An empty match at the beginning or the end does not split.
    if (end === 0 || (match[0] === '' && match.index === text.length)) continue;
    parts.push(text.slice(from, match.index));
    from = end;
  }
  if (from === 0 && parts.length === 0) return [text];
  parts.push(text.slice(from));
  if (most === 0) while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  return parts;
}

const split: CreateProcessor = (config) => {
  const field = config.text('field');
  const ignores = config.flag('ignore_missing');
  const target = config.optionalText('target_field') ?? field;
  const pattern = laterPattern(config.text('separator'));
  const keeps = config.flag('preserve_trailing');
  return (document) => {
    const value = fieldValue(document, field, ignores, 'cannot split.');
    if (value === undefined) return;
    const text = document.asText(field, value);
    readByRegex(document, text);
    const parts = splitText(text, pattern, keeps ? -1 : 0);
    document.read(MATCH_SIZE * parts.length);
    document.set(target, parts);
  };
};

const join: CreateProcessor = (config) => {
  const field = config.text('field');
  const separator = config.text('separator');
  const target = config.optionalText('target_field') ?? field;
  return (document) => {
    const list = document.asList(field, fieldValue(document, field, false, 'cannot join.'));
    if (list.includes(null))
      throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'null_pointer_exception', `field [${field}] has a null in it`);
    document.grow(separator.length * list.length);
    document.set(target, list.map(textOfValue).join(separator));
  };
};

const strip = htmlStrip();

const UNITS: Readonly<Record<string, number>> = {
  b: 0,
  k: 1,
  kb: 1,
  m: 2,
  mb: 2,
  g: 3,
  gb: 3,
  t: 4,
  tb: 4,
  p: 5,
  pb: 5,
};

/** A size in bytes, as in `1.5gb`. */
function bytesOf(text: string): number {
  const given = text.trim().toLowerCase();
  const failed = `failed to parse setting [Ingest Field] with value [${text}] as a size in bytes`;
  const [, digits = '', unit] = /^(.*?)([kmgtp]b?|b)$/s.exec(given) ?? [];
  if (unit === undefined) {
    if (given === '-1' || given === '0') return Number(given);
    throw parseException(`${failed}: unit is missing or unrecognized`);
  }
  const number = digits.trim();
  const isWhole = /^[+-]?\d+$/.test(number);
  const count = isWhole ? Number(number) : readJavaDouble(number);
  if (count === undefined) throw parseException(`failed to parse [${text}]`, { causedBy: notANumber(number) });
  const factor = 1024 ** UNITS[unit]!;
  const reason = (bound: string): string =>
    `Values ${bound} bytes are not supported: ${number}${factor === 1 ? 'b' : `${unit[0]!}b`}`;
  const size = isWhole ? count * factor : Math.trunc(count * factor);
  if (count < -1 || (count === -1 && factor > 1)) throw illegalArgument(reason('less than -1'));
  if (size >= 2 ** 63)
    throw parseException(failed, {
      causedBy: { type: 'illegal_argument_exception', reason: reason('greater than 9223372036854775807') },
    });
  return size;
}

/** As `java.net.URLDecoder` does. */
function decodeUrl(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  const wrong = /%(?![\da-f]{2})(.{0,2})/i.exec(spaced)?.[1];
  if (wrong !== undefined)
    throw illegalArgument(
      wrong.length < 2
        ? 'URLDecoder: Incomplete trailing escape (%) pattern'
        : `URLDecoder: Illegal hex characters in escape (%) pattern - Error at index 0 in: "${wrong}"`,
    );
  return spaced.replaceAll(/(?:%[\da-f]{2})+/gi, (coded) => Buffer.from(coded.replaceAll('%', ''), 'hex').toString());
}

/** By type. */
export const TEXT_PROCESSORS: Processors = {
  bytes: ofTexts(() => bytesOf),
  gsub,
  html_strip: ofTexts(() => (text) => strip(text, Math.max(1_000_000, 2 * text.length)).text),
  join,
  lowercase: ofTexts(() => (text) => text.toLowerCase()),
  split,
  trim: ofTexts(() => (text) => text.trim()),
  uppercase: ofTexts(() => (text) => text.toUpperCase()),
  urldecode: ofTexts(() => decodeUrl),
};
