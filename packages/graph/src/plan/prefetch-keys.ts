// Names of the members that only prefetched objects have. No response key starts with ":".

/** Marks a field that the caller may not read. */
export const DENIED_KEY = ':denied';
/** Key of the type name. */
export const TYPE_KEY = ':type';
/** Prefix of the parent columns that resolvers need. */
export const NEED_PREFIX = ':';
