// Where the bytes of an index live: the contract of the two directories, memory and files. What the bytes mean is the
// business of segments, translog and manifests.

/** Bytes of a file that are read at random. */
export interface RandomReader {
  readonly size: number;
  /** Reads exactly `length` bytes; fewer only at the end of the file. */
  read(position: number, length: number): Uint8Array;
  close(): void;
}

/** A file that only grows. */
export interface AppendFile {
  /** Bytes so far, those not yet synced included. */
  readonly size: number;
  /** Appends; visible to readers of the file at once, durable after the next `sync`. @throws the system's error, for example ENOSPC */
  append(bytes: Uint8Array): void;
  /** Writes over bytes that are there already; durable after the next `sync`. */
  overwrite?(bytes: Uint8Array, position: number): void;
  /** Cuts the file, or lengthens it with zeros that take no room; what is appended goes on where it would have, unless that was cut off. */
  resize?(bytes: number): void;
  /** Resolves when everything appended before the call is on disk. */
  sync(): Promise<void>;
  close(): void;
}

/** A flat set of named files. Names hold no separators. */
export interface Directory {
  /** For messages: the path, or `memory`. */
  readonly label: string;
  /** Whether content survives the process. */
  readonly durable: boolean;
  /** Where another thread finds a file; absent where files have no paths. */
  path?(name: string): string;
  list(): Promise<readonly string[]>;
  exists(name: string): Promise<boolean>;
  /** The whole file, over shared memory. @throws ENOENT */
  readFile(name: string): Promise<Uint8Array>;
  open(name: string): Promise<RandomReader>;
  /**
   * Writes a whole file so that after a crash at any moment the name holds either the old content or the new, and
   * after the promise resolves, the new.
   */
  writeFile(name: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Puts `parts` behind the first `size` bytes of a file that another thread began, and makes it durable, its name included. A crash
   * leaves it in any state: only what is written later may name it.
   */
  extendFile(name: string, size: number, parts: readonly Uint8Array[]): Promise<void>;
  /** Opens a file to append to, cut to `size` bytes first when given; created (durably) when missing. */
  openAppend(name: string, size?: number): Promise<AppendFile>;
  /** Removes a file; absent is fine. */
  remove(name: string): Promise<void>;
  /** Gives a file another name, durably. */
  rename(name: string, to: string): Promise<void>;
  /** The directory of that name inside this one, created when missing. */
  directory(name: string): Promise<Directory>;
  directories(): Promise<readonly string[]>;
  removeDirectory(name: string): Promise<void>;
  /** Takes the directory for this process until `unlock`. @throws ProductError `SEARCH_LOCKED` */
  lock(): Promise<void>;
  unlock(): Promise<void>;
}
