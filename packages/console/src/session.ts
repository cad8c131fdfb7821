// Who is signed in, as far as the browser can tell. The session itself is a cookie that scripts cannot read.
import { call, forgetCsrfToken, problemOf, type Problem } from './api.ts';

const NAME_KEY = 'lockstitch.user';

/** Asks the server whether it knows us: by cookie, or by Basic credentials the browser already holds. */
export async function isSignedIn(): Promise<boolean> {
  return (await call('/')).status !== 401;
}

/** The name that was signed in with, for the header; undefined when another page did it. */
export function signedInName(): string | undefined {
  return sessionStorage.getItem(NAME_KEY) ?? undefined;
}

/** Signs in; returns what went wrong, or undefined. */
export async function signIn(username: string, password: string): Promise<Problem | undefined> {
  forgetCsrfToken();
  const answer = await call('/login', { method: 'POST', form: { username, password } });
  forgetCsrfToken();
  if (answer.status >= 400) return problemOf(answer);
  sessionStorage.setItem(NAME_KEY, username);
  return undefined;
}

/** Signs out; returns what went wrong, or undefined. */
export async function signOut(): Promise<Problem | undefined> {
  const answer = await call('/logout', { method: 'POST' });
  forgetCsrfToken();
  sessionStorage.removeItem(NAME_KEY);
  return answer.status >= 400 && answer.status !== 401 ? problemOf(answer) : undefined;
}
