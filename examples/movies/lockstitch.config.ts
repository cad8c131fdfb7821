// The movies example: everything needs a user, and the JSON API needs no CSRF token.
import { defineConfig } from 'lockstitch';

export default defineConfig({
  port: 4001,
  rules: [
    { ant: '/_console/**', method: 'GET', access: 'permitAll' },
    { any: true, access: 'authenticated' },
  ],
  csrf: {
    // Safe for the same reason as in the photo-share example: these endpoints take `application/json` only, which a page
    // of another origin cannot send without a CORS preflight, and no other origin is allowed. Names that start with "_" are
    // left out: /films/_create/_search writes the document "_search".
    ignore: [
      { ant: '/', method: 'POST' },
      { ant: '/graphql', method: 'POST' },
      { ant: '/_search', method: 'POST' },
      { ant: '/{index:_all|[^_].*}/_search', method: 'POST' },
      { ant: '/{index:_all|[^_].*}/{type:[^_].*}/_search', method: 'POST' },
      { ant: '/_count', method: 'POST' },
      { ant: '/{index:_all|[^_].*}/_count', method: 'POST' },
      { ant: '/{index:_all|[^_].*}/{type:[^_].*}/_count', method: 'POST' },
    ],
  },
});
