// Input of built-in custom scalars: the fast path of times equals the library, UUIDs become lower case, integers keep
// all digits or are rejected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GraphQLScalarType, parseConstValue } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { adoptKnownScalar, isStoredTime, readsTimes } from '../../src/schema/scalars.ts';

const ours = known('DateTime');

function known(name: string): GraphQLScalarType {
  const type = new GraphQLScalarType({ name });
  adoptKnownScalar(type);
  return type;
}

function read(type: GraphQLScalarType, value: unknown): unknown {
  try {
    return type.coerceInputValue(value);
  } catch {
    return 'refused';
  }
}

const two = fc.integer({ min: 0, max: 64 }).map((number) => String(number).padStart(2, '0'));
const year = fc.integer({ min: 0, max: 9999 }).map((number) => String(number).padStart(4, '0'));
const rest = fc.constantFrom('Z', '.1Z', '.123456789Z', '.Z', 'z', '+01:00', '', 'Z ', '.000Z\n');
const time = fc
  .tuple(year, two, two, fc.constantFrom('T', 't', ' '), two, two, two, rest)
  .map(([y, month, day, t, hour, minute, second, end]) => `${y}-${month}-${day}${t}${hour}:${minute}:${second}${end}`);
const likely = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
  .map((date) => date.toISOString());

test('times parse the same as in graphql-scalars', () => {
  fc.assert(
    fc.property(fc.oneof(likely, time, fc.string(), fc.integer(), fc.constant(null)), (value) => {
      assert.deepEqual(read(ours, value), read(GraphQLDateTime, value));
    }),
    { numRuns: 2000 },
  );
});

test('isStoredTime accepts only the printed form of a time', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(likely, time, fc.string()), (text) => {
      if (!isStoredTime(text)) return;
      taken++;
      assert.equal((GraphQLDateTime.coerceInputValue(text) as Date).toISOString(), text);
    }),
    { numRuns: 2000 },
  );
  assert.ok(taken > 100, `only ${taken} were taken`);
  assert.ok(isStoredTime('2024-01-31T23:59:59.999Z'));
  for (const text of [
    '0000-01-01T00:00:00.000Z',
    '2024-02-30T00:00:00.000Z',
    '2024-04-31T00:00:00.000Z',
    '2024-01-01T24:00:00.000Z',
  ])
    assert.equal(isStoredTime(text), false);
  assert.ok(readsTimes(ours));
  assert.equal(readsTimes(new GraphQLScalarType({ name: 'DateTime' })), false);
});

test('UUIDs are case-insensitive, and braces are rejected', () => {
  const type = known('UUID');
  const lower = '8a3c1f0e-0d4b-4c8e-9f53-0b6a2c1d3e4f';
  for (const sent of [lower, lower.toUpperCase(), `{${lower}}`]) {
    assert.equal(type.coerceInputValue(sent), lower);
    assert.equal(type.coerceInputLiteral?.(parseConstValue(`"${sent}"`)), lower);
  }
  for (const sent of [`${lower}}`, 'x', 5]) {
    assert.throws(() => type.coerceInputValue(sent));
    assert.throws(() => type.coerceInputLiteral?.(parseConstValue(JSON.stringify(sent))));
  }
});

test('BigInt rejects numbers that lost digits, and reports the location of larger ones', () => {
  const type = known('BigInt');
  assert.equal(type.coerceInputValue(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  assert.equal(type.coerceInputValue('9007199254740993'), 9007199254740993n);
  assert.equal(type.coerceInputLiteral?.(parseConstValue('9007199254740993')), 9007199254740993n);
  assert.throws(() => type.coerceInputValue(JSON.parse('9007199254740993')), /send it as a string/);
  assert.throws(() => type.coerceInputLiteral?.(parseConstValue('9223372036854775808')), {
    message: 'BigInt cannot represent more than 64 bits: 9223372036854775808',
    locations: [{ line: 1, column: 1 }],
  });
});
