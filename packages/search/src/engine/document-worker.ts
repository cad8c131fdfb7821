// The thread that makes a segment of each large document: parses the JSON, finds the values of its fields and their terms. That
// takes far longer than a turn of the main thread. Started by job-thread.ts.
import { rmSync } from 'node:fs';
import { evictOldest } from '@lockstitch/kernel';
import { createMapper } from '../mapping/create-mapper.ts';
import { runToEnd } from '../tasks/scheduler.ts';
import { flush } from '../index/flush.ts';
import { encodeId } from '../index/ids.ts';
import type { LearnedField } from '../index/indexed-document.ts';
import { allocateTogether } from '../index/shared.ts';
import { WriteBuffer } from '../index/write-buffer.ts';
import { isObject, parseJson } from '../json/json.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { toPlainError } from '../errors/plain-error.ts';
import type { DocumentJob, DocumentMade, MakeSegment } from './document-job.ts';
import { answerJobs } from './job-thread.ts';
import { toSent } from './packed-segment.ts';
import { openSourcesFile } from './sources-file-out.ts';

/** Maximum mappings kept for later documents. */
const KEPT = 8;
/** The most recently used mapping comes last. */
const mappings = new Map<number, Mapping>();

function mappingOf({ mapping, definition }: MakeSegment): Mapping | undefined {
  const found = mappings.get(mapping) ?? (definition === undefined ? undefined : createMapper(definition));
  if (found === undefined) return undefined;
  mappings.delete(mapping);
  mappings.set(mapping, found);
  evictOldest(mappings, KEPT);
  return found;
}

answerJobs((job: DocumentJob): DocumentMade => (job.kind === 'check' ? check(job.source) : makeDocument(job)));

function check(source: Uint8Array): DocumentMade {
  try {
    return { outcome: 'checked', isObject: isObject(parseJson(source)) };
  } catch (error) {
    return { outcome: 'refused', error: toPlainError(error)!, learned: [] };
  }
}

function makeDocument(job: MakeSegment): DocumentMade {
  const mapping = mappingOf(job);
  if (mapping === undefined) return { outcome: 'unknown mapping' };
  const learned: LearnedField[] = [];
  mapping.onLearned = (fields) => void learned.push(...fields);
  try {
    return { ...makeSegment(job, mapping), outcome: 'segment', learned };
  } catch (error) {
    if (job.path !== undefined) rmSync(job.path, { force: true });
    const refused = toPlainError(error);
    if (refused === undefined) throw error;
    return { outcome: 'refused', error: refused, learned };
  } finally {
    // The main thread's grows as this one did, and has another number then.
    if (learned.length > 0) mappings.delete(job.mapping);
  }
}

function makeSegment(
  { name, path, id, source, routing, version, seqNo }: MakeSegment,
  mapping: Mapping,
): Pick<Extract<DocumentMade, { outcome: 'segment' }>, 'sent' | 'sourcesBytes'> {
  const out = path === undefined ? undefined : openSourcesFile(path);
  try {
    const made = allocateTogether(() => {
      const buffer = new WriteBuffer();
      buffer.add(mapping.parse(id, source, routing), encodeId(id), version, seqNo);
      return runToEnd(flush(buffer.content(), name, out));
    });
    out?.flush();
    return { sent: toSent(made), sourcesBytes: out?.length };
  } finally {
    out?.close();
  }
}
