// The Decimal scalar: input, output, and SQLite's order-preserving text.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GraphQLScalarType, parseConstValue } from 'graphql';
import {
  compareDecimals,
  decimalScalar,
  fromSortable,
  SORT_CHARACTERS,
  toDecimal,
  toSortable,
} from '../../src/schema/decimal.ts';
import { printTypes } from '../../src/schema/print-types.ts';
import { readSchema } from '../../src/schema/read-schema.ts';

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: -59, max: 60 }))
  .map(([number, exponent]) => toDecimal(`${number}e${exponent}`)!)
  .filter((text) => text !== undefined);

test('stored decimals sort bytewise in numeric order', () => {
  equal(toSortable('10.25'), 'pfacbacf 10.25');
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const [a, b] = [toSortable(one), toSortable(other)];
      equal(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))), Math.sign(compareDecimals(one, other)));
      equal(fromSortable(a), one);
      equal(a.replace(new RegExp(`^[${SORT_CHARACTERS}]*`), ''), one);
    }),
    { numRuns: 1000 },
  );
  const rising = [
    '-100',
    '-12.3',
    '-12',
    '-1',
    '-0.5',
    '-0.05',
    '0',
    '0.0499',
    '0.05',
    '0.5',
    '1',
    '9.5',
    '10.25',
    '12',
    '12.3',
    '100',
  ];
  deepEqual(rising.map(toSortable).toSorted(), rising.map(toSortable));
});

test('Decimal input keeps all digits of texts and literals, and rejects imprecise numbers', () => {
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    ['10.250', '10.25'],
    [10.25, '10.25'],
    [7, '7'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [0.000001234567890123, '0.000001234567890123'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [2 ** 53, undefined],
    [0.1 + 0.2, undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [true, undefined],
    [null, undefined],
    [{}, undefined],
    ['abc', undefined],
  ];
  for (const [value, expected] of cases) {
    if (expected === undefined) throws(() => decimalScalar.coerceInputValue(value), /Decimal cannot/, String(value));
    else deepEqual([value, decimalScalar.coerceInputValue(value)], [value, expected]);
  }
  const literal = (text: string): unknown => decimalScalar.coerceInputLiteral!(parseConstValue(text));
  equal(literal('0.12345678901234567890123'), '0.12345678901234567890123');
  equal(literal('12345678901234567890'), '12345678901234567890');
  equal(literal('"1.50"'), '1.5');
  throws(() => literal('true'), /Decimal cannot represent this value/);
  throws(() => literal('"x"'), /Decimal cannot represent "x"; write a number such as "10\.25"/);
});

test('Decimal output is exact for every representation a resolver returns', () => {
  const inLibrary = { toString: () => '1.50e+1' };
  deepEqual(
    ['1.50', 2.5, 3n, inLibrary].map((value) => decimalScalar.coerceOutputValue(value)),
    ['1.5', '2.5', '3', '15'],
  );
  throws(() => decimalScalar.coerceOutputValue('x'), /Decimal cannot represent "x"/);
});

const mistakes = (text: string, resolvers = {}): string => {
  try {
    readSchema([{ file: 's.graphql', text }], { resolvers });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};
const typesOf = (text: string, resolvers = {}): string =>
  printTypes(readSchema([{ file: 's.graphql', text }], { resolvers }));

test('a Decimal cannot be a key, and its default must be a number', () => {
  const type = (fields: string): string =>
    `scalar Decimal type Item @entity { ${fields} } type Query { items: [Item!]! }`;
  equal(mistakes(type('id: ID! price: Decimal! @unique @default(value: "1.50")')), '');
  equal(/cannot be a key.*Decimal! @unique/.test(mistakes(type('price: Decimal! @id'))), true);
  equal(
    /does not fit Item\.price.*Write a number/.test(mistakes(type('id: ID! price: Decimal @default(value: "x")'))),
    true,
  );
  equal(/readonly price: string;/.test(typesOf(type('id: ID! price: Decimal!'))), true);
  equal(
    /readonly price\?: Resolver<.*, string \| number \| bigint>;/.test(typesOf(type('id: ID! price: Decimal!'))),
    true,
  );
});

const CODE = new GraphQLScalarType({ name: 'Code' });
const withCode = (directive: string, more = ''): string => `
  scalar Code ${directive}
  type Box { code: Code }
  type Item @entity { id: ID! code: Code box: Box rank: Int }
  ${more}
  type Query { items(where: ItemFilter, orderBy: [ItemOrder!]): [Item!]! }`;

test('custom scalars have no order or comparisons without @ordered', () => {
  const inputs = (text: string, resolvers = { Code: CODE }): readonly string[] => {
    const { schema } = readSchema([{ file: 's.graphql', text }], { resolvers });
    return ['CodeFilter', 'ItemOrder'].map((name) =>
      Object.keys((schema.getType(name) as unknown as { getFields(): object }).getFields()).join(' '),
    );
  };
  deepEqual(inputs(withCode('')), ['eq ne in notIn isNull', 'id rank']);
  deepEqual(inputs(withCode('@ordered')), ['eq ne in notIn lt lte gt gte isNull', 'id code rank']);
  const sorted = (directive: string): string =>
    mistakes(
      withCode(directive, 'enum By { code rank } type More { x: Int }').replace(
        'items(where',
        'sorted(sortBy: By): [Item!]! items(where',
      ),
      { Code: CODE },
    );
  equal(/offers "code", whose values have no known order/.test(sorted('')), true);
  equal(sorted('@ordered'), '');
  const ruled = (directive: string): string =>
    mistakes(withCode(directive).replace('@entity {', `@entity @auth(read: "code < 'b'", create: "code == 'b'") {`), {
      Code: CODE,
    });
  equal(/"<" needs values with an order/.test(ruled('')), true);
  equal(ruled('@ordered'), '');
});

test("a Decimal of the application's own stays what it was: a text that is equal or not", () => {
  const own = { Decimal: new GraphQLScalarType({ name: 'Decimal' }) };
  const text =
    'scalar Decimal type Item @entity { id: ID! price: Decimal } type Query { items(where: ItemFilter): [Item!]! }';
  const field = readSchema([{ file: 's.graphql', text }], { resolvers: own })
    .entities.get('Item')!
    .fields.get('price')!;
  deepEqual([field.kind === 'column' && field.storage, field.kind === 'column' && field.unordered], ['text', true]);
});

test('a type without sort keys has no order type, and cannot be a sort step', () => {
  const text = `scalar Code type Sku @entity { code: Code! @id items: [Item!]! } type Item @entity { id: ID! sku: Sku }
    type Query { items(orderBy: [ItemOrder!]): [Item!]! }`;
  const { schema } = readSchema([{ file: 's.graphql', text }], { resolvers: { Code: CODE } });
  deepEqual(Object.keys((schema.getType('ItemOrder') as unknown as { getFields(): object }).getFields()), ['id']);
});

test('elements of a default list are validated like input', () => {
  const type = (value: string): string =>
    `scalar Decimal type Item @entity { id: ID! prices: [Decimal!]! @default(value: "${value}") } type Query { items: [Item!]! }`;
  equal(mistakes(type('[1, 2.50]')), '');
  equal(/does not fit Item\.prices.*Decimal cannot represent "x"/.test(mistakes(type('[\\"x\\"]'))), true);
});
