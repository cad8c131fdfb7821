// The statements the engine can say, as a tree: what both databases have in common. JSON is part of the tree, because an
// answer leaves the database as JSON text. Not here: how a tree is spelt (print.ts and the dialects).
import type { SqlValue } from '../store/store.ts';
import type { Storage } from '../schema/model.ts';

/** What is known about a request when its statement runs: argument values and facts about the caller. */
export interface Inputs {
  /** Coerced arguments of the field with that number. */
  args(slot: number): Readonly<Record<string, unknown>>;
  /** The value of the row-independent part of a policy with that number. */
  policy(part: number): unknown;
}

/** Where a bound value comes from. */
export type Parameter =
  | { readonly kind: 'constant'; readonly value: SqlValue }
  /** `label` names the origin for plans and explanations. */
  | { readonly kind: 'input'; readonly label: string; read(inputs: Inputs): SqlValue };

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** An expression. Comparisons are three-valued, as in SQL. */
export type Expr =
  | { readonly kind: 'column'; readonly from: string; readonly column: string }
  | { readonly kind: 'parameter'; readonly parameter: Parameter; readonly storage: Storage }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** `storage` decides how texts are compared: by code point, on both databases. */
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Expr;
      readonly right: Expr;
      readonly storage: Storage;
    }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expr[] }
  | { readonly kind: 'not'; readonly operand: Expr }
  /** True unless the operand is true; never null. */
  | { readonly kind: 'isNotTrue'; readonly operand: Expr }
  | { readonly kind: 'isNull'; readonly operand: Expr; readonly negated: boolean }
  /** Equal to an element of a JSON array of scalars. */
  | { readonly kind: 'among'; readonly operand: Expr; readonly list: Expr; readonly storage: Storage }
  /** Text search by code point, case-sensitive; `pattern` is plain text, no wildcard. */
  | {
      readonly kind: 'text';
      readonly mode: 'contains' | 'startsWith' | 'endsWith';
      readonly operand: Expr;
      readonly pattern: Expr;
    }
  /** A text matches a regular expression of the kind that plan/case-insensitive-pattern.ts writes. */
  | { readonly kind: 'matches'; readonly operand: Expr; readonly pattern: Expr }
  /** A stored list of scalars against a bound one: the same elements in the same order, or some or every bound one is in it. */
  | { readonly kind: 'list'; readonly test: 'same' | 'some' | 'every'; readonly operand: Expr; readonly list: Expr }
  | { readonly kind: 'emptyList'; readonly operand: Expr; readonly negated: boolean }
  /** A field of an embedded object, as a value of `storage`; null where the object or the field has none. */
  | { readonly kind: 'member'; readonly operand: Expr; readonly name: string; readonly storage: Storage }
  /** True as long as the statement may go on; it throws when its time is over. Where nothing else can stop a statement. */
  | { readonly kind: 'inTime' }
  | { readonly kind: 'exists'; readonly select: Select }
  | { readonly kind: 'select'; readonly select: Select }
  | { readonly kind: 'count'; readonly select: Select }
  | { readonly kind: 'cast'; readonly to: 'text' | 'integer'; readonly operand: Expr }
  /** Of numbers of rows, as JavaScript counts. */
  | { readonly kind: 'arithmetic'; readonly operator: '+' | '-' | '*'; readonly left: Expr; readonly right: Expr }
  /** Of two bound whole numbers. */
  | { readonly kind: 'sum'; readonly left: Expr; readonly right: Expr }
  | {
      readonly kind: 'choose';
      readonly branches: readonly { readonly when: Expr; readonly use: Expr }[];
      readonly otherwise: Expr;
    }
  /** A function both databases have under this name: lower, upper, length, trim. */
  | { readonly kind: 'call'; readonly name: 'lower' | 'upper' | 'length' | 'trim'; readonly operands: readonly Expr[] }
  | { readonly kind: 'json'; readonly json: Json };

/** A row source. */
export type From =
  /** One row without columns. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'table'; readonly table: string; readonly alias: string }
  | { readonly kind: 'query'; readonly select: Select; readonly alias: string }
  /** Rows of all arms, each with the same columns. */
  | { readonly kind: 'union'; readonly arms: readonly Select[]; readonly alias: string }
  /** The elements of a JSON array of scalars, with their places: columns `value` and `place`. */
  | { readonly kind: 'elements'; readonly list: Expr; readonly storage: Storage; readonly alias: string };

export interface OrderTerm {
  readonly expr: Expr;
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly storage: Storage;
}

export interface Select {
  readonly columns: readonly { readonly expr: Expr; readonly as: string }[];
  readonly from: From;
  /** Inner joins, taken in this order. */
  readonly joins?: readonly { readonly from: From; readonly on: Expr }[];
  readonly where?: Expr | undefined;
  readonly orderBy?: readonly OrderTerm[];
  readonly limit?: Expr | undefined;
  readonly offset?: Expr | undefined;
}

/** How a value leaves as JSON. `id` prints any storage as a string; `wholeNumber` quotes what JSON numbers cannot hold. */
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

/** How each value of a column that is not null looks as JSON, at its begin. */
export interface ValueForm {
  /** A regular expression. */
  readonly pattern: string;
  readonly table: string;
  readonly column: string;
  readonly key: string;
  readonly format: JsonFormat;
}

/** A piece of the answer. */
export type Json =
  /** JSON text known beforehand. */
  | { readonly kind: 'constant'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly expr: Expr;
      readonly format: JsonFormat;
      readonly nullable: boolean;
      /** Undefined: any text may stand there. */
      readonly form?: ValueForm | undefined;
    }
  /** An expression that is JSON text already, never null. */
  | { readonly kind: 'ready'; readonly expr: Expr }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  /** The first row as JSON; without a row `missing`. `by`: the column that leads there, and how its values are stored. */
  | {
      readonly kind: 'one';
      readonly rows: Select;
      readonly element: Json;
      readonly missing: 'null' | 'violation';
      readonly by?: { readonly key: Expr; readonly storage: Storage } | undefined;
    }
  | { readonly kind: 'list'; readonly rows: Select; readonly element: Json }
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
 * Stands where a non-null value is missing or a field may not be read. No JSON text holds a raw control character, so one
 * search of the answer tells whether the exact errors have to be worked out.
 */
export const VIOLATION = '\u0001';

/** The member of an object that stands where a column holds no JSON. No name in a schema has such characters. */
export const DAMAGED_KEY = '$lockstitch:damaged';

/** Both, leaving out what is not there. */
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
