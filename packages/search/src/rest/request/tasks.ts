// Requests that go on after they were answered (`wait_for_completion=false`), and how one asks what became of them. They are kept in
// memory: a restart forgets them, as it ends them.
import { randomInt } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { changes, reads, type Endpoint } from './endpoint.ts';
import { causeOf } from '../../json/error-shape.ts';
import { type Answer, type Call, durationParam, flagParam, listParam, param } from './request.ts';
import { globMatches } from '../../text/glob.ts';
import type { Json } from '../../json/json.ts';
import { type Cause, illegalArgument, RequestError } from '../../errors/request-error.ts';
import { Pace, perSecondOf } from '../documents/pace.ts';

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
  readonly pace: Pace;
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
  async run(
    call: Call,
    action: string,
    description: string,
    work: (call: Call, pace: Pace) => Promise<Answer>,
  ): Promise<Answer> {
    const pace = new Pace(perSecondOf(call) ?? Infinity);
    const begun = {
      id: this.#freeId(),
      pace,
      action,
      description,
      started: call.now,
      since: performance.now(),
      owner: call.request.caller,
      ended: undefined,
      response: undefined,
      error: undefined,
    };
    const { id } = begun;
    if (flagParam(call, 'wait_for_completion', true)) {
      const answer = work(call, pace);
      this.#all.set(id, { ...begun, end: answer.then(noop, noop) });
      return answer.finally(() => this.#all.delete(id));
    }
    // Nobody waits for its answer.
    const outcome = work({ ...call, request: { ...call.request, signal: undefined } }, pace);
    const task: Task = {
      ...begun,
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
    // An error before the start is reported immediately.
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
    const { node, task } = this.#named(call);
    if (task === undefined) {
      if (node !== NODE) throw strangeNode(name, node);
      throw new RequestError(
        'SEARCH_NOT_FOUND',
        'resource_not_found_exception',
        `task [${name}] isn't running and hasn't stored its results`,
      );
    }
    if (flagParam(call, 'wait_for_completion')) await ended([task], durationParam(call, 'timeout'));
    return {
      json: {
        completed: task.ended !== undefined,
        task: shown(task, true),
        ...(task.response === undefined ? {} : { response: task.response }),
        ...(task.error === undefined ? {} : { error: task.error }),
      },
    };
  }

  /** The task that the path names, if the caller has it. @throws RequestError for what is no name of one */
  #named(call: Call): { readonly node: string; readonly task: Task | undefined } {
    const name = call.path['task_id']!;
    const match = /^(.+):(\d+)$/.exec(name);
    if (match === null) throw illegalArgument(`malformed task id ${name}`);
    const task = this.#all.get(Number(match[2]));
    return { node: match[1]!, task: match[1] === NODE && task?.owner === call.request.caller ? task : undefined };
  }

  /** `POST /_reindex/{task_id}/_rethrottle` and its like: changes how fast a request goes on. */
  rethrottle(call: Call): Answer {
    const perSecond = perSecondOf(call);
    if (perSecond === undefined) throw illegalArgument('requests_per_second is a required parameter');
    const { node, task } = this.#named(call);
    if (task === undefined || task.ended !== undefined) return notRunning(call, node, 'is missing');
    task.pace.rethrottle(perSecond);
    return grouped([task], true, param(call, 'group_by'));
  }

  /** `POST /_tasks/_cancel` and `/_tasks/{task_id}/_cancel`: what runs ends before its next batch. */
  async cancel(call: Call): Promise<Answer> {
    let found: readonly Task[];
    if (call.path['task_id'] === undefined) found = this.#mine(call);
    else {
      const { node, task } = this.#named(call);
      if (task === undefined || task.ended !== undefined) return notRunning(call, node, 'is not found');
      found = [task];
    }
    const answer = grouped(found, false, param(call, 'group_by'));
    for (const { pace } of found) pace.cancel('by user request');
    if (flagParam(call, 'wait_for_completion')) await ended(found, LONGEST_WAIT);
    return answer;
  }

  /** `GET /_tasks`: those that run, this request among them. */
  async list(call: Call): Promise<Answer> {
    const waits = flagParam(call, 'wait_for_completion');
    if (waits) await ended(this.#mine(call), durationParam(call, 'timeout'));
    const isDetailed = flagParam(call, 'detailed');
    const own = waits || !namedActions(call)(LISTING) ? [] : [listing(call, isDetailed)];
    return groupedAs([...own, ...this.#mine(call).map((task) => shown(task, isDetailed))], param(call, 'group_by'));
  }

  /** Those of the caller that run and that the parameters name. */
  #mine(call: Call): readonly Task[] {
    const isNamed = namedActions(call);
    return [...this.#all.values()].filter(
      ({ ended: end, owner, action }) => end === undefined && owner === call.request.caller && isNamed(action),
    );
  }
}

/** Which actions of this node the parameters name. No task is part of another, so none is found by its parent. */
function namedActions(call: Call): (action: string) => boolean {
  const actions = listParam(call, 'actions') ?? ['*'];
  const nodes = listParam(call, 'nodes') ?? ['_all'];
  const parent = param(call, 'parent_task_id') || undefined;
  if (parent !== undefined && !/^[^:]+:\d+$/.test(parent)) throw illegalArgument(`malformed task id ${parent}`);
  const isHere = nodes.some((name) => ['_all', '_local', '_master'].includes(name) || globMatches(name, NODE));
  return (action) => isHere && parent === undefined && actions.some((pattern) => globMatches(pattern, action));
}

const LISTING = 'cluster:monitor/tasks/lists';

/** The request that asks for the list. A drawn number would make each answer another one. */
function listing({ now, request }: Call, isDetailed: boolean): ShownTask {
  const { 'x-opaque-id': opaque } = request.headers;
  return {
    node: NODE,
    id: 0,
    type: 'transport',
    action: LISTING,
    ...(isDetailed ? { description: '' } : {}),
    start_time_in_millis: now,
    running_time_in_nanos: 0,
    cancellable: false,
    headers: opaque === undefined ? {} : { 'X-Opaque-Id': opaque },
  };
}

const noop = (): void => undefined;

/** Running tasks as `group_by` wants them. */
function grouped(running: readonly Task[], isDetailed: boolean, by?: string): Answer {
  return groupedAs(
    running.map((task) => shown(task, isDetailed)),
    by,
  );
}

function groupedAs(running: readonly ShownTask[], by = 'nodes'): Answer {
  if (!['nodes', 'parents', 'none'].includes(by))
    throw illegalArgument(`[group_by] must be one of [nodes], [parents] or [none] but was [${by}]`);
  if (by === 'none') return { json: { tasks: running } };
  const tasks = Object.fromEntries(running.map((task) => [`${NODE}:${task.id}`, task]));
  if (by === 'parents') return { json: { tasks } };
  const place = { transport_address: '127.0.0.1', host: '127.0.0.1', ip: '127.0.0.1' };
  return {
    json: {
      nodes:
        running.length === 0 ? {} : { [NODE]: { name: NODE, ...place, roles: ['data', 'ingest', 'master'], tasks } },
    },
  };
}

/** What is answered about a task that does not run. */
function notRunning(call: Call, node: string, how: string): Answer {
  const cause =
    node === NODE
      ? { type: 'resource_not_found_exception', reason: `task [${call.path['task_id']}] ${how}` }
      : { type: 'no_such_node_exception', reason: `No such node [${node}]`, node_id: node };
  return {
    json: {
      node_failures: [
        { type: 'failed_node_exception', reason: `Failed node [${node}]`, node_id: node, caused_by: cause },
      ],
      nodes: {},
    },
  };
}

function strangeNode(name: string, node: string): Error {
  const missing: Cause = {
    type: 'index_not_found_exception',
    reason: 'no such index [.tasks]',
    'resource.type': 'index_expression',
    'resource.id': '.tasks',
    index_uuid: '_na_',
    index: '.tasks',
  };
  const cause: Cause = {
    type: 'resource_not_found_exception',
    reason: `task [${name}] isn't running and hasn't stored its results`,
    caused_by: missing,
  };
  return new RequestError(
    'SEARCH_NOT_FOUND',
    'resource_not_found_exception',
    `task [${name}] belongs to the node [${node}] which isn't part of the cluster and there is no record of the task`,
    { causedBy: cause },
  );
}

/** Waits until tasks are over, or that long in milliseconds. */
async function ended(tasks: readonly Task[], limit = 30_000): Promise<void> {
  const over = new AbortController();
  const time = delay(Math.min(limit, LONGEST_WAIT), undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.all(tasks.map(({ end }) => end)), time]);
  over.abort();
}

/** A task as answers show it. */
type ShownTask = Json & { readonly id: number };

function shown(task: Task, isDetailed: boolean): ShownTask {
  return {
    node: NODE,
    id: task.id,
    type: 'transport',
    action: task.action,
    ...(isDetailed ? { status: task.pace.status(), description: task.description } : {}),
    start_time_in_millis: task.started,
    running_time_in_nanos: Math.round(((task.ended ?? performance.now()) - task.since) * 1e6),
    cancellable: true,
    headers: {},
  };
}

const RUNNING = { actions: 'text', nodes: 'text', parent_task_id: 'text', group_by: 'text' } as const;

/** Requests that go on after they were answered. */
export const TASK_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_tasks', { ...RUNNING, detailed: 'flag', wait_for_completion: 'flag', timeout: 'time' }, (call) =>
    call.state.tasks.list(call),
  ),
  changes(
    'POST',
    '/_reindex/{task_id}/_rethrottle /_update_by_query/{task_id}/_rethrottle /_delete_by_query/{task_id}/_rethrottle',
    { requests_per_second: 'text', group_by: 'text' },
    (call) => call.state.tasks.rethrottle(call),
  ),
  changes('POST', '/_tasks/_cancel /_tasks/{task_id}/_cancel', { ...RUNNING, wait_for_completion: 'flag' }, (call) =>
    call.state.tasks.cancel(call),
  ),
  reads('GET', '/_tasks/{task_id}', { wait_for_completion: 'flag', timeout: 'time' }, (call) =>
    call.state.tasks.get(call),
  ),
];
