// The tokenizer `path_hierarchy`: a path and the paths above it.
import { illegalArgument } from '../errors/request-error.ts';
import { character, flag, integer, type Option } from './part-options.ts';
import type { Token } from './token.ts';
import { defineTokenizer, type Tokenizer } from './tokenizer.ts';

interface PathOptions {
  readonly delimiter: string;
  readonly replacement: string;
  readonly skip: number;
  readonly reverse: boolean;
}

/** `path_hierarchy`: `/a/b/c` gives `/a`, `/a/b`, `/a/b/c`, all at position 0. */
function pathTokenizer(options: PathOptions): Tokenizer {
  const { delimiter, replacement, skip, reverse } = options;
  return (text) => {
    const cuts: number[] = [];
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) cuts.push(at);
    const token = (start: number, end: number): Token => ({
      term: text.slice(start, end).split(delimiter).join(replacement),
      position: 0,
      start,
      end,
      type: 'word',
    });
    if (text === '') return [];
    if (reverse) {
      const starts = [0, ...cuts.map((at) => at + 1)].filter((start) => start < text.length);
      checkPaths(text, starts);
      const kept = starts.length - skip;
      return starts.slice(0, Math.max(0, kept)).map((start) => token(start, starts[kept] ?? text.length));
    }
    const ends = [...cuts.filter((at) => at > 0), ...(text.endsWith(delimiter) ? [] : [text.length])];
    if (text.endsWith(delimiter)) ends.push(text.length);
    checkPaths(text, ends);
    const first = skip === 0 ? 0 : (ends[skip - 1] ?? text.length);
    return ends.slice(skip).map((end) => token(first, end));
  };
}

/** Characters of all paths of a text: each holds all before it, so that 1 MB of `/a` would make 250 GB. */
const MOST_PATH_CHARACTERS = 10_000_000;

/** @throws RequestError when a text has too many paths for its length */
function checkPaths(text: string, paths: readonly number[]): void {
  // On average each is half the text.
  if ((paths.length * text.length) / 2 <= MOST_PATH_CHARACTERS) return;
  throw illegalArgument(
    `path_hierarchy makes too much of a text of [${text.length}] characters with [${paths.length}] paths; shorten the text`,
  );
}

const oneCharacter = (fallback: string): Option<string> =>
  character(fallback, (key) => `${key} must be a one char value`);

export const PATH_TOKENIZER = defineTokenizer({
  aliases: ['PathHierarchy'],
  options: {
    delimiter: oneCharacter('/'),
    buffer_size: integer(1024),
    skip: integer(0),
    // The delimiter, where it is not given.
    replacement: {
      ...oneCharacter('/'),
      read(definition, key, part) {
        const delimiter = oneCharacter('/').read(definition, 'delimiter', part);
        return oneCharacter(delimiter).read(definition, key, part);
      },
    },
    reverse: flag(false),
  },
  build({ buffer_size, delimiter, replacement, reverse, skip }) {
    if (buffer_size < 0) throw illegalArgument('bufferSize cannot be negative');
    if (skip < 0) throw illegalArgument('skip cannot be negative');
    return pathTokenizer({ delimiter, replacement, skip, reverse });
  },
});
