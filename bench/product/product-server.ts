// The whole server on the photo-share example, as `lockstitch start` runs it; the data folder is the first argument.
import { createApp, loadApp } from 'lockstitch';
import { announce } from '../lib/serve.ts';

const environment = { LOCKSTITCH_USER_PASSWORD: 'bench' };
const app = await createApp(await loadApp('examples/photo-share', environment, { port: 0, data: process.argv[2]! }));
announce((await app.listen()).url);
