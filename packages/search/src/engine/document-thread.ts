// Parses and analyzes a large document in a thread, which makes a segment of it. The main thread hands it over and takes
// back the segment and the new fields. Small documents go to the main thread's buffer (documents-writer.ts).
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { TimeSlices } from '../tasks/scheduler.ts';
import { sharedCopy } from '../tasks/copy-bytes.ts';
import type { DocumentMapper, LearnedField } from '../index/indexed-document.ts';
import { isObject, parseJson } from '../json/json.ts';
import { searchError } from '../errors/search-errors.ts';
import { fromPlainError, toPlainError } from '../errors/plain-error.ts';
import type { DocumentJob, DocumentMade } from './document-job.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import { JobThread, wasMemory } from './job-thread.ts';
import type { LiveSegment } from './segment-set.ts';
import type { SegmentStore } from './segment-store.ts';

/**
 * Minimum bytes of a source whose document goes to the thread. A document of this size takes 9 ms, of which parsing its JSON takes
 * three and analysis the rest; handing over a smaller one costs more than parsing it here.
 */
const LARGE = 256 << 10;

const documents = new JobThread<DocumentJob, DocumentMade>('lockstitch-documents', 'document-worker', 10_000);

/** Runs a job in the thread; a job that takes all its memory is refused. */
function run(job: DocumentJob): Promise<DocumentMade> | undefined {
  return documents.run(job)?.catch((error: unknown) => {
    if (!wasMemory(error)) throw error;
    const refused = toPlainError(searchError('SEARCH_THREAD_LOST', { reason: 'it ran out of memory' }))!;
    return { outcome: 'refused', error: refused, learned: [] };
  });
}

/** A document to write, with its version and sequence number. */
export interface LargeDocument {
  readonly id: string;
  readonly source: Uint8Array;
  readonly routing: string | undefined;
  readonly version: number;
  readonly seqNo: number;
}

let numbers = 0;
/** The number of the current mapping, and whether the thread has it. */
interface Numbered {
  readonly number: number;
  readonly version: number;
  readonly definition: IndexDefinition;
  given: boolean;
}
const numbered = new WeakMap<DocumentMapper, Numbered>();

function numberOf(mapper: DocumentMapper, definition: IndexDefinition): Numbered {
  const { version } = mapper;
  const known = numbered.get(mapper);
  if (known?.version === version && known.definition === definition) return known;
  const made = { number: ++numbers, version, definition, given: false };
  numbered.set(mapper, made);
  return made;
}

/** Fields that are added to the mapping at a time. */
const LEARNED_TOGETHER = 100;

/** Adds fields to the mapping in pieces; false if the mapping was changed in between. */
async function learn(mapper: DocumentMapper, fields: readonly LearnedField[]): Promise<boolean> {
  const slices = new TimeSlices();
  for (let at = 0; at < fields.length; at += LEARNED_TOGETHER) {
    const { version } = mapper;
    if (slices.isOver) await slices.yield();
    if (mapper.version !== version) return false;
    mapper.learn!(fields.slice(at, at + LEARNED_TOGETHER));
  }
  return true;
}

/** Whether a source is a JSON object; asked in the thread where the source is large. @throws RequestError as `parseJson` */
export async function isJsonObject(source: Uint8Array): Promise<boolean> {
  if (source.length < LARGE) return isObject(parseJson(source));
  const asked = run({ kind: 'check', source: await sharedCopy(source) });
  // The source is read on this thread then.
  const made = await asked?.catch(() => undefined);
  if (made?.outcome === 'refused') throw fromPlainError(made.error);
  return made?.outcome === 'checked' ? made.isObject : isObject(parseJson(source));
}

/** Whether the document is large enough for the thread. */
export function isLarge(mapper: DocumentMapper, source: Uint8Array): boolean {
  const { weight } = mapper;
  return weight !== undefined && source.length * weight >= LARGE;
}

/**
 * Makes a segment of a document and adds its new fields to the mapping.
 *
 * @returns undefined when there is no thread
 * @throws ProductError as `DocumentMapper.parse`
 */
export async function makeInThread(
  document: LargeDocument,
  mapper: DocumentMapper,
  definitionOf: () => IndexDefinition,
  store: SegmentStore,
): Promise<LiveSegment | undefined> {
  const source = await sharedCopy(document.source);
  for (;;) {
    const definition = definitionOf();
    const mapping = numberOf(mapper, definition);
    const ask = async (withDefinition: boolean) => {
      let described: IndexDefinition | undefined;
      if (withDefinition) {
        // With thousands of fields, weighing, describing and sending it take a turn each.
        await yieldTurn();
        described = { ...definition, mappings: mapper.toJSON() };
        await yieldTurn();
      }
      return await store.makeElsewhere((name, path) =>
        run({
          kind: 'segment',
          ...document,
          source,
          mapping: mapping.number,
          definition: described,
          name,
          path,
        }),
      );
    };
    let answer = await ask(!mapping.given);
    if (answer?.made.outcome === 'unknown mapping') answer = await ask(true);
    if (answer === undefined || answer.made.outcome === 'unknown mapping') return undefined;
    mapping.given = true;
    const { made, segment } = answer;
    if (made.outcome === 'checked') return undefined;
    if (mapper.version !== mapping.version || definitionOf() !== definition) {
      // The mapping was changed meanwhile: the document is parsed again, under the new mapping.
      if (segment !== undefined) store.drop(segment);
      continue;
    }
    if (!(await learn(mapper, made.learned))) {
      if (segment !== undefined) store.drop(segment);
      continue;
    }
    if (made.outcome === 'refused') throw fromPlainError(made.error);
    return segment;
  }
}
