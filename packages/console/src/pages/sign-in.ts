// The sign-in page. Name and password go to the server's form log-in, whose response sets the session cookie.
import { problemOfFailure } from '../api.ts';
import { signIn } from '../session.ts';
import { h } from '../ui/element.ts';
import { notice } from '../ui/notice.ts';

/**
 * Builds the page.
 *
 * @param onSignedIn called after the log-in
 * @param message shown above the form, for example after signing out
 */
export function signInPage(logo: Element, onSignedIn: () => void, message?: string): HTMLElement {
  document.title = 'Sign in · Lockstitch console';
  const username = h('input', {
    id: 'username',
    name: 'username',
    autocomplete: 'username',
    required: true,
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const password = h('input', {
    id: 'password',
    name: 'password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  const button = h('button', { class: 'primary', type: 'submit' }, 'Sign in');
  const status = h(
    'div',
    { 'aria-live': 'polite' },
    message === undefined ? null : h('p', { class: 'message' }, message),
  );
  const submit = async (): Promise<void> => {
    button.disabled = true;
    status.replaceChildren();
    const problem = await signIn(username.value, password.value).catch(problemOfFailure);
    button.disabled = false;
    if (problem === undefined) return onSignedIn();
    status.replaceChildren(notice(problem));
    password.select();
  };
  const form = h(
    'form',
    { class: 'card', on: { submit: (event) => (event.preventDefault(), void submit()) } },
    h('div', { class: 'sign-in-head' }, logo, h('h1', {}, 'Sign in')),
    status,
    h('label', { for: 'username' }, 'User name'),
    username,
    h('label', { for: 'password' }, 'Password'),
    password,
    button,
    h(
      'p',
      { class: 'muted small' },
      'When no users are configured, the server prints a user and a new password each time it starts.',
    ),
  );
  queueMicrotask(() => username.focus());
  return h('main', { class: 'center sign-in' }, form);
}
