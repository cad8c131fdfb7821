// Resolves `import … from 'lockstitch'` in an application that has not installed the package: to the packages that
// serve it, and `graphql` to the copy that they use. The application's own node_modules come first. No other package is
// resolved this way.
import module from 'node:module';

const OWN_PACKAGE = /^(?:graphql|lockstitch|@lockstitch\/(?:graph|search|security))$/;
const MISSING = /^Cannot find package '([^']+)'/;

let registered = false;

/**
 * Registers the resolve hook if the error says that one of Lockstitch's packages was not found; returns whether to try
 * again. Registered only then, because the hook costs half a megabyte.
 */
export function findOwnPackages(error: unknown): boolean {
  if (registered || !isMissing(error) || !OWN_PACKAGE.test(MISSING.exec(error.message)?.[1] ?? '')) return false;
  registered = true;
  module.registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (cause) {
        if (!isMissing(cause) || !OWN_PACKAGE.test(specifier)) throw cause;
        return nextResolve(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
  return true;
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
