import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createPrincipal } from '@lockstitch/kernel';
import { type ContextMode, createSecurityContextHolder, type SecurityContext } from '@lockstitch/security';
import { serve } from '../support/serve.ts';

const as = (name: string, ...authorities: string[]): SecurityContext => ({
  authentication: { principal: createPrincipal(name, authorities, { tenant: 'acme' }), login: 'full' },
});

test('each request has its own context, which follows promises and timers', async (t) => {
  const { security, send } = await serve(t, { csrf: false }, async (_, response) => {
    await turn();
    response.end(security.context.principal().name);
  });
  const users = ['john', 'jane', 'admin'];
  const seen = await Promise.all(
    users.map(
      async (user) => (await send('/', { headers: [['Authorization', `Basic ${btoa(`${user}:secret`)}`]] })).body,
    ),
  );
  deepEqual(seen, users);
  equal(security.context.get(), undefined);
  throws(() => security.context.principal(), /does not run inside a request/);
});

test('a context ends with its task, nests, and leaves the stores of others alone', () => {
  const holder = createSecurityContextHolder();
  const tracing = new AsyncLocalStorage<string>();
  const seen = () => [holder.get()?.authentication.principal.name, tracing.getStore()];
  tracing.run('trace', () => {
    deepEqual(
      holder.run(as('a'), () => {
        throws(() => holder.run(as('b'), () => JSON.parse('{')), SyntaxError);
        return [holder.run(as('b'), seen), tracing.run('inner', seen), seen()];
      }),
      [
        ['b', 'trace'],
        ['a', 'inner'],
        ['a', 'trace'],
      ],
    );
    deepEqual(seen(), [undefined, 'trace']);
  });
  deepEqual(seen(), [undefined, undefined]);
});

test('a task can be bound to the context it was handed in under', async () => {
  const holder = createSecurityContextHolder();
  const name = (): string | undefined => holder.get()?.authentication.principal.name;
  const queue: (() => unknown)[] = [];
  const execute = holder.executor((task) => queue.push(task));
  const bound = holder.run(as('john'), () => {
    execute(name);
    return holder.wrap((suffix: string) => `${name()}${suffix}`);
  });
  equal(bound('!'), 'john!');
  equal(
    holder.run(as('jane'), () => queue[0]!()),
    'john',
  );
  equal(name(), undefined);
});

test('the global mode has one context for everybody, the others do not', async () => {
  const global = createSecurityContextHolder('MODE_GLOBAL');
  global.setGlobal(as('john'));
  await turn();
  equal(global.principal().name, 'john');
  throws(() => createSecurityContextHolder().setGlobal(as('john')), /MODE_THREADLOCAL/);
});

test('a worker thread gets the caller in the inheritable mode only', async () => {
  const file = new URL('print-inherited.worker.ts', import.meta.url);
  const told = async (mode: ContextMode): Promise<unknown> => {
    const holder = createSecurityContextHolder(mode);
    const worker = holder.run(as('john', 'read'), () =>
      holder.startWorker(file, { workerData: { own: 1 }, execArgv: ['--conditions=source'] }),
    );
    const [message] = (await once(worker, 'message')) as [unknown];
    return message;
  };
  deepEqual(await told('MODE_THREADLOCAL'), { own: 1 });
  deepEqual(await told('MODE_INHERITABLETHREADLOCAL'), { own: 1, name: 'john', authorities: ['read'], tenant: 'acme' });
});

test('functions guarded by an expression run for those it grants, and never outside a request', async (t) => {
  const { security, ask } = await serve(
    t,
    { csrf: false, rules: [{ any: true, access: 'permitAll' }] },
    async (request, response, exchange) => {
      const remove = security.authorize("hasRole('ADMIN') or #owner == authentication.name", ['owner'])(
        async (owner: string) => owner,
      );
      await remove(request.url === '/own' ? exchange.principal.name : 'somebody');
      response.end(`reached ${exchange.principal.name}`);
    },
  );
  equal(await ask('/x', 'admin'), 'reached admin');
  equal(await ask('/x', 'john'), '403');
  equal(await ask('/own', 'john'), 'reached john');
  equal(await ask('/x'), '401');
  const guarded = security.authorize('isAuthenticated()')(async () => 1);
  await rejects(async () => guarded(), { code: 'SECURITY_FORBIDDEN' });
  throws(() => security.authorize("hasPower('x')"), /Unknown function "hasPower"/);
});
