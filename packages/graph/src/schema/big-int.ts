// The BigInt scalar: 64-bit integers, as both databases store them. Values beyond 2^53 are returned as strings, the
// others as JSON numbers. (The library's BigInt prints warnings to the console and reports non-numbers as internal
// errors.)
import { reasonOf } from '@lockstitch/kernel';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

function toWhole(value: unknown): number | bigint {
  const text = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string' ? String(value) : '';
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) throw new GraphQLError(`BigInt cannot represent value: ${show(value)}`);
  const whole = BigInt(text);
  if (BigInt.asIntN(64, whole) !== whole) throw new GraphQLError(`BigInt cannot represent more than 64 bits: ${text}`);
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : whole;
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' ? String(value) : typeof value;
}

export const bigIntScalar = new GraphQLScalarType<number | bigint, number | string>({
  name: 'BigInt',
  coerceOutputValue(value) {
    const whole = toWhole(value);
    return typeof whole === 'bigint' ? whole.toString() : whole;
  },
  coerceInputValue(value) {
    // The double has already lost the digits that the client sent.
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new GraphQLError(`BigInt cannot tell which number was sent as ${value}; send it as a string.`);
    return toWhole(value);
  },
  coerceInputLiteral(node) {
    if (node.kind !== Kind.INT && node.kind !== Kind.STRING)
      throw new GraphQLError('BigInt cannot represent this value; write a whole number.', { nodes: node });
    try {
      return toWhole(node.value);
    } catch (error) {
      throw new GraphQLError(reasonOf(error), { nodes: node });
    }
  },
});
