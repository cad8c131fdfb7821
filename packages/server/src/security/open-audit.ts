// Destinations of the audit events: lines of JSON in a file, standard output, and a function of the application.
import { createWriteStream, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';

import { type Log, reasonOf } from '@lockstitch/kernel';
import { type AuditSink, createAuditStream, jsonLines, silentAudit } from '@lockstitch/security';

import type { LoadedConfig } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';

export interface OpenedAudit {
  readonly sink: AuditSink;
  /** Writes what is left and closes the file. */
  close(): Promise<void>;
}

/** @throws ProductError SERVER_AUDIT_NOT_WRITABLE */
export function openAudit({ config, folder }: Pick<LoadedConfig, 'config' | 'folder'>, log: Log): OpenedAudit {
  const { file, stdout, listen } = config.audit;
  if (file === undefined && !stdout && listen === undefined)
    return { sink: silentAudit, close: () => Promise.resolve() };
  const stream = createAuditStream({
    onListenerError: (error) => log.write('error', 'An audit listener failed', { error }),
  });
  if (listen !== undefined) stream.subscribe(listen);
  if (stdout) stream.subscribe(jsonLines((line) => process.stdout.write(line)));
  if (file === undefined) return { sink: stream, close: () => Promise.resolve() };
  const written = openLines(resolve(folder, file), log);
  stream.subscribe(jsonLines(written.write));
  return { sink: stream, close: written.close };
}

/** Milliseconds after a failure until the next event reopens the file. */
const RETRY_MS = 1000;

/** A line is far shorter than this. */
const TAIL = 65_536;

/**
 * Writes lines to a file. Opens it immediately, and again after a failure: the disk may have been full for a while.
 * Logs a failure once, and its end once.
 */
function openLines(
  path: string,
  log: Log,
): { readonly write: (line: string) => void; readonly close: () => Promise<void> } {
  /** Time of the latest failed attempt; undefined if the last line was written. */
  let failedAt: number | undefined;
  let missing = 0;
  const fail = (error: unknown): void => {
    if (failedAt === undefined)
      log.write('error', 'The audit file cannot be written: events will be missing in it', { file: path, error });
    failedAt = Date.now();
  };
  const written = (error?: Error | null): void => {
    if (error) missing++;
    else if (failedAt !== undefined) {
      log.write('warn', 'The audit file is written again; events are missing in it', { file: path, missing });
      failedAt = undefined;
      missing = 0;
    }
  };
  const open = (): ReturnType<typeof createWriteStream> => openFile(path).on('error', fail);
  let output = open();
  return {
    write(line) {
      if (output.errored !== null && Date.now() - (failedAt ?? 0) >= RETRY_MS) {
        try {
          output = open();
        } catch (error) {
          fail(error);
        }
      }
      if (output.errored === null) output.write(line, written);
      else missing++;
    },
    close: () => new Promise((done) => (output.closed || output.errored !== null ? done() : output.end(() => done()))),
  };
}

function openFile(path: string): ReturnType<typeof createWriteStream> {
  try {
    // Opened immediately, so that the start fails and not the first event. Mode 0600, because failed log-ins are
    // confidential.
    const fd = openSync(path, 'a+', 0o600);
    cutHalfLine(fd);
    return createWriteStream(path, { fd });
  } catch (error) {
    const reason = reasonOf(error);
    throw serverErrors.create('SERVER_AUDIT_NOT_WRITABLE', { file: path, reason }, { cause: error });
  }
}

/**
 * Truncates part of a line that a full disk or a crash left, because the next line would continue it. A file without a
 * line break, such as a device, stays as it is.
 */
function cutHalfLine(fd: number): void {
  const { size } = fstatSync(fd);
  const from = Math.max(0, size - TAIL);
  const tail = Buffer.alloc(size - from);
  const text = tail.subarray(0, readSync(fd, tail, 0, tail.length, from));
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 && end < text.length) ftruncateSync(fd, from + end);
}
