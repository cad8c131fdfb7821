// Which characters are letters, digits, Thai signs and Chinese or Japanese characters to the tokenizer `classic`, whose grammar knows
// Unicode 3.0. What it makes of them is in `classic-tokenizer.ts`.

/** Belongs to words but is no letter. */
const THAI_SIGN = 1;
export const DIGIT = 2;
export const LETTER = 3;
export const IDEOGRAPH = 4;

/** Runs of letters in base 36: how far each begins behind the one before, and behind a dot how long it is where it is longer than 1. */
const LETTERS = `
1t.q 6.q 1b a 4 5.n 1.v 1.88 2.i s.2m 2.9 2.7 e.2 e.5 9 3v b 1.3 1 1.k 1.18 1.8 2.q c.3m a.1l 2.2 2.2 3.12 2.2 1j.12 2
7.13 20.r 5.3 1a.q 5.b 12.2r 1 f.2 j.3 j 1.r 2b.12 9r.1h 3 i 7.a z.8 2.2 2.m 1.7 1 3.4 y.2 1.3 e.2 j.6 4.2 2.m 1.7 1.2
1.2 1.2 v.4 1 j.3 g.7 1 1.3 1.m 1.7 1.2 1.5 3 i f 10.8 2.2 2.m 1.7 1.2 2.4 3 u.2 1.3 z.6 3.3 1.4 3.2 1 1.2 3.2 3.3 3.8
1.3 23.8 1.3 1.n 1.a 1.5 12.2 z.8 1.3 1.n 1.a 1.5 10 1.2 z.8 1.3 1.n 1.g 12.2 z.i 3.o 1.9 1 2.7 1m.1c 1.2 c.7 1m.2 1 2.2
1 2 6.4 1.7 1.3 1 1 2.2 1.4 1.2 9 2.5 1 l.2 y 1r.8 1.y t.4 38.y 1.5 1.2 11.6 22.12 a.13 9.2i 5.1w 5.2a 6.7 1.1r 1 1.4
2.7 1 1.4 2.13 1 1.4 2.v 1 1.4 2.7 1 1.4 2.7 1.7 1.n 1.v 1 1.4 2.7 1.13 1.j 1x.2d c.h8 2.8 a.q 5.23 45.1g 30.2g 8.15
11z.4c 4.2i 6.m 2.6 2.12 2.6 2.8 1 1 1 1.v 2.1h 1.7 1 3.3 1.7 3.4 2.6 4.d 5.3 1.7 3m 3m 4 2.a 1 3.5 6 1 1 1.4 1.3 1.7
2x7.2 16.5 6z.2m h.o ls8.wd 1gz.8mc 6zg.7 c.5 5 1.a 1.d 1.5 1 1.2 1.2 1.30 x.a3 i.1s 2.1i 14.c 38.3 1 1.3r 10.q 6.q 1x.v
3.6 2.6 2.6 2.3
`;

/** Where the digits of each script begin: ten in a row, but nine in Tamil and Ethiopic, which had no zero. */
const DIGITS = [
  0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe7, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x1369, 0x17e0, 0x1810, 0xff10,
];

const kinds = new Uint8Array(0x10000);
let at = 0;
for (const run of LETTERS.trim().split(/\s+/)) {
  const [gap = '', length = '1'] = run.split('.');
  const from = at + Number.parseInt(gap, 36);
  at = from + Number.parseInt(length, 36);
  kinds.fill(LETTER, from, at);
}
for (const first of DIGITS) kinds.fill(DIGIT, first, first + (first === 0xbe7 || first === 0x1369 ? 9 : 10));
for (const [from, to] of [
  [0xe00, 0xe00],
  [0xe31, 0xe31],
  [0xe34, 0xe3f],
  [0xe47, 0xe4f],
] as const)
  kinds.fill(THAI_SIGN, from, to + 1);
for (const [from, to] of [
  [0x3040, 0x312f],
  [0x31f0, 0x31ff],
  [0x3300, 0x337f],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0xff65, 0xff9f],
] as const)
  kinds.fill(IDEOGRAPH, from, to + 1);

/** The kind of a UTF-16 unit; 0 for what is in no word. */
export function classicKind(unit: number): number {
  return kinds[unit] ?? 0;
}
