// What every refusal of Lockstitch carries, whichever package raises it. Not here: how an error looks on the wire;
// each door (GraphQL, search, security) shapes it by its own conventions.

/** The parts of an error that a catalogue entry and a call site supply together. */
export interface ProductErrorInit {
  readonly code: string;
  readonly message: string;
  /** HTTP status that fits when the error answers a request; 500 marks a fault of ours. */
  readonly status: number;
  /** What to do next, in one sentence. */
  readonly hint?: string | undefined;
  /** Where: `schema.graphql:12:3`, a field path, a configuration key. */
  readonly path?: string | undefined;
  /** Facts for the client beside the message: GraphQL's extensions. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** Facts for the log only; never sent to a client. */
  readonly detail?: unknown;
  readonly cause?: unknown;
}

/** An error with a stable code, a message fit for the client, and a hint. Everything else is a bug and is masked. */
export class ProductError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly facts: Readonly<Record<string, unknown>> | undefined;
  /** Not enumerable, so that serializers and inspectors that list own keys never show it. */
  declare readonly detail: unknown;

  constructor(init: ProductErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'ProductError';
    this.code = init.code;
    this.status = init.status;
    this.hint = init.hint;
    this.path = init.path;
    this.facts = init.facts;
    Object.defineProperty(this, 'detail', { value: init.detail, enumerable: false });
  }
}

/** Returns whether a thrown value is an expected error, and has the given code if there is one. */
export function isProductError(value: unknown, code?: string): value is ProductError {
  return value instanceof ProductError && (code === undefined || value.code === code);
}
