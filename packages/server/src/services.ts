// What resolvers find as `context.services`: the server's own services, and beside them whatever the application put
// under `services` in its configuration.
import type { SeedTarget } from './config/config.ts';
import type { Github } from './github/github.ts';

/** The services that every resolver has. */
export interface AppServices {
  /** Log-in with GitHub, set up by the key `github`. */
  readonly github: Github;
  /** Inserts rows of a stored type in one transaction, feed included; the caller's rights are not asked. */
  readonly write: SeedTarget['write'];
  /** The application's own. */
  readonly [name: string]: unknown;
}
