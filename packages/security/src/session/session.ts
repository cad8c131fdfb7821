// One session as a request sees it: values, owner, id. Changes are kept in memory until saved. Not here: cookies, expiry
// and limits, which are the business of `Sessions`.
import { inspect } from 'node:util';
import type { StoredPrincipal } from './session-store.ts';

/** What a session needs of its keeper to be saved, renamed and ended. */
export interface SessionKeeper {
  save(session: Session): Promise<void>;
  changeId(session: Session): Promise<void>;
  end(session: Session): Promise<void>;
}

/** One session. Its id is a secret: it stays out of inspection and JSON. */
export class Session {
  readonly createdAt: number;
  usedAt: number;
  /** Whether this request started it. */
  readonly isNew: boolean;
  /** Whether it holds changes that are not saved. */
  dirty: boolean;
  ended = false;
  /** Whether the store has had it under its present id. */
  stored: boolean;
  #id: string;
  #principal: StoredPrincipal | undefined;
  #passwordMark: string | undefined;
  readonly #values: Map<string, unknown>;
  readonly #keeper: SessionKeeper;

  constructor(
    keeper: SessionKeeper,
    parts: {
      readonly id: string;
      readonly createdAt: number;
      readonly usedAt: number;
      readonly isNew: boolean;
      readonly principal?: StoredPrincipal | undefined;
      readonly values?: Readonly<Record<string, unknown>>;
    },
  ) {
    this.#keeper = keeper;
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

  /** Takes another id; only the keeper calls it. */
  rename(id: string): void {
    this.#id = id;
    this.stored = false;
    this.dirty = true;
  }

  /** Who logged in; undefined for a session of nobody. */
  get principal(): StoredPrincipal | undefined {
    return this.#principal;
  }

  set principal(principal: StoredPrincipal | undefined) {
    this.#principal = principal;
    this.dirty = true;
  }

  /** The digest of the stored password that the log-in proved; the keeper seals it with the id, and never stores it as it is. */
  get passwordMark(): string | undefined {
    return this.#passwordMark;
  }

  set passwordMark(mark: string | undefined) {
    this.#passwordMark = mark;
  }

  /** A value; undefined when it was never set. What is kept must survive JSON. */
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

  /** Saves now. Otherwise saved when the request is done. */
  save(): Promise<void> {
    return this.#keeper.save(this);
  }

  /** Gives the session another id and cookie; its values stay. The old id is dead. */
  changeId(): Promise<void> {
    return this.#keeper.changeId(this);
  }

  /** Ends the session: its id and values are gone. */
  end(): Promise<void> {
    return this.#keeper.end(this);
  }

  toJSON(): Record<string, unknown> {
    return { createdAt: this.createdAt, usedAt: this.usedAt, isNew: this.isNew, principal: this.#principal?.name };
  }

  [inspect.custom](): string {
    return `Session ${JSON.stringify(this)}`;
  }
}
