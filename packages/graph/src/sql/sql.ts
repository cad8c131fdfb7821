// The SQL tree: what both databases have in common. JSON is part of it, because the database returns the response as
// JSON text. Not here: printing (print.ts and the dialects).
import type { JsonTest } from '../store/json-test.ts';
import type { SqlValue } from '../store/store.ts';
import type { AggregateFunction, TimeKind, TimePart } from '../schema/aggregate-types.ts';
import type { NativeType, Storage } from '../schema/model.ts';

/** The inputs of one execution: argument values and facts about the caller. */
export interface Inputs {
  /** Coerced arguments of a field, by slot. */
  args(slot: number): Readonly<Record<string, unknown>>;
  /** The value of a row-independent part of a rule, by number. */
  policy(part: number): unknown;
}

/** The source of a bound value. */
export type Parameter =
  | { readonly kind: 'constant'; readonly value: SqlValue }
  /** `label` names the source in explanations; inputs with the same `same` have the same value. */
  | {
      readonly kind: 'input';
      readonly label: string;
      readonly same?: string | undefined;
      read(inputs: Inputs): SqlValue;
      /** Set for a part of another parameter: which one, and how it is taken from the value. */
      readonly part?: { readonly of: Parameter; take(value: SqlValue): SqlValue };
    };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A foreign key: whether it may be null, or whether the database may hold keys of rows that do not exist. */
export type Reference = 'required' | 'optional' | 'unchecked';

/** An expression. Comparisons are three-valued, as in SQL. */
export type Expr =
  | {
      readonly kind: 'column';
      readonly from: string;
      readonly column: string;
      /** Its type, if that is not the engine's own choice. */
      readonly native?: NativeType | undefined;
    }
  | { readonly kind: 'parameter'; readonly parameter: Parameter; readonly storage: Storage }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** `storage` decides the collation: texts compare by code point on both databases. */
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Expr;
      readonly right: Expr;
      readonly storage: Storage;
      /** `left` is the key of a table and `right` a foreign key to it. */
      readonly reference?: Reference | undefined;
      /** The other way round: `right` is the key. */
      readonly referrer?: Reference | undefined;
    }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expr[] }
  | { readonly kind: 'not'; readonly operand: Expr }
  /** True unless the operand is true; never null. */
  | { readonly kind: 'isNotTrue'; readonly operand: Expr }
  | { readonly kind: 'isNull'; readonly operand: Expr; readonly negated: boolean }
  /** Equal to an element of a JSON array of scalars. */
  | { readonly kind: 'among'; readonly operand: Expr; readonly list: Expr; readonly storage: Storage }
  /** Case-sensitive text search by code point; `pattern` has no wildcards. */
  | {
      readonly kind: 'text';
      readonly mode: 'contains' | 'startsWith' | 'endsWith';
      readonly operand: Expr;
      readonly pattern: Expr;
    }
  /** A text matches a regular expression of plan/case-insensitive-pattern.ts. */
  | { readonly kind: 'matches'; readonly operand: Expr; readonly pattern: Expr }
  /**
   * Compares a stored list of scalars with a bound one: same elements in the same order, or contains some or every
   * element.
   */
  | { readonly kind: 'list'; readonly test: 'same' | 'some' | 'every'; readonly operand: Expr; readonly list: Expr }
  | { readonly kind: 'emptyList'; readonly operand: Expr; readonly negated: boolean }
  /** Of the value at a bound list of steps in stored JSON; without `path`, of the JSON itself. `value` is bound JSON. */
  | {
      readonly kind: 'jsonTest';
      readonly test: JsonTest;
      readonly operand: Expr;
      readonly path?: Expr | undefined;
      readonly value?: Expr | undefined;
    }
  /** The text at a path; null if the value there is none. */
  | { readonly kind: 'textInJson'; readonly operand: Expr; readonly path?: Expr | undefined }
  /** A field of an embedded object, as a value of `storage`; null if the object or field is absent. */
  | { readonly kind: 'member'; readonly operand: Expr; readonly name: string; readonly storage: Storage }
  /**
   * True until the statement's deadline, then an error. Printed only by a dialect whose statements cannot be cancelled.
   * `isNeeded`: even alone, because the rows may have no index to be found by. `sample`: of one row in 128, since a
   * check calls JavaScript, which costs as much as finding the row; `by` is a column of the rows.
   */
  | {
      readonly kind: 'beforeDeadline';
      readonly isNeeded?: boolean;
      readonly sample?: undefined | { readonly by: Expr; readonly isInteger: boolean };
    }
  | { readonly kind: 'exists'; readonly select: Select }
  /** Equal to a row of a select of one column. Null instead of false if a null is involved. */
  | { readonly kind: 'in'; readonly operand: Expr; readonly select: Select }
  | { readonly kind: 'select'; readonly select: Select }
  /** `distinct`: counts the values, which are no nulls, instead of the rows. */
  | { readonly kind: 'count'; readonly select: Select; readonly distinct?: Expr | undefined }
  | { readonly kind: 'cast'; readonly to: 'text' | 'integer'; readonly operand: Expr }
  /** On numbers of rows, with JavaScript's results. */
  | { readonly kind: 'arithmetic'; readonly operator: '+' | '-' | '*'; readonly left: Expr; readonly right: Expr }
  /** Of two small integers. */
  | { readonly kind: 'sum'; readonly operator: '+' | '-'; readonly left: Expr; readonly right: Expr }
  | {
      readonly kind: 'choose';
      readonly branches: readonly { readonly when: Expr; readonly use: Expr }[];
      readonly otherwise: Expr;
    }
  /** Over the rows of a group; `storage` is that of the operand. Without an operand, `count` counts rows. */
  | {
      readonly kind: 'aggregate';
      readonly of: AggregateFunction | 'count';
      readonly operand?: Expr | undefined;
      readonly storage: Storage;
      /** A sum may need more than 64 bits. */
      readonly isWide?: boolean;
    }
  /** A part of a time as text. `zone`: of a point in time, as the name of a time zone; default UTC. */
  | {
      readonly kind: 'timePart';
      readonly part: TimePart;
      readonly time: TimeKind;
      readonly operand: Expr;
      readonly zone?: Expr | undefined;
    }
  | { readonly kind: 'json'; readonly json: Json };

/** A row source. */
export type From =
  /** One row without columns. */
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'table';
      readonly table: string;
      readonly alias: string;
      /** Columns whose values no two rows share; none is null. */
      readonly unique?: readonly string[] | undefined;
      /** Columns that an index is known to begin with. */
      readonly indexed?: ReadonlySet<string> | undefined;
    }
  | { readonly kind: 'query'; readonly select: Select; readonly alias: string }
  /** The rows of all arms, which have the same columns. */
  | { readonly kind: 'union'; readonly arms: readonly Select[]; readonly alias: string }
  /** The elements of a JSON array of scalars: columns `value` and `place`. */
  | { readonly kind: 'elements'; readonly list: Expr; readonly storage: Storage; readonly alias: string };

export interface OrderTerm {
  readonly expr: Expr;
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly storage: Storage;
  /** Of a value of a related row: whether it may be null if there is a row. */
  readonly nullableInRow?: boolean | undefined;
  /** An index of the table begins with this column. */
  readonly indexed?: boolean | undefined;
}

/** A row source of a select; `anyOrder` lets SQLite choose which of the tables it reads first. */
export interface Join {
  readonly from: From;
  readonly on: Expr;
  readonly anyOrder?: boolean;
}

/** A common table expression, computed once. */
export interface CommonTable {
  readonly name: string;
  readonly select: Select;
}

export interface Select {
  readonly tables?: readonly CommonTable[];
  readonly columns: readonly { readonly expr: Expr; readonly as: string }[];
  readonly from: From;
  /** Inner joins, in this order. */
  readonly joins?: readonly Join[] | undefined;
  readonly where?: Expr | undefined;
  /** The rows are grouped by this number of columns, the first ones; 0: all rows are one group. */
  readonly groupBy?: number | undefined;
  readonly orderBy?: readonly OrderTerm[];
  readonly limit?: Expr | undefined;
  readonly offset?: Expr | undefined;
}

/** JSON format of a value. `id` prints any storage as a string; `wholeNumber` quotes integers beyond 2^53. */
export type JsonFormat =
  | 'string'
  | 'id'
  | 'integer'
  | 'wholeNumber'
  | 'real'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'json';

/** The JSON form of a column's non-null values. */
export interface ValueForm {
  /** A regular expression that matches the start of the JSON. */
  readonly pattern: string;
  readonly table: string;
  readonly column: string;
  readonly key: string;
  readonly format: JsonFormat;
  /** Other columns from which the value may come. */
  readonly others?: readonly ValueForm[] | undefined;
}

/** A JSON value of the response. */
export type Json =
  /** Constant JSON text. */
  | { readonly kind: 'constant'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly expr: Expr;
      readonly format: JsonFormat;
      readonly nullable: boolean;
      /** Undefined: any text is valid. */
      readonly form?: ValueForm | undefined;
    }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  /** The first row as JSON; `missing` if there is none. `by`: the key that selects the row, and its storage. */
  | {
      readonly kind: 'one';
      readonly rows: Select;
      readonly element: Json;
      readonly missing: 'null' | 'violation';
      readonly by?: { readonly key: Expr; readonly storage: Storage } | undefined;
    }
  | { readonly kind: 'list'; readonly rows: Select; readonly element: Json }
  /** The elements of the rows of the select that it is a column of, with commas between them; empty without rows. */
  | { readonly kind: 'elements'; readonly element: Json }
  /** JSON text that an expression returns; nothing for null. */
  | { readonly kind: 'text'; readonly expr: Expr }
  /** Parts of JSON text, one after the other. */
  | { readonly kind: 'concat'; readonly parts: readonly Json[] }
  /**
   * A value that is not started after the statement's deadline; printed as `value` by a dialect without deadline check.
   * `isRepeated`: once for each row around it, of which one in 16 is checked.
   */
  | { readonly kind: 'beforeDeadline'; readonly value: Json; readonly isRepeated?: boolean }
  /** A value that reads common tables. */
  | { readonly kind: 'with'; readonly tables: readonly CommonTable[]; readonly value: Json }
  /** A node id (plan/node-id.ts): the text `start` and a key, which is an integer or a text, as one opaque string. */
  | { readonly kind: 'nodeId'; readonly start: string; readonly key: Expr }
  /** A JSON array of values as one opaque string. */
  | { readonly kind: 'cursor'; readonly items: readonly Json[] }
  | {
      readonly kind: 'choose';
      readonly branches: readonly { readonly when: Expr; readonly use: Json }[];
      readonly otherwise: Json;
    };

export interface JsonMember {
  readonly key: string;
  readonly value: Json;
}

/**
 * Marks a missing non-null value or a field that may not be read. JSON text contains no raw control characters, so one
 * search of the response shows whether graphql-js must compute the exact errors.
 */
export const VIOLATION = '\u0001';

/** The member that marks damaged JSON in a column. No schema name contains such characters. */
export const DAMAGED_KEY = '$lockstitch:damaged';

/** Conjunction of the defined operands. */
export function and(...operands: readonly (Expr | undefined)[]): Expr | undefined {
  const given = operands
    .filter((each) => each !== undefined)
    .flatMap((each) => (each.kind === 'and' ? each.operands : [each]));
  return given.length <= 1 ? given[0] : { kind: 'and', operands: given };
}

/** `left = right`. */
export function equals(left: Expr, right: Expr, storage: Storage): Expr {
  return { kind: 'compare', operator: '=', left, right, storage };
}
