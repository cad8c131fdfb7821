// Adapter for node:http: a request listener inside the chain.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SecurityExchange } from '../chain/exchange.ts';
import type { Security } from '../config/create-security.ts';
import { exchangeOf, keepExchange } from './exchange-of.ts';
import { prepareHead } from './node-response.ts';
import { canonicalUrl, type NodeAdapterOptions, NodeRequest, sendAnswer } from './node-request.ts';
import { canonicalRest } from './routed-target.ts';
import { NODE_HANDLER, SECURITY_LAYER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The application. `exchange` has the caller and the canonical path; `request.url` is already canonical. */
export type SecuredListener = (
  request: IncomingMessage,
  response: ServerResponse,
  exchange: SecurityExchange,
) => void | Promise<void>;

export interface NodeHandlerOptions extends NodeAdapterOptions {
  /** Called with an error that the listener throws or rejects with. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Wraps a listener of node:http in a security layer: `createServer(nodeHandler(security, (req, res, exchange) => …))`.
 * The listener runs inside the security context, and only for requests that the chain allowed. An error of the listener
 * is answered with 500 if nothing was sent yet, and passed to `onError`.
 */
export function nodeHandler(
  security: Security,
  listener: SecuredListener,
  options: NodeHandlerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  requireOptions('nodeHandler(security)', SECURITY_LAYER, security);
  requireOptions('nodeHandler', NODE_HANDLER, options);
  const failed = (response: ServerResponse, error: unknown): void => {
    options.onError?.(error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.writeHead(500, { 'Content-Type': 'application/json;charset=UTF-8' });
    response.end('{"status":500,"error":"Internal Server Error","message":"The request failed inside the server."}');
  };

  const send = (exchange: SecurityExchange, response: ServerResponse): void => {
    try {
      sendAnswer(exchange, response)?.catch((error: unknown) => failed(response, error));
    } catch (error) {
      failed(response, error);
    }
  };

  // One function for all requests; everything it needs is on the exchange.
  const application = (exchange: SecurityExchange): void | Promise<void> => {
    const { message, response } = exchange.request as NodeRequest;
    const { url = '' } = message;
    message.url = url === exchange.request.target ? canonicalUrl(exchange) : canonicalRest(url);
    return listener(message, response!, exchange);
  };

  return (request, response) => {
    const source = new NodeRequest(request, options, response);
    const exchange = new SecurityExchange(source, prepareHead(response), exchangeOf(request));
    keepExchange(request, exchange);
    try {
      const running = security.run(exchange, application);
      if (running instanceof Promise)
        running.then(
          () => send(exchange, response),
          (error: unknown) => failed(response, error),
        );
      else if (exchange.answer !== undefined) send(exchange, response);
    } catch (error) {
      failed(response, error);
    }
  };
}
