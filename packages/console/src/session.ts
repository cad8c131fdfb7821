// Who is signed in, as far as the browser can tell. The session itself is a cookie that scripts cannot read.
import { call, forgetCsrfToken, problemOf, type Problem, useBasic } from './api.ts';
import { forgetAll } from './ui/memory.ts';

/** Asks the server for the name it knows us by, from the cookie or Basic credentials; undefined: it does not know us. */
export async function signedInName(): Promise<string | undefined> {
  const { status, body } = await call('/_console/session');
  const name = status === 200 ? (body as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Signs in by the server's form, or by Basic where it has none; returns what went wrong, or undefined. */
export async function signIn(username: string, password: string): Promise<Problem | undefined> {
  forgetCsrfToken();
  const answer = await call('/login', { method: 'POST', form: { username, password } });
  forgetCsrfToken();
  if (answer.status < 400) return undefined;
  // Wrong credentials, a locked account, too many tries: the form is there and has decided.
  if ([401, 429, 503].includes(answer.status)) return problemOf(answer);
  useBasic({ username, password });
  if ((await signedInName()) !== undefined) return undefined;
  useBasic(undefined);
  return problemOf(answer);
}

/** Signs out; returns what went wrong, or undefined. */
export async function signOut(): Promise<Problem | undefined> {
  const answer = await call('/logout', { method: 'POST' });
  useBasic(undefined);
  forgetCsrfToken();
  forgetAll();
  // Without form log-in there is no session to end: forgetting the credentials was all.
  return answer.status >= 500 || answer.status === 403 ? problemOf(answer) : undefined;
}
