// Vocabulary of the configuration table: the shapes of values. The TypeScript type, the validation, the defaults and
// the reference page of a configuration all follow from one table.
import { compileExpression } from '@lockstitch/kernel';

/** Shapes without keys of their own. The type parameter exists at compile time only. */
type LeafShape<Value = unknown> = (
  | {
      readonly kind: 'text';
      readonly example?: string;
      /** Rejects a text by throwing a ProductError. */
      readonly check?: (value: string) => void;
      /** What the text must be, for messages that do not quote it. */
      readonly form?: { readonly expects: string; readonly test: (value: string) => boolean };
    }
  | { readonly kind: 'flag' }
  | { readonly kind: 'number'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'map'; readonly item: Shape }
  | { readonly kind: 'function'; readonly signature: string }
  | { readonly kind: 'object'; readonly methods: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'oneOf'; readonly shapes: readonly Shape[] }
) & { readonly valueType?: Value };

export interface ListShape<Item extends Shape = Shape> {
  readonly kind: 'list';
  readonly item: Item;
  readonly valueType?: readonly ValueOf<Item>[];
}

export interface GroupShape<Group extends Settings = Settings> {
  readonly kind: 'group';
  readonly settings: Group;
  readonly valueType?: InputOf<Group>;
}

/** Shape of a value. */
export type Shape<Value = unknown> =
  | LeafShape<Value>
  | { readonly kind: 'list'; readonly item: Shape; readonly valueType?: Value }
  | { readonly kind: 'group'; readonly settings: Settings; readonly valueType?: Value };

/** One row of the table: shape, meaning and default of a key. */
export interface Setting<Value = unknown, Default extends Value | undefined = Value | undefined> {
  readonly shape: Shape<Value>;
  readonly doc: string;
  /** Unit of a number: `ms`, `s`, `bytes`. */
  readonly unit?: string;
  readonly default: Default;
  /** Shown in the reference instead of a computed default. */
  readonly defaultText?: string;
  /** Environment variable that overrides the key. */
  readonly environment?: string;
  readonly required?: boolean;
  /** Key with the same content; the reference does not repeat its parts. */
  readonly sameAs?: string;
  /** True for values that must never be shown. */
  readonly secret?: boolean;
}

type Settings = Readonly<Record<string, Setting>>;
type ValueOf<S> = S extends { readonly valueType?: infer Value } ? Exclude<Value, undefined> : never;

/** Type of a group as users write it. */
export type InputOf<Group extends Settings> = {
  readonly [Key in keyof Group as Group[Key] extends { required: true } ? never : Key]?:
    | ValueOf<Group[Key]['shape']>
    | undefined;
} & {
  readonly [Key in keyof Group as Group[Key] extends { required: true } ? Key : never]: ValueOf<Group[Key]['shape']>;
};

type Always<Row> = Row extends { required: true } ? true : Row extends { default: undefined } ? false : true;
type ResolvedValue<S> = S extends { kind: 'group'; settings: infer Group extends Settings }
  ? ResolvedOf<Group>
  : S extends { kind: 'list'; item: { kind: 'group'; settings: infer Group extends Settings } }
    ? readonly ResolvedOf<Group>[]
    : ValueOf<S>;

/** Type of a group with defaults filled in: only keys without a default can be undefined. */
export type ResolvedOf<Group extends Settings> = {
  readonly [Key in keyof Group]: Always<Group[Key]> extends true
    ? ResolvedValue<Group[Key]['shape']>
    : ResolvedValue<Group[Key]['shape']> | undefined;
};

/** A string. */
export const text = (example?: string): LeafShape<string> =>
  example === undefined ? { kind: 'text' } : { kind: 'text', example };

/** A string of a certain form. */
export const textLike = (example: string, expects: string, test: (value: string) => boolean): LeafShape<string> => ({
  kind: 'text',
  example,
  form: { expects, test },
});

/** An access expression about the caller: `hasRole('ADMIN')`. */
export const expression = (example: string): LeafShape<string> => ({
  kind: 'text',
  example,
  check: (value) => void compileExpression(value),
});

/** `true` or `false`. */
export const flag: LeafShape<boolean> = { kind: 'flag' };

/** An integer within bounds. */
export const integer = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): LeafShape<number> => ({
  kind: 'number',
  minimum,
  maximum,
});

/** A time that a Node timer can hold; a longer one would fire at once. */
export const milliseconds = (minimum: number): LeafShape<number> => integer(minimum, 2_147_483_647);

/** One of several words. */
export const choice = <const Values extends readonly string[]>(...values: Values): LeafShape<Values[number]> => ({
  kind: 'choice',
  values,
});

/** A list of values of one shape. */
export const list = <Item extends Shape>(item: Item): ListShape<Item> => ({ kind: 'list', item });

/** An object with free keys and values of one shape. */
export const map = <Item extends Shape>(item: Item): LeafShape<Readonly<Record<string, ValueOf<Item>>>> => ({
  kind: 'map',
  item,
});

/** An object with fixed keys. */
export const group = <const Group extends Settings>(settings: Group): GroupShape<Group> => ({
  kind: 'group',
  settings,
});

/** A function; `signature` is shown in messages and the reference. */
export const callable = <Fn>(signature: string): LeafShape<Fn> => ({ kind: 'function', signature });

/** An object of the application or a library, identified by its methods. */
export const withMethods = <Value>(...methods: readonly (keyof Value & string)[]): LeafShape<Value> => ({
  kind: 'object',
  methods,
});

/** Anything at all. */
export const anything: LeafShape = { kind: 'any' };

/** A union of shapes. */
export const oneOf = <Shapes extends readonly Shape[]>(...shapes: Shapes): LeafShape<ValueOf<Shapes[number]>> => ({
  kind: 'oneOf',
  shapes,
});

/** The same shape with a more exact TypeScript type. */
export const typed = <Value>(shape: LeafShape): LeafShape<Value> => shape as LeafShape<Value>;
