// Resolves imports from one source of the packages to another without looking at the disk: the name is the path. Loading the server takes
// a third less processor time (0.45 s instead of 0.68), and a run of the tests loads it some two hundred times.
import { registerHooks } from 'node:module';

const PACKAGES = new URL('../packages/', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || parentURL?.startsWith(PACKAGES) !== true)
      return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
