// The natural logarithm as Java computes it: rounded right in nearly all cases, where that of this platform is often one digit off.

/** ln 2 in two parts; the first has zeros at its end, so that its multiples are exact. */
const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
/** Numbers below are not looked at closely: parts of them would be subnormal. */
const LEAST = 2 ** -1000;
/** Splits a double into two halves of 26 bits. */
const SPLITTER = 2 ** 27 + 1;

/** The logarithm of m · 2^k is k · ln 2 and a series in (m − 1) / (m + 1), which is kept in two parts. */
export function javaLog(x: number): number {
  if (!(x >= LEAST) || x === Infinity) return Math.log(x);
  const k = Math.round(Math.log2(x));
  const m = x / 2 ** k;
  const above = m - 1;
  const [below, belowLow] = sum(m, 1);
  const s = above / below;
  const [product, productLow] = multiply(s, below);
  const sLow = (above - product - productLow - s * belowLow) / below;
  const z = s * s;
  let series = 0;
  for (let power = 23; power >= 3; power -= 2) series = z * (1 / power + series);
  const [high, rest] = sum(k * LN2_HIGH, 2 * s);
  return high + (rest + (2 * sLow + 2 * s * series + k * LN2_LOW));
}

/** A sum and what its rounding leaves. */
function sum(a: number, b: number): readonly [number, number] {
  const total = a + b;
  const part = total - a;
  return [total, a - (total - part) + (b - part)];
}

/** A product and what its rounding leaves. */
function multiply(a: number, b: number): readonly [number, number] {
  const product = a * b;
  const [aHigh, aLow] = split(a);
  const [bHigh, bLow] = split(b);
  return [product, aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

function split(value: number): readonly [number, number] {
  const scaled = SPLITTER * value;
  const high = scaled - (scaled - value);
  return [high, value - high];
}
