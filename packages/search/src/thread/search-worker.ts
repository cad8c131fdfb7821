// The thread that answers searches which take longer than a turn of the main thread's event loop. It has the same segments, in shared
// memory, and runs the same code over them. Started by search-threads.ts.
import { reasonOf } from '@lockstitch/kernel';
import { closeSync, openSync } from 'node:fs';
import { parentPort, type Transferable } from 'node:worker_threads';
import { indexLimits } from '../settings/index-limits.ts';
import { mappingOf, type SearchTarget } from '../fetch/target.ts';
import { IndexSearcher } from '../collect/searcher.ts';
import { readAt } from '../directory/read-at.ts';
import type { Index } from '../engine/engine-api.ts';
import { EngineContext } from '../index/engine-context.ts';
import { SegmentCore } from '../index/segment-core.ts';
import { nothingToRead, sourcesInMemory } from '../index/sections.ts';
import type { SegmentData, SourcesFile } from '../index/segment-data.ts';
import { SegmentView } from '../index/segment-view.ts';
import { indexUnder } from '../view/viewed-engine.ts';
import { searchUnder } from '../view/viewed-searcher.ts';
import {
  type CoreContent,
  type Job,
  lookupKey,
  type ThreadMessage,
  type Outcome,
  type Reply,
  type StateContent,
  type TargetContent,
} from './messages.ts';
import { toPlainError } from '../errors/plain-error.ts';
import { replicaIndex } from './replica-index.ts';
import { jsonJob } from './json-jobs.ts';
import { type SearchJob, searchJob } from './search-jobs.ts';

// This thread's replicas, by the numbers that the main thread gave them. One thread serves all engines of the process.
const engines = new Map<number, EngineContext>();
const cores = new Map<number, SegmentCore>();
const files = new Map<number, number>();
const states = new Map<number, IndexSearcher>();
const indexes = new Map<number, Index>();

/** Aborts a search that needs the document of a terms lookup. */
class LookupNeeded extends Error {
  readonly outcome: Outcome;

  constructor(index: string, id: string) {
    super();
    this.outcome = { kind: 'lookup', index, id };
  }
}

/** Aborts a job: the file of a segment's sources is gone. */
class SourcesGone extends Error {}

parentPort?.on('message', (message: ThreadMessage) => {
  switch (message.kind) {
    case 'core':
      cores.set(message.id, openCore(message.id, message.content));
      break;
    case 'moved':
      cores.get(message.id)?.moveSources(readFrom(message.id, message.sourcesFile), message.sourcesFile);
      break;
    case 'state':
      states.set(message.id, openState(message.content));
      break;
    case 'index':
      indexes.set(message.id, replicaIndex(message.content));
      break;
    case 'forget':
      forget(message.what, message.id);
      break;
    case 'job': {
      const outcome = attempt(message.job);
      const reply: Reply = { id: message.job.id, outcome };
      parentPort?.postMessage(reply, transferables(outcome));
    }
  }
});

parentPort?.postMessage({ id: 0 } satisfies Reply);

function openCore(id: number, { engine, meta, sections, sourcesFile, label }: CoreContent): SegmentCore {
  const own = new Map(sections);
  const readSources = sourcesInMemory(own) ?? (sourcesFile === undefined ? nothingToRead : readFrom(id, sourcesFile));
  const context = engines.get(engine) ?? new EngineContext();
  engines.set(engine, context);
  return new SegmentCore({ meta, sections: own, readSources, sourcesFile }, label, context);
}

/** Reads sources of a file, which is opened now, as it may be merged away later. If that fails, the next read tries again. */
function readFrom(id: number, { path, position: start }: SourcesFile): SegmentData['readSources'] {
  const open = (): number | undefined => {
    try {
      const file = openSync(path, 'r');
      files.set(id, file);
      return file;
    } catch {
      return undefined;
    }
  };
  open();
  return (position, length) => {
    const file = files.get(id) ?? (cores.has(id) ? open() : undefined);
    if (file === undefined) throw new SourcesGone();
    // Shorter if the file is: the block's checksum detects it.
    return readAt(file, start + position, length);
  };
}

function openState({ segments, similarity, limits }: StateContent): IndexSearcher {
  const views = segments.map(
    ({ core, live, generation, base }) => new SegmentView(cores.get(core)!, live, generation, base),
  );
  return new IndexSearcher(views, similarity, limits);
}

function forget(what: Extract<ThreadMessage, { kind: 'forget' }>['what'], id: number): void {
  if (what === 'state') states.delete(id);
  else if (what === 'index') indexes.delete(id);
  else if (what === 'engine') engines.delete(id);
  else {
    cores.delete(id);
    const file = files.get(id);
    if (file !== undefined) closeSync(file);
    files.delete(id);
  }
}

function attempt(job: Job): Outcome {
  try {
    return run(job);
  } catch (error) {
    if (error instanceof LookupNeeded) return error.outcome;
    if (error instanceof SourcesGone) return { kind: 'gone' };
    const refused = toPlainError(error);
    if (refused !== undefined) return { kind: 'refused', error: refused };
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : reasonOf(error) };
  }
}

function run(job: Job): Outcome {
  const { work, now, limits } = job;
  const targets = job.targets.map((target) => openTarget(target, job));
  if (work.lane === 'json') return { kind: 'done', sent: jsonJob(work.kind)(work.input, targets) };
  const definition = searchJob(work.kind) as SearchJob<unknown, unknown, unknown>;
  const made = definition.run(work.input, { targets, now, limits, spent: work.spent });
  return { kind: 'done', sent: definition.send(made) };
}

function openTarget(content: TargetContent, { now, found }: Job): SearchTarget {
  const { view, typeName, filters, part, defaultField, aliases, allowsExpensive } = content;
  const whole = indexes.get(content.index)!;
  const state = states.get(content.state)!;
  const index = view === undefined ? whole : indexUnder(whole, view);
  const mapping = mappingOf(index);
  let searcher = view === undefined ? state : undefined;
  return {
    target: {
      index,
      mapping,
      typeName,
      filters,
      part,
      context: {
        index: index.name,
        mapping,
        now,
        defaultField,
        aliases,
        maxClauses: index.maxClauses,
        maxRegexLength: indexLimits(index.definition).regexLength,
        queryStringLenient: indexLimits(index.definition).queryStringLenient,
        allowsExpensive,
        lookup(name, id) {
          const key = lookupKey(name, id);
          if (!found.has(key)) throw new LookupNeeded(name, id);
          return found.get(key);
        },
      },
    },
    state,
    get searcher() {
      return (searcher ??= searchUnder(state, view!));
    },
  };
}

/** Buffers of a result outside of shared memory, which are transferred without a copy. */
function transferables(outcome: Outcome): Transferable[] {
  if (outcome.kind !== 'done') return [];
  const { sent } = outcome;
  const parts: unknown[] = sent instanceof Uint8Array ? [sent] : Object.values(sent ?? {});
  return parts.flatMap((part) =>
    part instanceof Uint8Array && part.buffer instanceof ArrayBuffer ? [part.buffer] : [],
  );
}
