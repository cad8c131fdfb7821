// Says how a database differs from its earlier description, a line per table, column, key, enum or policy.
import { isDeepStrictEqual } from 'node:util';
import { nameKey, shownName, type DatabaseDescription, type TableDescription } from './database-description.ts';
import { withoutSecrets } from './secrets.ts';

/** One difference, as a line without its full stop. */
export interface DatabaseChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly place: string;
  readonly text: string;
}

/** Lists the changes of a database in the order of its tables. */
export function compareDescriptions(
  former: DatabaseDescription,
  after: DatabaseDescription,
): readonly DatabaseChange[] {
  // One that was written when less was known of secrets.
  const before = withoutSecrets(former);
  const changes = compareLists(
    before.tables,
    after.tables,
    nameKey,
    ({ kind, ...name }) => [kind, shownName(name)],
    compareTables,
  );
  const enums = compareLists(
    before.enums,
    after.enums,
    nameKey,
    (each) => ['enum', shownName(each)],
    (old, now) =>
      isDeepStrictEqual(old.values, now.values)
        ? []
        : [
            {
              kind: 'changed',
              place: shownName(now),
              text: `enum: ${now.values.join(', ')} (before: ${old.values.join(', ')})`,
            },
          ],
  );
  return [...changes, ...enums];
}

function compareLists<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (each: T) => string,
  describe: (each: T) => readonly [kind: string, place: string],
  compare: (old: T, now: T) => readonly DatabaseChange[],
): readonly DatabaseChange[] {
  const old = new Map(before.map((each) => [keyOf(each), each]));
  const now = new Set(after.map(keyOf));
  const change = (kind: DatabaseChange['kind'], each: T): DatabaseChange => {
    const [text, place] = describe(each);
    return { kind, place, text };
  };
  const found = after.flatMap((each) => {
    const former = old.get(keyOf(each));
    return former === undefined ? [change('added', each)] : compare(former, each);
  });
  return [...found, ...before.filter((each) => !now.has(keyOf(each))).map((each) => change('removed', each))];
}

function compareTables(old: TableDescription, now: TableDescription): readonly DatabaseChange[] {
  const table = shownName(now);
  const columns = compareLists(
    old.columns,
    now.columns,
    ({ name }) => name,
    ({ name, type, nullable }) => [`column of type ${type}${nullable ? '' : ', never null'}`, `${table}.${name}`],
    (former, column) =>
      FACTS.filter(([, read]) => !isDeepStrictEqual(read(former), read(column))).map(([what, read]) => ({
        kind: 'changed',
        place: `${table}.${column.name}`,
        text: `${what}: ${show(read(column))} (before: ${show(read(former))})`,
      })),
  );
  const whole = TABLE_FACTS.filter(([, read]) => !isDeepStrictEqual(read(old), read(now))).map(
    ([what, read]): DatabaseChange => ({
      kind: 'changed',
      place: table,
      text: `${what}: ${show(read(now))} (before: ${show(read(old))})`,
    }),
  );
  return [...columns, ...whole];
}

type Column = TableDescription['columns'][number];

const FACTS: readonly (readonly [string, (column: Column) => unknown])[] = [
  ['type', ({ type }) => type],
  ['may be null', ({ nullable }) => nullable],
  ['default', (column) => column.default],
  ['computed by the database', ({ generated }) => generated],
  ['counted by the database', ({ counted }) => counted],
  ['comment', ({ comment }) => comment],
  ['readable', ({ readable }) => readable],
  ['values', ({ holds }) => holds],
];

const TABLE_FACTS: readonly (readonly [string, (table: TableDescription) => unknown])[] = [
  ['kind', ({ kind }) => kind],
  ['comment', ({ comment }) => comment],
  ['primary key', ({ primaryKey }) => primaryKey],
  ['unique', ({ uniques }) => uniques.map((columns) => `(${columns.join(', ')})`)],
  [
    'foreign keys',
    ({ foreignKeys }) =>
      foreignKeys.map(
        ({ columns, target, targetColumns, onDelete }) =>
          `(${columns.join(', ')}) → ${shownName(target)} (${targetColumns.join(', ')}) on delete ${onDelete.toLowerCase()}`,
      ),
  ],
  ['checks', ({ checks }) => checks.map(({ sql }) => sql)],
  ['row-level security', ({ policies }) => policies],
  ['rules instead of writes', ({ rewrites }) => rewrites],
  ['readable', ({ readable }) => readable],
  ['inherited by', ({ heirs }) => heirs],
];

function show(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.join(', ');
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
