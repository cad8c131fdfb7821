// `context.services` of resolvers: the server's own services, and those under the configuration key `services`.
import type { SeedTarget } from './config/config.ts';
import type { Github } from './github/github.ts';

/** Services that every resolver has. */
export interface AppServices {
  /** Log-in with GitHub, configured by the key `github`. */
  readonly github: Github;
  /** Inserts rows of a stored type in one transaction, including the feed. Does not check the caller's rights. */
  readonly write: SeedTarget['write'];
  /** The application's own services. */
  readonly [name: string]: unknown;
}
