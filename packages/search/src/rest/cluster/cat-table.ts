// How a `_cat` table is printed: which columns, in which order, as aligned text or JSON rows, or what columns there are.
import { type Answer, type Call, flagParam, listParam, param } from '../request/request.ts';
import { globMatches } from '../../glob.ts';
import { illegalArgument } from '../../request-error.ts';

/** A column of a `_cat` table. */
interface Column {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly right: boolean;
  /** Shown without being asked for. */
  readonly shown: boolean;
}

/** A column of words, which begin below each other. */
export function wordColumn(name: string, aliases: readonly string[], description: string, shown = true): Column {
  return { name, aliases, description, right: false, shown };
}

/** A column of numbers, which end below each other. */
export function numberColumn(name: string, aliases: readonly string[], description: string, shown = true): Column {
  return { name, aliases, description, right: true, shown };
}

/** Prints a `_cat` table: text with aligned columns, or JSON rows. */
export function catTable(
  call: Call,
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, string | null>>[],
): Answer {
  if (flagParam(call, 'help')) {
    const width = Math.max(...columns.map((column) => column.name.length));
    const aliasWidth = Math.max(...columns.map((column) => column.aliases.join(',').length));
    const descriptionWidth = Math.max(...columns.map((column) => column.description.length));
    const lines = columns.map(
      (column) =>
        `${column.name.padEnd(width)} | ${(column.aliases.join(',') || '').padEnd(aliasWidth)} | ${column.description.padEnd(descriptionWidth)}`,
    );
    return { text: `${lines.join('\n')}\n` };
  }
  const wanted = listParam(call, 'h');
  const chosen =
    wanted === undefined
      ? columns.filter((column) => column.shown)
      : wanted.flatMap((name) =>
          columns.filter(
            (column) =>
              column.name === name ||
              column.aliases.includes(name) ||
              (name.includes('*') && globMatches(name, column.name)),
          ),
        );
  // A column is headed by the name that it was asked for by.
  const headed = chosen.map(
    (column) => wanted?.find((name) => name === column.name || column.aliases.includes(name)) ?? column.name,
  );
  const sort = listParam(call, 's') ?? [];
  const sorted = rows.toSorted((a, b) => {
    for (const key of sort) {
      const [name, direction] = key.split(':');
      const column = columns.find((each) => each.name === name || each.aliases.includes(name!));
      if (column === undefined) throw illegalArgument(`Unable to sort by unknown sort key \`${name}\``);
      const x = a[column.name] ?? '';
      const y = b[column.name] ?? '';
      const compared = /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
      if (compared !== 0) return direction === 'desc' ? -compared : compared;
    }
    return 0;
  });
  const asJson = param(call, 'format') === 'json';
  if (asJson)
    return {
      json: sorted.map((row) =>
        Object.fromEntries(chosen.map((column, at) => [headed[at]!, row[column.name] ?? null])),
      ),
    };
  const lines = sorted.map((row) => chosen.map((column) => row[column.name] ?? ''));
  if (flagParam(call, 'v')) {
    lines.unshift(headed);
  }
  if (lines.length === 0) return { text: '' };
  const widths = chosen.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, at) =>
        chosen[at]!.right
          ? cell.padStart(widths[at]!)
          : // Nothing follows the last.
            at === line.length - 1
            ? cell
            : cell.padEnd(widths[at]!),
      )
      .join(' '),
  );
  return { text: `${text.join('\n')}\n` };
}

const UNITS = ['b', 'kb', 'mb', 'gb', 'tb', 'pb'];

/** A size as `_cat` prints it: with the unit that suits it, or as whole ones of the unit that the request names in `bytes`. */
export function printBytes(value: number, call: Call): string {
  const wanted = param(call, 'bytes');
  if (wanted !== undefined) {
    const power = UNITS.findIndex((unit) => unit === wanted || unit === `${wanted}b`);
    if (power < 0)
      throw illegalArgument(`Unknown byte size unit [${wanted}]; it is one of [b, k, kb, m, mb, g, gb, t, tb, p, pb]`);
    return String(Math.floor(value / 1024 ** power));
  }
  const units = UNITS.slice(0, 5);
  let amount = value;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? amount : Math.floor(amount * 10) / 10}${units[unit]}`;
}
