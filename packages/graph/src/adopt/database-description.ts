// The description of an existing database, in one form for PostgreSQL and SQLite: what `adopt` reads, keeps beside the
// application, and compares at the next adoption. It holds no rows and no sizes, so it changes only with the database.

export interface DatabaseDescription {
  readonly dialect: 'postgres' | 'sqlite';
  /** By schema and name. */
  readonly tables: readonly TableDescription[];
  /** Native enums of PostgreSQL. */
  readonly enums: readonly EnumDescription[];
}

export interface EnumDescription {
  readonly schema: string | undefined;
  readonly name: string;
  readonly values: readonly string[];
  readonly comment: string | undefined;
}

export type TableKind = 'table' | 'view' | 'materialized view' | 'foreign table' | 'virtual table';

/** Name of a table; `schema` is undefined where a name without one means the same table. */
export interface TableName {
  readonly schema: string | undefined;
  readonly name: string;
}

export interface TableDescription extends TableName {
  readonly kind: TableKind;
  readonly comment: string | undefined;
  readonly columns: readonly ColumnDescription[];
  /** Empty: none. */
  readonly primaryKey: readonly string[];
  /** Unique constraints and indexes over plain columns and all rows, without the primary key. */
  readonly uniques: readonly (readonly string[])[];
  /** Column lists of all other plain indexes. */
  readonly indexes: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKeyDescription[];
  readonly checks: readonly CheckDescription[];
  /** A materialized view that holds its rows, and anything else. */
  readonly populated: boolean;
  /** Number of partitions below it. */
  readonly partitions: number;
  /** Tables that inherit from it. */
  readonly heirs: readonly string[];
  /** Names of the policies of row-level security; undefined: it is off. */
  readonly policies: readonly string[] | undefined;
  /** Rules of PostgreSQL that replace an INSERT, UPDATE or DELETE. */
  readonly rewrites?: readonly string[] | undefined;
  /** Whether the role that read the description may read its rows. */
  readonly readable: boolean;
  /** Why the engine cannot read it, once that has been tried. */
  readonly refused?: string | undefined;
}

export interface ColumnDescription {
  readonly name: string;
  /** The type as the database writes it: `character varying(20)`. */
  readonly type: string;
  /** PostgreSQL's own name of the type, below a domain and in an array that of the element; SQLite: the affinity. */
  readonly base: string;
  readonly list: boolean;
  readonly domain: boolean;
  /** The native enum of the base type. */
  readonly enum: TableName | undefined;
  readonly nullable: boolean;
  /** SQL of the default. */
  readonly default: string | undefined;
  /** A value that the database computes from other columns. */
  readonly generated: boolean;
  /** The database counts: an identity column, a serial, or SQLite's INTEGER PRIMARY KEY. */
  readonly counted: 'always' | 'by default' | undefined;
  readonly comment: string | undefined;
  readonly readable: boolean;
  /** SQLite, where a column may hold anything: what its values are. */
  readonly holds: HeldKind | undefined;
  /** Equal values may differ, as in `citext` and NOCASE; undefined: they do not, or it is not known. */
  readonly loose?: true | undefined;
  /** Dimensions of an array, as it was declared. */
  readonly dimensions?: number | undefined;
  /** SQLite: a column of the primary key that has nulls, as one that is no INTEGER may. */
  readonly nullKey?: true | undefined;
  /** Why the engine cannot read it, once that has been tried. */
  readonly refused?: string | undefined;
}

/** What all values of an SQLite column are; `mixed` if they are of several kinds, `nothing` if there are none. */
export type HeldKind =
  | 'nothing'
  | 'boolean'
  | 'integer'
  | 'big integer'
  | 'number'
  | 'text'
  | 'date'
  | 'time'
  | 'date and time'
  | 'uuid'
  | 'json'
  | 'bytes'
  /** Numbers, some of them infinite. */
  | 'infinity'
  | 'mixed';

/** What the deletion of a target does to the rows that refer to it. */
export const DELETE_ACTIONS = ['CASCADE', 'RESTRICT', 'SET NULL', 'SET DEFAULT', 'NO ACTION'] as const;

export interface ForeignKeyDescription {
  readonly name: string;
  readonly columns: readonly string[];
  readonly target: TableName;
  readonly targetColumns: readonly string[];
  readonly onDelete: (typeof DELETE_ACTIONS)[number];
  /** Whether each value is known to be one of the target's. */
  readonly holds: boolean;
}

export interface CheckDescription {
  readonly name: string;
  readonly sql: string;
}

/** The name as a message shows it: `shop.orders`. */
export function shownName({ schema, name }: TableName): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

/** The name of a table as SQL writes it: parts with a dot or a quote stand in quotes. */
export function sqlName({ schema, name }: TableName): string {
  const part = (text: string): string => (/[."]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return schema === undefined ? part(name) : `${part(schema)}.${part(name)}`;
}

/** A text that is equal for equal names only. */
export function nameKey({ schema, name }: TableName): string {
  return JSON.stringify([schema ?? null, name]);
}
