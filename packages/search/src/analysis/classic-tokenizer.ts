// The tokenizer `classic` and the filter of that name: the grammar of English documents that came before UAX #29. It takes the longest
// of words, words with apostrophes, acronyms, companies, addresses of e-mail, names of hosts and numbers. Which characters these are
// made of is in `classic-characters.ts`.
import { classicKind, DIGIT, IDEOGRAPH, LETTER } from './classic-characters.ts';
import type { TokenFilter } from './token-filter.ts';
import type { Tokenizer } from './tokenizer.ts';
import type { Token } from './token.ts';

const APOSTROPHE = '<APOSTROPHE>';
const ACRONYM = '<ACRONYM>';
const HOST = '<HOST>';
/** A host with a dot behind it, which the term leaves out and the offsets do not. */
const HOST_AND_DOT = '<ACRONYM_DEP>';

/** Finds what begins at a place of one text; places go forward. */
class ClassicReader {
  readonly #text: string;
  /** End of the local part of an e-mail address that starts between the first queried offset and here. */
  #nameEnd = 0;
  #emailEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the longest token at a place, which must be in a word, and its type. */
  read(at: number): { readonly end: number; readonly type: string } {
    const text = this.#text;
    const run = this.#runEnd(at);
    let end = run;
    let type = '<ALPHANUM>';
    // Of those of one length the first is taken.
    const consider = (to: number, as: string): void => {
      if (to <= end) return;
      end = to;
      type = as;
    };
    const letters = this.#lettersEnd(at);
    if (letters > at) {
      const sign = text[letters];
      const next = this.#lettersEnd(letters + 1);
      if (sign === "'") consider(this.#apostrophesEnd(letters), APOSTROPHE);
      consider(this.#acronymEnd(at), ACRONYM);
      if ((sign === '&' || sign === '@') && next > letters + 1) consider(next, '<COMPANY>');
    }
    consider(this.#email(at), '<EMAIL>');
    let host = run;
    let dots = 0;
    while (text[host] === '.') {
      dots++;
      const next = this.#runEnd(host + 1);
      if (next === host + 1) break;
      host = next;
    }
    if (host > run) consider(host, HOST);
    consider(this.#numberEnd(at, 0), '<NUM>');
    consider(this.#numberEnd(at, 1), '<NUM>');
    if (dots > 1 && text[host] === '.') consider(host + 1, HOST_AND_DOT);
    return { end, type };
  }

  #kind(at: number): number {
    return at < this.#text.length ? classicKind(this.#text.charCodeAt(at)) : 0;
  }

  #runEnd(from: number): number {
    let at = from;
    for (let kind = this.#kind(at); kind !== 0 && kind !== IDEOGRAPH; kind = this.#kind(at)) at++;
    return at;
  }

  #lettersEnd(from: number): number {
    let at = from;
    while (this.#kind(at) === LETTER) at++;
    return at;
  }

  #apostrophesEnd(from: number): number {
    let at = from;
    while (this.#text[at] === "'") {
      const next = this.#lettersEnd(at + 1);
      if (next === at + 1) break;
      at = next;
    }
    return at;
  }

  #acronymEnd(from: number): number {
    let at = from;
    while (this.#kind(at) === LETTER && this.#text[at + 1] === '.') at += 2;
    return at - from < 4 ? from : at;
  }

  /** Runs joined by single signs: where they end. */
  #joinedEnd(from: number, signs: string): number {
    let at = this.#runEnd(from);
    while (at < this.#text.length && signs.includes(this.#text[at]!)) {
      const next = this.#runEnd(at + 1);
      if (next === at + 1) break;
      at = next;
    }
    return at;
  }

  #email(at: number): number {
    // The same for each word of one name: a long row of them is read once.
    if (at >= this.#nameEnd) {
      this.#nameEnd = this.#joinedEnd(at, '.-_');
      this.#emailEnd = -1;
      const domain = this.#nameEnd + 1;
      if (this.#text[this.#nameEnd] === '@') {
        const end = this.#joinedEnd(domain, '.-');
        if (end > this.#runEnd(domain) && this.#runEnd(domain) > domain) this.#emailEnd = end;
      }
    }
    return this.#emailEnd;
  }

  /** Runs joined by signs of which every other one has a digit, from the first or from the second one on. */
  #numberEnd(from: number, parity: 0 | 1): number {
    let end = -1;
    for (let at = from, count = 0; ; count++) {
      const run = this.#runEnd(at);
      if (run === at) return end;
      if (count % 2 === parity) {
        const digits = this.#digitsEnd(at);
        if (digits < 0 || (count === 0 && digits < run)) return end;
        if (count > 0) end = digits;
        if (digits < run) return end;
      } else if (count > 0) end = run;
      if (run >= this.#text.length || !'_-/.,'.includes(this.#text[run]!)) return end;
      at = run + 1;
    }
  }

  /** The end of letters and digits with a digit among them; -1 without one. */
  #digitsEnd(from: number): number {
    let at = from;
    let digit = false;
    for (let kind = this.#kind(at); kind === LETTER || kind === DIGIT; kind = this.#kind(at)) {
      digit ||= kind === DIGIT;
      at++;
    }
    return digit ? at : -1;
  }
}

/** `classic`; tokens longer than `maxLength` are left out. */
export function classicTokenizer(maxLength = 255): Tokenizer {
  return (text, end) => {
    const tokens: Token[] = [];
    const reader = new ClassicReader(text);
    let position = 0;
    const add = (start: number, end: number, type: string): void => {
      if (end - start <= maxLength) {
        const dotted = type === HOST_AND_DOT;
        const term = text.slice(start, dotted ? end - 1 : end);
        tokens.push({ term, position, start, end, type: dotted ? HOST : type });
      }
      position++;
    };
    for (let at = 0; at < text.length;) {
      const kind = classicKind(text.charCodeAt(at));
      if (kind === 0) at++;
      else if (kind === IDEOGRAPH) add(at, ++at, '<CJ>');
      else {
        const { end: to, type } = reader.read(at);
        add(at, to, type);
        at = to;
      }
    }
    if (end !== undefined) end.holes = position - 1 - (tokens.at(-1)?.position ?? -1);
    return tokens;
  };
}

/** The filter `classic`: drops `'s` behind words and the dots of acronyms. */
export const classicFilter: TokenFilter = (tokens) => {
  for (const token of tokens) {
    if (token.type === APOSTROPHE) token.term = token.term.replace(/'[sS]$/, '');
    else if (token.type === ACRONYM) token.term = token.term.replaceAll('.', '');
  }
  return tokens;
};
