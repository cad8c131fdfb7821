// Reads an integer of any size.

/** The number, as a BigInt where a number would lose digits. */
export function toInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
