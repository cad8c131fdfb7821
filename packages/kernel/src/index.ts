export { defineErrors, type ErrorCatalogue, type ErrorTemplate } from './catalogue.ts';
export { type Clock, systemClock } from './clock.ts';
export { isProductError, ProductError, type ProductErrorInit } from './error.ts';
export { type Log, type LogLevel, silentLog } from './log.ts';
export { ANONYMOUS, createPrincipal, type Principal, ROLE_PREFIX } from './principal.ts';
export { didYouMean, suggest } from './suggest.ts';
