// Loaded before node:test, whose hook on asynchronous resources then leaves promises out: following each of them takes a tenth of the
// processor time of tests of the server. It tells whose test an error is that nobody catches; without it such an error still fails its
// file, and is printed with its stack, but names no test.
import hooks from 'node:async_hooks';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
