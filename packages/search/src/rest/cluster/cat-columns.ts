// The columns of the `_cat` tables, and the cells of those with numbers of `_stats`.
import { isObject, type Json } from '../../json/json.ts';
import { bytesCell, type Column, type Row, timeCell } from './cat-table.ts';
import COLUMNS from './data/cat-columns.json' with { type: 'json' };

/** The name of a table, for example `indices`. */
export type TableName = keyof typeof COLUMNS.tables;

/** Name, aliases, description, its member in `_stats`, and the tables that have it. */
const NUMBERS = COLUMNS.numbers.map((line) => {
  const [name = '', aliases = '', description = '', member = '', tables = ''] = line.split(' | ');
  const [group = '', key = ''] = member.split('.');
  return { name, group, key, tables, column: `${name} | ${aliases} | ${description} | number hidden` };
});

/** The columns of a table in their order. */
export function columnsOf(table: TableName): readonly Column[] {
  const numbers = NUMBERS.filter(({ tables }) => tables.split(' ').includes(table)).flatMap(({ column }) => {
    const read = readColumn(column);
    // An index has each twice: of all its shards, and of the primaries.
    return table === 'indices' ? [read, { ...read, name: `pri.${read.name}`, aliases: [] }] : [read];
  });
  return COLUMNS.tables[table].flatMap((line) => (line === 'numbers of _stats' ? numbers : [readColumn(line)]));
}

/** Reads `name | aliases | description | number hidden`. */
function readColumn(line: string): Column {
  const [name = '', aliases = '', description = '', marks = ''] = line.split(' | ');
  return {
    name,
    aliases: aliases === '-' ? [] : aliases.split(','),
    description,
    right: marks.includes('number'),
    shown: !marks.includes('hidden'),
  };
}

/** The cells of the columns with numbers. @param numbers groups as in `_stats` */
export function statCells(numbers: Json): Row {
  return Object.fromEntries(
    NUMBERS.map(({ group, key, name }) => {
      const members = numbers[group];
      const value = isObject(members) ? members[key] : undefined;
      return [name, typeof value === 'number' ? cellOf(key, value) : null];
    }),
  );
}

function cellOf(key: string, value: number): Row[string] {
  if (key.endsWith('_in_bytes')) return bytesCell(value);
  return key.endsWith('_in_millis') ? timeCell(value) : value;
}
