// Processors that parse texts: JSON, key-value pairs, CSV, and patterns of `dissect`.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { causeOf } from '../json/error-shape.ts';
import { readDissect } from './dissect.ts';
import { fieldValue } from './ingest-document.ts';
import { copyOf, isMembers, parseValue, sizeOf, textOfValue } from './ingest-values.ts';
import type { CreateProcessor, Processors } from './processor.ts';
import type { ConfigReader } from './read-config.ts';
import { laterPattern, readByRegex, splitText } from './text-processors.ts';

const json: CreateProcessor = (config) => {
  const field = config.text('field');
  const given = config.optionalText('target_field');
  const toRoot = config.flag('add_to_root');
  if (toRoot && given !== undefined)
    throw config.refuse('target_field', 'Cannot set a target field while also setting `add_to_root` to true');
  const target = given ?? field;
  return (document) => {
    const given = document.get(field);
    const size = sizeOf(given);
    document.read(PARSED_READS * size);
    document.grow(PARSED_SIZE * size);
    const value = given === null ? null : parsed(textOfValue(given));
    if (!toRoot) return document.set(target, value);
    if (!isMembers(value)) throw illegalArgument('cannot add non-map fields to root of document');
    document.merge(value);
  };
};

/** Parsing a character costs so many times more than reading it, at worst: in numbers with fractions, which keep their notation. */
const PARSED_READS = 8;
/** A value has at most so many times the size of its text. */
const PARSED_SIZE = 2;

function parsed(text: string): unknown {
  try {
    return parseValue(text);
  } catch (error) {
    const { type, reason } = causeOf(error).error;
    throw illegalArgument(reason, { causedBy: { type, reason } });
  }
}

function setOfTexts(config: ConfigReader, name: string): ReadonlySet<string> | undefined {
  const list = config.optionalList(name);
  return list && new Set(list.map(textOfValue));
}

const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '<': '>', '"': '"', "'": "'" };

/** Removes the brackets or quotes around a value. */
const withoutBrackets = (text: string): string =>
  text.length > 1 && BRACKETS[text.charAt(0)] === text.at(-1) ? text.slice(1, -1) : text;

/** Creates the function that removes characters from both ends of a text. */
function trimmer(characters: string | undefined): (text: string) => string {
  if (characters === undefined || characters === '') return (text) => text;
  const taken = new Set(characters.split(''));
  return (text) => {
    let [start, end] = [0, text.length];
    while (start < end && taken.has(text[start]!)) start++;
    while (end > start && taken.has(text[end - 1]!)) end--;
    return text.slice(start, end);
  };
}

const kv: CreateProcessor = (config) => {
  const field = config.template('field');
  const target = config.optionalTemplate('target_field');
  const fieldSplit = laterPattern(config.text('field_split'));
  const valueSplitText = config.text('value_split');
  const valueSplit = laterPattern(valueSplitText);
  const includes = setOfTexts(config, 'include_keys');
  const excludes = setOfTexts(config, 'exclude_keys');
  const prefix = config.optionalText('prefix') ?? '';
  const ignores = config.flag('ignore_missing');
  const trimKey = trimmer(config.optionalText('trim_key'));
  const trimValue = trimmer(config.optionalText('trim_value'));
  const strips = config.flag('strip_brackets');
  return (document) => {
    const path = field(document);
    const value = fieldValue(document, path, ignores, 'cannot extract key-value pairs.');
    if (value === undefined) return;
    const given = document.asText(path, value);
    readByRegex(document, given);
    const root = target?.(document);
    for (const part of splitText(given, fieldSplit, 0)) {
      document.spend(1);
      const pair = splitText(part, valueSplit, 2);
      if (pair.length !== 2) throw illegalArgument(`field [${path}] does not contain value_split [${valueSplitText}]`);
      const own = trimKey(pair[0]!);
      if (includes?.has(own) === false || excludes?.has(own) === true) continue;
      const key = prefix + own;
      const trimmed = trimValue(pair[1]!);
      const text = strips ? withoutBrackets(trimmed) : trimmed;
      const to = root === undefined ? key : `${root}.${key}`;
      if (includes === undefined && document.isMetadata(to)) continue;
      if (document.has(to)) document.append(to, text);
      else document.set(to, text);
    }
  };
};

const dissect: CreateProcessor = (config) => {
  const field = config.text('field');
  const pattern = config.text('pattern');
  const separator = config.optionalText('append_separator') ?? '';
  const ignores = config.flag('ignore_missing');
  const dissector = dissectorOf(pattern, separator, config);
  return (document) => {
    const value = fieldValue(document, field, ignores, 'cannot process it.');
    if (value === undefined) return;
    document.read(pattern.length);
    document.grow(dissector.separators);
    for (const [key, part] of dissector.dissect(document.asText(field, value)))
      if (dissector.names.has(key) || !document.isMetadata(key)) document.set(key, part);
  };
};

function dissectorOf(pattern: string, separator: string, config: ConfigReader): ReturnType<typeof readDissect> {
  try {
    return readDissect(pattern, separator);
  } catch (error) {
    const { type, reason } = causeOf(error).error;
    throw new RequestError(
      'SEARCH_PARSING',
      'exception',
      `org.elasticsearch.dissect.DissectException$PatternParse: ${reason}`,
      { fields: config.refuse(undefined, '').details.fields ?? {}, causedBy: { type, reason } },
    );
  }
}

const csv: CreateProcessor = (config) => {
  const field = config.text('field');
  const names = config.list('target_fields').map(textOfValue);
  if (names.length === 0) throw config.refuse('target_fields', 'target fields list cannot be empty');
  const quote = oneCharacter(config, 'quote', '"');
  const separator = oneCharacter(config, 'separator', ',');
  const trims = config.flag('trim');
  const empty = config.take('empty_value');
  const emptySize = sizeOf(empty);
  const ignores = config.flag('ignore_missing');
  return (document) => {
    const value = fieldValue(document, field, ignores, 'cannot process it.');
    if (value === undefined) return;
    const cells = cellsOf(document.asText(field, value), separator, quote, trims);
    for (const [at, name] of names.entries()) {
      const cell = cells[at];
      if (cell === undefined) break;
      if (cell !== '') document.set(name, cell);
      else if (empty !== undefined) {
        document.grow(emptySize);
        document.set(name, copyOf(empty));
      }
    }
  };
};

function oneCharacter(config: ConfigReader, name: string, fallback: string): string {
  const text = config.optionalText(name) ?? fallback;
  if (text.length === 1) return text;
  throw config.refuse(name, `${name} has to be single character like ${fallback === '"' ? '" or \'' : ', or ;'}`);
}

/** The cells of one line of CSV. */
function cellsOf(text: string, separator: string, quote: string, trims: boolean): readonly string[] {
  const cells: string[] = [];
  const blank = (at: number): boolean => text[at] === ' ' || text[at] === '\t';
  const rest = text.trimEnd().length;
  let at = 0;
  for (;;) {
    if (trims) while (blank(at)) at++;
    if (text[at] === quote) {
      const [cell, end] = quotedCell(text, at + 1, quote);
      at = end;
      if (trims) while (blank(at)) at++;
      if (at < text.length && text[at] !== separator)
        throw illegalArgument(`Illegal character inside unquoted field at ${at}`);
      cells.push(cell);
    } else {
      const next = text.indexOf(separator, at);
      const end = next === -1 ? text.length : next;
      const cell = text.slice(at, end);
      if (cell.includes(quote))
        throw illegalArgument(`Illegal character inside unquoted field at ${at + cell.indexOf(quote)}`);
      let last = end;
      if (trims) while (last > at && blank(last - 1)) last--;
      cells.push(text.slice(at, last));
      at = end;
    }
    // What follows a last separator is no cell.
    at++;
    if (at >= text.length || (trims && at >= rest)) return cells;
  }
}

/** A cell in quotes, and where it ends. */
function quotedCell(text: string, start: number, quote: string): readonly [cell: string, end: number] {
  let cell = '';
  for (let at = start; ;) {
    const end = text.indexOf(quote, at);
    if (end === -1) throw illegalArgument('Unmatched quote');
    cell += text.slice(at, end);
    if (text[end + 1] !== quote) return [cell, end + 1];
    cell += quote;
    at = end + 2;
  }
}

/** By type. */
export const PARSING_PROCESSORS: Processors = { csv, dissect, json, kv };
