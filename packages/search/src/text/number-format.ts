// Java's DecimalFormat patterns (`#,##0.00`, `Value is ##0.0`) as the `format` of aggregations uses them.

/** Prints a number by a pattern; dates and other formats are not for here. */
export function decimalFormat(pattern: string): (value: number) => string {
  const match = /^((?:'[^']*'|[^#0,.'])*)([#0,]*)(?:\.([#0]*))?(%?)((?:'[^']*'|[^'])*)$/.exec(pattern);
  if (match === null) return String;
  const [, prefix = '', whole = '', fraction = '', percent = '', suffix = ''] = match;
  const grouping = whole.includes(',');
  const minimumWhole = (whole.match(/0/g) ?? []).length;
  const minimumFraction = (fraction.match(/0/g) ?? []).length;
  const plain = (text: string): string => text.replaceAll("'", '');
  const format = new Intl.NumberFormat('en-US', {
    useGrouping: grouping,
    minimumIntegerDigits: Math.max(1, minimumWhole),
    minimumFractionDigits: minimumFraction,
    maximumFractionDigits: fraction.length,
    roundingMode: 'halfEven',
  });
  return (value) => `${plain(prefix)}${format.format(percent === '%' ? value * 100 : value)}${percent}${plain(suffix)}`;
}
