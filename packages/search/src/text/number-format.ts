// Java's DecimalFormat patterns (`#,##0.00`, `0.0%`, `0.##E0`) as the `format` of numbers uses them (DecimalFormat.applyPattern).
import { illegalArgument, RequestError } from '../errors/request-error.ts';

/** The digits of a pattern, and what stands around them. */
interface Pattern {
  readonly prefix: string;
  readonly suffix: string;
  /** Around negative numbers; undefined: a minus sign before the prefix. */
  readonly negative: { readonly prefix: string; readonly suffix: string } | undefined;
  readonly multiplier: number;
  readonly whole: { readonly least: number; readonly most: number };
  readonly fraction: { readonly least: number; readonly most: number };
  /** Digits a group; 0: none. */
  readonly group: number;
  readonly showsPoint: boolean;
  /** Least digits of the exponent; 0: none. */
  readonly exponent: number;
}

type PrintNumber = (value: number) => string;

/** Formats that are kept: one of ICU takes 58 µs to make, and 1.5 µs to print a number. */
const MOST_KEPT = 100;
const kept = new Map<string, PrintNumber>();

/**
 * Prints a number by a pattern.
 *
 * @throws RequestError for a pattern that Java refuses
 */
export function decimalFormat(text: string): PrintNumber {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const made = printerOf(readPattern(text));
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, made);
  return made;
}

function printerOf(pattern: Pattern): PrintNumber {
  const { prefix, suffix, negative = { prefix: `-${prefix}`, suffix } } = pattern;
  const digits = pattern.exponent > 0 ? exponentDigits(pattern) : plainDigits(pattern);
  return (value) => {
    if (Number.isNaN(value)) return 'NaN';
    const isNegative = value < 0 || Object.is(value, -0);
    const shown = digits(Math.abs(value) * pattern.multiplier);
    return isNegative ? `${negative.prefix}${shown}${negative.suffix}` : `${prefix}${shown}${suffix}`;
  };
}

/**
 * Reads a number as Java's DecimalFormat does: the prefix, digits, the suffix; what follows is ignored.
 *
 * @throws RequestError `runtime_exception` for a text that does not begin so
 */
export function parseDecimal(pattern: string, text: string): number {
  const { prefix, suffix, negative = { prefix: `-${prefix}`, suffix }, multiplier, group } = readPattern(pattern);
  const digits = group > 0 || pattern === '' ? /^[\d,]*\.?\d*(?:E-?\d+)?/ : /^\d*\.?\d*(?:E-?\d+)?/;
  for (const [sign, around] of [
    [-1, negative],
    [1, { prefix, suffix }],
  ] as const) {
    if (!text.startsWith(around.prefix)) continue;
    const rest = text.slice(around.prefix.length);
    const found = digits.exec(rest)![0];
    if (/\d/.test(found) && rest.slice(found.length).startsWith(around.suffix))
      return (sign * Number(found.replaceAll(',', ''))) / multiplier;
  }
  throw new RequestError(
    'SEARCH_PARSING',
    'runtime_exception',
    `java.text.ParseException: Unparseable number: "${text}"`,
  );
}

/** Digits before and behind the point that Java shows of a double, however many a pattern asks for. */
const MOST_WHOLE = 309;
const MOST_FRACTION = 340;
/** Digits behind the point that JavaScript prints; a double has none but zeros there if it is 1e-83 or more. */
const MOST_PRINTED = 100;

function plainDigits({ whole, fraction, group, showsPoint }: Pattern): (value: number) => string {
  const most = Math.min(MOST_PRINTED, fraction.most);
  const format = new Intl.NumberFormat('en-US', {
    useGrouping: false,
    minimumFractionDigits: Math.min(most, fraction.least),
    maximumFractionDigits: most,
    roundingMode: 'halfEven',
  });
  const leastWhole = Math.min(MOST_WHOLE, whole.least);
  const leastFraction = Math.min(MOST_FRACTION, fraction.least);
  return (value) => {
    if (value === Infinity) return '∞';
    const text = isShortTie(value, most) ? value.toFixed(most) : format.format(value);
    const [digits = '', decimals] = text.split('.');
    const left = digits.padStart(leastWhole, '0');
    const right = decimals?.padEnd(leastFraction, '0');
    const isBare = left === '0' && whole.least === 0 && right !== undefined;
    const grouped = group === 0 ? left : left.replaceAll(new RegExp(`\\B(?=(?:\\d{${group}})+$)`, 'g'), ',');
    return `${isBare ? '' : grouped}${right === undefined ? (showsPoint ? '.' : '') : `.${right}`}`;
  };
}

/** Whether a number looks as if it lay between two that can be shown, and does not: 0.005 is a little more than its digits say. */
function isShortTie(value: number, digits: number): boolean {
  const [, fraction = ''] = String(value).split('.');
  if (fraction.length !== digits + 1 || !fraction.endsWith('5')) return false;
  return !/50*$/.test(value.toFixed(Math.min(100, digits + 30)).slice(-30));
}

function exponentDigits({ whole, fraction, showsPoint, exponent: least }: Pattern): (value: number) => string {
  const format = new Intl.NumberFormat('en-US', {
    notation: 'scientific',
    minimumSignificantDigits: 1,
    maximumSignificantDigits: Math.max(1, Math.min(21, whole.most + fraction.most)),
    roundingMode: 'halfEven',
  });
  return (value) => {
    if (value === Infinity) return '∞';
    const [mantissa = '0', power = '0'] = format.format(value).split('E');
    const digits = value === 0 ? '' : mantissa.replace('.', '');
    const point = value === 0 ? 0 : Number(power) + 1;
    const repeats = whole.most > 1 && whole.most > whole.least;
    const exponent = repeats ? Math.floor((point - 1) / whole.most) * whole.most : point - whole.least;
    const before = value === 0 ? (repeats ? 1 : whole.least) : point - exponent;
    const shown = digits.padEnd(Math.max(before, repeats ? 1 : whole.least + fraction.least), '0');
    const after = shown.slice(before);
    const power10 = value === 0 ? 0 : exponent;
    return `${shown.slice(0, before)}${after === '' && !showsPoint ? '' : `.${after}`}E${power10 < 0 ? '-' : ''}${String(Math.abs(power10)).padStart(least, '0')}`;
  };
}

const DIGITS = '#0,.';

/** What stands before or after the digits, from a place on. */
function readAffix(text: string, from: number): { readonly affix: string; readonly end: number; multiplier: number } {
  let affix = '';
  let multiplier = 1;
  let at = from;
  for (let quoted = false; at < text.length || quoted; at++) {
    const sign = text[at];
    if (sign === undefined) throw malformed(text);
    if (sign === "'") {
      if (text[at + 1] === "'") affix += text[++at]!;
      else quoted = !quoted;
    } else if (quoted) affix += sign;
    else if (DIGITS.includes(sign) || sign === ';') break;
    else {
      if (sign === '%' || sign === '‰') {
        if (multiplier !== 1) throw illegalArgument(`Too many percent/per mille characters in pattern "${text}"`);
        multiplier = sign === '%' ? 100 : 1000;
      }
      affix += sign;
    }
  }
  return { affix, end: at, multiplier };
}

const malformed = (text: string): Error => illegalArgument(`Malformed pattern "${text}"`);

/** Characters of a format at most: it may be printed for each bucket and each hit. */
const LONGEST_FORMAT = 1000;

/** @throws RequestError for a format of numbers or dates that is too long */
export function checkFormatLength(format: string): void {
  if (format.length > LONGEST_FORMAT)
    throw illegalArgument(`a [format] has at most [${LONGEST_FORMAT}] characters, not [${format.length}]`);
}

function readPattern(text: string): Pattern {
  checkFormatLength(text);
  const before = readAffix(text, 0);
  if (text[before.end] === ';') throw illegalArgument(`Unquoted special character ';' in pattern "${text}"`);
  const number = readDigits(text, before.end);
  const after = readAffix(text, number.end);
  if (after.end < text.length && text[after.end] !== ';') throw malformed(text);
  const common = {
    prefix: before.affix,
    suffix: after.affix,
    multiplier: Math.max(before.multiplier, after.multiplier),
    // An empty pattern shows a number as it is.
    ...(text === '' ? { ...number, fraction: { least: 0, most: 100 }, group: 3 } : number),
  };
  if (after.end >= text.length) return { ...common, negative: undefined };
  const start = readAffix(text, after.end + 1);
  const rest = /^[#0,.E]*/.exec(text.slice(start.end))![0];
  const end = readAffix(text, start.end + rest.length);
  if (text[end.end] === ';') throw illegalArgument(`Unquoted special character ';' in pattern "${text}"`);
  const negative = { prefix: start.affix, suffix: end.affix };
  const isSame = negative.prefix === common.prefix && negative.suffix === common.suffix;
  return { ...common, negative: isSame ? undefined : negative };
}

function readDigits(
  text: string,
  from: number,
): Pick<Pattern, 'whole' | 'fraction' | 'group' | 'showsPoint' | 'exponent'> & { readonly end: number } {
  let [left, zeros, right, point, group, exponent] = [0, 0, 0, -1, -1, 0];
  let at = from;
  for (; at < text.length && DIGITS.includes(text[at]!); at++) {
    const sign = text[at];
    if (sign === ',') group = 0;
    else if (sign === '.') {
      if (point >= 0) throw illegalArgument(`Multiple decimal separators in pattern "${text}"`);
      point = left + zeros + right;
    } else {
      if (sign === '0' && right > 0) throw illegalArgument(`Unexpected '0' in pattern "${text}"`);
      if (sign === '0') zeros++;
      else if (zeros > 0) right++;
      else left++;
      if (group >= 0 && point < 0) group++;
    }
  }
  if (at > from && text[at] === 'E') {
    exponent = /^0*/.exec(text.slice(at + 1))![0].length;
    if (left + zeros < 1 || exponent < 1) throw illegalArgument(`Malformed exponential pattern "${text}"`);
    at += 1 + exponent;
  }
  if (zeros === 0 && left > 0 && point >= 0) {
    const ones = Math.max(1, point);
    right = left - ones;
    left = ones - 1;
    zeros = 1;
  }
  if ((point < 0 ? right > 0 : point < left || point > left + zeros) || group === 0) throw malformed(text);
  const all = left + zeros + right;
  const whole = (point < 0 ? all : point) - left;
  return {
    end: at,
    whole: { least: whole, most: exponent > 0 ? left + whole : Infinity },
    fraction: point < 0 ? { least: 0, most: 0 } : { least: left + zeros - point, most: all - point },
    group: Math.max(0, group),
    showsPoint: point === 0 || point === all,
    exponent,
  };
}
