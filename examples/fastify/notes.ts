// The app as it was before anybody thought of security: three routes and no idea who asks.
import type { FastifyInstance } from 'fastify';

/** The routes, as a plugin. */
export function routes(app: FastifyInstance, _options: object, registered: () => void): void {
  const notes: string[] = ['buy milk'];
  app.get('/health', () => ({ well: true }));
  app.get('/notes/all', () => ({ notes }));
  app.post<{ Body: { readonly text?: unknown } }>('/notes/all', (request, reply) => {
    notes.push(String(request.body.text));
    return reply.code(201).send({ notes: notes.length });
  });
  app.get('/admin/report', () => ({ report: `${notes.length} notes` }));
  registered();
}
