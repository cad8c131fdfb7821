// Filters over plain values, written out the simplest way there is: lists, and texts without regard to case. The engine builds
// patterns of its own for those; here it is the `i` of JavaScript's regular expressions.

/** An element as a stored list holds it. */
function element(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}

/** The filter of a list of scalars. */
export function testList(value: readonly unknown[] | null, operator: string, operand: unknown): boolean {
  if (operator === 'isNull') return operand === null ? true : (value === null) === operand;
  const given = (Array.isArray(operand) ? operand : [operand]).map(element);
  const isSame = value !== null && operand !== null && JSON.stringify(value) === JSON.stringify(given);
  if (operator === 'eq') return operand === null ? value === null : isSame;
  if (operator === 'ne') return operand === null ? value !== null : !isSame;
  if (operand === null) return true;
  if (value === null) return false;
  if (operator === 'isEmpty') return (value.length === 0) === operand;
  if (operator === 'hasEvery') return given.every((each) => value.includes(each));
  return given.some((each) => value.includes(each));
}

const PLACES: Readonly<Record<string, readonly [string, string]>> = {
  eqInsensitive: ['^', '$'],
  containsInsensitive: ['', ''],
  startsWithInsensitive: ['^', ''],
  endsWithInsensitive: ['', '$'],
};

/** The operators of texts that end in Insensitive. */
export function testCaseless(value: string, operator: string, given: string): boolean {
  const [start, end] = PLACES[operator]!;
  const letters = Array.from(given, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`).join('');
  return new RegExp(`${start}${letters}${end}`, 'iu').test(value);
}
