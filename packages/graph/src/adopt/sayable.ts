// What the schema language can say of existing tables so far. What it cannot say is left out and reported, never guessed.

export interface Sayable {
  /** Scalars that `scalar <name>` declares. */
  readonly scalars: ReadonlySet<string>;
  readonly compositeKeys: boolean;
  readonly joinTables: boolean;
  readonly views: boolean;
  /** `@column(name:)` on enum values. */
  readonly enumValues: boolean;
  readonly generatedColumns: boolean;
  /** `@default(value: "database")`. */
  readonly databaseDefaults: boolean;
}

export const SAYABLE: Sayable = {
  scalars: new Set('DateTime Date JSON BigInt Decimal UUID LocalDateTime LocalTime Duration Bytes'.split(' ')),
  compositeKeys: true,
  joinTables: true,
  views: true,
  enumValues: true,
  generatedColumns: true,
  databaseDefaults: true,
};
