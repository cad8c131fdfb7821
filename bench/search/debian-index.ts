// Loads a JSON-lines corpus of package descriptions (name, section, maintainer, summary, description, installed_size) into an
// engine of its own. The corpus is not part of the project; benchmarks name its path.
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { standardAnalysis } from '../../packages/search/src/analysis/analysis-registry.ts';
import type { Directory } from '../../packages/search/src/directory/directory.ts';
import { openEngine } from '../../packages/search/src/engine/engine.ts';
import type { Engine, Index } from '../../packages/search/src/engine/engine-api.ts';
import type { DocumentMapper, IndexedDocument } from '../../packages/search/src/index/indexed-document.ts';
import type { Operation } from '../../packages/search/src/index/operation.ts';

interface Package {
  readonly name: string;
  readonly section: string;
  readonly maintainer: string;
  readonly summary: string;
  readonly description: string;
  readonly installed_size: number;
}

const standard = standardAnalysis.analyzer('standard')!;

const mapper: DocumentMapper = {
  version: 1,
  toJSON: () => ({}),
  parse(id, source): IndexedDocument {
    const item = JSON.parse(Buffer.from(source.buffer, source.byteOffset, source.length).toString()) as Package;
    const body = `${item.summary}\n${item.description}`;
    return {
      id,
      source,
      fields: [
        { kind: 'keyword', field: 'name', values: [item.name], docValues: false },
        { kind: 'keyword', field: 'section', values: [item.section], docValues: true },
        { kind: 'keyword', field: 'maintainer', values: [item.maintainer], docValues: true },
        { kind: 'number', field: 'installed_size', values: [item.installed_size] },
        {
          kind: 'plain_text',
          field: 'body',
          norms: true,
          positions: true,
          values: [body],
          gap: standard.positionIncrementGap,
          maxLength: standard.plainLength!,
        },
      ],
    };
  },
};

/** Reads a file line by line as bytes, which stay as they are: parts of larger pieces, as the lines of a bulk request are. */
export function* corpusLines(file: string): Generator<Buffer> {
  if (file.endsWith('.gz')) throw new Error(`${file} is packed: gunzip it first`);
  const fd = openSync(file, 'r');
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(rest.length + (1 << 20));
      piece.set(rest);
      const read = readSync(fd, piece.subarray(rest.length));
      if (read === 0) break;
      const block = piece.subarray(0, rest.length + read);
      let start = 0;
      for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, start)) {
        if (end > start) yield block.subarray(start, end);
        start = end + 1;
      }
      rest = block.subarray(start);
    }
    if (rest.length > 0) yield rest;
  } finally {
    closeSync(fd);
  }
}

/** Opens an engine whose scores are those of plain Lucene 8. */
export async function openDebian(directory: Directory): Promise<Engine> {
  return await openEngine({ directory, mapperFactory: () => mapper, memoryBudget: 16 * 2 ** 30 });
}

/** Bulk requests under way, as bulk loaders have several: while one is indexed, those before it are written to disk. */
const IN_FLIGHT = 3;

/** Indexes the corpus, or its first documents, in batches of 1,000; the id is the package's name. Answers the index and how many documents it holds. */
export async function loadDebian(
  engine: Engine,
  file: string,
  limit = Infinity,
): Promise<{ readonly index: Index; readonly docs: number }> {
  const index = await engine.createIndex('debian', { settings: { scaleByK1: false, refreshInterval: -1 } });
  let batch: Operation[] = [];
  let docs = 0;
  const inFlight: Promise<unknown>[] = [];
  for (const source of corpusLines(file)) {
    if (docs === limit) break;
    batch.push({ kind: 'index', id: nameOf(source), source });
    docs++;
    // Reading the file is not the engine's work: it must not count as its holding the event loop.
    if ((docs & 255) === 0) await nextTurn();
    if (batch.length === 1000) {
      if (inFlight.push(index.apply(batch)) === IN_FLIGHT) await inFlight.shift();
      batch = [];
    }
  }
  await Promise.all([...inFlight, index.apply(batch)]);
  await index.refresh();
  return { index, docs };
}

/** The value of the line's first member, which is the package's name: a bulk request names the id beside the document. */
function nameOf(line: Buffer): string {
  return (
    /^\{"name":"([\w.+-]+)"/.exec(line.toString('latin1', 0, 96))?.[1] ?? (JSON.parse(line.toString()) as Package).name
  );
}
