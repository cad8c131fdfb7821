// What an adopted database becomes: types with their fields, enums, and what was left out and why. Printed as a schema
// by print-schema.ts, and as a report by print-report.ts.
import type { TableName } from './database-description.ts';

export interface Adoption {
  readonly types: readonly AdoptedType[];
  /** Views without a known key: the schema suggests them in comments. */
  readonly views: readonly AdoptedView[];
  readonly enums: readonly AdoptedEnum[];
  /** In the order of the tables. */
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly Note[];
}

export interface AdoptedType {
  readonly name: string;
  readonly table: TableName;
  readonly description: string | undefined;
  /** Nobody may write it: a view. */
  readonly readOnly: boolean;
  readonly fields: readonly AdoptedField[];
  /** Name and type of the key field. */
  readonly key: { readonly field: string; readonly type: string };
  /** Combinations of fields that are unique. */
  readonly uniques: readonly (readonly string[])[];
  /** Names of its root fields, and of its lists' arguments. */
  readonly lookup: string;
  readonly list: string;
  readonly count: string;
  /** Its mutations; undefined: nobody can write it. */
  readonly writes: AdoptedWrites | undefined;
}

/** A view as the type that it would be with a key. */
export interface AdoptedView extends Pick<AdoptedType, 'name' | 'table' | 'description' | 'fields' | 'list'> {}

/** The mutations of a type: `create…`, `update…` and `delete…`. */
export interface AdoptedWrites {
  /** Name of the argument with the input. */
  readonly argument: string;
  /** The argument with the key. */
  readonly key: string;
  /** Undefined: no object can be created. Without an input, the database fills every column. */
  readonly create: { readonly input: string | undefined; readonly fields: readonly InputField[] } | undefined;
  /** Undefined: nothing but the key is there. */
  readonly update: { readonly input: string; readonly fields: readonly InputField[] } | undefined;
}

/** A field of an input. */
export interface InputField extends FieldInput {
  readonly name: string;
}

/** How an input takes a field. */
export interface FieldInput {
  /** As SDL, without the outer `!`: `ID`, `[Int!]`. */
  readonly type: string;
  /** A create must have it. */
  readonly required: boolean;
  /** It is the key or part of it: no update changes it. */
  readonly isKey: boolean;
}

export interface AdoptedField {
  readonly name: string;
  /** As SDL: `String!`, `[Book!]!`. */
  readonly type: string;
  /** The type of the elements of a list of objects; undefined for all other fields. */
  readonly listOf?: string | undefined;
  readonly description?: string | undefined;
  /** As SDL, in order: `@column(name: "full_name")`. */
  readonly directives: readonly string[];
  /** Undefined: nobody writes it here. */
  readonly input?: FieldInput | undefined;
}

export interface AdoptedEnum {
  readonly name: string;
  readonly description: string | undefined;
  readonly values: readonly { readonly name: string; readonly stored: string }[];
}

/** A table, column or relation that the schema does not have. */
export interface LeftOut {
  readonly table: TableName;
  /** Undefined: the whole table. */
  readonly column: string | undefined;
  readonly kind: 'secret' | 'not expressible' | 'no right' | 'no key';
  /** A clause: `it has no primary key`. */
  readonly reason: string;
  /** What its owner may do, as a sentence. */
  readonly remedy: string | undefined;
}

/** Something that its author should know of what was adopted. */
export interface Note {
  readonly table: TableName;
  readonly kind: 'row-level security' | 'slow' | 'names' | 'data' | 'relation' | 'writes';
  readonly text: string;
}
