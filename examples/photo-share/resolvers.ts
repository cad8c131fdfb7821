// The one field of the example that no table answers: logging in with GitHub.
import type { AppServices } from 'lockstitch';

/** What the engine gives a resolver, as far as this one uses it. */
interface Context {
  readonly signal: AbortSignal | undefined;
  readonly services: unknown;
  readonly load: (type: string, key: string) => Promise<Readonly<Record<string, unknown>> | null>;
}

export default {
  Mutation: {
    /** Exchanges GitHub's code; a newcomer becomes a user. */
    async githubAuth(_parent: unknown, { code }: { readonly code: string }, { load, services, signal }: Context) {
      const { github, write } = services as AppServices;
      const { token, user } = await github.exchange(code, signal);
      const known = await load('User', user.login);
      if (known === null) {
        await write('User', [{ githubLogin: user.login, name: user.name, avatar: user.avatar }]);
      }
      return { token, user: known ?? (await load('User', user.login)) };
    },
  },
};
