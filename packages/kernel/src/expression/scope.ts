// What an expression may speak about: the row's fields, the host's beans, the request's variables. The graph makes a
// scope from its model, the security package one without a row.

/** What a value can be, as far as it is known before evaluation; null fits every type. */
export type ValueType = 'boolean' | 'string' | 'number' | 'decimal' | 'list' | 'object' | 'unknown';

/** A field of a row. */
export type FieldShape =
  /**
   * A column. IDs, enums, dates and custom scalars are `string`; a `decimal` is a number as text, exact. `unordered`: its values are equal or
   * not, and none is smaller.
   */
  | { readonly kind: 'scalar'; readonly type: ValueType; readonly unordered?: boolean }
  /** A related row, possibly null. `row` is a function so that shapes may refer to each other; `key` is its key field, for messages. */
  | { readonly kind: 'object'; readonly row: () => RowShape; readonly key?: string }
  /** Related rows, or a list of values. */
  | { readonly kind: 'list'; readonly of: FieldShape };

/** The fields of a row by name. */
export type RowShape = ReadonlyMap<string, FieldShape>;

/** An object whose methods and properties expressions may use: `@clock.hour() < 17`. */
export type Bean = object;

export interface ExpressionScope {
  /** Absent: the expression is about a request; bare words are then only the words of the language. */
  readonly row?: RowShape | undefined;
  /** Absent: none. */
  readonly beans?: Readonly<Record<string, Bean>> | undefined;
  /** The `#variables` that can occur; absent: any, an unset one is null. */
  readonly variables?: readonly string[] | undefined;
  /** Where the expression stands, for messages: `schema.graphql:12:3`, `rules[4]`. */
  readonly location?: string | undefined;
}
