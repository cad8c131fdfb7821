// All char filters: they change a text before it is cut into tokens.
import { illegalArgument } from '../errors/request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { type CharFilter, checkSize, type Edit, splice } from './char-filter.ts';
import { htmlStrip } from './html-strip.ts';
import { fillReplacement, readPattern } from './java-pattern.ts';
import { type PartDefinition, PartTable, unescape, wrongRule } from './part-definition.ts';
import { type Options, required, text, texts, type Values } from './part-options.ts';

/** One type of char filter. */
export interface CharFilterDefinition<Of extends Options = Options> extends PartDefinition<Of> {
  /** Whether normalizers may have it, and terms of patterns go through it. */
  readonly normalizes: boolean;
  build(values: Values<Of>): CharFilter;
}

function defineCharFilter<Of extends Options>(definition: CharFilterDefinition<Of>): CharFilterDefinition<Of> {
  return definition;
}

/** A node of the trie of keys: the next characters, and the replacement of the key that ends here. */
interface KeyPart {
  readonly characters: string;
  /** By the first character of each. */
  readonly next: Map<string, KeyPart>;
  readonly with: string | undefined;
}

/** Characters of a key: at each place of a text as many are looked at. */
const MOST_KEY_CHARACTERS = 256;

/** `mapping`: replaces the longest key found at each place. @throws RequestError for a key that is too long */
export function mappingFilter(rules: ReadonlyMap<string, string>): CharFilter {
  for (const key of rules.keys()) {
    if (key.length > MOST_KEY_CHARACTERS)
      throw illegalArgument(
        `a key of [mappings] has [${key.length}] characters, which is more than the limit of [${MOST_KEY_CHARACTERS}]`,
      );
  }
  const sorted = [...rules].sort(([a], [b]) => (a < b ? -1 : 1));
  const root = partsOf(sorted, 0, sorted.length, 0);
  return (text, most) => {
    const edits: Edit[] = [];
    for (let start = 0; start < text.length;) {
      let part = root.get(text[start]!);
      let at = start;
      let end = start;
      let found: string | undefined;
      while (part !== undefined && text.startsWith(part.characters, at)) {
        at += part.characters.length;
        if (part.with !== undefined) {
          end = at;
          found = part.with;
        }
        part = at < text.length ? part.next.get(text[at]!) : undefined;
      }
      if (found !== undefined) edits.push({ start, end, with: found });
      start = Math.max(start + 1, end);
    }
    return splice(text, edits, most);
  };
}

/** The parts of some sorted keys behind characters that they have in common. */
function partsOf(
  keys: readonly (readonly [string, string])[],
  from: number,
  to: number,
  depth: number,
): Map<string, KeyPart> {
  const parts = new Map<string, KeyPart>();
  for (let at = from; at < to;) {
    const key = keys[at]![0];
    let end = at + 1;
    while (end < to && keys[end]![0][depth] === key[depth]) end++;
    // Of sorted texts the first and the last have in common what all have.
    const last = keys[end - 1]![0];
    let shared = depth + 1;
    while (shared < key.length && key[shared] === last[shared]) shared++;
    const own = key.length === shared ? keys[at]![1] : undefined;
    const next = partsOf(keys, own === undefined ? at : at + 1, end, shared);
    parts.set(key[depth]!, { characters: key.slice(depth, shared), next, with: own });
    at = end;
  }
  return parts;
}

/** `pattern_replace`: replaces every match; `$1` names a group. */
function patternReplace(pattern: BoundedRegex, replacement: string): CharFilter {
  return (text, most) => {
    const edits: Edit[] = [];
    let length = 0;
    for (const match of text.matchAll(pattern.over([text]))) {
      const filled = fillReplacement(replacement, match);
      checkSize(text, (length += filled.length), most);
      edits.push({ start: match.index, end: match.index + match[0].length, with: filled });
    }
    return splice(text, edits, most);
  };
}

/** Reads rules of `mapping`: `from => to`. */
function mappingRules(lines: readonly string[]): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  for (const line of lines) {
    const [, left, right] = /^(.*)\s*=>\s*(.*)\s*$/s.exec(line) ?? [];
    if (left === undefined || right === undefined) throw wrongRule(`Invalid Mapping Rule : [${line}]`);
    const from = unescape(left.trim());
    if (from === '') throw illegalArgument('cannot match the empty string');
    if (rules.has(from)) throw illegalArgument(`match "${from}" was already added`);
    rules.set(from, unescape(right.trim()));
  }
  return rules;
}

const missingPattern = (name: string): string =>
  `pattern is missing for [${name}] char filter of type 'pattern_replace'`;

/** The char filters by type. */
export const CHAR_FILTERS = new PartTable<CharFilterDefinition>('char_filter', {
  html_strip: defineCharFilter({
    aliases: ['htmlStrip'],
    options: { escaped_tags: texts },
    normalizes: false,
    build: ({ escaped_tags }) => htmlStrip(escaped_tags),
  }),
  mapping: defineCharFilter({
    options: {
      mappings: required(texts, () => 'mapping requires either `mappings` or `mappings_path` to be configured'),
    },
    normalizes: true,
    build: ({ mappings }) => mappingFilter(mappingRules(mappings)),
  }),
  pattern_replace: defineCharFilter({
    options: {
      pattern: {
        ...text('', 'pattern'),
        read(definition, key, part) {
          const source = text('', 'pattern').read(definition, key, part);
          if (source === '') throw illegalArgument(missingPattern(part.name));
          return source;
        },
      },
      flags: text('', 'patternFlags'),
      replacement: text(''),
    },
    normalizes: true,
    build: ({ flags, pattern, replacement }) => patternReplace(readPattern(pattern, flags), replacement),
  }),
});
