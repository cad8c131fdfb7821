// What the executor asks of the writing side, and what it offers it.
import type { Principal } from '@lockstitch/kernel';
import type { WriteBinding } from '../schema/model.ts';
import type { MaybePromise, Session, SqlValue } from '../store/store.ts';

/** One mutation field to carry out. */
export interface MutationCall {
  /** Name of the field of Mutation. */
  readonly field: string;
  readonly binding: WriteBinding;
  /** Arguments as graphql-js coerced them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  /**
   * Reads what the field selects of the rows with these keys, seeing what the session has written so far. The results are
   * opaque: return one, or a list of them, as the value of the field. null: no such row, or not for this caller to see.
   */
  read(session: Session, keys: readonly SqlValue[]): MaybePromise<readonly unknown[]>;
}

/** Carries out a mutation field in a transaction of its own and returns the field's value. */
export type Writer = (call: MutationCall) => Promise<unknown>;
