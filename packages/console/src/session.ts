// Signs in and out, and asks who is signed in. The session itself is a cookie that scripts cannot read.
import { call, problemOf, type Problem, startSession, useBasic } from './api.ts';
import { forgetAll } from './ui/memory.ts';

/** Asks the server for the user's name; undefined if nobody is signed in. */
export async function signedInName(): Promise<string | undefined> {
  const { status, body } = await call('/_console/session');
  const name = status === 200 ? (body as { readonly name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Signs in by the server's form, or by Basic where it has none. Returns the problem, if any. */
export async function signIn(username: string, password: string): Promise<Problem | undefined> {
  startSession();
  const answer = await call('/login', { method: 'POST', form: { username, password } });
  startSession();
  if (answer.status < 400) return undefined;
  // Wrong credentials, a locked account, too many tries: the server has a form, and it has decided.
  if ([401, 429, 503].includes(answer.status)) return problemOf(answer);
  useBasic({ username, password });
  if ((await signedInName()) !== undefined) return undefined;
  useBasic(undefined);
  return problemOf(answer);
}

/** Signs out. Returns the problem, if any. */
export async function signOut(): Promise<Problem | undefined> {
  const answer = await call('/logout', { method: 'POST' });
  useBasic(undefined);
  startSession();
  forgetAll();
  // Without form log-in there is no session to end; forgetting the credentials is enough.
  return answer.status >= 500 || answer.status === 403 ? problemOf(answer) : undefined;
}
