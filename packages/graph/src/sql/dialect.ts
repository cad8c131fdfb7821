// Where the two databases differ in spelling. The printer walks the tree and asks the dialect at these points only.
import type { Storage } from '../schema/model.ts';
import type { JsonFormat } from './sql.ts';

/** The spelling of one database. Arguments are printed SQL. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The placeholder of the n-th bound value, from 1. */
  placeholder(position: number, storage: Storage): string;
  /** A bound value where LIMIT or OFFSET stands. */
  limit(placeholder: string): string;
  /** OFFSET needs a LIMIT before it. */
  readonly offsetNeedsLimit: boolean;
  readonly join: string;
  boolean(value: boolean): string;
  castText(operand: string): string;
  castInteger(operand: string): string;
  /** True, or an error once the statement's time is over. Undefined: its statements are cancelled. */
  readonly inTime: string | undefined;
  /** Ends the query of an EXISTS that is to be planned in one way only. */
  readonly planOnce: string;
  /** Added to a text operand, so that order and comparison go by code point. */
  readonly textCollation: string;
  /** Added to an order term: rows without a value count as smallest. */
  nulls(descending: boolean): string;
  /** `operand` equals an element of the JSON array `list`. */
  among(operand: string, list: string, storage: Storage): string;
  /** A row source over a JSON array with columns value and place. */
  elements(list: string, storage: Storage): string;
  /** A text matches a regular expression. */
  matches(operand: string, pattern: string): string;
  /**
   * A stored list and a bound one have the same elements in the same order; false or null where there is no stored one. Both
   * are printed anew for each mention, as each is a bound value of its own.
   */
  sameList(operand: () => string, list: () => string): string;
  /** Some element of the bound list is in the stored one. */
  listHasSome(operand: string, list: string): string;
  /** Every one is, and there is a stored one. */
  listHasEvery(operand: () => string, list: () => string): string;
  /** The number of elements; null where there is no list. */
  listLength(operand: string): string;
  /** A field of an embedded object. */
  member(operand: string, name: string, storage: Storage): string;
  text(mode: 'contains' | 'startsWith' | 'endsWith', operand: string, pattern: string): string;
  /** Hexadecimal digits, in capitals, of the UTF-8 bytes of a text. */
  hex(text: string): string;
  /** A value that `concat` prints as JSON, whatever its type; `null` as JSON when `nullable`. */
  json(format: JsonFormat, operand: string, nullable: boolean): string;
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
