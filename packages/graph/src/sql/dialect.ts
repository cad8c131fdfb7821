// The differences between the two databases. The printer walks the tree and asks the dialect at these points only.
import type { TimeKind, TimePart } from '../schema/aggregate-types.ts';
import type { KeyPart, NativeType, Storage } from '../schema/model.ts';
import type { JsonTest } from '../store/json-test.ts';
import type { JsonFormat } from './sql.ts';

/** Prints an operand; called once per use, because each use of a bound value is another parameter. */
export type Mention = () => string;

/** Texts that are values of a column's own type. */
export type NativeTexts = NonNullable<NativeType['texts']>;

/** The printed columns of a composite key, or of a reference to one. */
export interface CompositeColumns {
  /** Its whole text. */
  readonly whole: string;
  /** At least one. */
  readonly parts: readonly { readonly column: string; readonly part: KeyPart }[];
}

/**
 * The SQL dialect of one database. Arguments are printed SQL.
 *
 * Databases choose the order in which conditions are evaluated, also on rows that a rule hides. An expression over
 * stored values must therefore return a value for every row and raise no error.
 */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The row source of a table whose columns need casts; undefined: the table itself. */
  readonly source?: (table: string) => string | undefined;
  /** The placeholder of the n-th bound value, from 1. */
  placeholder(position: number, storage: Storage): string;
  /** A bound value in LIMIT or OFFSET. */
  limit(placeholder: string): string;
  /** OFFSET requires a LIMIT. */
  readonly offsetNeedsLimit: boolean;
  readonly join: string;
  boolean(value: boolean): string;
  castText(operand: string): string;
  /** Converts a stored text or an integer literal to an integer; null if it is not one. */
  castInteger(operand: string): string;
  /** SQL that is true, or raises an error after the statement's deadline. Undefined: the store cancels statements. */
  readonly deadlineCheck: string | undefined;
  /** Appended to the query of an EXISTS to prevent alternative plans. */
  readonly planOnce: string;
  /** Appended to a text operand, to order and compare by code point. */
  readonly textCollation: string;
  /** Appended to an order term: nulls sort as smallest. */
  nulls(descending: boolean): string;
  /** Adds, subtracts or multiplies as JavaScript does: an overflow is infinite, and no error is raised. */
  arithmetic(operator: '+' | '-' | '*', left: string, right: string): string;
  /** `operand` equals an element of a bound JSON array. */
  among(operand: string, list: string, storage: Storage): string;
  /** A text as a value of another type; null if it is none. Absent: columns have only the engine's types. */
  readonly toNative?: (text: string, texts: NativeTexts) => string;
  /** The column equals an element of a bound JSON array of texts, by the column's own type. */
  readonly amongTexts?: (column: string, list: string, texts: NativeTexts) => string;
  /** A composite key equals a text, column by column too, which an index on the columns can answer. */
  readonly equalsComposite: (key: CompositeColumns, text: string) => string;
  /** Bound composite keys are split by JavaScript; in the database it takes longer than the look-up. */
  readonly bindsParts: boolean;
  /** The same for any text of a bound JSON array. */
  readonly amongComposite: (key: CompositeColumns, list: string) => string;
  /** The same as among for a stored array: empty if it is not an array, null for an element of another type. */
  amongStored(operand: string, list: Mention, storage: Storage): string;
  /** A row source over a bound JSON array, with columns value and place. */
  elements(list: string, storage: Storage): string;
  /** The same over a stored array of objects; no rows if it is not an array. */
  storedElements(list: Mention): string;
  /** A text matches a regular expression. */
  matches(operand: string, pattern: string): string;
  /** A stored and a bound list have the same elements in the same order; false or null without a stored list. */
  sameList(operand: Mention, list: Mention): string;
  /** The stored list contains some element of the bound one. */
  listHasSome(operand: Mention, list: Mention): string;
  /** The stored list exists and contains every element of the bound one. */
  listHasEvery(operand: Mention, list: Mention): string;
  /** The number of elements; null if there is no list. */
  listLength(operand: Mention): string;
  /** The value at a path in an embedded object; null if it is absent or not of `storage`. */
  member(operand: Mention, path: readonly string[], storage: Storage): string;
  /** Whether the value at a bound path in stored JSON passes a test; null or false without one. No path: the whole value. */
  jsonTest(test: JsonTest, operand: string, path: string | undefined, value: string | undefined): string;
  /** The text at a path; null if the value there is none. */
  textInJson(operand: string, path: string | undefined): string;
  text(mode: 'contains' | 'startsWith' | 'endsWith', operand: string, pattern: string): string;
  /** The exact sum of numbers, whatever the order of the rows; null without values. `isWide`: beyond 64 bits. */
  sum(operand: Mention, storage: Storage, isWide: boolean): string;
  /** The sum divided by the number of values. */
  avg(operand: Mention, storage: Storage, isWide: boolean): string;
  /** A part of a time as text; null for a stored text that is no time. */
  timePart(operand: Mention, time: TimeKind, part: TimePart, zone: Mention | undefined): string;
  /** The UTF-8 bytes of a text in upper-case hexadecimal. */
  hex(text: string): string;
  /** The UTF-8 bytes of a text in base64url, without padding. */
  base64Url(text: string): string;
  /** An expression that `concat` prints as JSON, whatever its type; JSON `null` if `nullable`. */
  json(format: JsonFormat, operand: string, nullable: boolean): string;
  /**
   * The value if a key has no row: null, or an error if the key has the wrong type. Undefined: columns hold only their
   * type.
   */
  noRow?(key: string, storage: Storage): string;
  /** The text of a `json` expression outside `concat`. */
  jsonText(value: string): string;
  /** Joins the JSON of rows with commas; '' or null without rows. */
  aggregate(element: string): string;
  /** An object of plain values in one call, if that is faster; undefined: print member by member. */
  flatObject(
    members: readonly { readonly key: string; readonly format: JsonFormat; readonly operand: string }[],
  ): string | undefined;
  /** A JSON array of flat objects in one call; undefined: use `aggregate`. */
  flatList(element: string): string | undefined;
}
