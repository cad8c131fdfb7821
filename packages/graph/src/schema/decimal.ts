// The Decimal scalar: exact numbers of up to 100 digits before and behind the point, and the text that SQLite keeps of one, whose plain
// order is that of the numbers (docs/adr/0039). PostgreSQL keeps them as `numeric`.
import { compareDecimals, toDecimal } from '@lockstitch/kernel';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

export { compareDecimals, toDecimal };

/** Digits that every JSON number keeps on its way through a double. */
const SAFE_DIGITS = 15;

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

function significantDigits(decimal: string): number {
  return decimal.replaceAll(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
}

export const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal number, as a string: "10.25". At most 100 digits before and behind the point.',
  coerceOutputValue(value) {
    // Objects of decimal libraries print themselves.
    return read(typeof value === 'object' && value !== null ? (value as { toString(): string }).toString() : value);
  },
  coerceInputValue(value) {
    const decimal = read(value);
    // The digits that such a number was sent with are lost.
    const isBlurred =
      typeof value === 'number' && !Number.isSafeInteger(value) && significantDigits(decimal) > SAFE_DIGITS;
    if (isBlurred)
      throw new GraphQLError(`Decimal cannot tell which number was sent as ${value}; send it as a string.`);
    return decimal;
  },
  coerceInputLiteral(node) {
    // By its text: the digits of a literal are all there.
    if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT && node.kind !== Kind.STRING)
      throw new GraphQLError('Decimal cannot represent this value; write a number.', { nodes: node });
    try {
      return read(node.value);
    } catch (error) {
      throw new GraphQLError((error as GraphQLError).message, { nodes: node });
    }
  },
});

/** Letters for the digits, in their order: none of them is in a number, so what stands before the number can be cut off. */
const LETTERS = 'abcdefghij';
/** Every character before the number; SQL cuts them off (`ltrim`). */
export const SORT_CHARACTERS = ' abcdefghijmnpz';
/** Makes exponents positive; three letters hold them. */
const MIDDLE = 500;

/**
 * A decimal as a text that sorts as the number does, byte by byte: sign, exponent and digits in letters, a blank, the number itself
 * (`10.25` is `pfacbacf 10.25`). Letters of negative numbers are turned round, and `z` puts the longer ones first.
 */
export function toSortable(decimal: string): string {
  if (decimal === '0') return 'n 0';
  const isNegative = decimal.startsWith('-');
  const [left = '', right = ''] = (isNegative ? decimal.slice(1) : decimal).split('.');
  const zeros = left === '0' ? /^0*/.exec(right)![0].length : 0;
  const digits = (left === '0' ? right.slice(zeros) : left + right).replace(/0+$/, '');
  const exponent = String((left === '0' ? -zeros : left.length) + MIDDLE);
  let sorted = isNegative ? 'm' : 'p';
  for (const digit of exponent + digits) sorted += LETTERS[isNegative ? 9 - Number(digit) : Number(digit)]!;
  return `${sorted}${isNegative ? 'z' : ''} ${decimal}`;
}

/** The decimal in such a text. */
export function fromSortable(text: string): string {
  return text.slice(text.indexOf(' ') + 1);
}

/** What SQLite keeps of a decimal of PostgreSQL; what is none (NaN) stays as it is. */
export function sortableDecimal(text: string): string {
  return toStoredDecimal(text) ?? text;
}

/** What is stored of a value that a rule or a key compares; null for what is no decimal. */
export function toStoredDecimal(value: unknown): string | null {
  const decimal =
    typeof value === 'string' ? toDecimal(value) : typeof value === 'number' ? toDecimal(String(value)) : undefined;
  return decimal === undefined ? null : toSortable(decimal);
}
