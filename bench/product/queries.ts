// The four queries of the graph benchmark, and for each the statement that a patient person would write by hand over the
// photo-share tables: JSON built in SQL, flat objects by json_object, everything that holds a subquery by concat.

/** The operations, as a client sends them. */
export const OPERATIONS = {
  q1: '{ allPhotos(first: 25) { id name url category created postedBy { githubLogin name } taggedUsers { githubLogin name } } }',
  q2: '{ User(githubLogin: "LOGIN") { name postedPhotos { id name taggedUsers { name } } inPhotos { id } } }',
  q3: '{ User(githubLogin: "LOGIN") { name avatar } }',
  q4: '{ allUsers(first: 50) { githubLogin name postedPhotos { id name } } }',
} as const;

export type QueryName = keyof typeof OPERATIONS;

const TAGGED = (object: string, photo: string): string =>
  `(SELECT json_group_array(${object}) FROM (SELECT u.github_login a, u.name b FROM photos_tagged_users t
    CROSS JOIN users u ON u.github_login = t.user WHERE t.photo = ${photo}.id ORDER BY t.user))`;

/** The statements; each returns the JSON text of `data`. `LOGIN` is bound where a value says so. */
export const HAND_WRITTEN: Readonly<
  Record<QueryName, { readonly sql: string; readonly bind: 'login' | 'limit'; readonly limit?: number }>
> = {
  q1: {
    sql: `SELECT concat('{"allPhotos":[', (SELECT group_concat(concat('{"id":"', p.id, '","name":', json_quote(p.name), ',"url":', json_quote(p.url),
      ',"category":"', p.category, '","created":"', p.created, '","postedBy":',
      (SELECT json_object('githubLogin', u.github_login, 'name', u.name) FROM users u WHERE u.github_login = p.posted_by),
      ',"taggedUsers":', ${TAGGED("json_object('githubLogin', a, 'name', b)", 'p')}, '}'), ',')
      FROM (SELECT id, name, url, category, created, posted_by FROM photos ORDER BY created DESC, id DESC LIMIT +?) p), ']}')`,
    bind: 'limit',
    limit: 25,
  },
  q2: {
    sql: `SELECT concat('{"User":', coalesce((SELECT concat('{"name":', json_quote(u.name), ',"postedPhotos":[',
      (SELECT group_concat(concat('{"id":"', p.id, '","name":', json_quote(p.name), ',"taggedUsers":', ${TAGGED("json_object('name', b)", 'p')}, '}'), ',')
      FROM (SELECT id, name FROM photos WHERE posted_by = u.github_login ORDER BY id) p), '],"inPhotos":',
      (SELECT json_group_array(json_object('id', CAST(a AS TEXT))) FROM (SELECT photo a FROM photos_tagged_users WHERE user = u.github_login ORDER BY photo)), '}')
      FROM users u WHERE u.github_login = ?), 'null'), '}')`,
    bind: 'login',
  },
  q3: {
    sql: `SELECT concat('{"User":', coalesce((SELECT json_object('name', u.name, 'avatar', u.avatar) FROM users u WHERE u.github_login = ?), 'null'), '}')`,
    bind: 'login',
  },
  q4: {
    sql: `SELECT concat('{"allUsers":[', (SELECT group_concat(concat('{"githubLogin":', json_quote(github_login), ',"name":', json_quote(name), ',"postedPhotos":',
      (SELECT json_group_array(json_object('id', CAST(a AS TEXT), 'name', b)) FROM (SELECT id a, name b FROM photos WHERE posted_by = u.github_login ORDER BY id)), '}'), ',')
      FROM (SELECT github_login, name FROM users ORDER BY github_login LIMIT +?) u), ']}')`,
    bind: 'limit',
    limit: 50,
  },
};
