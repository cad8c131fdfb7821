// The movies example: everything needs a user, and the JSON API needs no CSRF token.
import { defineConfig, JSON_PATHS } from 'lockstitch';

export default defineConfig({
  port: 4001,
  rules: [
    { ant: '/_console/**', method: 'GET', access: 'permitAll' },
    { any: true, access: 'authenticated' },
  ],
  csrf: {
    // Safe for the same reason as in the photo-share example: these endpoints take `application/json` only, which a page
    // of another origin cannot send without a CORS preflight, and no other origin is allowed.
    ignore: JSON_PATHS,
  },
});
