// The photo-share example: what is open, what needs a user, and where its pictures come from.
import { defineConfig, JSON_PATHS } from 'lockstitch';

import { drawPicture } from './pictures.ts';

/** A year: a picture's name says all there is to know about it, so it never changes. */
const PICTURE_CACHE = 'public, max-age=31536000, immutable';

export default defineConfig({
  seed: './seed.ts',

  // From particular to general; the first rule that fits decides.
  rules: [
    // The console's own files hold no data; what it shows it asks for with the credentials typed into it.
    { ant: '/_console/**', method: 'GET', access: 'permitAll' },
    // Pictures are shown by pages that send no credentials.
    { ant: '/pictures/*.svg', method: 'GET', access: 'permitAll' },
    { any: true, access: 'authenticated' },
  ],

  csrf: {
    // No token for the JSON API. A forged request comes from a page of another origin, and such a page can send
    // `application/json` only after a CORS preflight, which is refused: no origin is allowed below. The endpoints refuse
    // every other content type (415; search 406), so the forms a page may send without preflight never reach them. If you
    // allow another origin with credentials here, remove this line.
    ignore: JSON_PATHS,
  },
  cors: [],

  routes: [
    {
      path: '/pictures/:name.svg',
      handle: ({ params }) => {
        const picture = drawPicture(params['name'] ?? '');
        if (picture === undefined) return undefined;
        return { headers: { 'content-type': 'image/svg+xml', 'cache-control': PICTURE_CACHE }, body: picture };
      },
    },
  ],
});
