// Requests that go on after they were answered (`wait_for_completion=false`), and how one asks what became of them. They are kept in
// memory: a restart forgets them, as it ends them.
import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { causeOf } from '../../error-shape.ts';
import { type Answer, type Call, durationParam, flagParam, listParam, param } from './request.ts';
import { globMatches } from '../../glob.ts';
import type { Json } from '../../json.ts';
import { illegalArgument, RequestError } from '../../request-error.ts';

/** The node's name, and its id. */
export const NODE = 'lockstitch';

/** Finished ones that are remembered of one caller, and of all. */
const MOST_FINISHED = 100;
const MOST_OF_ALL = 10_000;
/** randomInt goes as far. */
const LARGEST_ID = 2 ** 48 - 1;
/** Milliseconds that a request waits for one to end at most. */
const LONGEST_WAIT = 60_000;

interface Task {
  readonly id: number;
  readonly action: string;
  readonly description: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** By the clock of `performance`, as `ended`. */
  readonly since: number;
  /** Whose it is: nobody else learns of it. */
  readonly owner: string | undefined;
  ended: number | undefined;
  response: unknown;
  error: Json | undefined;
  readonly end: Promise<void>;
}

/** The tasks of one API. */
export class Tasks {
  readonly #all = new Map<number, Task>();

  /**
   * Runs a request to its end, or starts it and answers at once.
   *
   * @throws whatever it throws before it first waits for something, either way
   */
  async run(call: Call, action: string, description: string, work: () => Promise<Answer>): Promise<Answer> {
    if (flagParam(call, 'wait_for_completion', true)) return work();
    const id = this.#freeId();
    const outcome = work();
    const task: Task = {
      id,
      action,
      description,
      started: call.now,
      since: performance.now(),
      owner: call.request.caller,
      ended: undefined,
      response: undefined,
      error: undefined,
      end: outcome.then(
        ({ json }) => {
          task.response = json;
          task.ended = performance.now();
        },
        (error: unknown) => {
          task.error = causeOf(error).error;
          task.ended = performance.now();
        },
      ),
    };
    // What cannot even begin is told at once.
    await Promise.race([outcome, setImmediate()]);
    this.#all.set(id, task);
    const finished = [...this.#all.values()].filter((each) => each.ended !== undefined);
    this.#forget(finished, MOST_OF_ALL);
    this.#forget(
      finished.filter(({ owner }) => owner === task.owner),
      MOST_FINISHED,
    );
    return { json: { task: `${NODE}:${id}` } };
  }

  #forget(finished: readonly Task[], most: number): void {
    for (const { id } of finished.slice(0, Math.max(0, finished.length - most))) this.#all.delete(id);
  }

  /** Drawn, not counted: the next number would tell a caller how many tasks others have started. */
  #freeId(): number {
    for (;;) {
      const id = randomInt(1, LARGEST_ID);
      if (!this.#all.has(id)) return id;
    }
  }

  /** `GET /_tasks/{task_id}`. */
  async get(call: Call): Promise<Answer> {
    const name = call.path['task_id']!;
    const match = /^(.+):(\d+)$/.exec(name);
    if (match === null) throw illegalArgument(`malformed task id ${name}`);
    const task = this.#all.get(Number(match[2]));
    if (match[1] !== NODE || task === undefined || task.owner !== call.request.caller) {
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'resource_not_found_exception',
        `task [${name}] isn't running and hasn't stored its results`,
      );
    }
    if (flagParam(call, 'wait_for_completion')) {
      await ended([task], durationParam(call, 'timeout'));
    }
    return {
      json: {
        completed: task.ended !== undefined,
        task: shown(task, true),
        ...(task.response === undefined ? {} : { response: task.response }),
        ...(task.error === undefined ? {} : { error: task.error }),
      },
    };
  }

  /** `GET /_tasks`: those that run. No task is part of another, so none is found by its parent. */
  async list(call: Call): Promise<Answer> {
    const actions = listParam(call, 'actions') ?? ['*'];
    const nodes = listParam(call, 'nodes') ?? ['_all'];
    const isHere = nodes.some((name) => ['_all', '_local', '_master'].includes(name) || globMatches(name, NODE));
    const isDetailed = flagParam(call, 'detailed');
    const parent = param(call, 'parent_task_id');
    const ofMine = ({ ended, owner, action }: Task): boolean =>
      ended === undefined &&
      owner === call.request.caller &&
      isHere &&
      parent === undefined &&
      actions.some((pattern) => globMatches(pattern, action));
    if (flagParam(call, 'wait_for_completion'))
      await ended([...this.#all.values()].filter(ofMine), durationParam(call, 'timeout'));
    const running = [...this.#all.values()].filter(ofMine);
    const tasks = Object.fromEntries(running.map((task) => [`${NODE}:${task.id}`, shown(task, isDetailed)]));
    if (call.request.query.get('group_by') === 'none') return { json: { tasks: Object.values(tasks) } };
    if (call.request.query.get('group_by') === 'parents') return { json: { tasks } };
    return {
      json: {
        nodes: running.length === 0 ? {} : { [NODE]: { name: NODE, roles: ['data', 'ingest', 'master'], tasks } },
      },
    };
  }
}

/** Waits until tasks are over, or that long in milliseconds. */
async function ended(tasks: readonly Task[], limit = 30_000): Promise<void> {
  const over = new AbortController();
  const time = delay(Math.min(limit, LONGEST_WAIT), undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.all(tasks.map(({ end }) => end)), time]);
  over.abort();
}

function shown(task: Task, isDetailed: boolean): Json {
  return {
    node: NODE,
    id: task.id,
    type: 'transport',
    action: task.action,
    ...(isDetailed ? { description: task.description } : {}),
    start_time_in_millis: task.started,
    running_time_in_nanos: Math.round(((task.ended ?? performance.now()) - task.since) * 1e6),
    cancellable: false,
    headers: {},
  };
}
