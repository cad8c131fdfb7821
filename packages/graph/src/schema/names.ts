// How names of types and fields become names of tables and columns, and back to the words people use in root fields.

/** `postedBy` → `posted_by`, `URL` → `url`, `photoID` → `photo_id`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
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
