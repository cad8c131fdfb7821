// What a database looks like, as far as the engine cares: tables, columns, keys, indexes, foreign keys. The model says
// what it should be (`tables-of-model.ts`), introspection what it is, and `plan-migration.ts` compares the two.
import type { Storage } from '../schema/model.ts';
import { fitName } from '../schema/names.ts';

export interface ColumnShape {
  readonly name: string;
  /** The type as the database writes it: `TEXT`, `timestamp(3) with time zone`. */
  readonly type: string;
  readonly nullable: boolean;
  /** The database gives the next whole number when a row is inserted without one. */
  readonly identity: boolean;
  /** What existing rows get when the column is added, as an SQL literal; undefined when nobody can say. */
  readonly fill?: string | undefined;
  /** Of a column that the schema asks for: what its field holds; undefined for keys of relations and the engine's own. */
  readonly holds?: HeldValues | undefined;
  /** Of a column in the database: what its type does not say. */
  readonly found?: ColumnFacts | undefined;
}

/** What a field keeps in its column. */
export interface HeldValues {
  /** The GraphQL named type: `String`, `Date`, `PhotoCategory`. */
  readonly type: string;
  readonly list: boolean;
  /** Characters of the longest text that can stand there; undefined: any number. */
  readonly longest: number | undefined;
  /** Rows are found by it: it is the key. */
  readonly isKey: boolean;
}

/** What a database says of a column beside its type. */
export interface ColumnFacts {
  /** `domain`: `base` is the type below it. */
  readonly kind: 'base' | 'domain' | 'enum' | 'other';
  readonly base: string;
  /** SQL of the value that a row gets when none is given; undefined: null. */
  readonly defaultValue: string | undefined;
  /** The database computes it from other columns. */
  readonly computed: boolean;
  /** The database counts it and takes no value (GENERATED ALWAYS). */
  readonly countsAlways: boolean;
  /** Texts that differ may count as equal. */
  readonly looseCollation: boolean;
}

export interface IndexShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
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
}

export type Dialect = 'sqlite' | 'postgres';

// SQLite goes by the last word (its affinities); the first keeps apart what would look the same there: a text that becomes
// a list holds no list.
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

/** The column type that holds a kind of value. */
export function columnType(dialect: Dialect, storage: Storage): string {
  return TYPES[dialect][storage];
}

/** The kind of value that a column of a type holds; undefined for a type that is none of ours. */
export function storageOfType(dialect: Dialect, type: string): Storage | undefined {
  const found = Object.entries(TYPES[dialect]).find(([, name]) => name.toLowerCase() === type.toLowerCase());
  return found?.[0] as Storage | undefined;
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Puts a name together from words, shortened with a hash of the whole when it would be too long. */
export function composeName(...words: readonly string[]): string {
  // Three characters fewer than fit, as names of indexes always were.
  return fitName(words.join('_'), 3);
}
