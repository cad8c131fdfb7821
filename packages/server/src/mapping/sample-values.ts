// Tells whether a mapping takes any value of a GraphQL type, by giving it values that documents of that type can hold.
import { isProductError } from '@lockstitch/kernel';
import type { createMapper } from '@lockstitch/search';

/** Texts of each form that some field type reads. */
const TEXTS: readonly string[] = [
  'a',
  '1',
  '1.5',
  'true',
  '2026-01-31T12:00:00.000Z',
  '192.0.2.1',
  '192.0.2.0/24',
  '1.2.3',
  '48.5,2.5',
  'POINT (2.5 48.5)',
  'AAAA',
];

/** Values of the GraphQL types whose values are known, as documents hold them. */
export const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  String: TEXTS,
  ID: TEXTS,
  Int: [1],
  BigInt: [1, '1'],
  Float: [1.5, 1],
  Decimal: ['1.5', '1'],
  Boolean: [true],
  DateTime: ['2026-01-31T12:00:00.000Z'],
  LocalDateTime: ['2026-01-31T12:00:00.000'],
  Date: ['2026-01-31'],
  Time: ['12:00:00.000'],
};

/** Whether the field takes some of the values; true without values. */
export function takesSome(mapper: ReturnType<typeof createMapper>, field: string, values: readonly unknown[]): boolean {
  return (
    values.length === 0 ||
    values.some((value) => {
      try {
        mapper.parse('1', Buffer.from(JSON.stringify({ [field]: value })));
        return true;
      } catch (error) {
        if (!isProductError(error)) throw error;
        return false;
      }
    })
  );
}
