// The same app, secured: the layer is described in Spring's words and stands in front of everything else.
import { connectHandler, createDelegatingEncoder, createSecurity, userNamed } from '@lockstitch/security';
import express, { type Express } from 'express';

import { routes } from './notes.ts';

/** Stored form of the password `correct horse`, which both users have. */
const PASSWORD = '{bcrypt}$2a$10$Qsa.8VcnwRDNreeGIRrEuOMs33CN8vkAtH1cnvYB1LlAhP1hLLzha';

const security = createSecurity((http) =>
  http
    .authorizeRequests((r) =>
      r.ant('/health').permitAll().ant('/admin/**').hasRole('ADMIN').anyRequest().authenticated(),
    )
    .httpBasic()
    .formLogin()
    .set({
      users: [
        userNamed('ada').password(PASSWORD).roles('ADMIN').build(),
        userNamed('bob').password(PASSWORD).roles('USER').build(),
      ],
      passwordEncoder: createDelegatingEncoder(),
    }),
);

/** The secured app. */
export const app: Express = express();
app.use(connectHandler(security));
app.use(express.json());
app.use(routes);

if (import.meta.main) app.listen(3000, '127.0.0.1', () => process.stdout.write('http://127.0.0.1:3000\n'));
