// Where the audit events of an application go: lines of JSON in a file, on standard output, and to a function of its own.
// What an event is, the security package says.
import { createWriteStream, openSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Log } from '@lockstitch/kernel';
import { type AuditSink, createAuditStream, jsonLines, silentAudit } from '@lockstitch/security';

import type { LoadedConfig } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';

/** An open record. */
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

/** Milliseconds after which a file that could not be written is tried again, with the next event. */
const RETRY_MS = 1000;

/** Writes lines to a file, opened at once, and again where it could not be written: the disk may have been full for a while. */
function openLines(
  path: string,
  log: Log,
): { readonly write: (line: string) => void; readonly close: () => Promise<void> } {
  let failed = 0;
  const open = (): ReturnType<typeof createWriteStream> =>
    openFile(path).on('error', (error) => {
      failed = Date.now();
      log.write('error', 'The audit file cannot be written: events are missing in it', { file: path, error });
    });
  let output = open();
  return {
    write(line) {
      if (output.errored !== null && Date.now() - failed >= RETRY_MS) {
        try {
          output = open();
        } catch (error) {
          failed = Date.now();
          log.write('error', 'The audit file cannot be opened', { file: path, error });
        }
      }
      if (output.errored === null) output.write(line);
    },
    close: () => new Promise((done) => (output.closed || output.errored !== null ? done() : output.end(() => done()))),
  };
}

function openFile(path: string): ReturnType<typeof createWriteStream> {
  try {
    // Opened at once, so that a start fails rather than the first event. Who failed to log in is nobody else's business.
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw serverErrors.create('SERVER_AUDIT_NOT_WRITABLE', { file: path, reason }, { cause: error });
  }
}
