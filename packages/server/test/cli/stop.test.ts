// What a server does between the signal and its end, seen from outside.
import { deepEqual, equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

import { until } from '../../../kernel/test/until.ts';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCli, startCli } from './run-cli.ts';

const READY = /└─ Index .*\n/;
const portIn = (text: string): number => Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(text)![1]);
const SCHEMA = 'type Note @entity { id: ID! title: String! @search }\ntype Query { note(id: ID!): Note }\n';
/** A route that says when it was asked, and answers after the signal. */
const CONFIG = `const handle = () => new Promise((done) => {
  process.once('SIGTERM', () => setTimeout(done, 50, { status: 200, body: 'slow' }));
  console.log('asked');
});
export default { rules: [{ any: true, access: 'permitAll' }], routes: [{ path: '/slow', handle }] };`;
const app = (context: unknown, config = CONFIG): string =>
  temporaryFolder(context, { 'schema.graphql': SCHEMA, 'lockstitch.config.mjs': config });
/** In place of a status. */
const REFUSED = -1;
const codeOf = ({ code }: NodeJS.ErrnoException): number => (code === 'ECONNREFUSED' ? REFUSED : Number.NaN);
/** Milliseconds for which a stopping server takes requests, as default. A test that stands still for as long sees nothing of them. */
const DRAIN_DELAY = 500;
const delayOf = (time: number) => ({ LOCKSTITCH_DRAIN_DELAY: String(time) });

const kinds = [
  { name: 'start', words: (context: unknown) => ['start', app(context), '--port', '0'] },
  { name: 'search', words: () => ['search', '--open', '--port', '0'] },
];

for (const [index, { name, words }] of kinds.entries()) {
  const signal = (['SIGTERM', 'SIGHUP'] as const)[index]!;
  test(`4.10 ${name} at ${signal}: /readyz turns 503 while connections are accepted, then the process ends with 0`, async (context) => {
    await withLongerTimes(DRAIN_DELAY, async (delay) => {
      const { child, out, exit } = await startCli(words(context), READY, delayOf(delay));
      const port = portIn(out());
      equal((await get(port, '/readyz')).status, 200);
      child.kill(signal);
      const seen = new Set<number>();
      for (let status = 0; status !== REFUSED;) {
        status = await get(port, '/readyz').then((answer) => answer.status, codeOf);
        seen.add(status);
        // Not so often that a connection would be under way just when the end comes.
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      seen.delete(200);
      deepEqual([...seen], [503, REFUSED]);
      equal(await exit, 0);
    });
  });
}

test('4.10 requests from before the signal are answered, their connections close, and sockets get a close frame', async (context) => {
  const { child, out, exit } = await startCli(kinds[0]!.words(context), READY);
  const port = portIn(out());
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  // A socket that does not say it would be closed after a while, for that reason.
  socket.send('{"type":"connection_init"}');
  match(String((await once(socket, 'message'))[0]), /connection_ack/);
  const slow = get(port, '/slow', new Agent({ keepAlive: true }));
  await until(
    () => out().includes('asked'),
    () => 'the route was not asked',
  );
  child.kill('SIGTERM');
  const told = once(socket, 'close');
  const { status, connection } = await slow;
  deepEqual({ status, connection }, { status: 200, connection: 'close' });
  equal((await told)[0], 1001);
  equal(await exit, 0);
});

test('4.10 a second signal, of whichever kind, ends the process at once', async (context) => {
  const { child, out, exit } = await startCli(kinds[0]!.words(context), READY, { LOCKSTITCH_DRAIN_DELAY: '60000' });
  child.kill('SIGTERM');
  const port = portIn(out());
  while ((await get(port, '/readyz')).status !== 503);
  await new Promise((resolve) => setTimeout(resolve, 250));
  child.kill('SIGINT');
  equal(await exit, 130);
});

test('4.10 the scripts pass a signal on and wait for the end', async (context) => {
  const run = fileURLToPath(new URL('../../../../scripts/run.mjs', import.meta.url));
  await withLongerTimes(DRAIN_DELAY, async (delay) => {
    const env = { ...process.env, ...delayOf(delay) };
    const child = spawn(process.execPath, [run, 'cli', ...kinds[0]!.words(context)], { env });
    const exit = once(child, 'exit');
    let out = '';
    while (!READY.test(out)) out += String((await once(child.stdout, 'data'))[0]);
    child.kill('SIGHUP');
    while ((await get(portIn(out), '/readyz')).status !== 503);
    equal((await exit)[0], 0);
  });
});

test('4.10 a delay that is no number is refused, and a timer of the application does not hold up the end', async (context) => {
  const folder = app(context, `${CONFIG} setInterval(() => undefined, 1000);`);
  for (const words of [['start', folder], kinds[1]!.words(context)]) {
    const { code, err } = await runCli(words, { LOCKSTITCH_DRAIN_DELAY: '5s' });
    equal(code === 0, false);
    match(err, /LOCKSTITCH_DRAIN_DELAY must be a whole number of milliseconds, not "5s"/);
  }
});

function get(
  port: number,
  path: string,
  agent = new Agent(),
): Promise<{ readonly status: number; readonly connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, host: '127.0.0.1', agent }, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.resume().once('end', () => resolve({ status, connection: headers.connection }));
    });
    sent.once('error', reject);
    sent.end();
  });
}
