// What is put in front of Express today for the same purpose: helmet, cors, express-session, csrf-csrf and passport with
// HTTP Basic. It is given every advantage: passwords are compared as they are, and there are no rules to look up.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import cookieParser from 'cookie-parser';
import cors from 'cors';
import { doubleCsrf } from 'csrf-csrf';
import express, { type Express } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import passport from 'passport';
import { BasicStrategy } from 'passport-http';

/** Express 5 around one JSON handler, bare or behind the middleware. */
export function createPeer(body: string, guarded: boolean): Express {
  const app = express();
  if (guarded) guard(app);
  app.get('/photos/mine', (_, response) => {
    response.type('json').send(body);
  });
  return app;
}

function guard(app: Express): void {
  const secret = randomBytes(32).toString('hex');
  const expected = Buffer.from('12345');
  passport.use(
    new BasicStrategy((username, password, done) => {
      const given = Buffer.from(password);
      const same = given.length === expected.length && timingSafeEqual(given, expected);
      done(null, username === 'john' && same ? { name: username } : false);
    }),
  );
  const { doubleCsrfProtection } = doubleCsrf({
    getSecret: () => secret,
    getSessionIdentifier: (request) => request.session.id,
  });
  app.use(helmet());
  app.use(cors({ origin: 'https://app.example.org' }));
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use(cookieParser());
  app.use(doubleCsrfProtection);
  app.use(passport.initialize());
  app.use(passport.authenticate('basic', { session: false }));
}
