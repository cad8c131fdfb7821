// What Lucene takes for white space, which is what Java does: controls that part texts, and no spaces that do not break a line.

/** For a class of characters in a regular expression. */
export const WHITE_SPACE = '\\t-\\r\\u001c-\\u0020\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000';
