// The same app, secured: the layer is described as plain data and registered before the routes.
import { createDelegatingEncoder, createSecurity, fastifySecurity, userNamed } from '@lockstitch/security';
import Fastify, { type FastifyInstance } from 'fastify';

import { routes } from './notes.ts';

/** Stored form of the password `correct horse`, which both users have. */
const PASSWORD = '{bcrypt}$2a$10$Qsa.8VcnwRDNreeGIRrEuOMs33CN8vkAtH1cnvYB1LlAhP1hLLzha';

const security = createSecurity({
  rules: [
    { ant: '/health', access: 'permitAll' },
    { ant: '/admin/**', access: "hasRole('ADMIN')" },
    { any: true, access: 'authenticated' },
  ],
  formLogin: true,
  users: [
    userNamed('ada').password(PASSWORD).roles('ADMIN').build(),
    userNamed('bob').password(PASSWORD).roles('USER').build(),
  ],
  passwordEncoder: createDelegatingEncoder(),
});

/** The secured app. */
export const app: FastifyInstance = Fastify();
// The log-in form is answered by the layer; Fastify only has to let its body through.
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
await app.register(fastifySecurity, { security });
await app.register(routes);

if (import.meta.main) process.stdout.write(`${await app.listen({ port: 3000, host: '127.0.0.1' })}\n`);
