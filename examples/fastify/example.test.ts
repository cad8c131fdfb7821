import type { AddressInfo } from 'node:net';

import { testSecuredExample } from '../../packages/security/test/support/secured-example.ts';
import { app } from './server.ts';

testSecuredExample(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
});
