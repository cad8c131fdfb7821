// Random databases as SQL that both databases understand: keys of one and several columns, foreign keys to both, names of
// every kind, and rows.
import type { Random } from '@lockstitch/search/requests';

/** A column; `value` is SQL for the row of that number, from 1. */
interface RandomColumn {
  readonly name: string;
  readonly type: string;
  readonly value: (row: number) => string;
}

interface RandomTable {
  readonly name: string;
  readonly key: readonly RandomColumn[];
}

const NAMES = ['orders', 'Items', 'order line', 'users_2', 'select', 'größe', 'status', 'a.b', 'people', 'x"y', 'News'];
const TENANT: RandomColumn = { name: 'tenant', type: 'VARCHAR(20)', value: () => `'t,%'` };
const PLAIN: readonly Omit<RandomColumn, 'name'>[] = [
  { type: 'INTEGER', value: (row) => String(row * 7 - 3) },
  { type: 'TEXT', value: (row) => `'it''s ${row}, %2C "x"'` },
  { type: 'VARCHAR(20)', value: (row) => `'v${row}'` },
  { type: 'DECIMAL(10, 2)', value: (row) => `${row}.25` },
  { type: 'DATE', value: (row) => `'2020-02-0${1 + (row % 9)}'` },
];

/** Statements that create and fill a database of `count` tables. */
export function randomDatabase(random: Random, count: number): string {
  const tables: RandomTable[] = [];
  const statements: string[] = [];
  for (let at = 0; at < count; at++) {
    const name = quote(`${random.pick(NAMES)} ${at}`);
    const key = randomKey(random);
    const foreignKeys: string[] = [];
    const columns = [...key];
    const parents = tables.length === 0 ? [] : Array.from({ length: random.int(3) }, () => random.pick(tables));
    for (const [index, parent] of parents.entries()) {
      const own = parent.key.map((part) => referring(part, `p${index}_${part.name}`));
      columns.push(...own);
      const action = random.pick(['', ' ON DELETE CASCADE', ' ON DELETE SET NULL']);
      foreignKeys.push(`FOREIGN KEY (${namesOf(own)}) REFERENCES ${parent.name} (${namesOf(parent.key)})${action}`);
    }
    for (let extra = random.int(5); extra > 0; extra--)
      columns.push(nullable({ name: `Column ${extra}`, ...random.pick(PLAIN) }));
    const lines = columns.map(
      (column) => `${quote(column.name)} ${column.type}${key.includes(column) ? ' NOT NULL' : ''}`,
    );
    const constraints = [`PRIMARY KEY (${namesOf(key)})`, ...foreignKeys];
    statements.push(`CREATE TABLE ${name} (${[...lines, ...constraints].join(', ')})`);
    for (let row = 1 + random.int(4); row > 0; row--)
      statements.push(`INSERT INTO ${name} VALUES (${columns.map(({ value }) => value(row)).join(', ')})`);
    tables.push({ name, key });
  }
  return statements.join(';\n');
}

function randomKey(random: Random): readonly RandomColumn[] {
  const number: RandomColumn = { name: 'id', type: 'INTEGER', value: String };
  const text: RandomColumn = { name: 'code', type: 'VARCHAR(20)', value: (row) => `'${row}'` };
  return random.pick([[number], [text], [TENANT, { ...number, name: 'nr' }], [text, TENANT]]);
}

/** Refers to the first row of a table; every third row refers to nothing. */
function referring({ type, value }: RandomColumn, name: string): RandomColumn {
  return { name, type, value: (row) => (row % 3 === 2 ? 'NULL' : value(1)) };
}

function nullable(column: RandomColumn): RandomColumn {
  return { ...column, value: (row) => (row % 4 === 3 ? 'NULL' : column.value(row)) };
}

function namesOf(columns: readonly RandomColumn[]): string {
  return columns.map(({ name }) => quote(name)).join(', ');
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
