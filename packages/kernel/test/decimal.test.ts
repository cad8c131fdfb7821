// Exact decimals: one form for each number, an order that is that of the numbers, and rules that compare them.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareDecimals, compileExpression, createPrincipal, toDecimal, type RowShape } from '../src/index.ts';

test('every usual form of a decimal is read into one, and nothing else is read', () => {
  const forms: readonly (readonly [string, string | undefined])[] = [
    ['10.25', '10.25'],
    ['+10.250', '10.25'],
    ['-010.00', '-10'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0.0', '0'],
    ['0', '0'],
    ['1e3', '1000'],
    ['12.5E-4', '0.00125'],
    ['1.25e1', '12.5'],
    ['120e-1', '12'],
    ['0e999', '0'],
    ['9'.repeat(100), '9'.repeat(100)],
    ['1e99', `1${'0'.repeat(99)}`],
    ['1e-100', `0.${'0'.repeat(99)}1`],
    ...[
      '',
      '.',
      '-',
      'e5',
      '1e',
      '1,5',
      ' 1',
      '1 ',
      '0x10',
      'NaN',
      'Infinity',
      '1e100',
      '1e-101',
      '1e9999',
      '1\n',
      '--1',
    ].map((text) => [text, undefined] as const),
    ['9'.repeat(101), undefined],
    ['1'.repeat(300), undefined],
  ];
  for (const [text, expected] of forms) deepEqual([text, toDecimal(text)], [text, expected]);
});

test('decimals compare as the numbers that they are', () => {
  const scaled = fc.record({ number: fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), scale: fc.nat(30) });
  fc.assert(
    fc.property(scaled, scaled, (one, other) => {
      const [a, b] = [one, other].map(({ number, scale }) => toDecimal(`${number}e-${scale}`)!);
      const [left, right] = [one, other].map(({ number, scale }) => number * 10n ** BigInt(30 - scale));
      equal(Math.sign(compareDecimals(a!, b!)), left! < right! ? -1 : left! > right! ? 1 : 0);
    }),
  );
});

test('a rule compares a decimal exactly with numbers, texts and other decimals', () => {
  const row: RowShape = new Map([
    ['price', { kind: 'scalar', type: 'decimal' }],
    ['limit', { kind: 'scalar', type: 'decimal' }],
    ['code', { kind: 'scalar', type: 'string', unordered: true }],
  ] as const);
  const principal = {
    ...createPrincipal('ada', []),
    attributes: { most: '100.5', odd: 'abc', list: [9.5, '10.0', 'x'] },
  };
  const decide = (text: string, values: Readonly<Record<string, unknown>>): boolean | null => {
    const { truth } = { truth: compileExpression(text, { row }).decide({ principal, row: values }).granted };
    return truth;
  };
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, boolean])[] = [
    ['price < 100', { price: '9.5' }, true],
    ['100 > price', { price: '99.999' }, true],
    ['price < 0.1', { price: '0.09999999999999999999' }, true],
    ['price == 0.1', { price: '0.10000000000000000001' }, false],
    ["price >= '0.10000000000000000001'", { price: '0.10000000000000000001' }, true],
    ['price == 10', { price: '10' }, true],
    ["price == '10.00'", { price: '10' }, true],
    ['price <= limit', { price: '9', limit: '10' }, true],
    ['price <= principal.most', { price: '100.5' }, true],
    ['price <= principal.odd', { price: '1' }, false],
    ['price > principal.odd', { price: '1' }, false],
    ['price in {9.5, 10}', { price: '9.5' }, true],
    ['price in principal.list', { price: '10' }, true],
    ['not (price in principal.list)', { price: '11' }, true],
    ['price == null', { price: null }, true],
    ['price < 5', { price: null }, false],
    ["code == 'b'", { code: 'b' }, true],
  ];
  for (const [text, values, expected] of cases) deepEqual([text, decide(text, values)], [text, expected]);
  for (const text of [
    'price + 1 > 2',
    "price == 'abc'",
    'price',
    '{1}.contains(price)',
    '5 in {price}',
    "code < 'b'",
    '-price < 1',
    'price.length() > 1',
  ])
    throws(() => compileExpression(text, { row }), /EXPRESSION|decimal|order|"/, text);
});
