// Starts the console: asks whether somebody is signed in, then shows the pages or the sign-in page. The address after
// `#/` names the page, so that links to pages and the back button work.
import { problemOfFailure, whenSignedOut } from './api.ts';
import { signInPage } from './pages/sign-in.ts';
import { signedInName, signOut } from './session.ts';
import { h, svg } from './ui/element.ts';
import { notice } from './ui/notice.ts';

/** A page. Its code is loaded at the first visit; its elements stay, with what was typed into them. */
interface Page {
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<HTMLElement>;
}

const PAGES: readonly Page[] = [
  { path: 'query', title: 'Query', load: async () => (await import('./pages/query.ts')).queryPage() },
  { path: 'search', title: 'Search', load: async () => (await import('./pages/search.ts')).searchPage() },
];

const app = document.getElementById('app')!;

whenSignedOut(showSignIn);
void start();

/** Shows the pages to known users, the sign-in page to others. */
async function start(): Promise<void> {
  try {
    const name = await signedInName();
    if (name === undefined) showSignIn();
    else showPages(name);
  } catch (error) {
    app.replaceChildren(h('main', { class: 'center' }, notice(problemOfFailure(error))));
  }
}

function showSignIn(): void {
  // Several calls may be refused at once; the form that somebody is typing into stays.
  if (app.querySelector('.sign-in') === null) app.replaceChildren(signInPage(logo(), () => void start()));
}

function showPages(name: string): void {
  const loaded = new Map<Page, Promise<HTMLElement>>();
  const main = h('main', { class: 'page', id: 'page', tabindex: -1 });
  const links = PAGES.map(({ path, title }) => h('a', { href: `#/${path}` }, title));
  const leave = async (): Promise<void> => {
    const problem = await signOut().catch(problemOfFailure);
    if (problem === undefined) app.replaceChildren(signInPage(logo(), () => void start(), 'You are signed out.'));
    else main.prepend(notice(problem));
  };
  const header = h(
    'header',
    { class: 'bar-top' },
    h(
      'a',
      { class: 'skip', href: '#page', on: { click: (event) => (event.preventDefault(), main.focus()) } },
      'Skip to content',
    ),
    h('a', { class: 'brand', href: '#/query' }, logo(), h('span', {}, 'Lockstitch')),
    h('nav', { 'aria-label': 'Pages' }, ...links),
    h(
      'div',
      { class: 'who' },
      h('span', { class: 'user', title: `Signed in as ${name}` }, name),
      h('button', { class: 'quiet', type: 'button', on: { click: () => void leave() } }, 'Sign out'),
    ),
  );
  const show = async (): Promise<void> => {
    const page = currentPage();
    links.forEach((link, index) => {
      if (PAGES[index] === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    });
    document.title = `${page.title} · Lockstitch console`;
    let element = loaded.get(page);
    if (element === undefined) {
      element = page.load().catch((error: unknown) => {
        loaded.delete(page);
        return notice(problemOfFailure(error));
      });
      loaded.set(page, element);
    }
    const ready = await element;
    // While the code of one page was loading, the user may have gone to another.
    if (currentPage() === page) main.replaceChildren(ready);
  };
  app.replaceChildren(header, main);
  window.onhashchange = () => void show();
  window.onkeydown = (event) => runByKey(event, main);
  void show();
}

function currentPage(): Page {
  return PAGES.find(({ path }) => location.hash === `#/${path}`) ?? PAGES[0]!;
}

/** Runs the page's action on Ctrl+Enter and ⌘+Enter. Editors and input fields handle these keys themselves. */
function runByKey(event: KeyboardEvent, page: HTMLElement): void {
  const isMeant = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (!isMeant || event.defaultPrevented || event.repeat || event.target instanceof HTMLInputElement) return;
  if (!page.isConnected) return;
  event.preventDefault();
  page.querySelector<HTMLButtonElement>('[aria-keyshortcuts~="Control+Enter"]')?.click();
}

function logo(): SVGSVGElement {
  return svg(
    'svg',
    { class: 'logo', viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    svg('rect', { width: 32, height: 32, rx: 8 }),
    svg('path', { class: 'thread', d: 'M5 20c4-9 7-9 11 0s7 9 11 0' }),
    svg('path', { class: 'bobbin', d: 'M5 12c4 9 7 9 11 0s7-9 11 0' }),
  );
}
