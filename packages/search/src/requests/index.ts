// Public names of the catalogue of requests: all that the API can be asked, with the mistakes that users make. Tests use it to check a
// promise about all answers, such as that none reveals what a caller may not see.
// Before all others: it stops a Node that is too old.
import '@lockstitch/kernel';

export { askPages, type Paged, type Send } from './ask-pages.ts';
export { comparable } from './comparable.ts';
export { SiteCounts, type ThrowSite } from './count-sites.ts';
export { AGGREGATIONS } from './aggregations.ts';
export type { Asked } from './random-endpoint.ts';
export { createRandom, type Random } from './random.ts';
export { printSearchAsked, randomSearchRequest, type SearchAsked } from './random-request.ts';
export { fieldsOf, type IndexSurface, type Surface } from './surface.ts';
export type { Mistake } from './words.ts';
