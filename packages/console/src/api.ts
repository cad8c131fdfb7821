// HTTP client of the console: same origin, cookies, the CSRF token where it is needed, errors as one kind of object.

/** An answer, whatever its status. `body` is parsed JSON, or text when it is none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly milliseconds: number;
}

/** An error as it is shown. */
export interface Problem {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'PUT';
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Default: application/json. */
  readonly accept?: string;
}

let csrf: Promise<{ readonly headerName: string; readonly token: string } | undefined> | undefined;
/** Number of sign-ins and sign-outs so far. */
let session = 0;
let onSignedOut: () => void = () => {};
let basic: string | undefined;

/** Calls the listener when the session has ended. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Forgets the CSRF token, and ignores the 401 of calls that are still running: each session has its own. */
export function startSession(): void {
  csrf = undefined;
  session += 1;
}

/** Sends Basic credentials with every call from now on; undefined stops that. They are kept in memory only (RFC 7617 §2). */
export function useBasic(credentials: { readonly username: string; readonly password: string } | undefined): void {
  if (credentials === undefined) {
    basic = undefined;
    return;
  }
  const bytes = new TextEncoder().encode(`${credentials.username}:${credentials.password}`);
  basic = `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}

/** Calls the server. A 401 calls the listener above, unless it refuses a log-in or belongs to a former session. */
export async function call(path: string, options: Call = {}): Promise<Answer> {
  const started = session;
  let answer = await send(path, options);
  // The token belongs to the session: if that has ended, the second try has the token of the new one.
  if (answer.status === 403 && options.method !== undefined && options.method !== 'GET') {
    csrf = undefined;
    answer = await send(path, options);
  }
  if (answer.status === 401 && path !== '/login' && started === session) onSignedOut();
  return answer;
}

async function send(path: string, options: Call): Promise<Answer> {
  const started = performance.now();
  return readAnswer(await request(path, options), started);
}

/** Reads a whole response. `started` is the `performance.now()` of the call. */
export async function readAnswer(response: Response, started: number): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: parse(text), text, milliseconds: performance.now() - started };
}

/** Sends one request with credentials and CSRF token. The caller reads the response. */
export async function request(path: string, options: Call): Promise<Response> {
  const { method = 'GET', json, form, signal, accept = 'application/json' } = options;
  // Without X-Requested-With a 401 would carry the Basic challenge, and the browser would ask in its own window.
  const headers: Record<string, string> = { accept, 'x-requested-with': 'XMLHttpRequest' };
  if (basic !== undefined) headers['authorization'] = basic;
  let body: string | undefined;
  if (json !== undefined) {
    headers['content-type'] = 'application/json';
    body = typeof json === 'string' ? json : JSON.stringify(json);
  } else if (form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(form).toString();
  }
  if (method !== 'GET') {
    const token = await csrfToken();
    if (token !== undefined) headers[token.headerName] = token.token;
  }
  return fetch(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function csrfToken(): NonNullable<typeof csrf> {
  csrf ??= readCsrfToken().catch((error: unknown) => {
    // The next call asks again.
    csrf = undefined;
    throw error;
  });
  return csrf;
}

async function readCsrfToken(): Promise<Awaited<NonNullable<typeof csrf>>> {
  const { status, body } = await send('/csrf', {});
  if (status !== 200 || typeof body !== 'object' || body === null) return undefined;
  const { headerName, token } = body as Record<string, unknown>;
  return typeof headerName === 'string' && typeof token === 'string' ? { headerName, token } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's error page, for example.
    return text;
  }
}

interface SearchError {
  readonly reason?: string;
  readonly type?: string;
  readonly root_cause?: readonly { readonly reason?: string; readonly type?: string }[];
}

/** Reads an error response in any of the server's three shapes: its own, GraphQL's, Elasticsearch's. */
export function problemOf({ status, body }: Answer): Problem {
  if (typeof body !== 'object' || body === null) return { title: `The server answered ${status}.` };
  const { error, errors, message, hint, code } = body as Record<string, unknown>;
  if (Array.isArray(errors) && errors.length > 0) {
    const first = errors[0] as { message?: string; extensions?: { code?: string; hint?: string } };
    const others = errors.length > 1 ? `first of ${errors.length} errors, all in the answer` : undefined;
    const detail = [first.extensions?.code, `HTTP ${status}`, others].filter(Boolean).join(' · ');
    return { title: first.message ?? 'The operation failed.', detail, hint: first.extensions?.hint };
  }
  if (typeof error === 'object' && error !== null) {
    const { reason, type, root_cause: causes } = error as SearchError;
    // The outer reason is "all shards failed"; the root cause names the mistake.
    const cause = causes?.[0];
    return {
      title: cause?.reason ?? reason ?? `The server answered ${status}.`,
      detail: `${cause?.type ?? type ?? 'error'} · HTTP ${status}`,
    };
  }
  return {
    title: typeof message === 'string' && message !== '' ? message : `The server answered ${status}.`,
    detail: [code, typeof error === 'string' ? error : undefined, `HTTP ${status}`].filter(Boolean).join(' · '),
    hint: typeof hint === 'string' ? hint : undefined,
  };
}

/** Describes a call that got no response. */
export function problemOfFailure(error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error);
  return { title: 'The server cannot be reached.', detail: reason, hint: 'Check that it runs, then try again.' };
}
