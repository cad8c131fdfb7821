// Service for resolvers that log users in with GitHub. It stores nothing; the resolver decides which application user
// this is. The exchange itself is exchange-code.ts.
import { serverErrors } from '../errors.ts';
import type { GithubUser } from './exchange-code.ts';

/** The configuration key `github`. */
export interface GithubOptions {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Default `https://github.com`; differs for an Enterprise server. */
  readonly baseUrl: string;
  /** Default `https://api.github.com`. */
  readonly apiUrl: string;
}

export interface Github {
  /**
   * Exchanges a code for an access token and loads its user.
   *
   * @throws SERVER_GITHUB_NOT_CONFIGURED, SERVER_GITHUB_CODE_EMPTY, SERVER_GITHUB_CODE_REFUSED,
   * SERVER_GITHUB_UNREACHABLE
   */
  exchange(code: string, signal?: AbortSignal): Promise<{ readonly token: string; readonly user: GithubUser }>;
}

/** Creates the service. Without client id and secret, only its calls fail and say what to set. */
export function createGithub({ clientId, clientSecret, baseUrl, apiUrl }: GithubOptions): Github {
  return {
    async exchange(code, signal) {
      if (clientId === undefined || clientSecret === undefined)
        throw serverErrors.create('SERVER_GITHUB_NOT_CONFIGURED');
      if (code.trim() === '') throw serverErrors.create('SERVER_GITHUB_CODE_EMPTY');
      // Loaded with the first log-in: most servers never need the OAuth library.
      const { exchangeCode } = await import('./exchange-code.ts');
      return exchangeCode({ clientId, clientSecret, baseUrl, apiUrl }, code, signal);
    },
  };
}
