// Where a large document is read and analysed: in a thread of its own, which makes a segment of it. Main's part is to hand it over and
// to take back the segment, and the fields that the document brought. Small ones stay in the main thread's buffer (documents-writer.ts).
import { nextTurn } from '../turns.ts';
import { sharedCopy, Stretches } from '../drive.ts';
import type { DocumentMapper, LearnedField } from '../index/indexed-document.ts';
import { isObject, parseJson } from '../json.ts';
import { searchError } from '../errors.ts';
import { fromPlainError, toPlainError } from '../thread/plain-error.ts';
import type { DocumentJob, DocumentMade } from './document-job.ts';
import type { IndexDefinition } from './engine-api.ts';
import { JobThread, wasMemory } from './job-thread.ts';
import type { LiveSegment } from './segment-set.ts';
import type { SegmentStore } from './segment-store.ts';

/**
 * Bytes of a source from which its document goes to the thread. One of this size holds the main thread for 9 ms, of which reading its JSON is
 * three and its words the rest; what is smaller costs less here than its way there.
 */
const LARGE = 256 << 10;

const documents = new JobThread<DocumentJob, DocumentMade>('lockstitch-documents', 'document-worker', 10_000);

/** Has the thread do a job; one that takes all its memory is refused. */
function run(job: DocumentJob): Promise<DocumentMade> | undefined {
  return documents.run(job)?.catch((error: unknown) => {
    if (!wasMemory(error)) throw error;
    const refused = toPlainError(searchError('SEARCH_THREAD_LOST', { reason: 'it ran out of memory' }))!;
    return { outcome: 'refused', error: refused, learned: [] };
  });
}

/** A document to be written, with the version and sequence number it is to have. */
export interface LargeDocument {
  readonly id: string;
  readonly source: Uint8Array;
  readonly routing: string | undefined;
  readonly version: number;
  readonly seqNo: number;
}

let numbers = 0;
/** The number of a mapping as it stands, and whether the thread was given it. */
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

/** Fields that are learned at once. */
const LEARNED_TOGETHER = 100;

/** Takes over fields in pieces; false when somebody changed the mapping in between. */
async function learn(mapper: DocumentMapper, fields: readonly LearnedField[]): Promise<boolean> {
  const stretches = new Stretches();
  for (let at = 0; at < fields.length; at += LEARNED_TOGETHER) {
    const { version } = mapper;
    if (stretches.isOver) await stretches.pause();
    if (mapper.version !== version) return false;
    mapper.learn!(fields.slice(at, at + LEARNED_TOGETHER));
  }
  return true;
}

/** Whether a source is a JSON object; asked in the thread where the source is large. @throws RequestError as `parseJson` */
export async function isJsonObject(source: Uint8Array): Promise<boolean> {
  if (source.length < LARGE) return isObject(parseJson(source));
  const asked = run({ kind: 'check', source: await sharedCopy(source) });
  const made = await asked?.catch(() => undefined);
  if (made?.outcome === 'refused') throw fromPlainError(made.error);
  return made?.outcome === 'checked' ? made.isObject : isObject(parseJson(source));
}

/** Whether a document is to be made a segment of in the thread. */
export function isLarge(mapper: DocumentMapper, source: Uint8Array): boolean {
  const { weight } = mapper;
  return weight !== undefined && source.length * weight >= LARGE;
}

/**
 * Makes a segment of a document, with the fields it brings learned.
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
        // Of thousands of fields, it is weighed, described and sent in a turn each.
        await nextTurn();
        described = { ...definition, mappings: mapper.toJSON() };
        await nextTurn();
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
      // Somebody has changed the mapping meanwhile: the document is read anew, under what it says now.
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
