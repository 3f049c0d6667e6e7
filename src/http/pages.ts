/**
 * Serves pages of the docs and the portal, with a time limit, and counts each request once. Requests that match no
 * page, or fail, go to the API handler.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Address } from './address.ts';
import type { ApiHandler } from './api-handler.ts';
import { boundStandstill, type ConnectionLimits } from './connections/connections.ts';
import type { Endpoint } from './endpoint.ts';
import { NOTHING_HERE, type PathRoute } from './path-route.ts';
import type { FilesOf, RequestEvents } from './request-events.ts';

export interface PagesParts {
  readonly api: ApiHandler;
  readonly events: RequestEvents;
  readonly connections: ConnectionLimits;
}

/** The address of every request for a page. Its route has no endpoints, so methods other than GET and HEAD get 405. */
const PAGES: Address<PathRoute> = Object.freeze({
  route: { path: '/docs', endpoints: new Map<string, Endpoint>(), allow: 'GET, HEAD' },
  value: '',
  secondValue: '',
  query: '',
});

export class Pages {
  readonly #parts: PagesParts;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  /** `send` resolves with false when there is nothing to send. */
  serve(of: FilesOf, message: IncomingMessage, response: ServerResponse, send: () => Promise<boolean>): void {
    const { api, events, connections } = this.#parts;
    const exchange = api.begin(message, response, PAGES);
    if (api.sheds(exchange)) return;
    if (message.method !== 'GET' && message.method !== 'HEAD') {
      api.handle(exchange);
      return;
    }
    const { id, startedMs } = exchange;
    const count = (): void => events.fileAnswered(of, id, response.statusCode, startedMs);
    boundStandstill(response, connections);
    response.setHeader('x-request-id', id);
    response.once('finish', count);
    send()
      .then((isSent) => {
        if (isSent) return;
        // The API handler responds, and counts the request.
        response.off('finish', count);
        exchange.address = NOTHING_HERE;
        api.handle(exchange);
      })
      .catch((error) => {
        response.off('finish', count);
        api.fail(exchange, error);
      });
  }
}
