// Java's DecimalFormat patterns print as Elasticsearch 7.10.2 prints them.
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { decimalFormat } from '../../src/text/number-format.ts';

const VALUES = [0, 1, -1, 0.5, 1.25, -0.3, 1234567.891, 0.00012345, -98765.4321, 0.005, 2.5, 3.5];
const PRINTED = {
  '': '0 1 -1 .5 1.25 -.3 1,234,567.891 .00012345 -98,765.4321 .005 2.5 3.5',
  '#.0': '.0 1.0 -1.0 .5 1.2 -.3 1234567.9 .0 -98765.4 .0 2.5 3.5',
  '000': '000 001 -001 000 001 -000 1234568 000 -98765 000 002 004',
  yyyy: 'yyyy0 yyyy1 -yyyy1 yyyy0 yyyy1 -yyyy0 yyyy1234568 yyyy0 -yyyy98765 yyyy0 yyyy2 yyyy4',
  '#,##0.00': '0.00 1.00 -1.00 0.50 1.25 -0.30 1,234,567.89 0.00 -98,765.43 0.01 2.50 3.50',
  '0.00%': '0.00% 100.00% -100.00% 50.00% 125.00% -30.00% 123456789.10% 0.01% -9876543.21% 0.50% 250.00% 350.00%',
  'no {': 'no {0 no {1 -no {1 no {0 no {1 -no {0 no {1234568 no {0 -no {98765 no {0 no {2 no {4',
  "'x'0": 'x0 x1 -x1 x0 x1 -x0 x1234568 x0 -x98765 x0 x2 x4',
  '#.#': '0 1 -1 0.5 1.2 -0.3 1234567.9 0 -98765.4 0 2.5 3.5',
  '.00': '.00 1.00 -1.00 .50 1.25 -.30 1234567.89 .00 -98765.43 .01 2.50 3.50',
  '0.': '0. 1. -1. 0. 1. -0. 1234568. 0. -98765. 0. 2. 4.',
  '#,####.0': '.0 1.0 -1.0 .5 1.2 -.3 123,4567.9 .0 -9,8765.4 .0 2.5 3.5',
  '0E0': '0E0 1E0 -1E0 5E-1 1E0 -3E-1 1E6 1E-4 -1E5 5E-3 2E0 4E0',
  '0.00E00': '0.00E00 1.00E00 -1.00E00 5.00E-01 1.25E00 -3.00E-01 1.23E06 1.23E-04 -9.88E04 5.00E-03 2.50E00 3.50E00',
  '##0.##E0': '0E0 1E0 -1E0 500E-3 1.25E0 -300E-3 1.2346E6 123.45E-6 -98.765E3 5E-3 2.5E0 3.5E0',
  '#E0': 'E0 .1E1 -.1E1 .5E0 .1E1 -.3E0 .1E7 .1E-3 -.1E6 .5E-2 .2E1 .4E1',
  '0;(0)': '0 1 (1) 0 1 (0) 1234568 0 (98765) 0 2 4',
  "''0": "'0 '1 -'1 '0 '1 -'0 '1234568 '0 -'98765 '0 '2 '4",
  "a'b'0c": 'ab0c ab1c -ab1c ab0c ab1c -ab0c ab1234568c ab0c -ab98765c ab0c ab2c ab4c',
  '0‰': '0‰ 1000‰ -1000‰ 500‰ 1250‰ -300‰ 1234567891‰ 0‰ -98765432‰ 5‰ 2500‰ 3500‰',
  '-0': '-0 -1 --1 -0 -1 --0 -1234568 -0 --98765 -0 -2 -4',
};
const REFUSED = {
  '0.0.0': 'Multiple decimal separators in pattern "0.0.0"',
  '0#0': 'Unexpected \'0\' in pattern "0#0"',
  '#0#': 'Malformed pattern "#0#"',
  "'": 'Malformed pattern "\'"',
  '0E': 'Malformed exponential pattern "0E"',
  '%%0': 'Too many percent/per mille characters in pattern "%%0"',
  '0;;': 'Unquoted special character \';\' in pattern "0;;"',
  '#,': 'Malformed pattern "#,"',
};

test('a pattern prints numbers as Java does: prefixes, groups, halves to even, exponents', () => {
  for (const [pattern, expected] of Object.entries(PRINTED)) {
    const print = decimalFormat(pattern);
    equal(VALUES.map((value) => print(value)).join(' '), expected, pattern);
  }
});

test('a pattern shows at most 309 digits before and 340 behind the point, as for doubles in Java', () => {
  equal(decimalFormat('0'.repeat(22))(7), '7'.padStart(22, '0'));
  equal(decimalFormat('0'.repeat(400))(7), '7'.padStart(309, '0'));
  equal(decimalFormat(`0.${'0'.repeat(101)}`)(0.5), `0.${'5'.padEnd(101, '0')}`);
  equal(decimalFormat(`0.${'0'.repeat(400)}`)(0.5), `0.${'5'.padEnd(340, '0')}`);
  equal(decimalFormat(`0.${'#'.repeat(400)}`)(0.25), '0.25');
});

test('a pattern that Java refuses is refused in its words', () => {
  for (const [pattern, message] of Object.entries(REFUSED)) throws(() => decimalFormat(pattern), { message });
});
