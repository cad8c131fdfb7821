// Objects that inherit nothing, as graphql-js makes them for what a client names.

/** Makes one. V8 keeps those of Object.create(null) as hash tables, which are slower to fill and to read. */
export const NullPrototypeObject = function () {} as unknown as new () => Record<string, unknown>;
NullPrototypeObject.prototype = Object.create(null) as object;
