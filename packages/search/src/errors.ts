// The catalogues of errors of this package, under the name by which docs/errors.md finds those of every package.
export { requestErrors } from './errors/request-error.ts';
export { searchErrors } from './errors/search-errors.ts';
