// Adds decimal numbers exactly, in any order with the same result.

/** Digits behind the point of an average of decimals. */
export const AVERAGE_DIGITS = 20;

/** Sign, digits before and behind the point, exponent. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/;
/** Sums of this size are moved to a bigint, so that they stay exact. */
const LARGE = 2 ** 52;

/** A sum of decimals; one sum for each number of digits behind the point. */
export class ExactSum {
  readonly #small = new Map<number, number>();
  readonly #large = new Map<number, bigint>();
  count = 0;

  /** Adds a number written as `-10.25` or `1.5e-7`; ignores other texts. */
  add(text: string): void {
    const point = text.indexOf('.');
    const short = Number(point < 0 ? text : text.slice(0, point) + text.slice(point + 1));
    // No exponent, and few digits: the usual case.
    if (text.length < 16 && text !== '' && Number.isInteger(short) && !text.includes('e')) {
      this.#addSmall(short, point < 0 ? 0 : text.length - point - 1);
      return;
    }
    const parts = NUMBER.exec(text);
    if (parts === null) return;
    const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
    this.#addLarge(BigInt(`${sign}${whole}${fraction}`), fraction.length - Number(exponent));
  }

  #addSmall(digits: number, scale: number): void {
    this.count++;
    const sum = (this.#small.get(scale) ?? 0) + digits;
    if (Math.abs(sum) < LARGE) {
      this.#small.set(scale, sum);
      return;
    }
    this.#small.delete(scale);
    this.#addLarge(BigInt(sum), scale);
    this.count--;
  }

  #addLarge(digits: bigint, scale: number): void {
    this.count++;
    this.#large.set(scale, (this.#large.get(scale) ?? 0n) + digits);
  }

  /** The sum as an integer, and the digits of it that are behind the point. */
  total(): { readonly digits: bigint; readonly scale: number } {
    const scales = [...this.#small.keys(), ...this.#large.keys()];
    const scale = Math.max(0, ...scales);
    let digits = 0n;
    for (const [own, sum] of this.#small) digits += BigInt(sum) * 10n ** BigInt(scale - own);
    for (const [own, sum] of this.#large) digits += sum * 10n ** BigInt(scale - own);
    return { digits, scale };
  }

  toDecimal(): string {
    const { digits, scale } = this.total();
    return printDecimal(digits, scale);
  }

  /** The average, rounded half away from zero. */
  averageDecimal(): string {
    const { digits, scale } = this.total();
    const divisor = 2n * BigInt(this.count) * 10n ** BigInt(scale);
    const half = BigInt(this.count) * 10n ** BigInt(scale) * (digits < 0n ? -1n : 1n);
    return printDecimal((2n * digits * 10n ** BigInt(AVERAGE_DIGITS) + half) / divisor, AVERAGE_DIGITS);
  }

  /** The nearest double; null if there is none. */
  toNumber(): number | null {
    const { digits, scale } = this.total();
    const sum = Number(`${digits}e-${scale}`);
    return Number.isFinite(sum) ? sum : null;
  }
}

/** Prints a decimal in its canonical form: without zeros at the end. */
export function printDecimal(digits: bigint, scale: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  const whole = scale === 0 ? text : text.slice(0, -scale);
  return `${sign}${whole}${scale === 0 || fraction === '' ? '' : `.${fraction}`}`;
}
