// The order in which Java's HashMap and HashSet give texts: Elasticsearch asks fields, and shows contexts, in it.

/** The texts as a HashMap gives them into which they were put one after the other. */
export function inHashOrder(texts: readonly string[]): readonly string[] {
  let capacity = 16;
  while (texts.length > capacity * 0.75) capacity *= 2;
  return texts
    .map((text, at) => ({ text, bucket: spread(text) & (capacity - 1), at }))
    .sort((a, b) => a.bucket - b.bucket || a.at - b.at)
    .map(({ text }) => text);
}

/** String.hashCode, its upper half mixed into the lower one. */
function spread(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(31, hash) + text.charCodeAt(at)) | 0;
  return hash ^ (hash >>> 16);
}
