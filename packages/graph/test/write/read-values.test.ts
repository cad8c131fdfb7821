import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSchema } from '../../src/schema/read-schema.ts';
import { createReading, readColumn } from '../../src/write/read-values.ts';

const text = `
  scalar Date
  scalar Time
  scalar DateTime
  type Film @entity { id: ID! day: Date at: Time moment: DateTime }
  type Query { film(id: ID!): Film }
`;

test('Date, Time and DateTime are stored in their own forms', () => {
  const model = readSchema([{ file: 'schema.graphql', text }]);
  const stored = ['day', 'at', 'moment'].map((name) => {
    const field = model.entities.get('Film')!.fields.get(name);
    assert.ok(field?.kind === 'column');
    const type = model.schema.getType(field.typeName);
    assert.ok(type !== undefined && 'coerceInputValue' in type);
    const given = { day: '1998-06-12', at: '10:15:30Z', moment: '1998-06-12T10:15:30+02:00' }[name];
    return readColumn(createReading(model), field, type.coerceInputValue(given), name);
  });
  assert.deepEqual(stored, ['1998-06-12', '10:15:30.000Z', '1998-06-12T08:15:30.000Z']);
});

test('lists and embedded objects store the same forms, and integers of any size', () => {
  const embedding = text.replace(
    'type Film @entity {',
    'scalar BigInt type Show { day: Date! at: [Time] seats: BigInt } type Film @entity { days: [[Date!]!] shows: [Show!] seats: [BigInt]',
  );
  const model = readSchema([{ file: 'schema.graphql', text: embedding }]);
  const stored = (name: string, value: unknown): unknown => {
    const field = model.entities.get('Film')!.fields.get(name);
    assert.ok(field?.kind === 'column');
    return JSON.parse(String(readColumn(createReading(model), field, value, name)));
  };
  const day = new Date('1998-06-12');
  const at = new Date('1998-06-12T10:15:30Z');
  assert.deepEqual(stored('days', [[day], []]), [['1998-06-12'], []]);
  assert.deepEqual(stored('shows', [{ day, at: [at, null], seats: 2n ** 60n }]), [
    { day: '1998-06-12', at: ['10:15:30.000Z', null], seats: '1152921504606846976' },
  ]);
  assert.deepEqual(stored('seats', [1, null, 2n ** 60n]), [1, null, '1152921504606846976']);
});

test('a JSON value with NaN or infinity is rejected', () => {
  const model = readSchema([
    { file: 'schema.graphql', text: text.replace('type Film @entity {', 'scalar JSON type Film @entity { any: JSON') },
  ]);
  const field = model.entities.get('Film')!.fields.get('any');
  assert.ok(field?.kind === 'column');
  const reading = createReading(model);
  assert.equal(readColumn(reading, field, { a: [JSON.parse('1e308')] }, 'any'), '{"a":[1e+308]}');
  assert.equal(readColumn(reading, field, { a: [JSON.parse('1e400')] }, 'any'), undefined);
  assert.deepEqual(
    reading.violations.map(({ message }) => message),
    ['"any" holds a number that is too large.'],
  );
});
