// How much one part of an analyzer may make of one text. Parts that join characters or words make of n of them n² tokens and n³
// characters, as far as their sizes (and `index.max_ngram_diff`) let them: 3,000 characters would fill the memory. Not here: how long
// character filters may make a text (char-filter.ts).
import { tick } from '../tasks/request-budget.ts';
import { illegalArgument } from '../errors/request-error.ts';

/** Tokens; with what goes around them, half a gigabyte. A million characters have two million n-grams of one and two. */
const MOST_TOKENS = 4_000_000;
/** Characters of all tokens together. */
const MOST_CHARACTERS = 64_000_000;

/** What making one token takes, in steps, besides its characters. */
const TOKEN_STEPS = 100;

/** Counts what a part makes. */
export class TokenCount {
  readonly #part: string;
  #tokens = 0;
  #characters = 0;

  /** @param part its name, for the message */
  constructor(part: string) {
    this.#part = part;
  }

  /** One more token of that many characters. @throws RequestError when it is too much */
  add(characters: number): void {
    // In a search it may take a whole turn; it goes on in a thread then.
    tick(TOKEN_STEPS + characters);
    this.#characters += characters;
    if (++this.#tokens <= MOST_TOKENS && this.#characters <= MOST_CHARACTERS) return;
    throw tooMuch(this.#part);
  }
}

/** @throws RequestError when there are more tokens than one text may have */
export function checkTokens(tokens: readonly unknown[]): void {
  if (tokens.length > MOST_TOKENS) throw tooMuch('analyzer');
}

function tooMuch(part: string): Error {
  return illegalArgument(
    `the [${part}] makes more than [${MOST_TOKENS}] tokens, or tokens of more than [${MOST_CHARACTERS}] characters, of one text; make its sizes smaller, or the text shorter`,
  );
}
