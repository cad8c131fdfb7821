// One file of the translog. Its header names the index, the generation, and the least length of the file. The file is extended ahead of
// the writes, so that a cut is noticed even between whole records. That costs one more sync per extension, not per write.
import { crc32 } from '../directory/zlib.ts';
import type { AppendFile, Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';

/** Bytes before the first record. */
export const HEADER = 64;
const FORMAT = 1;
/** No record of a log without a header begins with it: such a record would have 1.4 GB. */
const MAGIC = 0x54534cff;
/** Bytes by which a file is extended: its size, within these bounds. */
const LEAST_AHEAD = 64 << 10;
const MOST_AHEAD = 16 << 20;
const UUID = { at: 24, bytes: 36 } as const;

export const logName = (generation: number): string => `translog-${generation}.log`;

/** Identity of a log file. */
export interface LogIdentity {
  /** Of the index. */
  readonly uuid: string;
  readonly generation: number;
}

/** A file that writes are appended to. */
export class LogFile {
  /** End of the last complete record, in bytes. */
  whole: number;
  /** End of the last acknowledged write, in bytes. */
  acknowledged: number;
  private readonly file: AppendFile;
  /** Undefined for a file of an earlier format, which has no header. */
  private readonly identity: LogIdentity | undefined;
  /** The least length that the header on disk names, in bytes. */
  private allocated: number;
  private isClosed = false;

  private constructor(file: AppendFile, identity: LogIdentity | undefined, allocated: number) {
    this.file = file;
    this.identity = identity;
    this.allocated = allocated;
    this.whole = file.size;
    this.acknowledged = file.size;
  }

  /** Creates an empty file durably, together with its header. */
  static async create(directory: Directory, identity: LogIdentity): Promise<LogFile> {
    const name = logName(identity.generation);
    await directory.writeFile(name, [printHeader(identity, HEADER)]);
    return new LogFile(await directory.openAppend(name), identity, HEADER);
  }

  /**
   * Opens a file that was read back, to append after its last record.
   *
   * @param end where that record ends; what follows was never acknowledged
   * @param identity undefined for a file without a header
   */
  static async open(
    directory: Directory,
    generation: number,
    end: number,
    identity: LogIdentity | undefined,
  ): Promise<LogFile> {
    const name = logName(generation);
    if (identity !== undefined) {
      const file = await directory.openAppend(name);
      try {
        if (file.size !== end) await shorten(file, identity, end);
      } finally {
        file.close();
      }
    }
    return new LogFile(await directory.openAppend(name, end), identity, end);
  }

  /** Bytes, header included. */
  get size(): number {
    return this.file.size;
  }

  append(bytes: Uint8Array): void {
    this.file.append(bytes);
  }

  /** Resolves when everything appended before the call is on disk, and the header covers it; returns where that ends, in bytes. */
  async sync(): Promise<number> {
    const { file, identity, whole } = this;
    const end = file.size;
    if (identity !== undefined && end > this.allocated && file.overwrite !== undefined) {
      const length = lengthen(file, end);
      // The length first: a header that promises more than is there would look like damage.
      await file.sync();
      // A commit holds its writes already and has closed it.
      if (this.isClosed) return whole;
      file.overwrite(printHeader(identity, length), 0);
      this.allocated = length;
    }
    await file.sync();
    return whole;
  }

  /** Cuts the file back to the last acknowledged write, durably. */
  async cut(): Promise<void> {
    const { acknowledged, file, identity } = this;
    if (file.size === acknowledged && this.whole === acknowledged) return;
    if (identity !== undefined) await shorten(file, identity, acknowledged);
    file.resize?.(acknowledged);
    await file.sync();
  }

  /** Checks for space for that many more bytes. @throws the system's error, for example ENOSPC */
  probe(bytes: number): void {
    const { file } = this;
    if (file.overwrite === undefined) return;
    const end = file.size;
    const zeros = new Uint8Array(Math.min(bytes, PROBE));
    try {
      for (let at = 0; at < bytes; at += zeros.length)
        file.overwrite(zeros.subarray(0, Math.min(zeros.length, bytes - at)), end + at);
    } finally {
      file.resize?.(Math.max(end, this.allocated));
    }
  }

  close(): void {
    this.isClosed = true;
    this.file.close();
  }
}

/** Bytes per write of a probe. */
const PROBE = 1 << 20;

/** Extends a file beyond its end, if the system allows it; returns its length. */
function lengthen(file: AppendFile, end: number): number {
  const length = end + Math.min(Math.max(end, LEAST_AHEAD), MOST_AHEAD);
  try {
    if (file.resize === undefined) return end;
    file.resize(length);
    return length;
  } catch {
    // The disk is full, or the system cannot: the file grows with each write.
    return end;
  }
}

/** Writes the end into the header, before the caller cuts the file there. */
async function shorten(file: AppendFile, identity: LogIdentity, end: number): Promise<void> {
  file.overwrite?.(printHeader(identity, end), 0);
  await file.sync();
}

function printHeader({ uuid, generation }: LogIdentity, allocated: number): Uint8Array {
  const header = new Uint8Array(HEADER);
  const view = new DataView(header.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, FORMAT, true);
  view.setUint32(8, generation, true);
  view.setFloat64(16, allocated, true);
  header.set(new TextEncoder().encode(uuid).subarray(0, UUID.bytes), UUID.at);
  view.setUint32(HEADER - 4, crc32(header.subarray(0, HEADER - 4)), true);
  return header;
}

/**
 * Checks the header of a log file.
 *
 * @param mayLack whether an earlier release wrote it, without a header
 * @returns whether it has a header
 * @throws ProductError `SEARCH_DAMAGED`, `SEARCH_FORMAT`
 */
export function checkHeader(bytes: Uint8Array, identity: LogIdentity, mayLack: boolean, file: string): boolean {
  const damaged = (reason: string): Error => searchError('SEARCH_DAMAGED', { file, reason });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isHeader = bytes.length >= HEADER && view.getUint32(0, true) === MAGIC;
  if (!isHeader) {
    if (mayLack) return false;
    throw damaged(bytes.length < HEADER ? 'it is shorter than it was' : 'it has no header');
  }
  if (crc32(bytes.subarray(0, HEADER - 4)) !== view.getUint32(HEADER - 4, true))
    throw damaged('its header fails its checksum');
  const format = view.getUint32(4, true);
  if (format !== FORMAT) throw searchError('SEARCH_FORMAT', { file, actual: format, wanted: FORMAT });
  const end = bytes.indexOf(0, UUID.at);
  const uuid = Buffer.from(bytes.subarray(UUID.at, Math.min(end, UUID.at + UUID.bytes))).toString();
  if (uuid !== identity.uuid || view.getUint32(8, true) !== identity.generation)
    throw damaged('it belongs to another index or commit');
  if (bytes.length < view.getFloat64(16, true)) throw damaged('it is shorter than it was');
  return true;
}
