// Indexes a corpus into a folder in a process of its own, so that its memory is nobody else's: prints documents, seconds, bytes on
// disk and the highest resident memory as one line of JSON.
// node --conditions=source bench/search/index-corpus.ts CORPUS FOLDER [merge|-] [DOCUMENTS]
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import './compile-cache.ts';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import { loadDebian, openDebian } from './debian-index.ts';

const [corpus, folder, merge, limit] = process.argv.slice(2);
const engine = await openDebian(fileDirectory(folder!));
const started = performance.now();
const { index, docs } = await loadDebian(engine, corpus!, limit === undefined ? undefined : Number(limit));
// Merges that are due belong to the work: it ends when none is left.
await index.forceMerge(merge === 'merge' ? {} : { maxSegments: 1000 });
await index.commit();
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const processor = (user + system) / 1e6;
const { segments, memoryBytes } = index.stats();
await engine.close();
const bytes = readdirSync(folder!, { recursive: true })
  .map((entry) => statSync(join(folder!, String(entry))))
  .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
const memory = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(`${JSON.stringify({ docs, seconds, processor, bytes, memory, segments, memoryBytes })}\n`);
