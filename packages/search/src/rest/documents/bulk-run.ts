// The writes of a bulk request on their way to the engine: those that follow each other and are of one index go there together, updates
// among them, and are answered in their order. Which writes a request asks for is read elsewhere.
import type { TimeSlices } from '../../tasks/scheduler.ts';
import type { Index } from '../../engine/engine-api.ts';
import { causeOf } from '../../json/error-shape.ts';
import type { OperationResult, Write } from '../../index/operation.ts';
import type { Json } from '../../json/json.ts';
import type { BulkItem } from './read-bulk.ts';
import { enriched, written } from './writing.ts';

type Done = OperationResult & { kind: 'done' };

/** What is answered of a write that was done. */
type Answer = (result: Done) => Json | Promise<Json>;

interface Pending {
  readonly action: BulkItem['action'];
  readonly type: string;
  readonly answer: Answer;
}

/** Collects the writes of one request, and their answers. */
export class BulkRun {
  readonly answers: Json[] = [];
  /** Whether any was refused. */
  errors = false;
  private readonly slices: TimeSlices;
  private index: Index | undefined;
  private writes: Write[] = [];
  private pending: Pending[] = [];

  private readonly forced: boolean;

  /** @param forced whether a refresh follows, which the answers say */
  constructor(slices: TimeSlices, forced: boolean) {
    this.slices = slices;
    this.forced = forced;
  }

  /** Adds a write; those before to another index are done first. */
  async add(
    index: Index,
    action: BulkItem['action'],
    write: Write,
    type = '_doc',
    answer = plainly(index, this.forced, type),
  ): Promise<void> {
    if (this.index !== index) await this.flush();
    this.index = index;
    this.writes.push(write);
    this.pending.push({ action, type, answer });
  }

  /**
   * Does what was added. Where an index takes none of it (it was deleted, memory is short), each write is refused in its place.
   *
   * @param isLast whether nothing follows: what refuses all writes of the request is thrown then
   */
  async flush(isLast = false): Promise<void> {
    const { index, writes, pending, slices } = this;
    if (index === undefined) return;
    this.index = undefined;
    this.writes = [];
    this.pending = [];
    let results: readonly OperationResult[];
    try {
      results = await index.apply(writes);
    } catch (error) {
      if (isLast && this.answers.length === 0) throw error;
      for (const [at, { id }] of writes.entries()) {
        const { action, type } = pending[at]!;
        this.refuse(action, index.name, type, id, error);
      }
      return;
    }
    for (const [at, result] of results.entries()) {
      const { action, type, answer } = pending[at]!;
      if (slices.isOver) await slices.yield();
      if (result.kind === 'failed') {
        this.refuse(action, index.name, type, result.id, enriched(result.error, index));
        continue;
      }
      const answered = answer(result);
      this.answers.push({ [action]: answered instanceof Promise ? await answered : answered });
    }
  }

  /** Adds the result of a write that was executed on its own, after the added writes. */
  done(action: BulkItem['action'], answer: Json): void {
    this.answers.push({ [action]: answer });
  }

  /** Answers one that is refused. */
  refuse(action: BulkItem['action'], index: string, type: string, id: string | null, error: unknown): void {
    this.errors = true;
    const cause = causeOf(error);
    this.answers.push({
      [action]: { _index: index, _type: type, _id: id, status: cause.status, error: cause.error },
    });
  }
}

function plainly(index: Index, forced: boolean, type: string): Answer {
  return (result) => {
    const status = result.result === 'created' ? 201 : result.result === 'not_found' ? 404 : 200;
    return { ...written(index, result, forced, type), status };
  };
}
