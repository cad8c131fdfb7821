// The mutations of the graph benchmark: as a client sends them, and the statements that a patient person would write by hand
// over the bench's tables on SQLite.
const SELECTION = '{ id name url category created postedBy { githubLogin name } }';

/** The operations. */
export const MUTATIONS = {
  insert: `mutation ($input: PostPhotoInput!) { postPhoto(input: $input) ${SELECTION} }`,
  update: `mutation ($id: ID!, $name: String) { updatePhoto(id: $id, name: $name) ${SELECTION} }`,
} as const;

/** The statements. RETURNING doubles the cost of an insert on SQLite, so keys come from the row id. */
export const WRITES = {
  insert: 'INSERT INTO photos (name, url, description, created, category, posted_by) VALUES (?, ?, ?, ?, ?, ?)',
  feed: `INSERT INTO lockstitch_feed (type, key, operation, at, principal, data) VALUES ('Photo', ?, ?, ?, 'anonymous', ?)`,
  find: 'SELECT name, url, description, created, category, posted_by FROM photos WHERE id = ?',
  update: 'UPDATE photos SET name = ? WHERE id = ?',
  read: `SELECT concat('{"id":"', p.id, '","name":', json_quote(p.name), ',"url":', json_quote(p.url), ',"category":', json_quote(p.category),
    ',"created":', json_quote(p.created), ',"postedBy":', (SELECT json_object('githubLogin', u.github_login, 'name', u.name) FROM users u WHERE u.github_login = p.posted_by), '}')
    FROM photos p WHERE p.id = ?`,
} as const;

let number = 0;

/** The body of a request that no other one equals. */
export function mutationBody(name: keyof typeof MUTATIONS): string {
  number++;
  const query = MUTATIONS[name];
  if (name === 'update')
    return JSON.stringify({ query, variables: { id: String((number % 20_000) + 1), name: `New ${number}` } });
  const input = {
    name: `Photo ${number}`,
    url: `https://pictures.example/n/${number}.jpg`,
    description: 'Taken today',
    created: '2026-11-21T08:00:00.000Z',
    category: 'ACTION',
    postedBy: `u${number % 1000}`,
  };
  return JSON.stringify({ query, variables: { input } });
}
