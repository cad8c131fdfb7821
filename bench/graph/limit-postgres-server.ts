// The bar on PostgreSQL: bare node:http, `pg`, and hand-written statements over the bench's tables, prepared by name (URL: first
// argument). The settings are the ones that were fastest: with the server's default costs, subplans become hash joins.
import { createServer } from 'node:http';
import { Pool, type PoolConfig } from 'pg';
import { serveBench } from '../lib/serve.ts';
import { LOGIN } from './photo-data.ts';

const asText: PoolConfig['types'] = { getTypeParser: () => (text: unknown) => text };
const pool = new Pool({
  connectionString: process.argv[2]!,
  max: 10,
  options: '-c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan -c jit=off -c TimeZone=UTC',
  types: asText,
});

const tagged = (object: string, photo: string): string =>
  `coalesce((SELECT string_agg(${object}, ',') FROM (SELECT u.github_login a, u.name b FROM photos_tagged_users t
     JOIN users u ON u.github_login = t."user" WHERE t.photo = ${photo}.id ORDER BY t."user") x), '')`;
const quote = (column: string): string => `to_json(${column})`;
const quoteNull = (column: string): string => `coalesce(to_json(${column}), 'null')`;

const STATEMENTS = {
  q1: {
    text: `SELECT concat('{"allPhotos":[', (SELECT string_agg(concat('{"id":"', p.id, '","name":', ${quote('p.name')}, ',"url":', ${quote('p.url')},
      ',"category":"', p.category, '","created":"', to_char(p.created AT TIME ZONE interval '0', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","postedBy":',
      (SELECT concat('{"githubLogin":', ${quote('u.github_login')}, ',"name":', ${quoteNull('u.name')}, '}') FROM users u WHERE u.github_login = p.posted_by),
      ',"taggedUsers":[', ${tagged(`concat('{"githubLogin":', ${quote('a')}, ',"name":', ${quoteNull('b')}, '}')`, 'p')}, ']}'), ',')
      FROM (SELECT id, name, url, category, created, posted_by FROM photos ORDER BY created DESC, id DESC LIMIT $1::bigint) p), ']}')`,
    values: [25],
  },
  q2: {
    text: `SELECT concat('{"User":', coalesce((SELECT concat('{"name":', ${quoteNull('u.name')}, ',"postedPhotos":[',
      (SELECT string_agg(concat('{"id":"', p.id, '","name":', ${quote('p.name')}, ',"taggedUsers":[', ${tagged(`concat('{"name":', ${quoteNull('b')}, '}')`, 'p')}, ']}'), ',')
        FROM (SELECT id, name FROM photos WHERE posted_by = u.github_login ORDER BY id) p), '],"inPhotos":[',
      (SELECT string_agg(concat('{"id":"', a, '"}'), ',') FROM (SELECT photo a FROM photos_tagged_users WHERE "user" = u.github_login ORDER BY photo) x), ']}')
      FROM users u WHERE u.github_login = $1::text), 'null'), '}')`,
    values: [LOGIN],
  },
  q3: {
    text: `SELECT concat('{"User":', coalesce((SELECT concat('{"name":', ${quoteNull('u.name')}, ',"avatar":', ${quoteNull('u.avatar')}, '}')
      FROM users u WHERE u.github_login = $1::text), 'null'), '}')`,
    values: [LOGIN],
  },
  q4: {
    text: `SELECT concat('{"allUsers":[', (SELECT string_agg(concat('{"githubLogin":', ${quote('u.github_login')}, ',"name":', ${quoteNull('u.name')}, ',"postedPhotos":[',
      (SELECT string_agg(concat('{"id":"', a, '","name":', ${quote('b')}, '}'), ',') FROM (SELECT id a, name b FROM photos WHERE posted_by = u.github_login ORDER BY id) x), ']}'), ',')
      FROM (SELECT github_login, name FROM users ORDER BY github_login LIMIT $1::bigint) u), ']}')`,
    values: [50],
  },
} as const;

async function answer(name: keyof typeof STATEMENTS): Promise<string> {
  const { text, values } = STATEMENTS[name];
  const { rows } = await pool.query<[string]>({ name, text, values: [...values], rowMode: 'array' });
  return `{"data":${rows[0]![0]}}`;
}

serveBench(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A server of use reads its request; the bar pays for that too.
      JSON.parse(Buffer.concat(chunks).toString());
      void answer(request.url!.slice(1) as keyof typeof STATEMENTS).then((body) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
        response.end(body);
      });
    });
  }),
);
