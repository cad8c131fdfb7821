// Prints rows in columns, numbers to the right.

/** Prints a table with a title to standard output. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ');
  process.stdout.write(`\n${title}\n${cells.map(line).join('\n')}\n`);
}

/** Three significant digits. */
export function digits(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
