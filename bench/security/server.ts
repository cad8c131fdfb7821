// One server of the security bench, by name: plain node:http, or the same handler behind the chain. Run by run.ts.
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createBCryptEncoder,
  createSecurity,
  nodeHandler,
  type RuleData,
  type Security,
  type SecurityConfig,
  userNamed,
} from '@lockstitch/security';
import { serveBench } from '../lib/serve.ts';
import { createPeer } from './peer.ts';
import { createRungs } from './rungs.ts';

const BODY = JSON.stringify({ hello: 'world' });
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(BODY)) };

/** `count` rules, a third of each matcher kind that looks rules up, and a catch-all. */
function rules(count: number): readonly RuleData[] {
  const list: RuleData[] = [];
  for (let index = 0; list.length < count - 1; index++) {
    list.push({ ant: `/area${index}/**`, access: `hasRole('R${index}')` });
    list.push({ mvc: `/photos/list${index}/{id:\\d+}`, method: 'GET', access: 'permitAll' });
    list.push({ ant: `/deep/a/b/c${index}`, access: `hasAnyAuthority('a${index}', 'b')` });
  }
  return [...list.slice(0, count - 1), { any: true, access: 'authenticated' }];
}

async function createChain(count: number, config: SecurityConfig = {}): Promise<Security> {
  const encoder = createBCryptEncoder();
  const john = userNamed('john')
    .password(await encoder.encode('12345'))
    .authorities('read')
    .build();
  return createSecurity({
    users: [john],
    passwordEncoder: encoder,
    rules: rules(count),
    cors: { allowedOrigins: ['https://app.example.org'] },
    ...config,
  });
}

const answer: RequestListener = (_, response) => {
  response.writeHead(200, HEADERS);
  response.end(BODY);
};

const secured = async (count: number): Promise<RequestListener> => nodeHandler(await createChain(count), answer);

/** The chain up to one rung of the ladder. */
async function createRung(index: number): Promise<Server> {
  const rungs = createRungs(rules(30)).slice(0, index + 1);
  const { adapterOnly } = rungs.at(-1)!;
  const config = Object.assign({}, { cors: undefined }, ...rungs.map(({ adds }) => adds)) as SecurityConfig;
  const security = await createChain(30, config);
  const run: Security['run'] = (exchange, application) => {
    exchange.encodedPath = exchange.request.target;
    return application(exchange);
  };
  const listener = nodeHandler(adapterOnly ? { ...security, run } : security, answer);
  return createServer(listener);
}

/** Real hashes for every guess, counted by nobody: what an attacker would wish for. */
async function guessed(strength: number): Promise<RequestListener> {
  const encoder = createBCryptEncoder({ strength });
  const john = userNamed('john-00000')
    .password(await encoder.encode('12345'))
    .authorities('read')
    .build();
  const jack = userNamed('jack-00000')
    .password(await encoder.encode('12345'))
    .authorities('read')
    .accountLocked()
    .build();
  const security = createSecurity({ users: [john, jack], passwordEncoder: encoder, attempts: false });
  return nodeHandler(security, answer);
}

/** What the full chain sends, written as one would by hand. */
const ALL_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-XSS-Protection': '1; mode=block',
  'Cache-Control': 'no-cache, no-store, max-age=0, must-revalidate',
  Pragma: 'no-cache',
  Expires: '0',
  'X-Frame-Options': 'DENY',
  Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  ...HEADERS,
};

const variants: Readonly<Record<string, () => RequestListener | Promise<RequestListener>>> = {
  plain: () => answer,
  'plain with the headers': () => (_, response) => {
    response.writeHead(200, ALL_HEADERS);
    response.end(BODY);
  },
  'full chain': () => secured(30),
  '10 rules': () => secured(10),
  '1000 rules': () => secured(1000),
  'guessing 4': () => guessed(4),
  'guessing 10': () => guessed(10),
  'Express 5': () => createPeer(BODY, false),
  'Express 5 and middleware': () => createPeer(BODY, true),
};

const [name = 'plain'] = process.argv.slice(2);
const rung = /^rung (\d+)$/.exec(name);
const make = variants[name];
if (rung === null && make === undefined) throw new Error(`No variant is named "${name}".`);
serveBench(rung === null ? createServer(await make!()) : await createRung(Number(rung[1])));
