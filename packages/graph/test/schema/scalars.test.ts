// Times that are read the short way are those that the library reads, and to the same moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { adoptKnownScalar } from '../../src/schema/scalars.ts';

const ours = new GraphQLScalarType({ name: 'DateTime' });
adoptKnownScalar(ours);

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

test('a time is read as the library reads it', () => {
  fc.assert(
    fc.property(fc.oneof(likely, time, fc.string(), fc.integer(), fc.constant(null)), (value) => {
      assert.deepEqual(read(ours, value), read(GraphQLDateTime, value));
    }),
    { numRuns: 2000 },
  );
});
