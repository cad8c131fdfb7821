// Errors of passwords, users, log-in, sessions, CSRF and limits. Configuration mistakes have status 500: they occur at
// start-up; during a request they are server faults.
import { defineErrors } from '@lockstitch/kernel';

export const authenticationErrors = defineErrors('SECURITY', {
  // Passwords
  SECURITY_PASSWORD_MISSING: {
    status: 400,
    message: 'A raw password is needed, and none was given.',
    hint: 'Pass a string; the empty string is a password too.',
  },
  SECURITY_PASSWORD_TOO_LONG: {
    status: 400,
    message: 'The password has {bytes} bytes; {encoder} takes in at most {limit}.',
    hint: 'Choose a shorter password, or an encoder without this limit (argon2, scrypt, pbkdf2).',
  },
  SECURITY_ENCODER_SETTING: {
    status: 500,
    message: '{encoder}: {setting} is {value}, but must be {expected}.',
  },
  SECURITY_ENCODER_ID_MISSING: {
    status: 500,
    message: 'You have entered a password with no PasswordEncoder.',
    hint: 'Store passwords as "{bcrypt}$2a$10$…", the id of the encoder in front; clear text in examples is "{noop}password".',
  },
  SECURITY_ENCODER_UNKNOWN: {
    status: 500,
    message: 'There is no PasswordEncoder mapped for the id "{id}".',
    hint: 'Ids are case-sensitive. Known: {known}.',
  },
  SECURITY_HASH_MALFORMED: {
    status: 500,
    message: 'A stored password is not in the format of {encoder}: {reason}.',
    hint: 'Set a new password for this user, or declare the encoder that made the stored one.',
  },

  // Users
  SECURITY_USER_INVALID: { status: 400, message: '{what}', hint: 'Correct it where the user is built.' },
  SECURITY_USER_EXISTS: {
    status: 409,
    message: 'User "{username}" should not exist, but does.',
    hint: 'User names differ by more than upper and lower case; use updateUser to change this one.',
  },
  SECURITY_USER_NOT_FOUND: {
    status: 404,
    message: 'User "{username}" should exist, but does not.',
    hint: 'Create it first.',
  },
  SECURITY_NO_CURRENT_USER: {
    status: 403,
    message: "Can't change password as no Authentication object found in context for current user.",
    hint: 'Log in first.',
  },
  SECURITY_ENCODER_REQUIRED: {
    status: 500,
    message: 'A user store is declared without a password encoder.',
    hint: 'Pass `encoder`, for example createDelegatingEncoder().',
  },

  // Authentication
  SECURITY_BAD_CREDENTIALS: {
    status: 401,
    message: 'Bad credentials',
    hint: 'Check the user name and the password.',
  },
  SECURITY_BASIC_MALFORMED: {
    status: 401,
    message: '{reason}',
    hint: 'Send "Authorization: Basic <base64(username:password)>", in UTF-8, with one space after "Basic".',
  },
  SECURITY_ACCOUNT_LOCKED: { status: 401, message: 'User account is locked' },
  SECURITY_ACCOUNT_DISABLED: { status: 401, message: 'User is disabled' },
  SECURITY_ACCOUNT_EXPIRED: { status: 401, message: 'User account has expired' },
  SECURITY_CREDENTIALS_EXPIRED: { status: 401, message: 'User credentials have expired' },
  SECURITY_PROVIDER_NOT_FOUND: {
    status: 401,
    message: 'No AuthenticationProvider found for {kind}',
    hint: 'Declare a provider that supports this kind of credentials.',
  },
  SECURITY_AUTHENTICATION_SERVICE: {
    status: 500,
    message: 'The credentials could not be checked because of a fault in the configuration of the server.',
    hint: 'The log of the server holds the reason.',
  },
  SECURITY_STORE_UNAVAILABLE: {
    status: 503,
    message: 'The {what} does not respond, so no user can be authenticated.',
    hint: 'Try again shortly; the log of the server holds the reason.',
  },
  SECURITY_KEY_INVALID: {
    status: 401,
    message: 'The Authorization header does not hold the expected key.',
    hint: 'Send the key alone, without a scheme, in the Authorization header.',
  },
  SECURITY_SIGNATURE_INVALID: {
    status: 401,
    message: 'The request signature is not accepted: {reason}.',
    hint: 'Sign five lines (method, path with query, created in seconds, nonce, Base64 of the SHA-256 of the body) and send Authorization: Signature keyId="…", created="…", nonce="…", signature="…".',
  },
  SECURITY_TOKEN_INVALID: {
    status: 401,
    message: 'The bearer token is not accepted: {reason}.',
    hint: 'Fetch a new token and send "Authorization: Bearer <token>".',
  },
  SECURITY_ONE_TIME_REQUIRED: {
    status: 401,
    message: 'A one-time password is required.',
    hint: 'Repeat the request with the six digits of the authenticator in the header {header}.',
  },
  SECURITY_ONE_TIME_INVALID: {
    status: 401,
    message: 'The one-time password is wrong, too old, or used already.',
    hint: 'Wait for the next one and check the clock of the device.',
  },
  SECURITY_OAUTH_FAILED: {
    status: 401,
    message: 'The login at {provider} did not succeed: {reason}.',
    hint: 'Start again at {start}.',
  },

  // Sessions and requests
  SECURITY_SESSION_LIMIT: {
    status: 401,
    message: 'Maximum sessions of {limit} for this principal exceeded',
    hint: 'Log out elsewhere first.',
  },
  SECURITY_SESSION_STORE: {
    status: 503,
    message: 'The session store does not answer.',
    hint: 'Try again shortly.',
  },
  SECURITY_SESSION_LATE: {
    status: 500,
    message: 'A session cannot be started after the head of the response was sent.',
    hint: 'Ask for the session before writing to the response.',
  },
  SECURITY_REQUEST_ID_MISSING: {
    status: 400,
    message: 'The header {header} is missing or blank.',
    hint: 'Send {header} with a value of your choice, for example a UUID.',
  },

  // CSRF
  SECURITY_CSRF_MISSING: {
    status: 403,
    message: 'This {method} needs a CSRF token, and none was sent.',
    hint: 'GET {endpoint}, then send the token it answers in the header {header} (or as the parameter {parameter}), together with the {carrier}.',
  },
  SECURITY_CSRF_INVALID: {
    status: 403,
    message: 'The CSRF token sent with this {method} is not the one that belongs to the {carrier} sent with it.',
    hint: 'GET {endpoint}, then send the token it answers in the header {header} (or as the parameter {parameter}), together with the {carrier}. Logging in or out replaces the token.',
  },
  SECURITY_CSRF_EXPIRED: {
    status: 403,
    message:
      'This form needs the CSRF token of its caller, and none is known: the {carrier} is missing or has expired.',
    hint: 'GET {endpoint}, then send the token it answers in the header {header} (or as the parameter {parameter}), together with the {carrier}.',
  },
  SECURITY_CSRF_CLIENT_MISSING: {
    status: 400,
    message: 'A CSRF token is bound to a client, and the header {header} that names the client is missing or too long.',
    hint: 'Send {header} with an identifier of your choice of at most {limit} characters.',
  },
  SECURITY_CSRF_CROSS_SITE: {
    status: 403,
    message: 'This {method} was sent by a page of another site (Sec-Fetch-Site: {site}).',
    hint: 'Send it from a page of this site, or list the origin among the trusted ones.',
  },
  SECURITY_CSRF_TOKEN: { status: 500, message: '{what} cannot be null or empty' },

  // Limits
  SECURITY_TOO_MANY_ATTEMPTS: {
    status: 429,
    message: 'Too many failed log-ins.',
    hint: 'Wait {seconds} s before the next try.',
  },
  SECURITY_RATE_LIMITED: {
    status: 429,
    message: 'Too many requests from this address.',
    hint: 'Wait {seconds} s before the next one.',
  },
  SECURITY_HASHING_BUSY: {
    status: 503,
    message: 'Too many passwords are being checked at the moment.',
    hint: 'Try again in {seconds} s.',
  },

  // Start-up
  SECURITY_SETTING: { status: 500, message: '{what}', hint: 'Correct the security configuration.' },
});
