// The console in a real browser on the photo-share example, started as a user starts it: sign in, query, search, sign out.
// The browser comes from the npm registry; where it has none for the platform, the tests say so as skips.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';

import packedChromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { SOURCE_FLAGS } from '../../packages/kernel/test/source-flags.ts';

const ROOT = join(import.meta.dirname, '../..');
const USER = 'user';
const PASSWORD = 'a password for this test only';

let server: ChildProcess | undefined;
let browser: Browser | undefined;
let noBrowser: string | undefined;
let url = '';
const data = mkdtempSync(join(tmpdir(), 'lockstitch-browser-'));

before(async () => {
  noBrowser = await launchBrowser();
  if (noBrowser !== undefined) return;
  if (!existsSync(join(ROOT, 'packages/console/dist/index.html'))) {
    assert.equal(spawnSync(process.execPath, ['packages/console/build.ts'], { cwd: ROOT, stdio: 'inherit' }).status, 0);
  }
  url = await startServer();
});

after(async () => {
  await browser?.close();
  if (server !== undefined && server.exitCode === null) {
    const ended = new Promise((resolve) => server!.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  rmSync(data, { recursive: true, force: true });
});

/** Starts the browser; returns why there is none on this platform. */
async function launchBrowser(): Promise<string | undefined> {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    return `the npm registry has no browser for ${process.platform} ${process.arch}`;
  }
  const quiet = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  try {
    const executablePath = await packedChromium.executablePath();
    // Chromium refuses to run as root with its sandbox; the only pages it opens here are ours.
    browser = await chromium.launch({
      executablePath,
      headless: true,
      args: ['--no-sandbox', '--disable-sync', ...quiet],
    });
    return undefined;
  } catch (error) {
    const missing = /error while loading shared libraries: [^\s:]+/.exec((error as Error).message)?.[0];
    if (missing !== undefined) return `this system lacks what a browser needs: ${missing}`;
    throw error;
  }
}

/** Starts the example on a free port and an empty data folder; resolves with its address once it is ready. */
function startServer(): Promise<string> {
  const cli = [...SOURCE_FLAGS, 'packages/server/src/cli/main.ts', 'start', 'examples/photo-share'];
  const child = spawn(process.execPath, [...cli, '--port', '0', '--data', data], {
    cwd: ROOT,
    env: { ...process.env, LOCKSTITCH_USER_NAME: USER, LOCKSTITCH_USER_PASSWORD: PASSWORD },
  });
  server = child;
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (piece: Buffer): void => {
      output += piece.toString();
      const found = /https?:\/\/[\w.[\]:-]+:\d+/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
  });
}

/** What a page must not do: complain, or call anywhere else. */
interface Watched {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly foreign: readonly string[];
}

async function openConsole(t: TestContext, options: BrowserContextOptions = {}): Promise<Watched | undefined> {
  if (browser === undefined) {
    t.skip(noBrowser);
    return undefined;
  }
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await page.goto(`${url}/_console/`);
  return { page, complaints, foreign };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User name').fill(USER);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

test('sign in, run a query, run a search, see the chart, sign out', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page, complaints, foreign } = opened;
  await signIn(page);

  // The schema has arrived when the pane lists the root fields; the first operation was made from it.
  const schema = page.getByRole('complementary', { name: 'Schema' });
  await schema.getByText('allPhotos').waitFor();
  const answer = page.getByRole('region', { name: 'Answer' });
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText(/^HTTP 200/).waitFor();
  await answer.getByText('"allPhotos"').first().waitFor();
  // The key runs what is written also when the cursor is elsewhere, and once.
  let runs = 0;
  page.on('request', (request) => {
    if (request.url() === `${url}/graphql` && request.method() === 'POST') runs++;
  });
  await schema.getByText('allPhotos').click();
  for (const place of [schema, page.getByRole('textbox', { name: 'GraphQL operation' })]) {
    await place.click();
    const ran = page.waitForResponse(`${url}/graphql`);
    await page.keyboard.press('Control+Enter');
    await ran;
  }
  assert.equal(runs, 2);

  await page.getByRole('link', { name: 'Search' }).click();
  await page
    .getByRole('status')
    .getByText(/^20,000 hits/)
    .waitFor();
  const chart = page.getByRole('img', { name: /^category: 2 values/ });
  await chart.waitFor();
  assert.equal(await chart.locator('rect').count(), 2);
  const picture = page.locator('.hit-picture').first();
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(`document.querySelector('.hit-picture').naturalWidth > 0`);
  await page.getByLabel('Words').fill('harbour');
  await page.getByRole('button', { name: 'Find' }).click();
  await page
    .getByRole('heading', { name: /harbour/i })
    .first()
    .waitFor();
  await page.getByText('In step with the data.').waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  const session = await page.request.get(`${url}/_console/session`);
  assert.deepEqual(await session.json(), { name: null });
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
});

test('a wrong password is refused in words, and the right one then works', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  await page.getByLabel('User name').fill(USER);
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  assert.ok(!(await page.getByRole('alert').innerText()).includes('wrong'));
  await signIn(page);
});

test('mistakes are shown where they are made: in a query, in variables, in a search', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  await signIn(page);
  await page.getByRole('complementary', { name: 'Schema' }).getByText('allPhotos').waitFor();
  const operation = page.getByLabel('GraphQL operation');
  await operation.fill('{ allPhotos(first: 1) { nmae } }');
  await page.getByRole('button', { name: 'Run' }).click();
  await page
    .getByRole('alert')
    .getByText(/nmae.*Did you mean "name"/)
    .waitFor();
  await operation.fill('{ totalUsers }');
  await page.getByLabel('Variables, as JSON').fill('{"first" 1}');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('alert').getByText('The variables are not JSON.').waitFor();

  await page.getByRole('link', { name: 'Search' }).click();
  await page.locator('.hit').first().waitFor();
  await page.getByLabel('Search request, as JSON').fill('{"query":{"mtach":{"name":"night"}}}');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('alert').getByText(/mtach/).waitFor();
});

test('a caller who may search but not read _cat chooses among the names of the indexes', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  await signIn(page);
  // As the rule { ant: '/_cat/**', access: "hasRole('ADMIN')" } answers everybody else.
  await page.route('**/_cat/**', (route) => route.fulfill({ status: 403, json: { message: 'You may not do this.' } }));
  await page.getByRole('link', { name: 'Search' }).click();
  const status = page.getByRole('status');
  await status.getByText(/^3,000 hits/).waitFor();
  assert.deepEqual(await page.getByLabel('Index').locator('option').allInnerTexts(), ['comments', 'photos', 'users']);
  await page.getByLabel('Index').selectOption('photos');
  await status.getByText(/^20,000 hits/).waitFor();
});

test('the first operation leaves out what the caller may not read', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  // As the rule @auth(read: "hasRole('ADMIN')") on Photo.url answers everybody else.
  await page.route('**/graphql', async (route) => {
    const response = await route.fetch();
    if (!/\ballPhotos\(first: 5\)[^]*\burl\b/.test(route.request().postData() ?? ''))
      return route.fulfill({ response });
    const error = { message: 'You may not read Photo.url.', path: ['allPhotos', 0, 'url'] };
    return route.fulfill({ response, json: { ...(await response.json()), errors: [error] } });
  });
  await signIn(page);
  const operation = page.getByRole('textbox', { name: 'GraphQL operation' });
  await operation.getByText('allPhotos').waitFor();
  while (/\burl\b/.test(await operation.innerText())) await page.waitForTimeout(50);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText(/^HTTP 200/).waitFor();
  assert.match(await operation.innerText(), /\bdescription\b/);
});

test('a session that has ended leads back to the sign-in page, and after it to the same page', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  await signIn(page);
  await page.getByRole('link', { name: 'Search' }).click();
  await page.locator('.hit').first().waitFor();
  await page.context().clearCookies();
  // The last request of the ended session is refused only after the next sign-in.
  const late = Promise.withResolvers<void>();
  const refused = page.waitForResponse((response) => response.url().includes('/_cat/') && response.status() === 401);
  await page.route('**/_cat/**', (route) => late.promise.then(() => route.fulfill({ status: 401 })), { times: 1 });
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page);
  await page.locator('.hit').first().waitFor();
  late.resolve();
  await refused;
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.locator('.hit').first().waitFor();
});

test('a page whose code arrives late does not replace the one that was opened after it', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  const late = Promise.withResolvers<void>();
  await page.route(/\/query-[^/]+\.js$/, (route) => late.promise.then(() => route.continue()));
  await signIn(page);
  await page.getByRole('link', { name: 'Search' }).click();
  await page.locator('.hit').first().waitFor();
  // The query page asks for the schema when it is built.
  const built = page.waitForResponse(`${url}/graphql`);
  late.resolve();
  await built;
  assert.ok(await page.locator('.hit').first().isVisible());
  await page.getByRole('link', { name: 'Query' }).click();
  await page.getByRole('complementary', { name: 'Schema' }).getByText('allPhotos').waitFor();
});

test('a subscription shows each event as it happens, until it is stopped', async (t) => {
  const opened = await openConsole(t);
  if (opened === undefined) return;
  const { page } = opened;
  await signIn(page);
  await page.getByRole('complementary', { name: 'Schema' }).getByText('newPhoto').waitFor();
  await page.getByLabel('GraphQL operation').fill('subscription { newPhoto { name } }');
  const listening = page.waitForResponse((response) => response.url().endsWith('/graphql/stream'));
  await page.getByRole('button', { name: 'Run' }).click();
  assert.equal((await listening).status(), 200);
  const query = 'mutation { postPhoto(input: { name: "Just posted", postedBy: "zbarlow" }) { id } }';
  assert.equal((await page.request.post(`${url}/graphql`, { data: { query } })).status(), 200);
  await page.getByRole('region', { name: 'Answer' }).getByText('"Just posted"').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped after 1 event.').waitFor();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`on a phone in ${colorScheme} colours nothing is wider than the screen`, async (t) => {
    const opened = await openConsole(t, { colorScheme, viewport: { width: 360, height: 740 } });
    if (opened === undefined) return;
    const { page } = opened;
    const excess = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    assert.ok((await excess()) <= 0, 'sign-in');
    await signIn(page);
    await page.getByRole('complementary', { name: 'Schema' }).getByText('allPhotos').waitFor();
    assert.ok((await excess()) <= 0, 'query');
    await page.getByRole('link', { name: 'Search' }).click();
    await page.locator('.hit').first().waitFor();
    assert.ok((await excess()) <= 0, 'search');
  });
}
