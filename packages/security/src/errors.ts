// The package's error catalogues: `securityErrors` for the chain and its rules; `authenticationErrors` for users,
// passwords, sessions and tokens.
export { securityErrors } from './errors/chain-errors.ts';
export { authenticationErrors } from './errors/authentication-errors.ts';
