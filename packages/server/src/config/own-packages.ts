// Where an application's `import … from 'lockstitch'` leads when it has not installed the package: to the packages that serve
// it, and that of `graphql` to the copy that they use (for scalars and errors). What the application has in its own
// node_modules comes first, and no other package is found this way.
import module from 'node:module';

const OWN_PACKAGE = /^(?:graphql|lockstitch|@lockstitch\/(?:graph|search|security))$/;
const MISSING = /^Cannot find package '([^']+)'/;

let registered = false;

/**
 * Lets modules import Lockstitch's packages from anywhere, when the error is that one of them was not found. Returns whether
 * another try is worth it. Only then, because the hook costs half a megabyte.
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
