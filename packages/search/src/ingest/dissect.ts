// The patterns of the processor `dissect`: `%{key}` between delimiters, cut from left to right without a regular expression.
import { RequestError } from '../errors/request-error.ts';

/** What is done with the text of a key. */
type Kind = 'plain' | 'append' | 'skip' | 'name' | 'value';

interface Key {
  readonly kind: Kind;
  readonly name: string;
  /** Of those that are appended. */
  readonly order: number;
  /** Whether the delimiter may be repeated. */
  readonly skipsPadding: boolean;
  /** What follows it. */
  readonly delimiter: string;
}

/** A pattern that was read. */
export interface Dissector {
  /** The keys that the pattern names; others come from texts. */
  readonly names: ReadonlySet<string>;
  /** Characters that it puts between appended texts at most. */
  readonly separators: number;
  /** @returns texts by key @throws RequestError find_match where the text does not fit */
  dissect(text: string): ReadonlyMap<string, string>;
}

const KINDS: Readonly<Record<string, Kind>> = { '+': 'append', '?': 'skip', '*': 'name', '&': 'value' };

/** @throws RequestError `pattern_parse` */
export function readDissect(pattern: string, separator: string): Dissector {
  const refused = (reason: string): Error =>
    new RequestError('SEARCH_PARSING', 'pattern_parse', `Unable to parse pattern: ${pattern} Reason: ${reason}`);
  const [start = '', ...rest] = pattern.split(/%\{([^}]*?)\}/);
  const keys: Key[] = [];
  for (let at = 0; at < rest.length; at += 2) keys.push({ ...readKey(rest[at]!, refused), delimiter: rest[at + 1]! });
  if (keys.length === 0) throw refused('Unable to find any keys or delimiters.');
  const named = (kind: Kind): readonly string[] => keys.filter((key) => key.kind === kind).map(({ name }) => name);
  if (named('name').toSorted().join() !== named('value').toSorted().join())
    throw refused(
      `Found invalid key/reference associations: '${[...new Set([...named('name'), ...named('value')])].join()}' Please ensure each '*<key>' is matched with a matching '&<key>`,
    );
  const appended = keys.filter(({ kind }) => kind === 'append').length;
  return {
    names: new Set(keys.filter(({ kind }) => kind === 'plain' || kind === 'append').map(({ name }) => name)),
    separators: appended * separator.length,
    dissect(text) {
      const texts = text === '' ? undefined : cut(text, start, keys);
      const found = texts === undefined ? undefined : collect(keys, texts, separator);
      if (found === undefined || found.size === 0)
        throw new RequestError(
          'SEARCH_ILLEGAL_ARGUMENT',
          'find_match',
          `Unable to find match for dissect pattern: ${pattern} against source: ${text}`,
        );
      return found;
    },
  };
}

function readKey(text: string, refused: (reason: string) => Error): Omit<Key, 'delimiter'> {
  const skipsPadding = text.endsWith('->');
  const bare = skipsPadding ? text.slice(0, -2) : text;
  const kind = KINDS[bare.charAt(0)] ?? (bare === '' ? 'skip' : 'plain');
  const [, name = '', order] = /^[+?*&]?(.*?)(?:\/(\d+))?$/s.exec(bare) ?? [];
  if (kind !== 'append') {
    const plain = KINDS[bare.charAt(0)] === undefined ? bare : bare.slice(1);
    if (plain === '' && kind !== 'skip') throw refused(`The key name could not be determined for '${text}'`);
    return { kind, name: plain, order: 0, skipsPadding };
  }
  if (name === '') throw refused(`The key name could not be determined for '${text}'`);
  return { kind, name, order: order === undefined ? -1 : Number(order), skipsPadding };
}

/** The text of each key; undefined where a delimiter is missing. */
function cut(text: string, start: string, keys: readonly Key[]): readonly string[] | undefined {
  if (!text.startsWith(start)) return undefined;
  const texts: string[] = [];
  let from = start.length;
  for (const { delimiter, skipsPadding } of keys) {
    const end = delimiter === '' ? text.length : text.indexOf(delimiter, from);
    if (end === -1) return undefined;
    texts.push(text.slice(from, end));
    from = end + delimiter.length;
    if (skipsPadding && delimiter !== '') while (text.startsWith(delimiter, from)) from += delimiter.length;
  }
  return texts;
}

function collect(keys: readonly Key[], texts: readonly string[], separator: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const appended = new Map<string, { readonly order: number; readonly text: string }[]>();
  for (const { kind, name } of keys) if (kind === 'append') appended.set(name, []);
  const values = new Map<string, string>();
  for (const [at, { kind, name, order }] of keys.entries()) {
    const text = texts[at]!;
    // The key without a sign comes first, then those with an order by it, and the others as they stand.
    if (kind === 'append' || kind === 'plain') appended.get(name)?.push({ order: kind === 'plain' ? -2 : order, text });
    else if (kind === 'value' && !values.has(name)) values.set(name, text);
  }
  for (const [name, parts] of appended)
    found.set(
      name,
      parts
        .toSorted((a, b) => a.order - b.order)
        .map((part) => part.text)
        .join(separator),
    );
  for (const [at, { kind, name }] of keys.entries()) {
    if (kind === 'plain' && !appended.has(name)) found.set(name, texts[at]!);
    if (kind === 'name') found.set(texts[at]!, values.get(name)!);
  }
  return found;
}
