// Reads a password: hidden and twice from a terminal, or as one line from a pipe. Never from an argument, which other
// users of the machine can read.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { serverErrors } from '../errors.ts';
import type { Terminal } from './terminal.ts';

/** OWASP ASVS 5 §6.2.1: at least 8 characters. */
const SHORTEST = 8;
/** bcrypt uses 72 bytes; this limit only stops an endless pipe from filling the memory. */
const MOST_BYTES = 4096;

export async function readPassword({ input, err }: Terminal, username: string): Promise<string> {
  if (!input.isTTY) return checkPassword(await readLine(input));
  const password = checkPassword(await ask(input, err, `Password for ${username}: `));
  if ((await ask(input, err, 'Once more: ')) !== password) throw refused('the two are not the same.');
  return password;
}

function checkPassword(password: string): string {
  if (password === '') throw refused('it is empty.');
  // Code points, as a person counts them.
  if (Array.from(password).length < SHORTEST) throw refused(`it is shorter than ${SHORTEST} characters.`);
  return password;
}

async function readLine(input: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const end = chunk.indexOf(0x0a);
    const part = end === -1 ? chunk : chunk.subarray(0, end);
    chunks.push(part);
    size += part.length;
    if (size > MOST_BYTES) throw refused(`the line is longer than ${MOST_BYTES} bytes.`);
    if (end !== -1) break;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)).replace(/\r$/, '');
  } catch {
    throw refused('it is not valid UTF-8.');
  }
}

/** Asks without echo: the line editor writes to nowhere. */
async function ask(input: NodeJS.ReadStream, err: NodeJS.WriteStream, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const gone = new AbortController();
  lines.once('SIGINT', () => gone.abort());
  lines.once('close', () => gone.abort());
  err.write(question);
  try {
    return await lines.question('', { signal: gone.signal });
  } catch {
    throw refused('nothing was typed.');
  } finally {
    lines.close();
    err.write('\n');
  }
}

function refused(reason: string): Error {
  return serverErrors.create('SERVER_PASSWORD_REFUSED', { reason });
}
