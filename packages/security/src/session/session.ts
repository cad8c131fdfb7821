// One session as a request sees it: values, owner, id. Changes stay in memory until saved.
import { inspect } from 'node:util';
import type { StoredPrincipal } from './session-store.ts';

/** Callbacks of a session to save, rename and end it. */
export interface SessionWriter {
  save(session: Session): Promise<void>;
  changeId(session: Session): Promise<void>;
  end(session: Session): Promise<void>;
}

/** A session. Its id is a secret and is left out of inspection and JSON. */
export class Session {
  readonly createdAt: number;
  usedAt: number;
  /** Whether this request started it. */
  readonly isNew: boolean;
  /** Whether it has unsaved changes. */
  dirty: boolean;
  ended = false;
  /** Whether the store has had it under its current id. */
  stored: boolean;
  #id: string;
  #principal: StoredPrincipal | undefined;
  #passwordMark: string | undefined;
  readonly #values: Map<string, unknown>;
  readonly #writer: SessionWriter;

  constructor(
    writer: SessionWriter,
    parts: {
      readonly id: string;
      readonly createdAt: number;
      readonly usedAt: number;
      readonly isNew: boolean;
      readonly principal?: StoredPrincipal | undefined;
      readonly values?: Readonly<Record<string, unknown>>;
    },
  ) {
    this.#writer = writer;
    this.#id = parts.id;
    this.createdAt = parts.createdAt;
    this.usedAt = parts.usedAt;
    this.isNew = parts.isNew;
    this.dirty = parts.isNew;
    this.stored = !parts.isNew;
    this.#principal = parts.principal;
    this.#values = new Map(Object.entries(parts.values ?? {}));
  }

  /** The secret in the cookie. */
  get id(): string {
    return this.#id;
  }

  /** Sets another id; called only by the repository. */
  rename(id: string): void {
    this.#id = id;
    this.stored = false;
    this.dirty = true;
  }

  /** The user who logged in; undefined for an anonymous session. */
  get principal(): StoredPrincipal | undefined {
    return this.#principal;
  }

  set principal(principal: StoredPrincipal | undefined) {
    this.#principal = principal;
    this.dirty = true;
  }

  /** Digest of the stored password that the log-in proved. It is sealed with the id and never stored itself. */
  get passwordMark(): string | undefined {
    return this.#passwordMark;
  }

  set passwordMark(mark: string | undefined) {
    this.#passwordMark = mark;
  }

  /** Returns a value; undefined if it was never set. Values must survive JSON. */
  get(name: string): unknown {
    return this.#values.get(name);
  }

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
    this.dirty = true;
  }

  delete(name: string): void {
    if (this.#values.delete(name)) this.dirty = true;
  }

  /** All values, for the store. */
  toValues(): Record<string, unknown> {
    return Object.fromEntries(this.#values);
  }

  /** Saves now; otherwise it is saved at the end of the request. */
  save(): Promise<void> {
    return this.#writer.save(this);
  }

  /** Changes the id and the cookie; values stay. The old id becomes invalid. */
  changeId(): Promise<void> {
    return this.#writer.changeId(this);
  }

  /** Ends the session and deletes its values. */
  end(): Promise<void> {
    return this.#writer.end(this);
  }

  toJSON(): Record<string, unknown> {
    return { createdAt: this.createdAt, usedAt: this.usedAt, isNew: this.isNew, principal: this.#principal?.name };
  }

  [inspect.custom](): string {
    return `Session ${JSON.stringify(this)}`;
  }
}
