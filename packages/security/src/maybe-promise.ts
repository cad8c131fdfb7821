// The type that lets the whole chain stay synchronous where possible.

/** A value or its promise. The chain stays synchronous as long as every filter does: promises cost time. */
export type MaybePromise<T> = T | Promise<T>;
