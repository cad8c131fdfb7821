// The app as it was before anybody thought of security: three routes and no idea who asks.
import { type Request, type Response, Router } from 'express';

const notes: string[] = ['buy milk'];

/** The routes. */
export const routes: Router = Router();

routes.get('/health', (_: Request, response: Response) => {
  response.json({ well: true });
});
routes.get('/notes/all', (_: Request, response: Response) => {
  response.json({ notes });
});
routes.post('/notes/all', (request: Request, response: Response) => {
  notes.push(String((request.body as { readonly text?: unknown }).text));
  response.status(201).json({ notes: notes.length });
});
routes.get('/admin/report', (_: Request, response: Response) => {
  response.json({ report: `${notes.length} notes` });
});
