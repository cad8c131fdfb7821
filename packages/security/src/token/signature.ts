// Request signatures: the client proves with a shared secret or a private key that it made this request; nothing that
// could be stolen is sent. Method, target, time, a nonce and the digest of the body are signed; each nonce counts once.
// The host is not signed: use one key for each service.
import {
  constants,
  createHash,
  createHmac,
  type KeyObject,
  randomUUID,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { SIGN_REQUEST } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The key of one client. It determines the algorithm; the request cannot choose. */
export type SignatureKey =
  /** HMAC-SHA-256, of 32 bytes or more. */
  | { readonly kind: 'shared'; readonly secret: Uint8Array }
  /** Ed25519, ECDSA P-256/384/521 with SHA-256 (r‖s), or RSA-PSS with SHA-256 of 2048 bits or more. */
  | { readonly kind: 'asymmetric'; readonly key: KeyObject };

export interface SignedParts {
  readonly method: string;
  /** Path and query exactly as on the request line. */
  readonly target: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly nonce: string;
  readonly body: Uint8Array;
}

/** What a client signs. */
export interface RequestToSign {
  readonly method: string;
  readonly target: string;
  readonly body?: Uint8Array;
  /** Seconds since 1970. Default: now. */
  readonly created?: number;
  /** Default: a random UUID. */
  readonly nonce?: string;
}

/** Parameters of the Authorization header. */
export interface SignatureHeader {
  readonly keyId: string;
  readonly created: number;
  readonly nonce: string;
  readonly signature: Buffer;
}

/** The signed text: five lines. No part can contain a line break, so no two requests have the same text. */
function signedText(parts: SignedParts): Buffer {
  const digest = createHash('sha256').update(parts.body).digest('base64');
  return Buffer.from([parts.method, parts.target, parts.created, parts.nonce, digest].join('\n'), 'utf8');
}

/** Creates the Authorization header of a request, for clients. */
export function signRequest(keyId: string, key: SignatureKey, request: RequestToSign): string {
  requireOptions('signRequest', SIGN_REQUEST, { key, request });
  checkKey(key);
  const {
    method,
    target,
    body = new Uint8Array(),
    created = Math.floor(Date.now() / 1000),
    nonce = randomUUID(),
  } = request;
  const text = signedText({ method, target, body, created, nonce });
  const signature = key.kind === 'shared' ? hmac(key.secret, text) : sign(digestOf(key.key), text, optionsOf(key.key));
  return `Signature keyId="${keyId}", created="${created}", nonce="${nonce}", signature="${signature.toString('base64')}"`;
}

/** Verifies the signature of these parts, in constant time. */
export function verifySignature(key: SignatureKey, parts: SignedParts, signature: Uint8Array): boolean {
  const text = signedText(parts);
  if (key.kind === 'asymmetric') return verify(digestOf(key.key), text, optionsOf(key.key), signature);
  const expected = hmac(key.secret, text);
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

const PARAMETER = /^([A-Za-z]+)="([^"\\\r\n]{1,2048})"$/;

/** Parses `Signature keyId="…", created="…", nonce="…", signature="…"`; undefined if malformed. */
export function parseSignatureHeader(header: string): SignatureHeader | undefined {
  if (header.length > 8192 || header.slice(0, 10).toLowerCase() !== 'signature ') return undefined;
  const parameters = new Map<string, string>();
  for (const part of header.slice(10).split(',')) {
    const match = PARAMETER.exec(part.trim());
    // Two parsers could read a repeated name differently, so it is malformed.
    if (match === null || parameters.has(match[1]!)) return undefined;
    parameters.set(match[1]!, match[2]!);
  }
  const [keyId, created, nonce, signature] = ['keyId', 'created', 'nonce', 'signature'].map((name) =>
    parameters.get(name),
  );
  if (keyId === undefined || nonce === undefined || signature === undefined || parameters.size !== 4) return undefined;
  if (!/^\d{1,11}$/.test(created ?? '') || nonce.length < 8 || nonce.length > 128) return undefined;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return undefined;
  return { keyId, created: Number(created), nonce, signature: Buffer.from(signature, 'base64') };
}

/** @throws SECURITY_SETTING if the key is too weak or of an unsupported kind */
export function checkKey(key: SignatureKey): void {
  const refuse = (what: string): never => {
    throw authenticationErrors.create('SECURITY_SETTING', { what: `Request signatures: ${what}` });
  };
  if (key.kind === 'shared') {
    if (key.secret.length < 32)
      refuse(`a shared secret of ${key.secret.length} bytes is too short; use 32 random bytes or more.`);
    return;
  }
  const type = key.key.asymmetricKeyType;
  if (type !== 'ed25519' && type !== 'ec' && type !== 'rsa')
    refuse(`a key of type ${type ?? 'secret'} is not supported; use ed25519, ec or rsa.`);
  if (type === 'rsa' && (key.key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    refuse('an RSA key needs 2048 bits or more.');
}

function hmac(secret: Uint8Array, text: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** Ed25519 includes hashing (RFC 8032). */
function digestOf(key: KeyObject): string | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

function optionsOf(key: KeyObject) {
  if (key.asymmetricKeyType === 'ec') return { key, dsaEncoding: 'ieee-p1363' as const };
  if (key.asymmetricKeyType === 'rsa')
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return { key };
}
