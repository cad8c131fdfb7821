// Type guards for lists and tables of known values.

/** Returns whether a value is one of a list. */
export const isOneOf = <T>(list: readonly T[], value: unknown): value is T => list.some((each) => each === value);

/** Returns whether a table has an own entry of a name. */
export const isKeyOf = <T extends object>(table: T, name: PropertyKey): name is keyof T => Object.hasOwn(table, name);
