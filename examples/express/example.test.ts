import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { testSecuredExample } from '../../packages/security/test/support/secured-example.ts';
import { app } from './server.ts';

testSecuredExample(async () => {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
});
