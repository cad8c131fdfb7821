// Where the two databases differ in spelling. The printer walks the tree and asks the dialect at these points only.
import type { Storage } from '../schema/model.ts';
import type { JsonFormat } from './sql.ts';

/** Prints an operand once per use: a bound value in it is another parameter each time. */
export type Mention = () => string;

/**
 * The spelling of one database. Arguments are printed SQL. Databases evaluate conditions in an order of their own, also on rows
 * that a rule hides: an expression over stored values must have a value for every row, and raise nothing.
 */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Where the rows of a table are read, when not from the table itself: its columns with their casts. */
  readonly source?: (table: string) => string | undefined;
  /** The placeholder of the n-th bound value, from 1. */
  placeholder(position: number, storage: Storage): string;
  /** A bound value where LIMIT or OFFSET stands. */
  limit(placeholder: string): string;
  /** OFFSET needs a LIMIT before it. */
  readonly offsetNeedsLimit: boolean;
  readonly join: string;
  boolean(value: boolean): string;
  castText(operand: string): string;
  /** A stored text, or a whole number that is written out, as a whole number; null where it is none. */
  castInteger(operand: string): string;
  /** True, or an error once the statement's time is over. Undefined: its statements are cancelled. */
  readonly inTime: string | undefined;
  /** Ends the query of an EXISTS that is to be planned in one way only. */
  readonly planOnce: string;
  /** Added to a text operand, so that order and comparison go by code point. */
  readonly textCollation: string;
  /** Added to an order term: rows without a value count as smallest. */
  nulls(descending: boolean): string;
  /** A sum, difference or product of numbers as JavaScript has it: one that is too large is infinite, and nothing is raised. */
  arithmetic(operator: '+' | '-' | '*', left: string, right: string): string;
  /** `operand` equals an element of a bound JSON array. */
  among(operand: string, list: string, storage: Storage): string;
  /** The same of a stored one: no element where it is no list, and null for an element of another kind. */
  amongStored(operand: string, list: Mention, storage: Storage): string;
  /** A row source over a bound JSON array with columns value and place. */
  elements(list: string, storage: Storage): string;
  /** The same over a stored array of objects; without rows where it is none. */
  storedElements(list: Mention): string;
  /** A text matches a regular expression. */
  matches(operand: string, pattern: string): string;
  /** A stored list and a bound one have the same elements in the same order; false or null where there is no stored one. */
  sameList(operand: Mention, list: Mention): string;
  /** Some element of the bound list is in the stored one. */
  listHasSome(operand: Mention, list: Mention): string;
  /** Every one is, and there is a stored one. */
  listHasEvery(operand: Mention, list: Mention): string;
  /** The number of elements; null where there is no list. */
  listLength(operand: Mention): string;
  /** What a path of names leads to in an embedded object; null where that is nothing, or no value of `storage`. */
  member(operand: Mention, path: readonly string[], storage: Storage): string;
  text(mode: 'contains' | 'startsWith' | 'endsWith', operand: string, pattern: string): string;
  /** Hexadecimal digits, in capitals, of the UTF-8 bytes of a text. */
  hex(text: string): string;
  /** A value that `concat` prints as JSON, whatever its type; `null` as JSON when `nullable`. */
  json(format: JsonFormat, operand: string, nullable: boolean): string;
  /** What stands where a key leads to no row: null, or an error where it is no key at all. Undefined: its columns hold nothing else. */
  noRow?(key: string, storage: Storage): string;
  /** The text of what `json` printed, where no `concat` is around it. */
  jsonText(value: string): string;
  /** Joins the JSON of rows with commas; '' or null without rows. */
  aggregate(element: string): string;
  /** An object of plain values in one call, where that is faster; undefined: print member by member. */
  flatObject(
    members: readonly { readonly key: string; readonly format: JsonFormat; readonly operand: string }[],
  ): string | undefined;
  /** A JSON array of flat objects in one call; undefined: aggregate. */
  flatList(element: string): string | undefined;
}
