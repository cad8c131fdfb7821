// The error catalogues of this package, gathered in one place for the error reference. `securityErrors` belongs to the
// chain and its rules; `authenticationErrors` to users, passwords, sessions and tokens.
export { securityErrors } from './errors/chain-errors.ts';
export { authenticationErrors } from './errors/authentication-errors.ts';
