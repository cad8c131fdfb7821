// A process of its own that takes a folder, perhaps as process 1 of its own container: namespaces for pids and the network are
// what Docker gives one, and what this test can make without it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';

const LOCK = new URL('../../src/directory/folder-lock.ts', import.meta.url).href;
const CONTAINER = ['unshare', '--pid', '--net', '--uts', '--fork', '--kill-child', '--mount-proc'];

/** Whether this user may make namespaces. */
export const hasNamespaces = ((): boolean => {
  try {
    execFileSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** What a process said, and how it is ended. */
export interface Holder {
  /** `taken as <pid>`, `refused by <holder>`, or the code of an error. */
  readonly said: string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a process that takes the folder and stays. */
export async function startHolder(folder: string, { inContainer = false, hostname = '' } = {}): Promise<Holder> {
  const script = `
    const { lockFolder } = await import(${JSON.stringify(LOCK)});
    try {
      const lock = lockFolder(${JSON.stringify(folder)});
      console.log(lock.kind === 'taken' ? 'taken as ' + process.pid : 'refused by ' + lock.holder);
    } catch (error) { console.log(error.code ?? error.message); }
    process.stdin.resume();`;
  const command = [process.execPath, ...SOURCE_FLAGS, '--input-type=module', '-e', script];
  const named = hostname === '' ? command : ['sh', '-c', `hostname ${hostname} && exec "$@"`, 'sh', ...command];
  const [program, ...words] = inContainer ? [...CONTAINER, ...named] : command;
  const child = spawn(program!, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    said: await firstLine(child),
    async kill(signal) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const piece of child.stdout!) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return text.trim();
}
