// Queries PostgreSQL for one text, the usual result of the graph. Implements `pg`'s Submittable: the row description is
// neither requested nor parsed, no result object is built, and one promise settles at the end. That saves 6 of 21 KB of
// heap for a response of two fields. Not here: rows, and statements without results (postgres-statement.ts).
import { codeOf } from '@lockstitch/kernel';
import type pg from 'pg';
import type { Canceller } from './postgres-canceller.ts';
import type { Connections } from './postgres-checkout.ts';
import type { StatementNames } from './postgres-statement-names.ts';
import type { SqlValue, Stop } from './store.ts';
import { isLongerThan, TextTooLong } from './text-limit.ts';

/** The interface that `pg` offers to custom queries such as its cursors; its types lack it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Name → text of the connection's prepared statements, and of those submitted. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: {
    readonly statement: string;
    readonly values: readonly SqlValue[];
    readonly valueMapper: typeof toWire;
  }): void;
  execute(portal: Readonly<Record<string, never>>): void;
  sync(): void;
}

/** Inputs of a text query. */
export interface TextRequest {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** In bytes. */
  readonly limit: number | undefined;
  readonly stop: Stop | undefined;
  readonly connections: Connections;
  readonly names: StatementNames;
  readonly canceller: Canceller;
}

/** The first column of the first row as PostgreSQL prints it; null without a row. */
export function askForText(request: TextRequest): Promise<string | null> {
  return new Promise((resolve, reject) => new TextQuery(request, resolve, reject).start());
}

const THE_PORTAL = {};

class TextQuery implements pg.Submittable {
  /** Read by `pg`: the name of the prepared statement. */
  name = '';
  readonly text: string;
  readonly #request: TextRequest;
  readonly #resolve: (text: string | null) => void;
  readonly #reject: (error: unknown) => void;
  #client: pg.PoolClient | undefined = undefined;
  #found: string | null = null;
  #hasRow = false;
  #isRepeated = false;
  #cancelling: Promise<void> | undefined = undefined;

  constructor(request: TextRequest, resolve: (text: string | null) => void, reject: (error: unknown) => void) {
    this.text = request.sql;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    this.#request.connections.borrow((error, client) => {
      if (client === undefined) this.#reject(error);
      else this.#ask(client);
    });
  }

  #ask(client: pg.PoolClient): void {
    const { names, stop, connections } = this.#request;
    if (stop?.reason !== undefined) {
      connections.giveBack(client);
      this.#reject(stop.reason);
      return;
    }
    this.#client = client;
    this.name = names.of(this.text, client);
    stop?.onStop(this.#cancel);
    client.query(this);
  }

  readonly #cancel = (): void => {
    this.#cancelling = this.#request.canceller.cancel(this.#client!);
  };

  submit(connection: unknown): void {
    const wire = connection as Wire;
    const { name, text } = this;
    wire.stream.cork();
    if (wire.parsedStatements[name] === undefined) {
      wire.parse({ name, text });
      wire.submittedNamedStatements[name] = text;
    }
    wire.bind({ statement: name, values: this.#request.values, valueMapper: toWire });
    wire.execute(THE_PORTAL);
    wire.sync();
    wire.stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#hasRow) return;
    this.#hasRow = true;
    this.#found = fields[0] ?? null;
  }

  handleCommandComplete(): void {
    // The query ends with ReadyForQuery.
  }

  handleReadyForQuery(): void {
    this.#end(undefined);
  }

  handleError(error: unknown): void {
    this.#end(error);
  }

  /** The connection is not reused until a cancellation is done. */
  #end(failure: unknown): void {
    this.#request.stop?.forget(this.#cancel);
    if (this.#cancelling === undefined) this.#settle(failure);
    else void this.#cancelling.then(() => this.#settle(failure));
  }

  #settle(failure: unknown): void {
    const { connections, stop, limit } = this.#request;
    const error = failure === undefined ? undefined : failureOf(failure, stop);
    connections.giveBack(this.#client!, error);
    if (error === undefined) {
      if (limit !== undefined && this.#found !== null && isLongerThan(this.#found, limit))
        this.#reject(new TextTooLong(`The text has over ${limit} bytes.`));
      else this.#resolve(this.#found);
    } else if (!this.#isRepeated && connections.mayRetry(error)) {
      this.#isRepeated = true;
      this.start();
    } else this.#reject(connections.translate(error));
  }
}

/** PostgreSQL's query_canceled. */
const CANCELLED = '57014';

/** Why a statement failed: the reason of its cancellation, or the error itself. */
export function failureOf(error: unknown, stop: Stop | undefined): unknown {
  const isCancelled = codeOf(error) === CANCELLED;
  return isCancelled && stop?.reason !== undefined ? stop.reason : error;
}

function toWire(value: SqlValue): string | Uint8Array | null {
  return value === null || typeof value === 'string' || value instanceof Uint8Array ? value : String(value);
}
