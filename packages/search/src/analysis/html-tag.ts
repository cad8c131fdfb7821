// Where a start tag of HTML ends: at the first `>`, but those in quotes of event attributes (`onclick="a > b"`) and in server-side
// includes (`<!--#echo … -->`) belong to it. All readings of a broken tag are followed at once, and the longest is taken, as Lucene's
// grammar does. What is made of a tag is in `html-strip.ts`.
import { illegalArgument } from '../errors/request-error.ts';

/** White space as Lucene's grammar of HTML has it, for a class of a regular expression. */
export const SPACE = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const isSpace = new RegExp(`[${SPACE}]`);

const event = new RegExp(
  `on(?:abort|blur|change|click|dblclick|error|focus|keydown|keypress|keyup|load|mousedown|mousemove|mouseout|mouseover|mouseup|reset|select|submit|unload)[${SPACE}]*=[${SPACE}]*['"]`,
  'iy',
);

/** Places within a tag, as bits. */
const PLAIN = 1;
const SINGLE = 2;
const DOUBLE = 4;
const INCLUDE = 8;
const INCLUDE_SINGLE = 16;
const INCLUDE_DOUBLE = 32;

/** How often all tags together may read the text: those that do not end are read again from the next one on. */
const MOST_READINGS = 20;

/** Finds the ends of tags of one text, from its front to its back. */
export class TagReader {
  readonly #text: string;
  #nextGreater = -2;
  #steps: number;

  constructor(text: string) {
    this.#text = text;
    this.#steps = 1_000_000 + MOST_READINGS * text.length;
  }

  /** Where the first `>` from a place on stands; -1 without one. Places do not go back. */
  greaterThan(from: number): number {
    if (this.#nextGreater === -2 || (this.#nextGreater >= 0 && this.#nextGreater < from))
      this.#nextGreater = this.#text.indexOf('>', from);
    return this.#nextGreater;
  }

  /**
   * Tells where the tag ends whose name ends at `from`: behind its `>`, or -1 when it does not end.
   *
   * @param loose whether `/` may stand before `>`, and `=` behind the name
   * @throws RequestError when tags that do not end take too long
   */
  end(from: number, loose: boolean): number {
    const text = this.#text;
    let place = from;
    if (loose && text[place] === '/' && text[place + 1] === '>') return place + 2;
    if (text[place] === '>') return place + 1;
    if (place >= text.length || !(isSpace.test(text[place]!) || (loose && text[place] === '='))) return -1;
    place++;
    let longest = -1;
    let states = PLAIN;
    // What begins at a place that is still ahead: a quoted value or an include.
    let opens = 0;
    let opensAt = -1;
    let includeAt = -1;
    for (; place < text.length; place++) {
      if (place === opensAt) states |= opens;
      if (place === includeAt) states |= INCLUDE;
      if (states === 0 && opensAt <= place && includeAt <= place) break;
      if (--this.#steps < 0)
        throw illegalArgument(
          `html_strip finds too many tags that do not end in a text of [${text.length}] characters; leave out the filter, or repair the text`,
        );
      const unit = text.charCodeAt(place);
      let after = 0;
      if ((states & PLAIN) !== 0) {
        if (unit === 0x3e) longest = place + 1;
        else if (unit !== 0x3c) after |= PLAIN;
        else if (text.startsWith('<!--#', place)) includeAt = place + 5;
        if (unit === 0x6f || unit === 0x4f) {
          event.lastIndex = place;
          if (event.test(text)) {
            opensAt = event.lastIndex;
            opens = text[opensAt - 1] === '"' ? DOUBLE : SINGLE;
          }
        }
      }
      const escapes = text.charCodeAt(place - 1) === 0x5c;
      if ((states & SINGLE) !== 0) after |= unit !== 0x27 ? SINGLE : escapes ? PLAIN | SINGLE : PLAIN;
      if ((states & DOUBLE) !== 0) after |= unit !== 0x22 ? DOUBLE : escapes ? PLAIN | DOUBLE : PLAIN;
      if ((states & INCLUDE) !== 0) {
        after |= unit === 0x27 ? INCLUDE_SINGLE : unit === 0x22 ? INCLUDE_DOUBLE : INCLUDE;
        if (unit === 0x3e && text.startsWith('--', place - 2)) after |= PLAIN;
      }
      if ((states & INCLUDE_SINGLE) !== 0)
        after |= unit !== 0x27 ? INCLUDE_SINGLE : escapes ? INCLUDE | INCLUDE_SINGLE : INCLUDE;
      if ((states & INCLUDE_DOUBLE) !== 0)
        after |= unit !== 0x22 ? INCLUDE_DOUBLE : escapes ? INCLUDE | INCLUDE_DOUBLE : INCLUDE;
      states = after;
    }
    return longest;
  }
}
