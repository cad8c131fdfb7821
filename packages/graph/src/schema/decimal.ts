// The Decimal scalar: exact numbers with up to 100 digits on each side of the point. SQLite stores a text whose byte
// order is the numeric order (docs/adr/0039); PostgreSQL stores `numeric`.
import { compareDecimals, reasonOf, toDecimal } from '@lockstitch/kernel';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

export { compareDecimals, toDecimal };

/** Decimal digits that survive a round trip through a double. */
export const SAFE_DIGITS = 15;

function read(value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  if (typeof text !== 'string')
    throw new GraphQLError(`Decimal cannot represent ${value === null ? 'null' : `a value of type ${typeof value}`}.`);
  const decimal = toDecimal(text);
  if (decimal === undefined)
    throw new GraphQLError(
      `Decimal cannot represent ${JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)}; write a number such as "10.25" with at most 100 digits before and behind the point.`,
    );
  return decimal;
}

export function significantDigits(decimal: string): number {
  return decimal.replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
}

export const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal number, as a string: "10.25". At most 100 digits before and behind the point.',
  coerceOutputValue(value) {
    // Objects of decimal libraries have a toString of their own.
    return read(typeof value === 'object' && value !== null ? Object(value).toString() : value);
  },
  coerceInputValue(value) {
    const decimal = read(value);
    // The double has already lost the digits that the client sent.
    const isBlurred =
      typeof value === 'number' && !Number.isSafeInteger(value) && significantDigits(decimal) > SAFE_DIGITS;
    if (isBlurred)
      throw new GraphQLError(`Decimal cannot tell which number was sent as ${value}; send it as a string.`);
    return decimal;
  },
  coerceInputLiteral(node) {
    // A literal keeps all its digits as text.
    if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT && node.kind !== Kind.STRING)
      throw new GraphQLError('Decimal cannot represent this value; write a number.', { nodes: node });
    try {
      return read(node.value);
    } catch (error) {
      throw new GraphQLError(reasonOf(error), { nodes: node });
    }
  },
});

/** Letters that encode the digits, in order. No number contains one, so SQL can cut the sort prefix off. */
const LETTERS = 'abcdefghij';
/** Every character of a sort prefix; SQL removes them with `ltrim`. */
export const SORT_CHARACTERS = ' abcdefghijmnpz';
/** Offset that makes exponents positive; three letters hold the sum. */
const MIDDLE = 500;

/**
 * Encodes a decimal as a text in numeric order, byte by byte: sign, exponent and digits as letters, a space, and the
 * number itself (`10.25` is `pfacbacf 10.25`). Negative numbers use complemented letters, and `z` sorts longer ones
 * first.
 */
export function toSortable(decimal: string): string {
  if (decimal === '0') return 'n 0';
  const isNegative = decimal.startsWith('-');
  const [left = '', right = ''] = (isNegative ? decimal.slice(1) : decimal).split('.');
  const zeros = left === '0' ? right.length - right.replace(/^0*/, '').length : 0;
  const digits = (left === '0' ? right.slice(zeros) : left + right).replace(/0+$/, '');
  const exponent = String((left === '0' ? -zeros : left.length) + MIDDLE);
  let sorted = isNegative ? 'm' : 'p';
  for (const digit of exponent + digits) sorted += LETTERS[isNegative ? 9 - Number(digit) : Number(digit)]!;
  return `${sorted}${isNegative ? 'z' : ''} ${decimal}`;
}

/** The decimal in a text of toSortable. */
export function fromSortable(text: string): string {
  return text.slice(text.indexOf(' ') + 1);
}

/** The stored form of a PostgreSQL numeric. NaN is returned unchanged. */
export function sortableDecimal(text: string): string {
  return toStoredDecimal(text) ?? text;
}

/** The stored form of a value that a rule or key compares; null if it is not a decimal. */
export function toStoredDecimal(value: unknown): string | null {
  const decimal =
    typeof value === 'string' ? toDecimal(value) : typeof value === 'number' ? toDecimal(String(value)) : undefined;
  return decimal === undefined ? null : toSortable(decimal);
}
