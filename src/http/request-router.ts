/**
 * Routes each request to its handler: the API handler, for calls of the API and the portal, or the pages of docs and
 * portal.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Address, createAddressBook } from './address.ts';
import type { ApiHandler } from './api-handler.ts';
import { boundStandstill, type ConnectionLimits } from './connections/connections.ts';
import { DocsPage, docsPlace } from './docs-page/docs-page.ts';
import { brandOf } from './docs-page/fill.ts';
import { isStart, type StartLinks, sendStart } from './docs-page/own-pages.ts';
import type { Endpoint } from './endpoint.ts';
import { groupByPath, NOTHING_HERE, type PathRoute } from './path-route.ts';
import {
  type PortalCallEndpoint,
  type PortalRoute,
  portalPlace,
  portalRoutes,
} from './portal-access/portal-addresses.ts';
import { PortalPages } from './portal-access/portal-pages.ts';
import type { FilesOf, RequestEvents } from './request-events.ts';
import type { Services } from './services.ts';
import { ShopPage, shopPlace } from './shop-page/shop-page.ts';

export interface ServedDocs {
  readonly pagesFolder: string;
  /** Values of the limits as the pages show them, by the name of the setting. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface ServedShop {
  readonly currency: string;
}

export interface RouterParts {
  readonly endpoints: readonly Endpoint[];
  /** The calls and pages of the portal; undefined when the server has none. */
  readonly portal: { readonly calls: readonly PortalCallEndpoint[]; readonly pagesFolder: string } | undefined;
  readonly docs: ServedDocs | undefined;
  /** The shop of the demo; undefined when the server has none. */
  readonly shop: ServedShop | undefined;
  readonly services: Services;
  readonly api: ApiHandler;
  readonly events: RequestEvents;
  readonly connections: ConnectionLimits;
}

/** The address of every request for a page. Its route has no endpoints, so methods other than GET and HEAD get 405. */
const PAGES: Address<PathRoute> = Object.freeze({
  ...NOTHING_HERE,
  route: { path: '/docs', endpoints: new Map<string, Endpoint>(), allow: 'GET, HEAD' },
});

export class RequestRouter {
  readonly #parts: RouterParts;
  readonly #docsPage: DocsPage;
  readonly #portalPages: PortalPages | undefined;
  readonly #shopPage: ShopPage | undefined;
  readonly #findAddress: (url: string) => Address<PathRoute>;
  readonly #findPortalCall: (url: string) => Address<PortalRoute>;

  constructor(parts: RouterParts) {
    const { endpoints, portal, docs, shop, services } = parts;
    const { publicUrl, context } = services;
    this.#parts = parts;
    this.#docsPage = new DocsPage({
      names: context.names,
      publicUrl,
      pagesFolder: docs?.pagesFolder,
      settings: docs?.settings ?? new Map(),
      announced: () => (context.rules.policies.announced ?? []).map(({ change }) => change),
    });
    this.#portalPages = portal && new PortalPages(portal.pagesFolder, publicUrl);
    this.#shopPage = shop && new ShopPage(shop.currency);
    this.#findAddress = createAddressBook(groupByPath(endpoints));
    this.#findPortalCall = createAddressBook(portalRoutes(portal?.calls ?? []));
  }

  serve(message: IncomingMessage, response: ServerResponse): void {
    const url = message.url ?? '/';
    const address = this.#findAddress(url);
    const docs = address.route === undefined ? docsPlace(url) : undefined;
    const shop = address.route === undefined ? shopPlace(url) : undefined;
    if (docs !== undefined) {
      this.#servePage('docs', message, response, () => this.#docsPage.serve(docs, message, response));
    } else if (isStart(url)) {
      this.#servePage('start', message, response, async () => {
        await sendStart(message, response, this.#startLinks());
        return true;
      });
    } else if (this.#shopPage !== undefined && shop !== undefined) {
      const page = this.#shopPage;
      this.#servePage('shop', message, response, () => page.serve(shop, message, response));
    } else if (address.route !== undefined || !this.#servePortal(url, message, response)) {
      const { api } = this.#parts;
      api.handle(api.begin(message, response, address));
    }
  }

  #startLinks(): StartLinks {
    const { services, portal, shop } = this.#parts;
    const { names } = services.context;
    const has = { hasPortal: portal !== undefined, hasShop: shop !== undefined };
    return { brand: brandOf(names), publicUrl: services.publicUrl(), ...has };
  }

  /** Returns false if the address is not in the portal. */
  #servePortal(url: string, message: IncomingMessage, response: ServerResponse): boolean {
    const portalPages = this.#portalPages;
    const place = portalPlace(url);
    if (portalPages === undefined || place === undefined) return false;
    if (place === 'call') {
      // A response for one user must not be cached for the next user of the browser.
      response.setHeader('cache-control', 'no-store');
      response.setHeader('x-content-type-options', 'nosniff');
      const { api } = this.#parts;
      api.handle(api.begin(message, response, NOTHING_HERE, this.#findPortalCall(url)));
    } else {
      this.#servePage('portal', message, response, () => portalPages.serve(place.page, message, response));
    }
    return true;
  }

  /**
   * Serves a page with a time limit, and counts the request once. A request that matches no page, or fails, goes to the API handler. `send`
   * resolves with false when there is nothing to send.
   */
  #servePage(of: FilesOf, message: IncomingMessage, response: ServerResponse, send: () => Promise<boolean>): void {
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
