// The rungs of `npm run bench -- security ladder`: each has one part of the chain more than the one before.
import type { SecurityConfig } from '@lockstitch/security';

/** What a rung adds to the one before it. */
interface Rung {
  readonly name: string;
  readonly adds: SecurityConfig;
  /** Runs nothing of the chain, only what stands between it and node:http. */
  readonly adapterOnly?: true;
}

/** The fewest filters a chain can have: firewall, context, anonymous, exception translation, authorization. */
const BARE: SecurityConfig = {
  headers: false,
  csrf: false,
  sessions: false,
  httpBasic: false,
  rules: [{ any: true, access: 'permitAll' }],
};

/** From the adapter to the full chain; `rules` are those of the full one. */
export function createRungs(rules: SecurityConfig['rules']): readonly Rung[] {
  return [
    { name: 'the adapter alone', adds: BARE, adapterOnly: true },
    { name: 'firewall, context, one rule', adds: {} },
    { name: 'response headers', adds: { headers: true } },
    { name: 'CORS', adds: { cors: { allowedOrigins: ['https://app.example.org'] } } },
    { name: 'sessions and CSRF', adds: { sessions: {}, csrf: true } },
    { name: 'HTTP Basic', adds: { httpBasic: true } },
    { name: '30 rules: the full chain', adds: { rules } },
  ];
}
