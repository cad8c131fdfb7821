// What one commit of an index consists of: one small file, replaced atomically, that names the segments, their deletions, the
// translog to replay, and the position of the feed that the documents stand at.
import { crc32 } from '../directory/zlib.ts';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';

/** Since 2 the files of the translog have headers; 1 is read as well. */
export const FORMAT = 2;
const OLDEST = 1;
export const MANIFEST = 'manifest';

/** One commit. */
export interface Manifest {
  readonly format: number;
  readonly uuid: string;
  readonly createdAt: number;
  readonly definition: IndexDefinition;
  /** The mapping as it stood at the commit; documents in the translog may add to it. */
  readonly mappings: unknown;
  /** Writes up to this sequence number are in the segments. */
  readonly seqNo: number;
  readonly position: number;
  /** The first generation of the translog to replay. */
  readonly translog: number;
  /** The last generation of the translog that was written by a release whose files have no headers; absent when none is left. */
  readonly plainTranslog?: number;
  /** Number of the next segment. */
  readonly nextSegment: number;
  readonly segments: readonly { readonly name: string; readonly file: string; readonly live: string | undefined }[];
  /** The index has not taken its place yet: after a crash it does not count. */
  readonly aside?: boolean;
}

/** Writes a manifest durably in the place of the one before. */
export async function writeManifest(directory: Directory, manifest: Manifest): Promise<void> {
  const json = JSON.stringify(manifest);
  const text = `${crc32(json).toString(16).padStart(8, '0')}\n${json}`;
  await directory.writeFile(MANIFEST, [new TextEncoder().encode(text)]);
}

/** @throws ProductError `SEARCH_DAMAGED` or `SEARCH_FORMAT` */
export async function readManifest(directory: Directory): Promise<Manifest> {
  const file = `${directory.label}/${MANIFEST}`;
  const text = Buffer.from(await directory.readFile(MANIFEST)).toString();
  const json = text.slice(9);
  if (text[8] !== '\n' || crc32(json).toString(16).padStart(8, '0') !== text.slice(0, 8))
    throw searchError('SEARCH_DAMAGED', { file, reason: 'it fails its checksum' });
  const manifest = JSON.parse(json) as Manifest;
  if (!(manifest.format >= OLDEST && manifest.format <= FORMAT))
    throw searchError('SEARCH_FORMAT', { file, actual: manifest.format, wanted: FORMAT });
  // Which of its files an earlier release has written is not known: any may lack a header.
  return manifest.format === 1 ? { ...manifest, plainTranslog: Infinity } : manifest;
}

/** Writes the live documents of a segment. */
export async function writeLive(directory: Directory, file: string, live: Int32Array): Promise<void> {
  const bytes = new Uint8Array(live.buffer, live.byteOffset, live.byteLength);
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, crc32(bytes), true);
  await directory.writeFile(file, [head, bytes]);
}

/** @throws ProductError `SEARCH_DAMAGED` */
export async function readLive(directory: Directory, file: string, docCount: number): Promise<Int32Array> {
  const damaged = (reason: string): Error =>
    searchError('SEARCH_DAMAGED', { file: `${directory.label}/${file}`, reason });
  if (!(await directory.exists(file))) throw damaged('it is missing');
  const bytes = await directory.readFile(file);
  const words = (docCount + 31) >>> 5;
  if (bytes.length !== 4 + words * 4) throw damaged('its size does not fit the segment');
  const body = bytes.slice(4);
  if (crc32(body) !== new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true))
    throw damaged('it fails its checksum');
  const live = new Int32Array(new SharedArrayBuffer(words * 4));
  new Uint8Array(live.buffer).set(body);
  return live;
}
