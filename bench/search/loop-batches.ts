// The client's half of the bench of the event loop: a thread that makes bulk requests of the corpus, for making them is not the server's
// work and must not count as its holding the loop. Dates, places and reviews are made up from the number of the document.
import { parentPort, workerData } from 'node:worker_threads';
import { corpusLines } from './debian-index.ts';

/** Bulk requests for the two indices; neither: the corpus is at its end. */
export interface Batches {
  readonly packages?: Uint8Array<ArrayBuffer> | undefined;
  readonly reviewed?: Uint8Array<ArrayBuffer> | undefined;
}

/** Documents with three reviews each; nested documents count as documents. */
const REVIEWED = 150_000;
const DAY = 86_400_000;
const DOCUMENTS = 1000;

function* batches(corpus: string): Generator<Batches> {
  let batch: string[] = [];
  let reviewed: string[] = [];
  let number = 0;
  const send = (): Batches => {
    const made = { packages: toBody(batch), reviewed: toBody(reviewed) };
    batch = [];
    reviewed = [];
    return made;
  };
  for (const line of corpusLines(corpus)) {
    const source = Buffer.from(line).toString();
    const head = `{"index":{"_id":"${number}"}}\n`;
    const added = {
      number,
      updated: 1_400_000_000_000 + ((number * 7919) % 4000) * DAY + number,
      place: { lat: ((number * 31) % 1700) / 10 - 85, lon: ((number * 17) % 3590) / 10 - 179.5 },
      essential: number % 100 === 0,
      address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    };
    batch.push(`${head}${source.slice(0, -1)},${JSON.stringify(added).slice(1)}\n`);
    if (number < REVIEWED) {
      const { name, summary } = JSON.parse(source) as { name: string; summary: string };
      const reviews = [1, 2, 3].map((at) => ({
        by: `user${(number * at) % 5000}`,
        stars: (number * at) % 6,
        text: summary,
      }));
      reviewed.push(`${head}${JSON.stringify({ name, summary, reviews })}\n`);
    }
    number++;
    if (batch.length === DOCUMENTS) yield send();
  }
  if (batch.length > 0) yield send();
}

function toBody(lines: readonly string[]): Uint8Array<ArrayBuffer> | undefined {
  return lines.length === 0 ? undefined : new TextEncoder().encode(lines.join(''));
}

const all = batches(workerData as string);
// One for each request, so that they do not pile up.
parentPort!.on('message', () => {
  const { value = {} } = all.next() as { value?: Batches };
  const bodies = [value.packages, value.reviewed].flatMap((body) => (body === undefined ? [] : [body.buffer]));
  parentPort!.postMessage(value, bodies);
});
