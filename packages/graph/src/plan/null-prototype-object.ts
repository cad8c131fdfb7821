// Objects without a prototype, as graphql-js uses for names from clients.

/** Creates one. V8 keeps results of Object.create(null) as hash tables, which are slower to fill and read. */
export const NullPrototypeObject = function () {} as unknown as new () => Record<string, unknown>;
NullPrototypeObject.prototype = Object.create(null) as object;
