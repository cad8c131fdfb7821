// The operations of the bench `spot`: what a client sends, and the best statement that is known for it.
import type { Hand } from './spot-statements.ts';

/** One operation. */
export interface SpotOperation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The statement that returns the value of each root field, by its key. */
  readonly byHand: (hand: Hand) => Readonly<Record<string, string>>;
  /** The values of its placeholders. */
  readonly values?: readonly string[];
}

const ID = { id: ['id', 'a.id'] } as const;
const ID_NAME = { id: ['id', 'a.id'], name: ['text', 'a.name'] } as const;

/** A list of `{ id name }` of photos. */
const photos = (hand: Hand, rows: string): Readonly<Record<string, string>> => ({
  photos: hand.list(hand.object(ID_NAME), rows),
});

const user = (hand: Hand, key: string): string =>
  `(SELECT ${hand.object({ githubLogin: ['text', 'u.github_login'], name: ['text', 'u.name'] })} FROM users u WHERE u.github_login = ${key})`;

const tagged = (hand: Hand, key: string): string =>
  hand.list(
    hand.object({ name: ['text', 'a.name'] }),
    hand.name === 'sqlite'
      ? `SELECT u.name FROM photos_tagged_users t CROSS JOIN users u ON u.github_login = t."user" WHERE t.photo = ${key} ORDER BY t."user"`
      : `SELECT u.name FROM photos_tagged_users t JOIN users u ON u.github_login = t."user" WHERE t.photo = ${key} ORDER BY t."user"`,
  );

/** Ids of the projects whose member the caller is. */
const mine = (hand: Hand): string => `SELECT project FROM users_projects WHERE "user" = ${hand.value('text')}`;

const NAMES = '{ id name }';

/** The operations, by name. */
export const SPOT_OPERATIONS: Readonly<Record<string, SpotOperation>> = {
  'look-up by key': {
    query: 'query ($login: ID!) { user(githubLogin: $login) { name avatar } }',
    variables: { login: 'u17' },
    byHand: (hand) => ({
      user: `coalesce((SELECT ${hand.object({ name: ['text', 'name'], avatar: ['nullable', 'avatar'] })} FROM users WHERE github_login = ${hand.value('text')}), 'null')`,
    }),
    values: ['u17'],
  },
  'page with relations': {
    query:
      '{ photos(first: 25, orderBy: [{ created: DESC }]) { id name postedBy { githubLogin name } taggedUsers { name } } }',
    byHand: (hand) => ({
      photos: hand.list(
        hand.object({
          ...ID_NAME,
          postedBy: ['json', user(hand, 'a.posted_by')],
          taggedUsers: ['json', tagged(hand, 'a.id')],
        }),
        'SELECT id, name, posted_by FROM photos ORDER BY created DESC, id DESC LIMIT 25',
      ),
    }),
  },
  'order by a relation': {
    query: `{ photos(first: 20, orderBy: [{ postedBy: { name: DESC } }]) ${NAMES} }`,
    byHand: (hand) =>
      photos(
        hand,
        'SELECT p.id, p.name FROM photos p JOIN users u ON u.github_login = p.posted_by ORDER BY u.name DESC, p.id DESC LIMIT 20',
      ),
  },
  'order by a nullable relation, nulls last': {
    query: `{ photos(first: 20, orderBy: [{ album: { title: DESC } }]) ${NAMES} }`,
    byHand: (hand) =>
      photos(
        hand,
        'SELECT p.id, p.name FROM photos p JOIN albums b ON b.id = p.album ORDER BY b.title DESC, p.id DESC LIMIT 20',
      ),
  },
  'order by a nullable relation, nulls first': {
    query: `{ photos(first: 20, orderBy: [{ album: { title: ASC } }]) ${NAMES} }`,
    byHand: (hand) => photos(hand, 'SELECT id, name FROM photos WHERE album IS NULL ORDER BY id LIMIT 20'),
  },
  'any of many by key': {
    query: `query ($login: ID!) { photos(first: 20, orderBy: [{ created: DESC }], where: { taggedUsers: { any: { githubLogin: { eq: $login } } } }) ${NAMES} }`,
    variables: { login: 'u3' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT id, name FROM photos WHERE id IN (SELECT photo FROM photos_tagged_users WHERE "user" = ${hand.value('text')}) ORDER BY created DESC, id DESC LIMIT 20`,
      ),
    values: ['u3'],
  },
  'any of many by a rare text': {
    query: `query ($name: String!) { photos(first: 20, orderBy: [{ created: DESC }], where: { taggedUsers: { any: { name: { contains: $name } } } }) ${NAMES} }`,
    variables: { name: 'mber 77' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT id, name FROM photos WHERE id IN (SELECT t.photo FROM users u JOIN photos_tagged_users t ON t."user" = u.github_login WHERE ${hand.contains('u.name', hand.value('text'))}) ORDER BY created DESC, id DESC LIMIT 20`,
      ),
    values: ['mber 77'],
  },
  'any of many by a frequent text': {
    query: `query ($name: String!) { photos(first: 20, orderBy: [{ created: DESC }], where: { taggedUsers: { any: { name: { contains: $name } } } }) ${NAMES} }`,
    variables: { name: 'User' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT id, name FROM photos p WHERE EXISTS (SELECT 1 FROM photos_tagged_users t JOIN users u ON u.github_login = t."user" WHERE t.photo = p.id AND ${hand.contains('u.name', hand.value('text'))}) ORDER BY created DESC, id DESC LIMIT 20`,
      ),
    values: ['User'],
  },
  'count with any by key': {
    query: 'query ($login: ID!) { photoCount(where: { taggedUsers: { any: { githubLogin: { eq: $login } } } }) }',
    variables: { login: 'u3' },
    byHand: (hand) => ({
      photoCount: `(SELECT count(*) FROM photos_tagged_users WHERE "user" = ${hand.value('text')})`,
    }),
    values: ['u3'],
  },
  'filter by a to-one relation': {
    query: `query ($name: String!) { photos(first: 20, where: { postedBy: { name: { eq: $name } } }) ${NAMES} }`,
    variables: { name: 'User Number 5' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT p.id, p.name FROM users u JOIN photos p ON p.posted_by = u.github_login WHERE u.name = ${hand.value('text')} ORDER BY p.id LIMIT 20`,
      ),
    values: ['User Number 5'],
  },
  'filter and order through one relation': {
    query: `query ($name: String!) { photos(first: 20, where: { postedBy: { name: { contains: $name } } }, orderBy: [{ postedBy: { name: ASC } }]) ${NAMES} }`,
    variables: { name: 'r 50' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT p.id, p.name FROM users u JOIN photos p ON p.posted_by = u.github_login WHERE ${hand.contains('u.name', hand.value('text'))} ORDER BY u.name, p.id LIMIT 20`,
      ),
    values: ['r 50'],
  },
  'three levels, filter and order through a relation': {
    query: `query ($name: String!) { photos(first: 20, where: { postedBy: { name: { contains: $name } } }, orderBy: [{ postedBy: { name: ASC } }]) { id postedBy { name postedPhotos(first: 5, orderBy: [{ created: DESC }]) { id taggedUsers { name } } } } }`,
    variables: { name: '7' },
    byHand: (hand) => ({
      photos: hand.list(
        hand.object({
          ...ID,
          postedBy: [
            'json',
            `(SELECT ${hand.object({
              name: ['text', 'u.name'],
              postedPhotos: [
                'json',
                hand.list(
                  hand.object({ ...ID, taggedUsers: ['json', tagged(hand, 'a.id')] }),
                  'SELECT id FROM photos WHERE posted_by = u.github_login ORDER BY created DESC, id DESC LIMIT 5',
                ),
              ],
            })} FROM users u WHERE u.github_login = a.posted_by)`,
          ],
        }),
        `SELECT p.id, p.posted_by FROM users u JOIN photos p ON p.posted_by = u.github_login WHERE ${hand.contains('u.name', hand.value('text'))} ORDER BY u.name, p.id LIMIT 20`,
      ),
    }),
    values: ['7'],
  },
  'list under a rule': {
    query: `{ projects ${NAMES} }`,
    byHand: (hand) => ({
      projects: hand.list(
        hand.object(ID_NAME),
        `SELECT id, name FROM projects WHERE id IN (${mine(hand)}) ORDER BY id`,
      ),
    }),
    values: ['u17'],
  },
  'count under a rule': {
    query: '{ projectCount }',
    byHand: (hand) => ({
      projectCount: `(SELECT count(*) FROM users_projects WHERE "user" = ${hand.value('text')})`,
    }),
    values: ['u17'],
  },
  'list under a rule through a parent': {
    query: '{ tasks(first: 20) { id title } }',
    byHand: (hand) => ({
      tasks: hand.list(
        hand.object({ ...ID, title: ['text', 'a.title'] }),
        `SELECT id, title FROM tasks WHERE project IN (${mine(hand)}) ORDER BY id LIMIT 20`,
      ),
    }),
    values: ['u17'],
  },
  'count under a rule through a parent': {
    query: '{ taskCount(where: { done: { eq: true } }) }',
    byHand: (hand) => ({
      taskCount: `(SELECT count(*) FROM tasks WHERE project IN (${mine(hand)}) AND ${hand.isTrue('done')})`,
    }),
    values: ['u17'],
  },
  'aggregates by group': {
    query:
      '{ photoGroups(groupBy: { category: true }, orderBy: [{ count: DESC }]) { keys { category } count sum { rating } } }',
    byHand: (hand) => ({
      photoGroups: hand.list(
        hand.object({
          keys: ['json', hand.object({ category: ['text', 'a.category'] })],
          count: ['integer', 'a.c'],
          sum: ['json', hand.object({ rating: ['integer', 'a.s'] })],
        }),
        'SELECT category, count(*) AS c, sum(rating) AS s FROM photos GROUP BY category ORDER BY c DESC, category',
      ),
    }),
  },
  'aggregates by group under a rule': {
    query: '{ taskGroups(groupBy: { project: { name: true } }) { keys { project { name } } count max { title } } }',
    byHand: (hand) => ({
      taskGroups: hand.list(
        hand.object({
          keys: ['json', hand.object({ project: ['json', hand.object({ name: ['text', 'a.name'] })] })],
          count: ['integer', 'a.c'],
          max: ['json', hand.object({ title: ['text', 'a.m'] })],
        }),
        `SELECT p.name, count(*) AS c, max(t.title) AS m FROM tasks t JOIN projects p ON p.id = t.project WHERE t.project IN (${mine(hand)}) GROUP BY p.name ORDER BY p.name`,
      ),
    }),
    values: ['u17'],
  },
  'nested lists under rules': {
    query: '{ projects(first: 10) { name tasks(first: 5) { id title } } }',
    byHand: (hand) => ({
      projects: hand.list(
        hand
          .object({
            name: ['text', 'a.name'],
            tasks: [
              'json',
              hand.list(
                hand.object({ ...ID, title: ['text', 'a.title'] }),
                'SELECT t.id, t.title FROM tasks t WHERE t.project = b.id ORDER BY t.id LIMIT 5',
              ),
            ],
          })
          .replaceAll('b.id', 'a.id'),
        `SELECT id, name FROM projects WHERE id IN (${mine(hand)}) ORDER BY id LIMIT 10`,
      ),
    }),
    values: ['u17'],
  },
  'look-up under a rule': {
    query: `query ($id: ID!) { project(id: $id) ${NAMES} }`,
    variables: { id: '28' },
    byHand: (hand) => ({
      project: `coalesce((SELECT ${hand.object({ id: ['id', 'id'], name: ['text', 'name'] })} FROM projects p WHERE id = ${hand.value('bigint')}
        AND EXISTS (SELECT 1 FROM users_projects m WHERE m.project = p.id AND m."user" = ${hand.value('text')})), 'null')`,
    }),
    values: ['28', 'u17'],
  },
  'none of many': {
    query: `query ($login: ID!) { photos(first: 20, where: { taggedUsers: { none: { githubLogin: { eq: $login } } } }) ${NAMES} }`,
    variables: { login: 'u3' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT id, name FROM photos p WHERE NOT EXISTS (SELECT 1 FROM photos_tagged_users t WHERE t.photo = p.id AND t."user" = ${hand.value('text')}) ORDER BY id LIMIT 20`,
      ),
    values: ['u3'],
  },
  'or of three variable conditions': {
    query: `query ($a: String!, $b: Int!, $c: ID!) { photos(first: 20, where: { or: [{ name: { eq: $a } }, { rating: { gt: $b } }, { id: { eq: $c } }] }) ${NAMES} }`,
    variables: { a: 'Photo 7', b: 90, c: '9' },
    byHand: (hand) =>
      photos(
        hand,
        `SELECT id, name FROM photos WHERE name = ${hand.value('text')} OR rating > ${hand.value('bigint')} OR id = ${hand.value('bigint')} ORDER BY id LIMIT 20`,
      ),
    values: ['Photo 7', '90', '9'],
  },
  '100 look-ups by key': {
    query: `{ ${Array.from({ length: 100 }, (_, index) => `p${index}: photo(id: ${index * 7 + 1}) ${NAMES}`).join(' ')} }`,
    byHand: (hand) =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `p${index}`,
          `coalesce((SELECT ${hand.object({ id: ['id', 'id'], name: ['text', 'name'] })} FROM photos WHERE id = ${hand.value('bigint')}), 'null')`,
        ]),
      ),
    values: Array.from({ length: 100 }, (_, index) => String(index * 7 + 1)),
  },
  'connection, filtered': {
    query:
      '{ photoPages(where: { category: { eq: ACTION } }) { totalCount edges { node { id name } } pageInfo { hasNextPage endCursor } } }',
    byHand: (hand) => ({
      photoPages: `(WITH page AS MATERIALIZED (SELECT id, name FROM photos WHERE category = ${hand.value('text')} ORDER BY id LIMIT 21)
        SELECT concat('{"totalCount":', (SELECT count(*) FROM photos WHERE category = ${hand.value('text')}), ',"edges":',
        ${hand.list(hand.object({ node: ['json', hand.object(ID_NAME)] }), 'SELECT id, name FROM page ORDER BY id LIMIT 20')},
        ',"pageInfo":{"hasNextPage":', CASE WHEN (SELECT count(*) FROM page) > 20 THEN 'true' ELSE 'false' END,
        ',"endCursor":"', (SELECT ${hand.hex("concat('[', id, ']')")} FROM page ORDER BY id LIMIT 1 OFFSET 19), '"}}'))`,
    }),
    values: ['ACTION', 'ACTION'],
  },
  'connection, a page without count': {
    query: '{ photoPages(orderBy: [{ created: DESC }]) { nodes { id name } pageInfo { hasNextPage } } }',
    byHand: (hand) => ({
      photoPages: `(WITH page AS MATERIALIZED (SELECT id, name, created FROM photos ORDER BY created DESC, id DESC LIMIT 21)
        SELECT concat('{"nodes":', ${hand.list(hand.object(ID_NAME), 'SELECT id, name FROM page ORDER BY created DESC, id DESC LIMIT 20')},
        ',"pageInfo":{"hasNextPage":', CASE WHEN (SELECT count(*) FROM page) > 20 THEN 'true' ELSE 'false' END, '}}'))`,
    }),
  },
  'texts that contain, and their count': {
    query: `query ($text: String!) { photos(first: 20, where: { description: { contains: $text } }) ${NAMES} photoCount(where: { description: { contains: $text } }) }`,
    variables: { text: 'day 97' },
    byHand: (hand) => ({
      ...photos(
        hand,
        `SELECT id, name FROM photos WHERE ${hand.contains('description', hand.value('text'))} ORDER BY id LIMIT 20`,
      ),
      photoCount: `(SELECT count(*) FROM photos WHERE ${hand.contains('description', hand.value('text'))})`,
    }),
    values: ['day 97', 'day 97'],
  },
  'look-up by a composite key': {
    query: 'query ($id: ID!) { room(id: $id) { name nr } }',
    variables: { id: 't7,31' },
    byHand: (hand) => ({
      room: `coalesce((SELECT ${hand.object({ name: ['text', 'name'], nr: ['integer', 'nr'] })} FROM rooms WHERE tenant = ${hand.value('text')} AND nr = ${hand.value('bigint')}), 'null')`,
    }),
    values: ['t7', '31'],
  },
  'list of a composite key': {
    query: 'query ($id: ID!) { room(id: $id) { name bookings { id note } } }',
    variables: { id: 't7,31' },
    byHand: (hand) => ({
      room: `coalesce((SELECT ${hand.object({
        name: ['text', 'r.name'],
        bookings: [
          'json',
          hand.list(
            hand.object({ ...ID, note: ['text', 'a.note'] }),
            'SELECT id, note FROM bookings WHERE tenant = r.tenant AND room_nr = r.nr ORDER BY id',
          ),
        ],
      })} FROM rooms r WHERE tenant = ${hand.value('text')} AND nr = ${hand.value('bigint')}), 'null')`,
    }),
    values: ['t7', '31'],
  },
  'page with objects by a composite key': {
    query: '{ bookings(first: 20) { id room { name } } }',
    byHand: (hand) => ({
      bookings: hand.list(
        hand.object({
          ...ID,
          room: [
            'json',
            `(SELECT ${hand.object({ name: ['text', 'r.name'] })} FROM rooms r WHERE r.tenant = a.tenant AND r.nr = a.room_nr)`,
          ],
        }),
        'SELECT id, tenant, room_nr FROM bookings ORDER BY id LIMIT 20',
      ),
    }),
  },
  'filter through a composite key': {
    query: 'query ($name: String!) { bookings(first: 20, where: { room: { name: { eq: $name } } }) { id note } }',
    variables: { name: 'Room 627' },
    byHand: (hand) => ({
      bookings: hand.list(
        hand.object({ ...ID, note: ['text', 'a.note'] }),
        `SELECT b.id, b.note FROM rooms r JOIN bookings b ON b.tenant = r.tenant AND b.room_nr = r.nr WHERE r.name = ${hand.value('text')} ORDER BY b.id LIMIT 20`,
      ),
    }),
    values: ['Room 627'],
  },
  'a page by offset': {
    query: `{ photos(first: 20, start: 1000, orderBy: [{ created: DESC }]) ${NAMES} }`,
    byHand: (hand) => photos(hand, 'SELECT id, name FROM photos ORDER BY created DESC, id DESC LIMIT 20 OFFSET 1000'),
  },
};
