// Lucene beside the engine: a Java process that runs LuceneRunner.java and answers one line a command.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { corpusLines } from './debian-index.ts';

/** How indexing a corpus went. */
export interface Indexed {
  readonly docs: number;
  readonly seconds: number;
  /** Seconds of processor time, all threads and the start of the process included. */
  readonly processor: number;
  readonly bytes: number;
  /** Highest resident memory, MB. */
  readonly memory: number;
}

export class Lucene {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;

  /** @param jars the class path: lucene-core and lucene-analyzers-common of Lucene 8, separated as the platform does */
  constructor(jars: string) {
    const runner = fileURLToPath(new URL('LuceneRunner.java', import.meta.url));
    // The collector and heap that Lucene was fastest with here; a larger heap changes nothing.
    this.process = spawn('java', ['-XX:+UseSerialGC', '-Xmx1g', '-cp', jars, runner]);
    this.process.stderr.pipe(process.stderr);
    this.reader = createInterface({ input: this.process.stdout });
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  private async ask(...words: readonly string[]): Promise<unknown> {
    this.process.stdin.write(`${words.join('\t')}\n`);
    const line = await this.lines.next();
    if (line.done === true) throw new Error('Lucene ended.');
    return JSON.parse(line.value);
  }

  index(flat: string, folder: string): Promise<Indexed> {
    return this.ask('index', flat, folder) as Promise<Indexed>;
  }

  open(folder: string, queries: string): Promise<{ segments: number }> {
    return this.ask('open', folder, queries) as Promise<{ segments: number }>;
  }

  /** Runs every query of a class so many times over; microseconds of each in order, without those of the first pass. */
  async turn(kind: string, passes: number): Promise<readonly number[]> {
    return ((await this.ask('turn', kind, String(passes))) as number[]).map((nanos) => nanos / 1000);
  }

  /** MB. */
  memory(): Promise<number> {
    return this.ask('memory') as Promise<number>;
  }

  /** Ends the process, and waits until it is gone: its last work must not count for the next process. */
  async close(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.stdin.end();
    this.reader.close();
    await exited;
  }
}

/** Writes the corpus in the form that the runner reads, so that Lucene need not parse JSON. */
export function writeFlat(corpus: string, flat: string): void {
  const out = openSync(flat, 'w');
  let pending: string[] = [];
  let size = 0;
  const flush = (): void => {
    writeSync(out, pending.join(''));
    pending = [];
    size = 0;
  };
  for (const line of corpusLines(corpus)) {
    const text = Buffer.from(line).toString();
    const item = JSON.parse(text) as Record<string, string>;
    const body = `${item['summary']}\n${item['description']}`.replaceAll('\n', '\u0002').replaceAll('\u0001', ' ');
    const row = [item['name'], item['section'], item['maintainer'], String(item['installed_size']), body, text];
    const joined = `${row.join('\u0001')}\n`;
    pending.push(joined);
    size += joined.length;
    if (size > 4e6) flush();
  }
  flush();
  closeSync(out);
}
