// The BigInt scalar: whole numbers of 64 bits, as both databases hold them. Small ones leave as JSON numbers, those that a
// double would blur as strings. (The library's BigInt warns on the console and lets non-numbers fail as internal errors.)
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
    // The digits that such a number was sent with are lost.
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
      throw new GraphQLError((error as GraphQLError).message, { nodes: node });
    }
  },
});
