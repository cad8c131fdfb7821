// Reads and writes enum values that unmanaged columns hold under other names: `PG-13` for `PG_13`.
import type { NativeType } from '../schema/model.ts';
import { quoteText } from '../schema/table-name.ts';

/** Adds the names to a column's type. `cast`: makes a text a value of the column. */
export function withLabels(
  native: NativeType,
  labels: ReadonlyMap<string, string>,
  cast: (text: string) => string = (text) => text,
): NativeType {
  const pairs = [...labels];
  const toName = pairs.map(([name, label]) => `WHEN ${quoteText(label)} THEN ${quoteText(name)}`).join(' ');
  const toLabel = pairs.map(([name, label]) => `WHEN ${quoteText(name)} THEN ${quoteText(label)}`).join(' ');
  return {
    ...native,
    read: (column) => {
      const text = native.read?.(column) ?? column;
      return `CASE ${text} ${toName} ELSE ${text} END`;
    },
    write: (placeholder) => cast(`CASE ${placeholder} ${toLabel} END`),
  };
}
