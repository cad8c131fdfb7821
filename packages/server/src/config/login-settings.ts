// Configuration keys for authentication: accounts, the form, HTTP Basic, identity providers, second factors and tokens.
// Part of the table in config.ts; the other security keys are in security-settings.ts.
import type { Principal } from '@lockstitch/kernel';
import type { Profile } from '@lockstitch/security';

import { anything, callable, flag, group, integer, list, map, text, textLike } from './setting.ts';

const isBareRole = (role: string): boolean => !role.startsWith('ROLE_');

/** One of `users`. */
export const USER_SETTINGS = {
  username: { shape: text('ada'), doc: 'Name to log in with; unique.', default: undefined, required: true },
  password: {
    shape: text('{bcrypt}$2b$10$…'),
    doc: 'Password as the password encoder stores it. With `noop` that is the password itself.',
    default: undefined,
    required: true,
    secret: true,
  },
  authorities: { shape: list(text('read')), doc: 'What the user may do, as names of your choice.', default: [] },
  roles: {
    shape: list(textLike('ADMIN', 'a role without the prefix ROLE_', isBareRole)),
    doc: 'Roles, without the prefix `ROLE_`.',
    default: [],
  },
  accountExpired: { shape: flag, doc: 'The account has run out.', default: false },
  accountLocked: { shape: flag, doc: 'The account is locked.', default: false },
  credentialsExpired: { shape: flag, doc: 'The password must be changed before the next log-in.', default: false },
  disabled: { shape: flag, doc: 'The account is switched off.', default: false },
  attributes: { shape: map(anything), doc: 'Further facts; expressions read them.', default: {} },
} as const;

const provider = {
  id: {
    shape: text('acme'),
    doc: 'In the paths `/oauth2/authorization/<id>` and `/login/oauth2/code/<id>`, and in front of the names of its users.',
    default: undefined,
    required: true,
  },
  label: { shape: text('Acme'), doc: 'Name on the log-in page.', default: undefined, defaultText: 'the id' },
  issuer: {
    shape: text('https://login.example.com'),
    doc: 'OpenID Connect issuer; its addresses are discovered. Without it, plain OAuth 2 by the three addresses below.',
    default: undefined,
  },
  clientId: { shape: text(), doc: 'Client id there.', default: undefined, required: true },
  clientSecret: { shape: text(), doc: 'Its secret.', default: undefined, required: true, secret: true },
  authorizationUrl: { shape: text(), doc: 'Where users are sent to.', default: undefined },
  tokenUrl: { shape: text(), doc: 'Where codes are exchanged.', default: undefined },
  profileUrl: { shape: text(), doc: 'Where the profile of the user is.', default: undefined },
  scopes: {
    shape: list(text('openid')),
    doc: 'What is asked for.',
    default: undefined,
    defaultText: '`openid profile email` with an issuer, else none',
  },
  toPrincipal: {
    shape: callable<(profile: Profile) => Principal | Promise<Principal>>('(profile) => principal'),
    doc: 'Makes the user of the profile.',
    default: undefined,
    defaultText: 'named `<id>:<sub>`, without authorities',
  },
  allowInsecureRequests: { shape: flag, doc: 'Lets its addresses be `http:`, on this machine.', default: false },
} as const;

/** The group `login`. */
export const LOGIN_SETTINGS = {
  basic: { shape: flag, doc: 'HTTP Basic.', default: true },
  form: { shape: flag, doc: 'The form at `/login`, and `/logout`.', default: true },
  realm: { shape: text('Realm'), doc: 'Realm named in the Basic challenge.', default: 'Realm' },
  target: { shape: text('/'), doc: 'Where a log-in leads when no page was refused before.', default: '/' },
  baseUrl: {
    shape: text('https://app.example.com'),
    doc: 'The address browsers reach this server at; identity providers send them back to it.',
    default: undefined,
    defaultText: 'needed with `github` and `providers`',
  },
  github: {
    shape: flag,
    doc: 'Sign in with GitHub, as the client of the key `github`. Users are named `github:<number>`.',
    default: false,
  },
  providers: { shape: list(group(provider)), doc: 'Further identity providers to sign in with.', default: [] },
  rememberMe: {
    shape: group({
      key: {
        shape: text('process.env.REMEMBER_ME_KEY'),
        doc: 'Secret of 32 bytes or more, the same in all processes and after a restart.',
        default: undefined,
        required: true,
        secret: true,
      },
      lifetime: { shape: integer(60), doc: 'How long the cookie is good.', unit: 's', default: 1_209_600 },
    }),
    doc: '"Stay signed in" on the form.',
    default: undefined,
    defaultText: 'off',
  },
  oneTime: {
    shape: group({
      secrets: {
        shape: map(text('JBSWY3DPEHPK3PXP…')),
        doc: 'Secret of the authenticator app (Base32) by user name.',
        default: {},
        secret: true,
      },
      secretOf: {
        shape:
          callable<(username: string) => string | undefined | Promise<string | undefined>>(
            'async (username) => secret',
          ),
        doc: 'Looks the secret up instead; `undefined` for users without a second factor.',
        default: undefined,
        defaultText: 'by `secrets`',
      },
    }),
    doc: 'One-time passwords (TOTP) as a second factor, in the header `X-One-Time-Password` or the form at `/login/one-time`.',
    default: undefined,
    defaultText: 'off',
  },
} as const;

/** One of `staticKeys`. */
export const STATIC_KEY_SETTINGS = {
  key: {
    shape: text('process.env.PARTNER_KEY'),
    doc: 'What the `Authorization` header must equal.',
    default: undefined,
    required: true,
    secret: true,
  },
  name: { shape: text('partner'), doc: 'Who it stands for.', default: 'static-key' },
  authorities: { shape: list(text('read')), doc: 'What its bearer may do.', default: [] },
} as const;

/** The group `bearer`. */
export const BEARER_SETTINGS = {
  issuer: { shape: text('https://login.example.com'), doc: 'What `iss` must be.', default: undefined, required: true },
  audience: { shape: text('photos'), doc: 'What `aud` must hold.', default: undefined, required: true },
  jwksUrl: {
    shape: text('https://login.example.com/jwks'),
    doc: "Where the issuer's keys are; fetched, kept, and fetched again for an unknown key id. One of the three.",
    default: undefined,
  },
  publicKey: { shape: text('-----BEGIN PUBLIC KEY-----…'), doc: 'One public key, as PEM.', default: undefined },
  secret: {
    shape: text('process.env.JWT_SECRET'),
    doc: 'A shared secret of 32 bytes or more (HS256).',
    default: undefined,
    secret: true,
  },
  algorithms: {
    shape: list(text('RS256')),
    doc: 'Algorithms that count.',
    default: undefined,
    defaultText: 'HS256 with `secret`, else RS256, PS256, ES256, EdDSA',
  },
  clockTolerance: { shape: integer(0, 3600), doc: 'By how much clocks may differ.', unit: 's', default: 30 },
  nameClaim: { shape: text('sub'), doc: 'The claim that names the user.', default: 'sub' },
  authorities: {
    shape: map(text('SCOPE_')),
    doc: "Claims that hold authorities, and what is put before each: `{ roles: 'ROLE_' }`.",
    default: undefined,
    defaultText: '`scope` and `scp`, as `SCOPE_…`',
  },
} as const;

/** The group `signatures`. */
export const SIGNATURE_SETTINGS = {
  signers: {
    shape: list(
      group({
        keyId: { shape: text('partner-1'), doc: 'Name of the key in the header.', default: undefined, required: true },
        name: { shape: text('partner'), doc: 'Who signs with it.', default: undefined, defaultText: 'the key id' },
        secret: {
          shape: text('process.env.PARTNER_SECRET'),
          doc: 'Shared secret of 32 bytes or more (HMAC-SHA-256).',
          default: undefined,
          secret: true,
        },
        publicKey: {
          shape: text('-----BEGIN PUBLIC KEY-----…'),
          doc: 'Instead: a public key as PEM (Ed25519, ECDSA or RSA).',
          default: undefined,
        },
        authorities: { shape: list(text('read')), doc: 'What the client may do.', default: [] },
      }),
    ),
    doc: 'The clients that sign.',
    default: undefined,
    required: true,
  },
  window: { shape: integer(1, 86_400), doc: 'By how much the time of a request may differ.', unit: 's', default: 300 },
} as const;
