// One-time passwords of authenticator apps (TOTP, RFC 6238) with otplib. Each code counts once. The previous step's
// code is valid too, for slow typing and clocks.
import { createRequire } from 'node:module';
import type * as Otplib from 'otplib';
import { type Clock, evictOldest, type Principal, systemClock } from '@lockstitch/kernel';
import { callStore } from '../stores/call-store.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { TOTP } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

// Loaded with the first code or secret: 6 MB that a server without second factors does not need.
const require = createRequire(import.meta.url);
const loadOtplib = (): typeof Otplib => require('otplib');

/** The second factor: whether a user has one, and whether a code is right. An external service can implement it. */
export interface OneTimeVerifier {
  isRequired(principal: Principal): MaybePromise<boolean>;
  verify(principal: Principal, code: string): MaybePromise<boolean>;
}

/** Keeps the last accepted step (of 30 seconds) of each user. */
export interface UsedSteps {
  /**
   * Records a step if it is later than the last one, and returns whether it was. Must be atomic, or two requests with
   * one code both pass.
   */
  advance(username: string, step: number): MaybePromise<boolean>;
}

export interface TotpOptions {
  /** Secret of a user in Base32; undefined for users without a second factor. */
  readonly secretOf: (username: string) => MaybePromise<string | undefined>;
  /** Records used codes. Default: in memory, of the 100,000 most recent users. */
  readonly steps?: UsedSteps;
  readonly clock?: Clock;
}

/** Creates a verifier for six digits in steps of 30 seconds. */
export function createTotpVerifier(options: TotpOptions): OneTimeVerifier {
  requireOptions('createTotpVerifier', TOTP, options);
  const { secretOf, steps = memorySteps(100_000), clock = systemClock } = options;
  return {
    isRequired: async ({ name }) => (await callStore('store of one-time secrets', () => secretOf(name))) !== undefined,
    async verify(principal, code) {
      const secret = await callStore('store of one-time secrets', () => secretOf(principal.name));
      if (secret === undefined || !/^\d{6}$/.test(code)) return false;
      const epoch = Math.floor(clock.now() / 1000);
      const result = await loadOtplib().verify({ secret, token: code, epoch, epochTolerance: [30, 0] });
      if (!result.valid || !('timeStep' in result)) return false;
      return callStore('store of used one-time passwords', () => steps.advance(principal.name, result.timeStep));
    },
  };
}

/**
 * Creates a secret, and the address for the QR code of an authenticator app. Show both once, and store the secret
 * encrypted.
 */
export function enrolTotp(username: string, issuer: string): { readonly secret: string; readonly uri: string } {
  const { generateSecret, generateURI } = loadOtplib();
  const secret = generateSecret({ length: 20 });
  return { secret, uri: generateURI({ issuer, label: username, secret }) };
}

function memorySteps(bound: number): UsedSteps {
  const last = new Map<string, number>();
  return {
    advance(username, step) {
      if ((last.get(username) ?? -1) >= step) return false;
      last.delete(username);
      last.set(username, step);
      evictOldest(last, bound);
      return true;
    },
  };
}
