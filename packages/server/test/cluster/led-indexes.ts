// Which indexes on a search cluster a server writes to.
import type { TestApp } from '../start-app.ts';

/** Names of the indexes of its schema that a server leads. */
export async function ledIndexes({ app }: TestApp): Promise<readonly string[]> {
  return (await app.status()).indexes.flatMap(({ leadership, name }) => (leadership?.leads === true ? [name] : []));
}
