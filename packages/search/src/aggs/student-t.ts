// How likely Student's t-distribution makes a value: its tail, by the continued fraction of the incomplete beta function (Numerical
// Recipes §6.4, Lentz's method), good to some 14 digits.

const COEFFICIENTS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The logarithm of the gamma function of a positive number (Lanczos, g = 7). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  const t = shifted + 7.5;
  let sum = COEFFICIENTS[0]!;
  for (let at = 1; at < COEFFICIENTS.length; at++) sum += COEFFICIENTS[at]! / (shifted + at);
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const STEPS = 10_000;

function fraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < TINY ? TINY : d);
  let value = d;
  const step = (numerator: number): number => {
    d = 1 + numerator * d;
    d = 1 / (Math.abs(d) < TINY ? TINY : d);
    c = 1 + numerator / c;
    if (Math.abs(c) < TINY) c = TINY;
    value *= d * c;
    return d * c;
  };
  for (let m = 1; m <= STEPS; m++) {
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)));
    const last = step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)));
    if (Math.abs(last - 1) < 1e-16) break;
  }
  return value;
}

/** The regularized incomplete beta function. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(a, b, x)) / a : 1 - (front * fraction(b, a, 1 - x)) / b;
}

/** The probability of a value at or below `-t`, for a `t` that is not negative. */
export function studentTail(t: number, degrees: number): number {
  if (t === 0) return 0.5;
  return 0.5 * incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}
