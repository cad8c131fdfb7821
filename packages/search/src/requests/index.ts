// The public names of the catalogue of requests: everything that the API can be asked, as people ask it, right and wrong. It serves
// whoever checks a promise about all answers, such as that none tells of what a caller may not see.
export { askPages, type Paged, type Send } from './ask-pages.ts';
export { comparable } from './comparable.ts';
export { SiteCounts, type ThrowSite } from './count-sites.ts';
export { AGGREGATIONS } from './aggregations.ts';
export type { Asked } from './random-endpoint.ts';
export { createRandom, type Random } from './random.ts';
export { printSearchAsked, randomSearchRequest, type SearchAsked } from './random-request.ts';
export { fieldsOf, type IndexSurface, type Surface } from './surface.ts';
