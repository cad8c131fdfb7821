// The error catalogues of this package, gathered in one place for the error reference. `securityErrors` belongs to the
// chain and its rules; `authenticationErrors` (users, passwords, sessions, tokens) stands below in this file.
export { securityErrors } from './chain/chain-errors.ts';
