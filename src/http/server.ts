/**
 * In charge of the HTTP server: takes connections within their limits, gives every request an id, and sends it its way:
 * calls of the API and of the portal to the API handler, files of the docs page and of the portal to theirs.
 */
import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import proxyAddress from '@fastify/proxy-addr';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Address, createAddressBook } from './address.ts';
import { ApiHandler, type Exchange } from './api-handler.ts';
import { Arrivals } from './arrivals.ts';
import { type ConnectionLimits, limitConnections, nodeServerOptions } from './connections.ts';
import { docsPageUrl } from './docs-address.ts';
import type { Endpoint, PortalEndpoint } from './endpoint.ts';
import { answerUnreadable } from './faults.ts';
import { IdleConnections } from './idle-connections.ts';
import { listen, stopListening } from './listening.ts';
import { LoadShedder } from './load-shedding.ts';
import type { JsonObject } from './openapi/calls.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { Pages } from './pages.ts';
import { groupByPath, NOTHING_HERE, type PathRoute } from './path-route.ts';
import { type PortalRoute, portalCalls, portalPlace, portalRoutes } from './portal-addresses.ts';
import { PortalPages } from './portal-pages.ts';
import { RequestEvents } from './request-events.ts';
import type { Services } from './services.ts';
import { Turns } from './turns.ts';

export interface ServedPortal {
  readonly endpoints: readonly PortalEndpoint[];
  readonly pagesFolder: string;
  /** For its calls, and for those of the API that it mirrors; the API's own where there are none. */
  readonly services?: Services;
}

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[];
  /** Where the server has one. */
  readonly portal?: ServedPortal;
  readonly services: Services;
  readonly telemetry: Telemetry;
  readonly connections: ConnectionLimits;
  /** PEM texts; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
}

export interface HttpServer {
  /** Client connections that are open. */
  connections(): Promise<number>;
  /** Resolves with where it listens. */
  listen(host: string, port: number): Promise<string>;
  /** Finishes the requests under way, and refuses those that come; says whether connections had to be cut. One stop for all who ask. */
  stop(limitSeconds: number): Promise<boolean>;
}

type RequestListener = (message: IncomingMessage, response: ServerResponse) => void;

export function createServer(options: ServerOptions): HttpServer {
  const { endpoints, services, telemetry, connections } = options;
  const calls = options.portal === undefined ? [] : portalCalls(options.portal.endpoints, endpoints);
  const events = new RequestEvents(telemetry, [...endpoints, ...calls]);
  const trusted = proxyAddress.compile([...options.trustProxy]);
  const nextRequestId = createRequestIds();
  const refuseUnreadable = (error: { code?: string | undefined }, socket: Socket): void => {
    const requestId = nextRequestId();
    const isAnswered = answerUnreadable(error, socket, requestId);
    events.unreadable(requestId, error.code ?? '', isAnswered);
  };
  const refuseLate = (socket: Socket): void => refuseUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
  const arrivals = new Arrivals(refuseLate);
  const shedder = new LoadShedder();
  const api = new ApiHandler({
    services,
    portalServices: options.portal?.services ?? services,
    events,
    telemetry,
    connections,
    arrivals,
    shedder,
    clientAddress: (message) => proxyAddress(message, trusted) ?? '',
  });
  const findAddress = createAddressBook(groupByPath(endpoints));

  const findPortalCall = createAddressBook(portalRoutes(calls));
  const portalPages = options.portal && new PortalPages(options.portal.pagesFolder, services.publicUrl);

  const begin = (
    message: IncomingMessage,
    response: ServerResponse,
    address: Address<PathRoute>,
    portal?: Address<PortalRoute>,
  ): Exchange => {
    arrivals.watch(message, response, connections.requestTimeoutSeconds);
    const id = nextRequestId();
    const startedMs = performance.now();
    return {
      id,
      message,
      response,
      address,
      portal,
      startedMs,
      asking: undefined,
      record: undefined,
      rate: undefined,
      headers: undefined,
      waited_ms: 0,
      isInFlight: false,
    };
  };
  // Made at the first request, when the address is known, and kept: it is large and anyone may ask for it.
  let document: JsonObject | undefined;
  const pages = new Pages({
    api,
    begin,
    events,
    telemetry,
    connections,
    document: () => {
      document ??= createOpenApiDocument(endpoints, services.context.names, services.publicUrl());
      return document;
    },
  });
  const serve: RequestListener = (message, response) => {
    const url = message.url ?? '/';
    const address = findAddress(url);
    if (address.route !== undefined) {
      api.handle(begin(message, response, address));
      return;
    }
    const docsUrl = docsPageUrl(url);
    if (docsUrl !== undefined) {
      message.url = docsUrl;
      pages.serveDocs(message, response);
      return;
    }
    const place = portalPlace(url);
    if (portalPages === undefined || place === undefined) {
      api.handle(begin(message, response, address));
    } else if (place === 'call') {
      // What is told to one person is not for whoever uses the browser next.
      response.setHeader('cache-control', 'no-store');
      response.setHeader('x-content-type-options', 'nosniff');
      api.handle(begin(message, response, NOTHING_HERE, findPortalCall(url)));
    } else {
      pages.servePortal(portalPages, place.page, message, response);
    }
  };

  const turns = new Turns(serve);
  const onRequest: RequestListener = (message, response) => turns.take(message, response);

  const server = createNodeServer(options, onRequest);
  limitConnections(server, connections, telemetry);
  const connectionEvent = options.tls === undefined ? 'connection' : 'secureConnection';
  const idle = new IdleConnections(server, connectionEvent, connections, refuseLate);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket as Socket));
  server.on('connect', (_message, socket) => refuseUnreadable({}, socket as Socket));
  let stopping: Promise<boolean> | undefined;
  const stop = async (limitSeconds: number): Promise<boolean> => {
    api.stop();
    try {
      return await stopListening(server, limitSeconds);
    } finally {
      idle.stop();
      arrivals.stop();
      shedder.stop();
    }
  };
  return {
    connections: promisify(server.getConnections.bind(server)),
    async listen(host, port) {
      const address = await listen(server, host, port);
      return `${options.tls === undefined ? 'http' : 'https'}://${address}`;
    },
    stop(limitSeconds) {
      stopping ??= stop(limitSeconds);
      return stopping;
    },
  };
}

function createNodeServer({ connections, tls }: ServerOptions, onRequest: RequestListener): Server {
  const nodeOptions = nodeServerOptions(connections);
  return tls === undefined
    ? http.createServer(nodeOptions, onRequest)
    : https.createServer({ ...nodeOptions, ...tls, handshakeTimeout: nodeOptions.headersTimeout }, onRequest);
}

/** Short, and different between two runs of the server. */
function createRequestIds(): () => string {
  const run = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}
