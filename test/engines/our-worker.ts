// The thread of our engine in a comparison: takes requests and answers them. A message without a request starts a new, empty engine.
import { parentPort } from 'node:worker_threads';
import { createEngine, createRestApi } from '@lockstitch/search';
import type { Answer, Step } from './ask.ts';

let engine: Awaited<ReturnType<typeof createEngine>> | undefined;
let rest: ReturnType<typeof createRestApi> | undefined;

parentPort!.on('message', (step: Step | undefined) => {
  void (step === undefined ? restart() : answer(step)).then((said) => parentPort!.postMessage(said));
});

async function restart(): Promise<undefined> {
  rest?.close();
  await engine?.close();
  engine = await createEngine();
  rest = createRestApi(engine);
}

async function answer({ target, body, type }: Step): Promise<Answer> {
  const [method, path] = target.split(' ', 2) as [string, string];
  const url = new URL(`http://localhost${path}`);
  const said = await rest!.handle({
    method,
    path: url.pathname,
    query: url.searchParams,
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  const text = said.bytes === undefined ? said.body : Buffer.from(said.bytes).toString();
  return { status: said.status, body: text, allow: said.headers['Allow'], warning: said.headers['Warning'] };
}
