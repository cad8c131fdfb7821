// Endpoints from an application's configuration: its own routes, and a folder of files.
import type { ResolvedConfig, RouteAnswer } from '../config/config.ts';
import type { BodyLimit } from '../http/body.ts';
import { serverErrors } from '../errors.ts';
import { errorResponse, type RouteResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';
import { methodNotAllowed, type MaybeHandle } from '../http/router.ts';
import { serveFiles } from './files.ts';

/** Creates the handler of the key `routes`; undefined if there are none. */
export function appRoutes(routes: ResolvedConfig['routes'], limit: BodyLimit): MaybeHandle | undefined {
  if (routes.length === 0) return undefined;
  const compiled = routes.map((route) => ({
    method: route.method.toUpperCase(),
    // The pattern is matched against the canonical path, as the security rules are.
    pattern: new URLPattern({ pathname: route.path }),
    handle: route.handle,
  }));
  return async (request) => {
    const onPath = compiled.filter(({ pattern }) => pattern.test({ pathname: request.path }));
    if (onPath.length === 0) return undefined;
    const route =
      onPath.find(({ method }) => method === request.method) ??
      (request.method === 'HEAD' ? onPath.find(({ method }) => method === 'GET') : undefined);
    if (route === undefined) return methodNotAllowed(request, [...new Set(onPath.map(({ method }) => method))]);
    const groups = route.pattern.exec({ pathname: request.path })?.pathname.groups ?? {};
    const answer = await route.handle({
      method: request.method,
      path: request.path,
      params: Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value ?? ''])),
      query: request.query,
      headers: request.headers,
      body: await request.readBody(limit),
      principal: request.principal,
      cspNonce: request.cspNonce,
    });
    if (answer !== undefined) return toResponse(answer);
    return errorResponse(serverErrors.create('SERVER_NOT_FOUND', { path: request.path }), request.path);
  };
}

function toResponse({ status = 200, headers = {}, body }: RouteAnswer): RouteResponse {
  return { status, headers: { 'x-content-type-options': 'nosniff', ...headers }, body };
}

/** Creates the handler of the key `static`; undefined if it is not set. */
export function staticRoute(folder: string | undefined): MaybeHandle | undefined {
  if (folder === undefined) return undefined;
  const serve = serveFiles({ folder });
  return (request: Incoming) =>
    request.method === 'GET' || request.method === 'HEAD' ? serve(request.path.slice(1), request) : undefined;
}
