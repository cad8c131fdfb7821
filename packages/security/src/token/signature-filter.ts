// Authenticates requests by their signature, instead of HTTP Basic. The window limits the age of a request; the nonce
// makes it count once within the window.
import { type Clock, createPrincipal, systemClock } from '@lockstitch/kernel';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import { respondFailure, respondUnauthorized } from '../authentication/entry-points.ts';
import { callStore } from '../stores/call-store.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { EntryPoint } from '../chain/error-handling.ts';
import { checkKey, parseSignatureHeader, type SignatureKey, verifySignature } from './signature.ts';
import { NONCES, SIGNATURE_FILTER } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A client that signs requests. */
export interface Signer {
  readonly key: SignatureKey;
  readonly name: string;
  readonly authorities?: readonly string[];
}

/** Remembers nonces; share it between processes that serve one name. */
export interface NonceStore {
  /** Records a nonce until `ends` (milliseconds); false if it was recorded before, or cannot be. */
  use(nonce: string, ends: number): MaybePromise<boolean>;
}

export interface SignatureOptions {
  /** Clients by key id, or a look-up function. */
  readonly signers: Readonly<Record<string, Signer>> | ((keyId: string) => MaybePromise<Signer | undefined>);
  /** Tolerated difference in seconds between the request's time and the server's. Default: 300. */
  readonly window?: number;
  /** Default: in memory, at most 100,000 within the window; beyond, requests are rejected. */
  readonly nonces?: NonceStore;
  /** Bytes of body read for the digest. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  readonly entryPoint?: EntryPoint;
  readonly clock?: Clock;
  readonly audit?: AuditSink;
}

/** Creates the filter; its position is `signature`. Ignores requests without a signature; a bad one is 401. */
export function createSignatureFilter(options: SignatureOptions): Filter {
  requireOptions('createSignatureFilter', SIGNATURE_FILTER, options);
  const { window = 300, maxBodyBytes = 1 << 20, entryPoint = respondUnauthorized, clock = systemClock } = options;
  const { audit = silentAudit, nonces = createMemoryNonces({ clock }), signers } = options;
  if (typeof signers === 'object') for (const { key } of Object.values(signers)) checkKey(key);
  const signerOf = (keyId: string): MaybePromise<Signer | undefined> =>
    typeof signers === 'function' ? signers(keyId) : Object.hasOwn(signers, keyId) ? signers[keyId] : undefined;

  const checkTime = (created: number): void => {
    if (Math.abs(clock.now() / 1000 - created) > window) throw invalid(`its time is more than ${window} s off`);
  };

  const check = async (exchange: SecurityExchange, header: string): Promise<Signer> => {
    const sent = parseSignatureHeader(header);
    if (sent === undefined) throw invalid('the header cannot be read');
    const { keyId, created, nonce, signature } = sent;
    checkTime(created);
    const signer = await callStore('store of signing keys', () => signerOf(keyId));
    // The body is read for known keys only: strangers cannot fill the memory.
    const body = signer === undefined ? undefined : await exchange.request.readBody(maxBodyBytes);
    const target = exchange.request.sentTarget ?? exchange.request.target;
    const parts = { method: exchange.method, target, created, nonce };
    if (signer === undefined || body === undefined || !verifySignature(signer.key, { ...parts, body }, signature))
      throw invalid('the key is unknown or the signature does not match the request');
    // Checked again: a slow body must not carry a replay past the time at which its nonce is forgotten.
    checkTime(created);
    // After verification, so that strangers cannot use up nonces. Twice the window covers clocks ahead and behind; the
    // extra second covers the moment at which the first use and the last possible one meet.
    const used = `${keyId} ${nonce}`;
    // Another chain of this request has used it.
    if (exchange.ofRequest(nonces) === used) return signer;
    const fresh = await callStore('store of nonces', () => nonces.use(used, clock.now() + 2000 * window + 1000));
    if (!fresh) throw invalid('this nonce was used before');
    exchange.keepForRequest(nonces, used);
    return signer;
  };

  return {
    name: 'signature',
    handle(exchange, next) {
      const header = exchange.request.header('authorization');
      if (header === undefined || !/^signature(?: |$)/i.test(header)) return next(exchange);
      return (async () => {
        const facts = {
          address: exchange.request.remoteAddress,
          method: exchange.method,
          path: exchange.path,
          mechanism: 'signature',
        };
        let signer: Signer;
        try {
          signer = await check(exchange, header);
        } catch (error) {
          if (!(error instanceof AuthenticationFailure)) throw error;
          const keyId = parseSignatureHeader(header)?.keyId;
          audit.record({
            kind: 'authentication-failure',
            username: keyId === undefined ? undefined : auditName(keyId),
            code: error.code,
            ...facts,
          });
          return respondFailure(exchange, error, entryPoint);
        }
        audit.record({ kind: 'authentication-success', username: signer.name, ...facts });
        exchange.authentication = { principal: createPrincipal(signer.name, signer.authorities), login: 'full' };
        await next(exchange);
      })();
    },
  };
}

/** Nonces of one process. When full of live ones it rejects, because forgetting one would allow a replay. */
export function createMemoryNonces(options: { readonly max?: number; readonly clock?: Clock } = {}): NonceStore {
  requireOptions('createMemoryNonces', NONCES, options);
  const { max = 100_000, clock = systemClock } = options;
  const ends = new Map<string, number>();
  return {
    use(nonce, until) {
      // All live equally long, so the oldest come first.
      for (const [each, end] of ends) {
        if (end > clock.now()) break;
        ends.delete(each);
      }
      if (ends.has(nonce) || ends.size >= max) return false;
      ends.set(nonce, until);
      return true;
    },
  };
}

function invalid(reason: string): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_SIGNATURE_INVALID', { values: { reason } });
}
