// The one type that lets the whole chain stay synchronous where it can.

/** A value or the promise of one. The chain stays synchronous as long as every filter does: promises cost. */
export type MaybePromise<T> = T | Promise<T>;
