// Compiles Java's date patterns (`yyyy-MM-dd HH:mm`), as DateTimeFormatter has them: pieces that read and write.
import { illegalArgument } from '../errors/request-error.ts';
import { type Alternative, instant, instantOfWeek, type Parts, printOffset } from './date-parts.ts';
import { type DateWords, dateWords, type Names } from './date-words.ts';
import { timeZone, type TimeZone, UTC } from './time-zone.ts';
import { weekOf } from './week-date.ts';

/** @param whole the pattern, with all of its alternatives */
function invalid(whole: string, reason: string): Error {
  return illegalArgument(`Invalid format: [${whole}]: ${reason}`, {
    causedBy: { type: 'illegal_argument_exception', reason },
  });
}

/** The parts of a text that a pattern reads. */
interface Found extends Parts {
  pm?: boolean;
  zone?: TimeZone;
  dayOfYear?: number;
  fraction?: string;
}

/** What a letter, or a text between letters, reads and writes. */
interface Piece {
  readonly regex: string;
  /** The fewest digits of a number. */
  readonly digits?: number;
  readonly read?: (text: string, parts: Found) => void;
  print(local: Date, offset: number, zone: TimeZone, nanos: number): string;
}

/** What a pattern belongs to. */
export interface PatternOptions {
  /** The format that it is a part of. */
  readonly whole: string;
  /** Whether numbers have as many digits as there are letters. */
  readonly strict: boolean;
  /** Of names of months and days. */
  readonly locale: string;
}

/** Compiles a pattern. */
export function compilePattern(pattern: string, options: PatternOptions): Alternative {
  const { whole } = options;
  const reserved = /[{}#]/.exec(pattern.replaceAll(/'(?:[^']|'')*'/g, ''))?.[0];
  if (reserved !== undefined) throw invalid(whole, `Pattern includes reserved character: '${reserved}'`);
  // `Y` is the year that a week lies in; beside days and months it is read as the usual one.
  const isWeek = /[Yw]/.test(pattern) && !/[yuMLdD]/.test(pattern);
  const pieces = piecesOf(pattern, options, isWeek);
  const partsOf = createReader(pieces);
  return {
    parse(text, zone, roundUp) {
      const parts = partsOf(text);
      if (parts === undefined) return undefined;
      if (parts.pm !== undefined && parts.hour !== undefined) parts.hour = (parts.hour % 12) + (parts.pm ? 12 : 0);
      if (isWeek) return instantOfWeek(parts, parts.zone ?? zone, roundUp);
      const base = instant(parts, parts.zone ?? zone, roundUp);
      return base !== undefined && parts.dayOfYear !== undefined ? base + (parts.dayOfYear - 1) * 86_400_000 : base;
    },
    fraction: (text) => partsOf(text)?.fraction,
    print(at, zone, nanos) {
      const millis = zone.offsetAt(at);
      const local = new Date(at + millis);
      return pieces.map((piece) => piece.print(local, millis, zone, nanos)).join('');
    },
  };
}

/** Digits that a number leaves to the numbers behind it, at most: patterns of more have no meaning. */
const MOST_RESERVED = 100;

/**
 * Creates the reader of a text. As in DateTimeFormatter each piece takes the longest text it can and gives none of it back, so the time is
 * linear in the pattern; a section in brackets that does not fit is skipped.
 */
function createReader(pieces: readonly Piece[]): (text: string) => Found | undefined {
  const regexes = new Map<string, RegExp>();
  const steps: { readonly regex: RegExp; readonly read: Piece['read']; readonly end: number }[] = [];
  const ends: number[] = [];
  let reserved = 0;
  for (let at = pieces.length - 1; at >= 0; at--) {
    const piece = pieces[at]!;
    const { regex: own, read, digits } = piece;
    const source = digits !== undefined && reserved > 0 ? `(?:${own})(?=\\d{${reserved}})` : own;
    const regex = regexes.get(source) ?? new RegExp(source, 'iy');
    regexes.set(source, regex);
    if (piece === CLOSE) ends.push(at);
    steps[at] = { regex, read, end: (piece === OPEN ? ends.pop() : undefined) ?? at };
    reserved = digits === undefined ? 0 : Math.min(reserved + digits, MOST_RESERVED);
  }
  return (text) => {
    const open: { readonly end: number; readonly offset: number; readonly found: number }[] = [];
    const found: [read: NonNullable<Piece['read']>, text: string][] = [];
    let offset = 0;
    for (let at = 0; at < steps.length; at++) {
      const { regex, read, end } = steps[at]!;
      if (pieces[at] === OPEN) open.push({ end, offset, found: found.length });
      else if (pieces[at] === CLOSE) open.pop();
      else {
        regex.lastIndex = offset;
        if (regex.test(text)) {
          if (read !== undefined) found.push([read, text.slice(offset, regex.lastIndex)]);
          offset = regex.lastIndex;
          continue;
        }
        const section = open.pop();
        if (section === undefined) return undefined;
        at = section.end;
        offset = section.offset;
        found.length = section.found;
      }
    }
    if (offset < text.length) return undefined;
    const parts: Found = {};
    for (const [read, part] of found) read(part, parts);
    return parts;
  };
}

/** @throws RequestError for a letter that means nothing, and for a bracket that closes nothing */
function piecesOf(pattern: string, { whole, strict, locale }: PatternOptions, isWeek: boolean): readonly Piece[] {
  let open = 0;
  const pieces = Array.from(pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[[\]]|[^A-Za-z'[\]]+/g), (match) => {
    const [text, quoted, letter] = match;
    if (quoted !== undefined) return literal(quoted === '' ? "'" : quoted.replaceAll("''", "'"));
    if (text === '[' || text === ']') {
      open += text === '[' ? 1 : -1;
      if (open < 0) throw invalid(whole, 'Pattern invalid as it contains ] without previous [');
      return text === '[' ? OPEN : CLOSE;
    }
    if (letter === undefined) return literal(text);
    const make = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined;
    if (make === undefined) throw invalid(whole, `Unknown pattern letter: ${letter}`);
    // Numbers without anything between them have the width that the pattern says.
    const next = pattern[match.index + text.length] ?? '';
    const isAdjacent = /[A-Za-z]/.test(next);
    return make({
      letter,
      size: text.length,
      strict: strict || isAdjacent,
      isWeek,
      isAdjacent,
      next,
      // Only some letters have words.
      get words() {
        return dateWords(locale);
      },
    });
  });
  // A section that is not closed ends with the pattern.
  return pieces.concat(Array.from({ length: open }, () => CLOSE));
}

/** The brackets around a section that texts may lack. */
const OPEN: Piece = { regex: '', print: () => '' };
const CLOSE: Piece = { regex: '', print: () => '' };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const literal = (text: string): Piece => ({ regex: escaped(text), print: () => text });

/** Any of some names, which may lack the dot at their end: Java left it out before it took names from CLDR. */
function nameRegex(names: readonly string[]): string {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  return `(?:${longestFirst.map((name) => (name.endsWith('.') ? `${escaped(name.slice(0, -1))}\\.?` : escaped(name))).join('|')})`;
}

/** Which of the names a text is. */
function indexOfName({ inDate, alone }: Names, text: string): number {
  const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');
  const wanted = plain(text);
  const found = inDate.findIndex((name) => plain(name) === wanted);
  return found >= 0 ? found : alone.findIndex((name) => plain(name) === wanted);
}

/** A literal character of a pattern. */
interface Letter {
  readonly letter: string;
  /** How often it is repeated. */
  readonly size: number;
  /** Whether numbers have as many digits as there are letters. */
  readonly strict: boolean;
  /** Whether the pattern is one of weeks. */
  readonly isWeek: boolean;
  /** Whether another number follows. */
  readonly isAdjacent: boolean;
  /** The character behind it. */
  readonly next: string;
  readonly words: DateWords;
}

/** Four digits; more have a sign. */
const ERA_YEAR = String.raw`\d{4}|\+\d{5,9}`;
/** As well, and years before the first. */
const STRICT_YEAR = String.raw`\d{4}|-\d{4,9}|\+\d{5,9}`;

function yearRegex({ letter, size, strict, isAdjacent }: Letter): string {
  if (size === 2) return String.raw`\d{2}`;
  if (size === 1 || !strict) return String.raw`[+-]?\d{1,9}`;
  if (isAdjacent) return String.raw`\d{4}`;
  return letter === 'y' ? ERA_YEAR : STRICT_YEAR;
}

/** The fewest digits that `yearRegex` takes. */
function yearDigits({ size, strict }: Letter): number {
  if (size === 2) return 2;
  return size === 1 || !strict ? 1 : 4;
}

function year(asked: Letter): Piece {
  const { size, isWeek } = asked;
  return {
    regex: yearRegex(asked),
    digits: yearDigits(asked),
    read: (text, parts) => void (parts.year = size === 2 ? 2000 + Number(text) : Number(text)),
    print(local) {
      const value = isWeek ? weekOf(local).year : local.getUTCFullYear();
      if (size === 2) return pad(value % 100, size);
      return value < 0 ? `-${pad(-value, size)}` : value > 9999 && size === 4 ? `+${value}` : pad(value, size);
    },
  };
}

function month(asked: Letter): Piece {
  if (asked.size < 3)
    return number(
      asked,
      2,
      (value, parts) => void (parts.month = value),
      (local) => local.getUTCMonth() + 1,
    );
  const names = asked.words.months[asked.size === 3 ? 'short' : 'long'];
  const shown = asked.letter === 'L' ? names.alone : names.inDate;
  return {
    regex: nameRegex([...names.inDate, ...names.alone]),
    read: (text, parts) => void (parts.month = indexOfName(names, text) + 1),
    print: (local) => shown[local.getUTCMonth()]!,
  };
}

function weekday(asked: Letter): Piece {
  if (asked.letter === 'e' && asked.isWeek)
    return {
      regex: '[1-7]',
      digits: 1,
      read: (text, parts) => void (parts.weekday = Number(text)),
      print: (local) => String(((local.getUTCDay() + 6) % 7) + 1),
    };
  const { inDate, alone } = asked.words.weekdays[asked.size >= 4 ? 'long' : 'short'];
  return { regex: nameRegex([...inDate, ...alone]), print: (local) => inDate[local.getUTCDay()]! };
}

/** A number of a date. @param most digits that a lenient reader takes */
function number(
  { size, strict }: Letter,
  most: number,
  read: (value: number, parts: Found) => void,
  print: (local: Date) => number,
): Piece {
  return {
    regex: size === 1 || !strict ? `\\d{1,${most}}` : `\\d{${size}}`,
    digits: size === 1 || !strict ? 1 : size,
    read: (text, parts) => read(Number(text), parts),
    print: (local) => pad(print(local), size),
  };
}

const pad = (value: number, size: number): string => String(value).padStart(size, '0');

const hour = (asked: Letter): Piece =>
  number(
    asked,
    2,
    (value, parts) => void (parts.hour = value),
    (local) => (asked.letter === 'h' ? ((local.getUTCHours() + 11) % 12) + 1 : local.getUTCHours()),
  );

const offset = ({ letter, size }: Letter): Piece => ({
  regex: String.raw`Z|[+-]\d{2}(?::?\d{2})?`,
  read: (text, parts) => void (parts.zone = timeZone(text.toUpperCase())),
  print(_, millis) {
    if (millis !== 0 || letter === 'X') return printOffset(millis, size >= 3);
    return size >= 3 && letter === 'x' ? '+00:00' : '+0000';
  },
});

/** A name of a zone ends where the character behind it stands, if a name may have that one, too. */
const zoneName = ({ next }: Letter): Piece => ({
  regex: `[A-Za-z][A-Za-z0-9_+/-]{0,60}${/[_+/-]/.test(next) ? `(?=[${next}])` : ''}|[+-]\\d{2}:?\\d{2}`,
  read: (text, parts) => void (parts.zone = timeZone(text)),
  print: (_local, _offset, zone) => (zone === UTC ? 'Z' : zone.id),
});

const LETTERS: Readonly<Record<string, (asked: Letter) => Piece>> = {
  y: year,
  u: year,
  Y: year,
  w: (asked) =>
    number(
      asked,
      2,
      (value, parts) => void (parts.week = value),
      (local) => weekOf(local).week,
    ),
  M: month,
  L: month,
  d: (asked) =>
    number(
      asked,
      2,
      (value, parts) => void (parts.day = value),
      (local) => local.getUTCDate(),
    ),
  D: (asked) =>
    number(
      asked,
      3,
      (value, parts) => void Object.assign(parts, { month: 1, day: 1, dayOfYear: value }),
      (local) => Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / 86_400_000) + 1,
    ),
  H: hour,
  k: hour,
  h: hour,
  K: hour,
  m: (asked) =>
    number(
      asked,
      2,
      (value, parts) => void (parts.minute = value),
      (local) => local.getUTCMinutes(),
    ),
  s: (asked) =>
    number(
      asked,
      2,
      (value, parts) => void (parts.second = value),
      (local) => local.getUTCSeconds(),
    ),
  S: ({ size }) => ({
    regex: String.raw`\d{1,9}`,
    digits: 1,
    read(text, parts) {
      parts.fraction = text;
      parts.milli = Number(text.padEnd(3, '0').slice(0, 3));
    },
    print: (local, _offset, _zone, nanos) => (pad(local.getUTCMilliseconds(), 3) + pad(nanos, 6)).slice(0, size),
  }),
  a: ({ words: { halves } }) => ({
    regex: nameRegex(halves),
    read: (text, parts) => void (parts.pm = indexOfName({ inDate: halves, alone: halves }, text) === 1),
    print: (local) => halves[local.getUTCHours() < 12 ? 0 : 1],
  }),
  E: weekday,
  e: weekday,
  X: offset,
  x: offset,
  Z: offset,
  V: zoneName,
  z: zoneName,
  v: zoneName,
};
