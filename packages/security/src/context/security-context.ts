// Holds the caller while a request is handled, so that any code can ask for it. Three modes with Spring's names. Node
// has one thread per event loop, so the first two differ only for worker threads started by this module.
import type { Principal } from '@lockstitch/kernel';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { Worker, type WorkerOptions, workerData } from 'node:worker_threads';
import { securityErrors } from '../errors/chain-errors.ts';
import type { CurrentAuthentication } from '../chain/exchange.ts';
import { CONTEXT_MODE } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/**
 * - `MODE_THREADLOCAL`: each request has its own context; it follows promises, timers and callbacks of that request.
 * - `MODE_INHERITABLETHREADLOCAL`: the same, and worker threads started with `startWorker` get a copy.
 * - `MODE_GLOBAL`: one context for the whole process, whatever the request; for command-line tools, never for servers.
 */
export type ContextMode = 'MODE_THREADLOCAL' | 'MODE_INHERITABLETHREADLOCAL' | 'MODE_GLOBAL';

/** The caller. `P` is the application's own principal type. */
export interface SecurityContext<P extends Principal = Principal> {
  readonly authentication: CurrentAuthentication & { readonly principal: P };
}

export interface SecurityContextHolder<P extends Principal = Principal> {
  readonly mode: ContextMode;
  /** Runs a task under a context, including everything that the task starts. */
  run<Arguments extends readonly unknown[], T>(
    context: SecurityContext<P>,
    task: (...given: Arguments) => T,
    ...given: Arguments
  ): T;
  /** The current context; undefined outside a request. */
  get(): SecurityContext<P> | undefined;
  /** The current principal. @throws ProductError SECURITY_CONTEXT_MISSING outside a request */
  principal(): P;
  /** Sets the process-wide context. @throws ProductError SECURITY_CONTEXT_MISSING in the other modes */
  setGlobal(context: SecurityContext<P> | undefined): void;
  /**
   * Binds a task to the current context, for queues and events that run it later (DelegatingSecurityContextRunnable).
   */
  wrap<Arguments extends readonly unknown[], T>(task: (...given: Arguments) => T): (...given: Arguments) => T;
  /** Creates an executor whose tasks run under the context that was current when they were submitted. */
  executor<Result>(execute: (task: () => unknown) => Result): (task: () => unknown) => Result;
  /** Starts a worker thread. In the inheritable and the global mode it can read a copy with `inheritedContext()`. */
  startWorker(file: string | URL, options?: WorkerOptions): Worker;
}

const HANDED_OVER = 'lockstitch:securityContext';

export function createSecurityContextHolder<P extends Principal = Principal>(
  mode: ContextMode = 'MODE_THREADLOCAL',
): SecurityContextHolder<P> {
  requireOptions('createSecurityContextHolder', CONTEXT_MODE, mode);
  const storage = new AsyncLocalStorage<SecurityContext<P>>();
  let global: SecurityContext<P> | undefined;
  const isGlobal = mode === 'MODE_GLOBAL';
  const enter = <Arguments extends readonly unknown[], T>(
    context: SecurityContext<P>,
    task: (...given: Arguments) => T,
    given: Arguments,
  ): T => {
    storage.enterWith(context);
    return task(...given);
  };
  const get = (): SecurityContext<P> | undefined => (isGlobal ? global : storage.getStore());
  const wrap = <Arguments extends readonly unknown[], T>(
    task: (...given: Arguments) => T,
  ): ((...given: Arguments) => T) => AsyncLocalStorage.bind(task);
  return {
    mode,
    run<Arguments extends readonly unknown[], T>(
      context: SecurityContext<P>,
      task: (...given: Arguments) => T,
      ...given: Arguments
    ): T {
      // Does what `storage.run` does in a third of the time: `run` creates a second frame, a copy of all stores, to
      // leave the first; a resource scope restores the previous frame.
      if (!isGlobal)
        return new AsyncResource('SecurityContext').runInAsyncScope(
          enter<Arguments, T>,
          undefined,
          context,
          task,
          given,
        );
      global = context;
      return task(...given);
    },
    get,
    principal() {
      const context = get();
      if (context !== undefined) return context.authentication.principal;
      throw securityErrors.create('SECURITY_CONTEXT_MISSING', { reason: 'the code does not run inside a request' });
    },
    setGlobal(context) {
      if (!isGlobal)
        throw securityErrors.create('SECURITY_CONTEXT_MISSING', {
          reason: `the mode is ${mode}; only MODE_GLOBAL has one for all`,
        });
      global = context;
    },
    wrap,
    executor: (execute) => (task) => execute(wrap(task)),
    startWorker(file, options = {}) {
      const context = mode === 'MODE_THREADLOCAL' ? undefined : get();
      if (context === undefined) return new Worker(file, options);
      const given: unknown = options.workerData;
      const own = typeof given === 'object' && given !== null ? given : { value: given };
      return new Worker(file, { ...options, workerData: { ...own, [HANDED_OVER]: toPlain(context) } });
    },
  };
}

/** In a worker thread: the context passed when it was started; undefined if there was none. */
export function inheritedContext(): SecurityContext | undefined {
  const data: unknown = workerData;
  if (typeof data !== 'object' || data === null || !(HANDED_OVER in data)) return undefined;
  return data[HANDED_OVER] as SecurityContext;
}

/** A copy that survives structured cloning: attributes that cannot be cloned are dropped. */
function toPlain({ authentication }: SecurityContext): SecurityContext {
  const { name, authenticated, authorities, attributes } = authentication.principal;
  const cloneable = Object.fromEntries(Object.entries(attributes).filter(([, value]) => typeof value !== 'function'));
  return {
    authentication: {
      login: authentication.login,
      principal: { name, authenticated, authorities: new Set(authorities), attributes: cloneable },
    },
  };
}
