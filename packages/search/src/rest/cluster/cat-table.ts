// How a `_cat` table is printed: which columns, in which order, as aligned text or JSON rows, or what columns there are.
import { unrecognizedParams } from '../request/endpoint.ts';
import { type Answer, type Call, flagParam, listParam, param } from '../request/request.ts';
import { globMatches } from '../../text/glob.ts';
import { RequestError } from '../../errors/request-error.ts';

/** A column of a `_cat` table. */
export interface Column {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly right: boolean;
  /** Shown by default. */
  readonly shown: boolean;
}

/** A value that is printed with the unit that the request names in `bytes` or `time`, or with the one that suits it. */
interface Amount {
  readonly unit: 'bytes' | 'milliseconds';
  readonly value: number;
}

type Cell = string | number | boolean | null | Amount;

export type Row = Readonly<Record<string, Cell | undefined>>;

export function bytesCell(value: number): Amount {
  return { unit: 'bytes', value };
}

export function timeCell(milliseconds: number): Amount {
  return { unit: 'milliseconds', value: milliseconds };
}

/** Prints a `_cat` table: text with aligned columns, or JSON rows; asked for help it computes no row. */
export async function catTable(
  call: Call,
  columns: readonly Column[],
  rowsOf: (call: Call) => readonly Row[] | Promise<readonly Row[]>,
): Promise<Answer> {
  if (flagParam(call, 'help')) return help(call, columns);
  const rows = await rowsOf(call);
  const chosen = chosenColumns(call, columns);
  const text = (cell: Cell | undefined): string | null => printCell(cell ?? null, call);
  const sorted = rows.toSorted(orderOf(call, columns));
  if (isStructured(call))
    return {
      json: sorted.map((row) => Object.fromEntries(chosen.map(([column, head]) => [head, text(row[column.name])]))),
    };
  const lines = sorted.map((row) => chosen.map(([column]) => text(row[column.name]) ?? ''));
  if (flagParam(call, 'v')) lines.unshift(chosen.map(([, head]) => head));
  if (lines.length === 0) return { text: '' };
  const widths = chosen.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const printed = lines.map((line) =>
    line
      .map((cell, at) =>
        chosen[at]![0].right
          ? cell.padStart(widths[at]!)
          : // Nothing follows the last.
            at === line.length - 1
            ? cell
            : cell.padEnd(widths[at]!),
      )
      .join(' '),
  );
  return { text: `${printed.join('\n')}\n` };
}

/** Whether the rows are requested as JSON, YAML or the like. */
function isStructured(call: Call): boolean {
  const format = param(call, 'format');
  return format === 'json' || format === 'yaml';
}

/** @throws RequestError for a part of the path, which no column is chosen by */
function help(call: Call, columns: readonly Column[]): Answer {
  const unused = Object.keys(call.path).filter((name) => name !== 'thread_pools');
  if (unused.length > 0) throw unrecognizedParams(call.request, unused);
  const cells = columns.map(({ name, aliases, description }) => [name, aliases.join(','), description]);
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((line) => line[at]!.length)));
  return { text: cells.map((line) => `${line.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')}\n`).join('') };
}

/** Returns the requested columns with their headings: the requested name. Unknown names are ignored. */
function chosenColumns(call: Call, columns: readonly Column[]): readonly (readonly [Column, string])[] {
  const wanted = listParam(call, 'h');
  if (wanted === undefined) return columns.filter(({ shown }) => shown).map((column) => [column, column.name]);
  const names = new Set(
    wanted.flatMap((name) =>
      name.includes('*')
        ? columns
            .filter((column) => [column.name, ...column.aliases].some((each) => globMatches(name, each)))
            .map((column) => column.name)
        : [name],
    ),
  );
  return [...names].flatMap((name) => {
    // Of several columns with one alias the last has it.
    const found =
      columns.find((column) => column.name === name) ?? columns.findLast(({ aliases }) => aliases.includes(name));
    return found === undefined ? [] : [[found, name] as const];
  });
}

function orderOf(call: Call, columns: readonly Column[]): (a: Row, b: Row) => number {
  const keys = (listParam(call, 's') ?? []).map((key) => {
    const [, name, direction] = /^(.*?)(?::(asc|desc))?$/s.exec(key)!;
    const column = columns.findLast((each) => each.name === name || each.aliases.includes(name!));
    if (column === undefined)
      throw new RequestError(
        'SEARCH_UNSUPPORTED',
        'unsupported_operation_exception',
        `Unable to sort by unknown sort key \`${name}\``,
      );
    return { name: column.name, sign: direction === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { name, sign } of keys) {
      const compared = compareCells(a[name] ?? null, b[name] ?? null);
      if (compared !== 0) return sign * compared;
    }
    return 0;
  };
}

/** What is missing comes first. */
function compareCells(a: Cell, b: Cell): number {
  const x = sortKey(a);
  const y = sortKey(b);
  if (typeof x === 'string' && typeof y === 'string' && !(/^\d+$/.test(x) && /^\d+$/.test(y)))
    return x < y ? -1 : x > y ? 1 : 0;
  return Number(x) - Number(y);
}

function sortKey(cell: Cell): string | number {
  return isAmount(cell) ? cell.value : String(cell ?? '');
}

function isAmount(cell: Cell): cell is Amount {
  return typeof cell === 'object' && cell !== null;
}

function printCell(cell: Cell, call: Call): string | null {
  if (!isAmount(cell)) return cell === null ? null : String(cell);
  return cell.unit === 'bytes'
    ? printBytes(cell.value, param(call, 'bytes'))
    : printTime(cell.value, param(call, 'time'));
}

const BYTES = ['b', 'kb', 'mb', 'gb', 'tb', 'pb'];

/** A size with the unit that suits it, or as whole ones of the wanted unit. */
function printBytes(value: number, wanted: string | undefined): string {
  const power = BYTES.findIndex((unit) => unit === wanted || (wanted !== '' && unit === `${wanted}b`));
  if (power >= 0) return String(Math.floor(value / 1024 ** power));
  let amount = value;
  let unit = 0;
  while (amount >= 1024 && unit < BYTES.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? amount : Math.floor(amount * 10) / 10}${BYTES[unit]}`;
}

/** Milliseconds of each unit, the smallest first. */
const TIMES: readonly (readonly [unit: string, milliseconds: number])[] = [
  ['nanos', 1e-6],
  ['micros', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
];

/** A time with the largest unit of which there is one, or as whole ones of the wanted unit. */
function printTime(milliseconds: number, wanted: string | undefined): string {
  const named = TIMES.find(([unit]) => unit === wanted);
  if (named !== undefined) return String(Math.floor(milliseconds / named[1]));
  if (milliseconds === 0) return '0s';
  const [unit, size] = TIMES.findLast(([, each]) => milliseconds >= each) ?? TIMES[0]!;
  return `${Math.floor((milliseconds / size) * 10) / 10}${unit}`;
}
