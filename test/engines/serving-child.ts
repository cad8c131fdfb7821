// Serves an application until it is killed: for tests of several servers.
import { createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';

await createApp(await loadApp(process.argv[2]!, {}, { port: 0 }));
process.stdout.write('serving\n');
