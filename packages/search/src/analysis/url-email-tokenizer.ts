// The tokenizer `uax_url_email`: words by UAX #29, but addresses of the web and of e-mail stay whole (RFC 3986, RFC 5321 as Lucene reads
// them). At each place the longest of them and of a word is taken; names of hosts without a scheme end with a known top-level domain and
// before what is in no word.
import { illegalArgument } from '../errors/request-error.ts';
import { readWord } from './standard-tokenizer.ts';
import type { Tokenizer } from './tokenizer.ts';
import type { Token } from './token.ts';
import { domainRank, LONGEST_DOMAIN } from './top-level-domains.ts';
import { characterAt } from '../text/code-points.ts';

const OCTET = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})';
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
const HEX = '[0-9A-Fa-f]{1,4}';
const LAST = `(?:${IPV4}|${HEX}:${HEX})`;
const IPV6 = `(?:${[
  `(?:${HEX}:){6}${LAST}`,
  `::(?:${HEX}:){5}${LAST}`,
  `(?:${HEX})?::(?:${HEX}:){4}${LAST}`,
  ...[3, 2, 1, 0].map((rest) => `(?:(?:${HEX}:){0,${4 - rest}}${HEX})?::(?:${HEX}:){${rest}}${LAST}`),
  `(?:(?:${HEX}:){0,5}${HEX})?::${HEX}`,
  `(?:(?:${HEX}:){0,6}${HEX})?::`,
].join('|')})`;
const LABEL = '[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?';
const LOOSE_HOST = `(?:\\[${IPV6}\\]|${LABEL}(?:\\.${LABEL})*)`;
const PERCENT = '%[0-9A-Fa-f]{2}';
const LOGIN_PART = `(?:[-._~A-Za-z0-9!$&'()*+,;=]|${PERCENT})*`;
const LOGIN = `${LOGIN_PART}(?::${LOGIN_PART})?@`;
const PORT = ':[0-9]{1,5}';
const TEXT = `(?:[-._~A-Za-z0-9!$&'()*+,;=:@/?]|${PERCENT})*`;
const FRAGMENT = `(?:#${TEXT})?`;
const TAIL = `(?:${PORT})?(?:/(?:[-._~A-Za-z0-9;:@&=]|${PERCENT})*)*(?:\\?${TEXT})?${FRAGMENT}`;
const PATH = `(?:/(?:[-._~A-Za-z0-9?:@&=]|${PERCENT})*)+`;

/** With and without a login: either may be the longer one. */
const urls = [
  new RegExp(`https?://${LOGIN}${LOOSE_HOST}${TAIL}`, 'iy'),
  new RegExp(`https?://${LOOSE_HOST}${TAIL}`, 'iy'),
  new RegExp(`ftp://${LOGIN}${LOOSE_HOST}(?:${PORT})?${PATH}(?:;type=[aid])?${FRAGMENT}`, 'iy'),
  new RegExp(`ftp://${LOOSE_HOST}(?:${PORT})?${PATH}(?:;type=[aid])?${FRAGMENT}`, 'iy'),
  new RegExp(`file://(?:${LOOSE_HOST})?${PATH}${FRAGMENT}`, 'iy'),
];
const tail = new RegExp(TAIL, 'y');
const bracketed = new RegExp(`\\[${IPV6}\\]`, 'y');
const firstOctets = new RegExp(`(?:${OCTET}\\.){3}`, 'y');
const octet = /[0-9]{1,3}/y;
const label = new RegExp(`${LABEL}(?![-A-Za-z0-9])`, 'y');
const run = /[A-Za-z0-9-]+/y;
const inWord = /[-\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

const QUOTED = '"(?:[\\x01-\\x08\\x0b\\x0c\\x0e-!#-[\\]-~]|\\\\[\\0-\\x7f])*"';
const atoms = /[A-Za-z0-9!#$%&'*+-/=?^_`{|}~]*/y;
const ATOM = "[A-Za-z0-9!#$%&'*+-/=?^_`{|}~]";
// A quoted text begins a label: behind a dot, which has another label before it.
const localPart = new RegExp(`(?:${QUOTED}\\.|${ATOM}+\\.(?="))*(?:${QUOTED}|${ATOM}+)@`, 'y');
const BRACKETED_HOST = '\\[(?:[\\x01-\\x08\\x0b\\x0c\\x0e-Z^-\\x7f]|\\\\[\\0-\\x7f])*\\]';
const mailHost = new RegExp(BRACKETED_HOST, 'y');
const mailto = /mailto:/iy;

/** Where a sticky pattern ends that begins at a place; -1 without it. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Takes a possible end of a host, and how much shorter its top-level domain is than the one it begins. */
type HostSink = (end: number, rank: number) => void;

/** Finds all ends of a host with a top-level domain. */
function domainEnds(text: string, at: number, sink: HostSink): void {
  for (let from = at; ;) {
    const end = endOf(label, text, from);
    if (end < 0 || text[end] !== '.') return;
    from = end + 1;
    const most = Math.min(endOf(run, text, from), from + LONGEST_DOMAIN);
    for (let to = from + 2; to <= most; to++) {
      const rank = domainRank(text.slice(from, to).toLowerCase());
      if (rank === undefined) continue;
      sink(to, rank);
      // The dot of the root.
      if (text[to] === '.') sink(to + 1, rank);
    }
  }
}

/** Finds all ends of a host: also addresses by number. */
function hostEnds(text: string, at: number, sink: HostSink): void {
  if (text[at] === '[') {
    const end = endOf(bracketed, text, at);
    if (end >= 0) sink(end, 0);
    return;
  }
  const last = endOf(firstOctets, text, at);
  if (last >= 0) {
    const end = endOf(octet, text, last);
    for (let to = last + 1; to <= end; to++) if (Number(text.slice(last, to)) < 256) sink(to, 0);
  }
  domainEnds(text, at, sink);
}

/** Where the e-mail address ends that begins at a place; -1 without one. */
function emailEnd(text: string, at: number): number {
  const host = endOf(localPart, text, at);
  if (host < 0) return -1;
  if (text[host] === '[') return endOf(mailHost, text, host);
  let longest = -1;
  domainEnds(text, host, (end) => {
    longest = Math.max(longest, end);
  });
  return longest;
}

/** What begins at a place: `length` decides, and counts what has to follow; `end` is behind the token. */
interface Match {
  readonly length: number;
  readonly end: number;
  /** `again`: a host that goes on as a word; it is read again without such hosts. */
  readonly type: '<URL>' | '<EMAIL>' | 'mailto' | 'again';
}

/** The longest address at a place of a window; the first of those of one length. */
function address(text: string, at: number, hosts: boolean, mails: boolean): Match | undefined {
  let best: Match | undefined;
  let bestOrder = 0;
  const consider = (length: number, end: number, type: Match['type'], order: number): void => {
    if (best !== undefined && (length < best.length || (length === best.length && order >= bestOrder))) return;
    best = { length, end, type };
    bestOrder = order;
  };
  const first = text[at]!;
  if (/[a-z0-9[]/i.test(first)) {
    if (/[hf]/i.test(first)) {
      for (const url of urls) {
        const end = endOf(url, text, at);
        if (end >= 0) consider(end, end, '<URL>', 0);
      }
    }
    hostEnds(text, at, (end, rank) => {
      const longer = endOf(tail, text, end);
      if (longer > end) consider(longer, longer, '<URL>', 0);
      const follows = end < text.length && inWord.test(characterAt(text, end));
      if (end < text.length && !follows) consider(end + 1, end, '<URL>', 1);
      if (!hosts || rank > 2) return;
      if (follows) consider(end + 1, at, 'again', 2 + 2 * rank);
      consider(end, end, '<URL>', 3 + 2 * rank);
    });
  }
  if (/[mM]/.test(first)) {
    const colon = endOf(mailto, text, at);
    const end = colon < 0 ? -1 : emailEnd(text, colon);
    if (end >= 0) consider(end, colon - 1, 'mailto', 8);
  }
  const end = mails ? emailEnd(text, at) : -1;
  if (end >= 0) consider(end, end, '<EMAIL>', 9);
  return best;
}

/** Whether a word, from a place on, can be anything but a word: what addresses have is near. */
const special = /[@.[:]/g;

/** Characters of a token: at each place of a text as many may be looked at. */
const MOST_LENGTH = 4096;

/** `uax_url_email`; what is longer than `maxLength` is cut there. @throws RequestError when that is too much */
export function urlEmailTokenizer(maxLength = 255): Tokenizer {
  if (maxLength > MOST_LENGTH)
    throw illegalArgument(
      `[max_token_length] of uax_url_email must be at most [${MOST_LENGTH}] but was [${maxLength}]`,
    );
  return (text) => {
    const tokens: Token[] = [];
    let hosts = true;
    let nextSpecial = -1;
    let atomsEnd = 0;
    for (let at = 0; at < text.length;) {
      if (nextSpecial < at) {
        special.lastIndex = at;
        nextSpecial = special.test(text) ? special.lastIndex - 1 : text.length;
      }
      // No more than the longest token is ever looked at, nor half a character.
      let border = Math.min(at + maxLength, text.length);
      if (border > at + 1 && (text.charCodeAt(border - 1) & 0xfc00) === 0xd800) border--;
      const window = text.slice(at, border);
      // Where a name of an e-mail ends is the same for each word of it.
      if (atomsEnd <= at) atomsEnd = endOf(atoms, text, at);
      const mails = text[at] === '"' || text[atomsEnd] === '@' || text[atomsEnd] === '"';
      const found = nextSpecial - at < window.length ? address(window, 0, hosts, mails) : undefined;
      let end = 0;
      let type = '';
      const next = readWord(
        window,
        0,
        (_, to, as) => {
          if (type !== '') return;
          end = to;
          type = as;
        },
        maxLength,
      );
      if (found !== undefined && found.length >= end) {
        if (found.type === 'again') {
          hosts = false;
          continue;
        }
        end = found.end;
        type = found.type === 'mailto' ? '<ALPHANUM>' : found.type;
      }
      if (type === '') {
        at += next;
        continue;
      }
      tokens.push({ term: window.slice(0, end), position: tokens.length, start: at, end: at + end, type });
      hosts = true;
      at += end;
    }
    return tokens;
  };
}
