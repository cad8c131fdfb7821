// Shapes of tables: columns, keys, indexes, foreign keys. The model defines the required shapes (tables-of-model.ts),
// introspection reads the existing ones, and plan-migration.ts compares them.
import type { Storage } from '../schema/model.ts';
import { fitName } from '../schema/names.ts';
import { quoteName } from '../schema/table-name.ts';
export { quoteName, quoteText } from '../schema/table-name.ts';

export interface ColumnShape {
  readonly name: string;
  /** The type as the database writes it: `TEXT`, `timestamp(3) with time zone`. */
  readonly type: string;
  readonly nullable: boolean;
  /** The database generates an integer for rows inserted without one. */
  readonly identity: boolean;
  /** The value of existing rows when the column is added, as an SQL literal; undefined if there is none. */
  readonly fill?: string | undefined;
  /** SQL of the values if the type changes. */
  readonly using?: string | undefined;
  /** Names that the column may have had. */
  readonly former?: readonly string[] | undefined;
  /** For a required column: what its field stores; undefined for keys of relations and the engine's own columns. */
  readonly holds?: HeldValues | undefined;
  /** `@unmanaged`: no migration changes it. */
  readonly unmanaged?: boolean;
  /** For an existing column: properties beyond its type. */
  readonly found?: ColumnFacts | undefined;
}

/** What a field stores in its column. */
export interface HeldValues {
  /** The GraphQL named type: `String`, `Date`, `PhotoCategory`. */
  readonly type: string;
  readonly list: boolean;
  /** Maximum number of characters; undefined: no limit. */
  readonly longest: number | undefined;
  /** The column is the key. */
  readonly isKey: boolean;
  readonly isEnum: boolean;
  /** Enum value → the text that an unmanaged column holds for it, if some differ. */
  readonly labels: ReadonlyMap<string, string> | undefined;
  /** The zone of times without one. */
  readonly timeZone: 'UTC' | undefined;
}

/** Properties of an existing column beyond its type. */
export interface ColumnFacts {
  /** `domain`: `base` is its underlying type. */
  readonly kind: 'base' | 'domain' | 'enum' | 'other';
  readonly base: string;
  /** SQL of the default; undefined: null. */
  readonly defaultValue: string | undefined;
  /** A generated column. */
  readonly computed: boolean;
  /** The database generates every value (GENERATED ALWAYS). */
  readonly countsAlways: boolean;
  /** Different texts may compare as equal; on SQLite only told of unmanaged tables. */
  readonly looseCollation: boolean;
}

export interface IndexShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The condition of its rows; undefined: all rows. */
  readonly where?: NotDeleted | undefined;
}

/** The condition of a partial index: rows that are not deleted. */
export interface NotDeleted {
  readonly column: string;
  readonly test: 'IS NULL' | 'IS NOT TRUE';
}

export type OnDelete = 'CASCADE' | 'RESTRICT' | 'SET NULL';

export interface ForeignKeyShape {
  readonly name: string;
  readonly column: string;
  readonly targetTable: string;
  readonly targetColumn: string;
  readonly onDelete: OnDelete;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
  readonly primaryKey: readonly string[];
  readonly indexes: readonly IndexShape[];
  readonly foreignKeys: readonly ForeignKeyShape[];
  /** `@unmanaged`: no migration changes it. */
  readonly unmanaged?: boolean;
  /** `@readOnly`: nobody writes it here. */
  readonly readOnly?: boolean;
  /** An existing view or materialized view. */
  readonly isView?: boolean;
}

export type Dialect = 'sqlite' | 'postgres';

// SQLite derives the affinity from the last word. The first one distinguishes types that would otherwise look equal: a
// text column that becomes a list contains no lists.
const TYPES: Readonly<Record<Dialect, Readonly<Record<Storage, string>>>> = {
  sqlite: {
    text: 'TEXT',
    integer: 'INTEGER',
    real: 'REAL',
    decimal: 'DECIMAL TEXT',
    boolean: 'BOOLEAN INTEGER',
    timestamp: 'TIMESTAMP TEXT',
    json: 'JSON TEXT',
  },
  postgres: {
    text: 'text',
    integer: 'bigint',
    real: 'double precision',
    decimal: 'numeric',
    boolean: 'boolean',
    timestamp: 'timestamp(3) with time zone',
    json: 'jsonb',
  },
};

/** The column type of a storage. */
export function columnType(dialect: Dialect, storage: Storage): string {
  return TYPES[dialect][storage];
}

/** The storage of a column type; undefined if it is not one of the engine's. */
export function storageOfType(dialect: Dialect, type: string): Storage | undefined {
  const found = Object.entries(TYPES[dialect]).find(([, name]) => name.toLowerCase() === type.toLowerCase());
  return found?.[0] as Storage | undefined;
}

/** Reads the condition of a partial index as both databases print it; undefined if it is none of the engine's. */
export function parseNotDeleted(text: string): NotDeleted | undefined {
  const found = /^\(?(?:"(?<quoted>(?:[^"]|"")+)"|(?<plain>\w+)) (?<test>IS NULL|IS NOT TRUE)\)?$/.exec(text.trim());
  const { quoted, plain, test } = found?.groups ?? {};
  const column = quoted?.replaceAll('""', '"') ?? plain;
  return column === undefined ? undefined : { column, test: test as NotDeleted['test'] };
}

/** The condition of a partial index in SQL. */
export function notDeletedSql({ column, test }: NotDeleted): string {
  return `${quoteName(column)} ${test}`;
}

/** Joins words to a name, shortened with a hash if it would be too long. */
export function composeName(...words: readonly string[]): string {
  // Three characters fewer than the limit, as in existing index names.
  return fitName(words.join('_'), 3);
}
