// What a configuration key can hold: the small vocabulary from which the table in config.ts is written. The type of a
// configuration, its check, its defaults and its reference page all follow from the same table.
import { compileExpression } from '@lockstitch/kernel';

/** The kinds of value without keys of their own. The type parameter is what TypeScript sees; it exists at compile time only. */
type LeafShape<Value = unknown> = (
  | {
      readonly kind: 'text';
      readonly example?: string;
      /** Refuses a text by throwing a ProductError. */
      readonly check?: (value: string) => void;
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

/** What a key can hold. */
export type Shape<Value = unknown> =
  | LeafShape<Value>
  | { readonly kind: 'list'; readonly item: Shape; readonly valueType?: Value }
  | { readonly kind: 'group'; readonly settings: Settings; readonly valueType?: Value };

/** One row of the table: what a key holds, what it means, what it is when left out. */
export interface Setting<Value = unknown, Default extends Value | undefined = Value | undefined> {
  readonly shape: Shape<Value>;
  readonly doc: string;
  /** Unit of a number: `ms`, `s`, `bytes`. */
  readonly unit?: string;
  readonly default: Default;
  /** What the reference says instead of the default, where the default is worked out. */
  readonly defaultText?: string;
  /** Environment variable that overrides the key. */
  readonly environment?: string;
  readonly required?: boolean;
  /** The key that holds the same; the reference does not tell its parts again. */
  readonly sameAs?: string;
  /** True for values that must never be shown. */
  readonly secret?: boolean;
}

type Settings = Readonly<Record<string, Setting>>;
type ValueOf<S> = S extends { readonly valueType?: infer Value } ? Exclude<Value, undefined> : never;

/** What somebody may write for a group of settings. */
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

/** The same group once defaults are filled in: only keys without a default can be undefined. */
export type ResolvedOf<Group extends Settings> = {
  readonly [Key in keyof Group]: Always<Group[Key]> extends true
    ? ResolvedValue<Group[Key]['shape']>
    : ResolvedValue<Group[Key]['shape']> | undefined;
};

/** A string. */
export const text = (example?: string): LeafShape<string> =>
  example === undefined ? { kind: 'text' } : { kind: 'text', example };

/** An access expression about the caller: `hasRole('ADMIN')`. */
export const expression = (example: string): LeafShape<string> => ({
  kind: 'text',
  example,
  check: (value) => void compileExpression(value),
});

/** `true` or `false`. */
export const flag: LeafShape<boolean> = { kind: 'flag' };

/** A whole number within bounds. */
export const integer = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): LeafShape<number> => ({
  kind: 'number',
  minimum,
  maximum,
});

/** A time that a timer of Node can hold; a longer one would run off at once. */
export const milliseconds = (minimum: number): LeafShape<number> => integer(minimum, 2_147_483_647);

/** One of some words. */
export const choice = <const Values extends readonly string[]>(...values: Values): LeafShape<Values[number]> => ({
  kind: 'choice',
  values,
});

/** A list of values of one kind. */
export const list = <Item extends Shape>(item: Item): ListShape<Item> => ({ kind: 'list', item });

/** Free names, each with a value of one kind. */
export const map = <Item extends Shape>(item: Item): LeafShape<Readonly<Record<string, ValueOf<Item>>>> => ({
  kind: 'map',
  item,
});

/** A fixed set of keys. */
export const group = <const Group extends Settings>(settings: Group): GroupShape<Group> => ({
  kind: 'group',
  settings,
});

/** A function; `signature` is what messages and the reference show. */
export const callable = <Fn>(signature: string): LeafShape<Fn> => ({ kind: 'function', signature });

/** An object of the application's or a library's, known by methods that it must have. */
export const withMethods = <Value>(...methods: readonly (keyof Value & string)[]): LeafShape<Value> => ({
  kind: 'object',
  methods,
});

/** Anything at all. */
export const anything: LeafShape = { kind: 'any' };

/** Any of several kinds. */
export const oneOf = <Shapes extends readonly Shape[]>(...shapes: Shapes): LeafShape<ValueOf<Shapes[number]>> => ({
  kind: 'oneOf',
  shapes,
});

/** The same shape with a more exact type for TypeScript. */
export const typed = <Value>(shape: LeafShape): LeafShape<Value> => shape as LeafShape<Value>;
