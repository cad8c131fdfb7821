// A number as Java prints it, which answers and messages show.

/** A number as Java prints it: doubles keep a fraction. */
export function printDouble(value: number, whole: boolean): string {
  if (whole || !Number.isInteger(value) || Math.abs(value) >= 1e7) {
    if (!whole && Math.abs(value) >= 1e7) {
      const text = value.toExponential().replace('e+', 'E');
      return text.includes('.') ? text : text.replace('E', '.0E');
    }
    return String(value);
  }
  return `${value}.0`;
}
