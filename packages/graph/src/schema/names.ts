// Converts GraphQL names to table and column names, and back to the words of root fields.

/** `postedBy` → `posted_by`, `URL` → `url`, `photoID` → `photo_id`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** Identifier limit of PostgreSQL, which truncates longer names silently. */
const NAME_LIMIT = 63;

/**
 * Shortens a name to the limit of the databases: its beginning and a hash of the whole.
 *
 * @param reserve characters that will be appended
 */
export function fitName(name: string, reserve = 0): string {
  const limit = NAME_LIMIT - reserve;
  return name.length <= limit ? name : `${name.slice(0, limit - 9)}_${shortHash(name)}`;
}

/** FNV-1a, 32 bits, in hexadecimal; only the names of one database must differ. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The regular English plural: photo → photos, category → categories, address → addresses. */
export function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}

/**
 * The name of a type derived from another: `PhotoOrder`, or with `_` behind it if the schema defines a type of that name.
 *
 * @param defined names of the schema's own types
 */
export function derivedName(type: string, ending: string, defined: ReadonlySet<string>): string {
  let name = `${type}${ending}`;
  while (defined.has(name)) name += '_';
  return name;
}

/** The words of a name in lower case: `postedPhotos` → posted, photos. */
export function wordsOfName(name: string): readonly string[] {
  return snakeCase(name).split('_').filter(Boolean);
}
