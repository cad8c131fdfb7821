// Runs filters one after the other on a request built from plain values, without a server: what came out as status,
// headers and body, and whether the handler at the end was reached.
import { type Next, SecurityExchange } from '../../src/chain/exchange.ts';
import type { Filter } from '../../src/chain/filter.ts';
import type { ResponseHead, SecurityRequest } from '../../src/chain/request.ts';
import { authenticationErrors } from '../../src/errors/authentication-errors.ts';

export interface TestRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly secure?: boolean;
  readonly address?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly reached: boolean;
  /** Who the handler saw. */
  readonly user: string;
  readonly body: string;
  /** By lower-case name; several lines joined by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name → value of the cookies that were set; `''` when taken back. */
  readonly cookies: Readonly<Record<string, string>>;
  readonly exchange: SecurityExchange;
  json(): Record<string, unknown>;
}

/** Runs the request through the filters; `handler` is the application. */
export async function run(filters: readonly Filter[], request: TestRequest = {}, handler?: Next): Promise<TestAnswer> {
  const { head, lines } = responseHead();
  const exchange = new SecurityExchange(toRequest(request), head);
  const [path = '', query = ''] = (request.target ?? '/').split(/\?(.*)/s, 2);
  exchange.path = decodeURIComponent(path);
  exchange.query = query;
  let reached = false;
  let user = '';
  const step = (index: number): Next => {
    const filter = filters[index];
    if (filter !== undefined) return (each) => filter.handle(each, step(index + 1));
    return async (each) => {
      reached = true;
      user = each.principal.name;
      await handler?.(each);
    };
  };
  await step(0)(exchange);
  await exchange.finish();
  const setCookies = lines.get('set-cookie') ?? [];
  const body = String(exchange.answer?.body ?? '');
  return {
    status: exchange.answer?.status ?? 200,
    reached,
    user,
    body,
    exchange,
    headers: Object.fromEntries([...lines].map(([name, values]) => [name, values.join('\n')])),
    cookies: Object.fromEntries(
      setCookies.map((line) => line.split(';', 1)[0]!.split(/=(.*)/s, 2) as [string, string]),
    ),
    json: () => JSON.parse(body) as Record<string, unknown>,
  };
}

/** A caller that keeps its cookies. */
export function createClient(filters: readonly Filter[], base: TestRequest = {}) {
  const jar = new Map<string, string>();
  return {
    jar,
    async send(request: TestRequest = {}, handler?: Next): Promise<TestAnswer> {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { ...base.headers, ...(cookie === '' ? {} : { cookie }), ...request.headers };
      const answer = await run(filters, { ...base, ...request, headers }, handler);
      for (const [name, value] of Object.entries(answer.cookies)) {
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      return answer;
    },
  };
}

export function form(fields: Readonly<Record<string, string>>): TestRequest {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

export function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function toRequest(request: TestRequest): SecurityRequest {
  const headers = Object.entries(request.headers ?? {});
  const body = Buffer.from(request.body ?? '');
  return {
    method: request.method ?? 'GET',
    target: request.target ?? '/',
    rawHeaders: headers.flat(),
    remoteAddress: request.address ?? '192.0.2.1',
    secure: request.secure ?? false,
    header: (name) => headers.find(([each]) => each.toLowerCase() === name)?.[1],
    async readBody(limit) {
      if (body.length > limit) throw authenticationErrors.create('SECURITY_SETTING', { what: 'body too large' });
      return body;
    },
  };
}

function responseHead(): { readonly head: ResponseHead; readonly lines: Map<string, string[]> } {
  const lines = new Map<string, string[]>();
  const head: ResponseHead = {
    headersSent: false,
    setHeader: (name, value) => lines.set(name.toLowerCase(), [value]),
    appendHeader: (name, value) => lines.set(name.toLowerCase(), [...(lines.get(name.toLowerCase()) ?? []), value]),
    getHeader: (name) => lines.get(name.toLowerCase()),
    removeHeader: (name) => void lines.delete(name.toLowerCase()),
  };
  return { head, lines };
}
