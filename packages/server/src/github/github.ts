// How an application logs somebody in with GitHub: the service that resolvers call. It keeps nothing: who the user is to the
// application is the resolver's. The exchange itself is exchange-code.ts.
import { serverErrors } from '../errors.ts';
import type { GithubUser } from './exchange-code.ts';

/** Where GitHub is and who we are to it: the key `github` of the configuration. */
export interface GithubOptions {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Default `https://github.com`; an Enterprise server has its own. */
  readonly baseUrl: string;
  /** Default `https://api.github.com`. */
  readonly apiUrl: string;
}

/** What a resolver calls to log somebody in. */
export interface Github {
  /**
   * Exchanges a code for an access token and asks GitHub whose it is.
   *
   * @throws SERVER_GITHUB_NOT_CONFIGURED, SERVER_GITHUB_CODE_EMPTY, SERVER_GITHUB_CODE_REFUSED, SERVER_GITHUB_UNREACHABLE
   */
  exchange(code: string, signal?: AbortSignal): Promise<{ readonly token: string; readonly user: GithubUser }>;
}

/** Creates the exchange. Without client id and secret each call says what to set; nothing fails before. */
export function createGithub({ clientId, clientSecret, baseUrl, apiUrl }: GithubOptions): Github {
  return {
    async exchange(code, signal) {
      if (clientId === undefined || clientSecret === undefined) {
        throw serverErrors.create('SERVER_GITHUB_NOT_CONFIGURED');
      }
      if (code.trim() === '') throw serverErrors.create('SERVER_GITHUB_CODE_EMPTY');
      // Loaded with the first log-in: most servers never need the OAuth library.
      const { exchangeCode } = await import('./exchange-code.ts');
      return exchangeCode({ clientId, clientSecret, baseUrl, apiUrl }, code, signal);
    },
  };
}
