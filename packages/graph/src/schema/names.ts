// How names of types and fields become names of tables and columns, and back to the words people use in root fields.

/** `postedBy` → `posted_by`, `URL` → `url`, `photoID` → `photo_id`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** PostgreSQL cuts longer names off, without a word. */
const NAME_LIMIT = 63;

/**
 * A name that fits into a database: as it is, or its beginning and a hash of the whole.
 *
 * @param reserve characters that are put behind it
 */
export function fitName(name: string, reserve = 0): string {
  const limit = NAME_LIMIT - reserve;
  return name.length <= limit ? name : `${name.slice(0, limit - 9)}_${shortHash(name)}`;
}

/** FNV-1a, 32 bits, in hexadecimal: enough where only the names of one database must differ. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The English plural by its regular rules: photo → photos, category → categories, address → addresses. */
export function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}

/** The words of a name, lower case: `postedPhotos` → posted, photos. */
export function wordsOf(name: string): readonly string[] {
  return snakeCase(name).split('_').filter(Boolean);
}
