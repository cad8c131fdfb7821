// Exact decimal numbers as texts in one form each: `10.25`, `-3`, `0`. Read, compared and never rounded. Not here: how a database
// stores them.

/** Digits before and behind the point, at most. */
const MOST_DIGITS = 100;
const FORM = /^([+-]?)(\d{0,255})(?:\.(\d{0,255}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a decimal number in any usual form (`+1.50`, `.5`, `1e3`) into the one that it is kept in: no exponent, no plus, no zero that
 * says nothing. Undefined for what is none, or has more than 100 digits before or behind the point.
 */
export function toDecimal(text: string): string | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  if (whole === '' && fraction === '') return undefined;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const left = (point <= 0 ? '' : digits.slice(0, point).padEnd(point, '0')).replace(/^0+/, '');
  const right = (
    point >= digits.length ? '' : '0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point))
  ).replace(/0+$/, '');
  if (left.length > MOST_DIGITS || right.length > MOST_DIGITS) return undefined;
  if (left === '' && right === '') return '0';
  return `${sign === '-' ? '-' : ''}${left === '' ? '0' : left}${right === '' ? '' : `.${right}`}`;
}

/** Compares two decimals, each in the form that `toDecimal` returns: negative, 0 or positive. */
export function compareDecimals(one: string, other: string): number {
  const [first, second] = [one.startsWith('-'), other.startsWith('-')];
  if (first !== second) return first ? -1 : 1;
  return first ? compareSizes(other.slice(1), one.slice(1)) : compareSizes(one, other);
}

function compareSizes(one: string, other: string): number {
  const [left = '', fraction = ''] = one.split('.');
  const [otherLeft = '', otherFraction = ''] = other.split('.');
  if (left.length !== otherLeft.length) return left.length - otherLeft.length;
  if (left !== otherLeft) return left < otherLeft ? -1 : 1;
  return fraction === otherFraction ? 0 : fraction < otherFraction ? -1 : 1;
}
