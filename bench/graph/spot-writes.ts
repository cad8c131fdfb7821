// The writes of the bench `spot`: what a client sends, and the statements that are best for it: one for each kind of row,
// and one for the entries of the feed. Each call writes other values.
import type { Store } from '@lockstitch/graph';
import type { Session, SqlValue } from '../../packages/graph/src/store/store.ts';

/** One write. */
export interface SpotWrite {
  readonly query: string;
  readonly variables: (text: string) => Readonly<Record<string, unknown>>;
  readonly byHand: (session: Session, dialect: Store['dialect'], text: string) => Promise<string>;
}

const ALBUMS = Array.from({ length: 100 }, (_, index) => index + 5);

const newPhotos = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  Array.from({ length: 20 }, (_, index) => ({
    name: `${text} ${index}`,
    url: 'https://pictures.example/n.jpg',
    created: '2026-01-01T00:00:00.000Z',
    category: 'ACTION',
    rating: index,
    postedBy: `u${index}`,
  }));

const FEED = 'INSERT INTO lockstitch_feed (type, key, operation, at, principal, data)';
const at = '2026-01-01T00:00:00.000Z';

/** Entries of the feed in one statement. */
export async function appendFeed(
  session: Session,
  dialect: Store['dialect'],
  rows: readonly (readonly [type: string, key: string, operation: string, data: string])[],
): Promise<void> {
  const text = JSON.stringify(rows);
  if (dialect === 'sqlite')
    await session
      .prepare(
        `${FEED} SELECT value ->> 0, value ->> 1, value ->> 2, ?, 'u17', value ->> 3 FROM json_each(?) ORDER BY key`,
      )
      .run([at, text]);
  else
    await session
      .prepare(
        `${FEED} SELECT row ->> 0, row ->> 1, row ->> 2, $1, 'u17', row ->> 3 FROM json_array_elements($2::json) WITH ORDINALITY AS given(row, n) ORDER BY n`,
      )
      .run([at, text]);
}

/** The writes, by name. */
export const SPOT_WRITES: Readonly<Record<string, SpotWrite>> = {
  'update of about 900 rows by a filter': {
    query: `mutation ($text: String) { updatePhotos(where: { album: { id: { in: [${ALBUMS.join(', ')}] } } }, description: $text) }`,
    variables: (text) => ({ text }),
    async byHand(session, dialect, text) {
      const list = `album IN (${ALBUMS.join(', ')})`;
      const found = await session
        .prepare(
          `SELECT id, name, url, description, created, category, rating, posted_by, album FROM photos WHERE ${list}`,
        )
        .rows([]);
      await appendFeed(
        session,
        dialect,
        found.map(([id, name, url, description, created, category, rating, postedBy, album]) => {
          const after = { id: String(id), name, url, description: text, created, category, rating, postedBy, album };
          return ['Photo', String(id), 'updated', JSON.stringify({ before: { description }, after })] as const;
        }),
      );
      const set = `UPDATE photos SET description = ${dialect === 'sqlite' ? '?' : '$1'} WHERE ${list}`;
      await session.prepare(set).run([text]);
      return `{"data":{"updatePhotos":${found.length}}}`;
    },
  },
  'create with 20 nested rows': {
    query: 'mutation ($input: NewAlbum!) { createAlbum(input: $input) { id photos { id name } } }',
    variables: (text) => ({ input: { title: `Album ${text}`, photos: newPhotos(text) } }),
    async byHand(session, dialect, text) {
      const isSqlite = dialect === 'sqlite';
      const [row] = await session
        .prepare(`INSERT INTO albums (title) VALUES (${isSqlite ? '?' : '$1'}) RETURNING id`)
        .rows([`Album ${text}`]);
      const album = row![0] as SqlValue;
      const columns = 'name, url, created, category, rating, posted_by, album';
      const photos = newPhotos(text);
      const members = ['name', 'url', 'created', 'category', 'rating', 'postedBy'];
      const value = (member: string): string => {
        if (isSqlite) return `value ->> '${member}'`;
        const cast = { created: '::timestamptz', rating: '::bigint' }[member] ?? '';
        return `(value ->> '${member}')${cast}`;
      };
      const from = isSqlite
        ? 'json_each(?) ORDER BY key'
        : 'json_array_elements($2::json) WITH ORDINALITY AS given(value, n) ORDER BY n';
      const written = await session
        .prepare(
          `INSERT INTO photos (${columns}) SELECT ${members.map(value).join(', ')}, ${isSqlite ? '?' : '$1::bigint'} FROM ${from} RETURNING id, name`,
        )
        .rows([album, JSON.stringify(photos)]);
      await appendFeed(session, dialect, [
        ['Album', String(album), 'created', JSON.stringify({ after: { id: String(album), title: `Album ${text}` } })],
        ...written.map(([id], index) => {
          const after = { id: String(id), ...photos[index], album: String(album) };
          return ['Photo', String(id), 'created', JSON.stringify({ after })] as const;
        }),
      ]);
      const shown = written.map(([id, name]) => ({ id: String(id), name }));
      return JSON.stringify({ data: { createAlbum: { id: String(album), photos: shown } } });
    },
  },
};
