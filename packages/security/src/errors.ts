// The error catalogues of this package, gathered in one place for the error reference. `securityErrors` belongs to the
// chain and its rules; `authenticationErrors` to users, passwords, sessions and tokens.
export { securityErrors } from './chain/chain-errors.ts';
export { authenticationErrors } from './authentication/authentication-errors.ts';
