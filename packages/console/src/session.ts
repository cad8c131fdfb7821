// Who is signed in, as far as the browser can tell. The session itself is a cookie that scripts cannot read.
import { call, forgetCsrfToken, problemOf, type Problem } from './api.ts';

/** Asks the server for the name it knows us by, from the cookie or Basic credentials; undefined: it does not know us. */
export async function signedInName(): Promise<string | undefined> {
  const { status, body } = await call('/_console/session');
  const name = status === 200 ? (body as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Signs in; returns what went wrong, or undefined. */
export async function signIn(username: string, password: string): Promise<Problem | undefined> {
  forgetCsrfToken();
  const answer = await call('/login', { method: 'POST', form: { username, password } });
  forgetCsrfToken();
  return answer.status >= 400 ? problemOf(answer) : undefined;
}

/** Signs out; returns what went wrong, or undefined. */
export async function signOut(): Promise<Problem | undefined> {
  const answer = await call('/logout', { method: 'POST' });
  forgetCsrfToken();
  return answer.status >= 400 && answer.status !== 401 ? problemOf(answer) : undefined;
}
