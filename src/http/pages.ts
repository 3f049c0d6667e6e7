/**
 * In charge of pages, those of the docs and of the portal: each request for one is bounded in time and counted once. What
 * is no page, or fails, is the API handler's to answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Address } from './address.ts';
import type { ApiHandler, Exchange } from './api-handler.ts';
import { boundStandstill, type ConnectionLimits } from './connections.ts';
import type { Endpoint } from './endpoint.ts';
import { createFrameworkLog } from './framework-log.ts';
import type { JsonObject } from './openapi/calls.ts';
import { NOTHING_HERE, type PathRoute } from './path-route.ts';
import type { PortalPages } from './portal-pages.ts';
import type { FilesOf, RequestEvents } from './request-events.ts';

export interface PagesParts {
  readonly api: ApiHandler;
  readonly begin: (message: IncomingMessage, response: ServerResponse, address: Address<PathRoute>) => Exchange;
  readonly events: RequestEvents;
  readonly telemetry: Telemetry;
  readonly connections: ConnectionLimits;
  /** Described by the docs page. */
  readonly document: () => JsonObject;
}

type Listener = (message: IncomingMessage, response: ServerResponse) => void;

/** Where other methods than reads meet pages. */
const PAGES: Address<PathRoute> = Object.freeze({
  route: { path: '/docs', endpoints: new Map<string, Endpoint>(), allow: 'GET, HEAD' },
  value: '',
  query: '',
});

export class Pages {
  readonly #parts: PagesParts;
  /** Requests for files of the docs page, which knows them by their messages alone. */
  readonly #handOn = new WeakMap<IncomingMessage, () => Exchange>();
  #docsPage: Promise<Listener> | undefined;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  serveDocs(message: IncomingMessage, response: ServerResponse): void {
    this.#serve('docs', message, response, async () => (await this.#loadDocsPage())(message, response));
  }

  /** `name`: what follows `/portal` in the address. */
  servePortal(portal: PortalPages, name: string, message: IncomingMessage, response: ServerResponse): void {
    this.#serve('portal', message, response, () => portal.serve(name, message, response));
  }

  #serve(of: FilesOf, message: IncomingMessage, response: ServerResponse, send: () => Promise<void>): void {
    const { api, begin, events, connections } = this.#parts;
    const exchange = begin(message, response, PAGES);
    if (api.sheds(exchange)) return;
    if (message.method !== 'GET' && message.method !== 'HEAD') {
      api.handle(exchange);
      return;
    }
    const { id, startedMs } = exchange;
    const count = (): void => events.fileAnswered(of, id, response.statusCode, startedMs);
    // Whoever answers in place of the page counts, too.
    const handOn = (): Exchange => {
      response.off('finish', count);
      return exchange;
    };
    this.#handOn.set(message, handOn);
    boundStandstill(response, connections);
    response.setHeader('x-request-id', id);
    response.once('finish', count);
    send().catch((error) => api.fail(handOn(), error));
  }

  async #loadDocsPage(): Promise<Listener> {
    this.#docsPage ??= this.#createDocsPage();
    try {
      return await this.#docsPage;
    } catch (error) {
      this.#docsPage = undefined;
      throw error;
    }
  }

  async #createDocsPage(): Promise<Listener> {
    const { api, telemetry, document } = this.#parts;
    const { createDocsPage } = await import('./docs-page.ts');
    return createDocsPage({
      document,
      log: createFrameworkLog(telemetry),
      missing: (message) => api.handle({ ...this.#taken(message), address: NOTHING_HERE }),
      failed: (message, error) => api.fail(this.#taken(message), error),
    });
  }

  #taken(message: IncomingMessage): Exchange {
    const handOn = this.#handOn.get(message);
    if (handOn === undefined) throw new Error('The docs page was asked past the server.');
    return handOn();
  }
}
