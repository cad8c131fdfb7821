// Writes a line for every change of the data to a file: who changed which fields of which object when, without values.
// The log is a reader of the feed with its own position, so a crash loses and repeats nothing.
import { type FileHandle, open } from 'node:fs/promises';

import type { Change, Feed } from '@lockstitch/graph';
import { last, type Log, reasonOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { isTrimmed } from './feed-position.ts';
import { sleep } from './sleep.ts';

export interface ChangeLogParts {
  readonly feed: Feed;
  /** Path of the file. Created with mode 0600 if missing. */
  readonly file: string;
  readonly readerName: string;
  readonly log: Log;
}

export interface ChangeLog {
  close(): Promise<void>;
}

const BATCH = 500;
const RETRY_MS = 1000;
/** A line is far shorter than this. */
const TAIL = 65_536;

/** Opens the file and continues after its last line. @throws ProductError SERVER_AUDIT_NOT_WRITABLE */
export async function openChangeLog({ feed, file, readerName, log }: ChangeLogParts): Promise<ChangeLog> {
  const { handle, written, ...found } = await openFile(file);
  try {
    return await writeFrom({ feed, file, readerName, log }, handle, written, found.size);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Follows the feed until closed; `size` is the current length of the file. */
async function writeFrom(
  { feed, file, readerName, log }: ChangeLogParts,
  handle: FileHandle,
  written: number,
  found: number,
): Promise<ChangeLog> {
  let size = found;
  const reader = feed.reader(readerName);
  const stopping = new AbortController();
  const { signal } = stopping;
  // A line is on disk before the reader advances. After a crash the file is ahead of the reader.
  const head = await feed.head();
  const isAhead = written > head;
  let position = isAhead ? head : Math.max(written, await reader.position());

  const write = async (lines: readonly string[], reached: number): Promise<void> => {
    const text = Buffer.from(`${lines.join('\n')}\n`);
    try {
      await handle.appendFile(text);
      await handle.datasync();
    } catch (error) {
      // Part of a line may be written; the next attempt must not append to it. The write error is the one to report.
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
    size += text.length;
    position = reached;
    await reader.advance(reached);
  };
  /** Log a failure once, and its end once. */
  let isFailing = false;
  const step = async (): Promise<void> => {
    const changes = await feed.read(position, BATCH);
    if (changes.length > 0) await write(changes.map(printChange), last(changes).position);
    if (isFailing) log.write('info', 'The record of changes is written again; nothing is missing in it', { file });
    isFailing = false;
    if (changes.length === 0) await feed.wait(position, signal);
  };
  /** Records a gap and continues after it. */
  const skip = async (): Promise<void> => {
    const head = await feed.head();
    log.write('warn', 'The record of changes has a gap: the feed no longer holds them', { after: position, to: head });
    await write([JSON.stringify({ position: head, gapAfter: position })], head);
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await step();
      } catch (error) {
        if (signal.aborted) return;
        if (isTrimmed(error)) {
          // The gap is found again by the next read.
          await skip().catch(() => sleep(RETRY_MS, signal));
          continue;
        }
        if (!isFailing) log.write('error', 'The record of changes cannot be written; trying again', { file, error });
        isFailing = true;
        await sleep(RETRY_MS, signal);
      }
    }
  };
  if (isAhead) {
    const facts = { recordPosition: written, databasePosition: head };
    log.write(
      'warn',
      'The database is older than the record of changes: later ones are lost, or it is another one',
      facts,
    );
    await write([JSON.stringify({ position: head, wentBackFrom: written })], head);
  }
  // Registers the reader, so that the feed is kept from here on.
  await reader.advance(position);
  const following = follow();
  return {
    async close() {
      stopping.abort();
      await following;
      await handle.close();
    },
  };
}

/** Opens the file and finds the end of its last complete line. @throws ProductError SERVER_AUDIT_NOT_WRITABLE */
async function openFile(
  file: string,
): Promise<{ readonly handle: FileHandle; readonly written: number; readonly size: number }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'a+', 0o600);
    const written = await lastPosition(handle);
    return { handle, written, size: (await handle.stat()).size };
  } catch (error) {
    await handle?.close();
    const reason = reasonOf(error);
    throw serverErrors.create('SERVER_AUDIT_NOT_WRITABLE', { file, reason }, { cause: error });
  }
}

/**
 * Returns the position of the last complete line, 0 for an empty file. Truncates an incomplete line that a crash left.
 */
async function lastPosition(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - TAIL);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
  const text = buffer.subarray(0, bytesRead);
  const end = text.lastIndexOf('\n');
  if (from + end + 1 < size) await handle.truncate(from + end + 1);
  if (end < 0) return 0;
  const line = text.subarray(text.lastIndexOf('\n', end - 1) + 1, end).toString();
  const { position }: Readonly<Record<string, unknown>> = JSON.parse(line);
  return typeof position === 'number' ? position : 0;
}

function printChange({ position, at, principal, operation, type, key, before, links }: Change): string {
  // A created or deleted object has all its fields changed.
  const fields = operation === 'updated' ? [...Object.keys(before ?? {}), ...Object.keys(links ?? {})] : undefined;
  return JSON.stringify({ position, time: at, principal, operation, type, key, fields });
}
