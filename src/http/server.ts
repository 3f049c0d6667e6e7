/** Assembles the HTTP server: connection limits, order of pipelined requests, the router, and a graceful stop. */
import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import proxyAddress from '@fastify/proxy-addr';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { answerUnreadable } from './answers/faults.ts';
import { ApiHandler } from './api-handler.ts';
import { Arrivals } from './connections/arrivals.ts';
import { type ConnectionLimits, limitConnections, nodeServerOptions } from './connections/connections.ts';
import { IdleConnections } from './connections/idle-connections.ts';
import { type ConnectionsStop, type ListenAddress, listen, stopListening } from './connections/listening.ts';
import { LoadShedder } from './connections/load-shedding.ts';
import { PipelineOrder } from './connections/pipeline-order.ts';
import type { Endpoint, PortalEndpoint } from './endpoint.ts';
import { portalCalls } from './portal-access/portal-addresses.ts';
import { RequestEvents } from './request-events.ts';
import { RequestRouter, type ServedDocs, type ServedShop } from './request-router.ts';
import type { Services } from './services.ts';

export interface ServedPortal {
  readonly endpoints: readonly PortalEndpoint[];
  /** The API calls that the portal mirrors. */
  readonly mirrored: readonly Endpoint[];
  readonly pagesFolder: string;
  /** Services for the portal's own calls and the mirrored API calls. Defaults to the API's services. */
  readonly services?: Services;
}

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[];
  /** The portal; undefined when the server has none. */
  readonly portal?: ServedPortal;
  /** Without these pages, /docs/ serves only the API reference. */
  readonly docs?: ServedDocs;
  /** The page of the demo's shop. Its calls are among the endpoints. */
  readonly shop?: ServedShop | undefined;
  readonly services: Services;
  readonly telemetry: Telemetry;
  /** Undefined if traces are not exported. */
  readonly tracing?: Tracing | undefined;
  readonly connections: ConnectionLimits;
  /** PEM texts. Without them, the server uses plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
}

export interface HttpServer {
  /** Open client connections. */
  connections(): Promise<number>;
  /** Resolves with the URL. */
  listen(at: ListenAddress): Promise<string>;
  /**
   * Finishes requests in flight and refuses new connections. Resolves with whether connections had to be cut. Repeated calls
   * share one stop.
   */
  stop(limit_seconds: number): Promise<boolean>;
}

type RequestListener = (message: IncomingMessage, response: ServerResponse) => void;

/** Responds to a request that cannot be parsed or is too slow, and closes the connection. */
type Refuse = (error: { code?: string | undefined }, socket: Socket) => void;

export function createServer(options: ServerOptions): HttpServer {
  const { endpoints, portal, services, telemetry, connections } = options;
  const routed = portal && { calls: portalCalls(portal.endpoints, portal.mirrored), pagesFolder: portal.pagesFolder };
  const events = new RequestEvents(telemetry, [...endpoints, ...(routed?.calls ?? [])], options.tracing);
  const nextRequestId = createRequestIds();
  const refuse: Refuse = (error, socket) => {
    const requestId = nextRequestId();
    const isAnswered = answerUnreadable(error, socket, requestId);
    events.unreadable(requestId, error.code ?? '', isAnswered);
  };
  const refuseLate = (socket: Socket): void => refuse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
  const arrivals = new Arrivals(refuseLate);
  const shedder = new LoadShedder();
  const api = new ApiHandler({
    services,
    portalServices: portal?.services ?? services,
    events,
    telemetry,
    tracing: options.tracing,
    connections,
    arrivals,
    shedder,
    nextRequestId,
    clientAddress: createClientAddress(options.trustProxy),
  });
  const router = new RequestRouter({
    endpoints,
    portal: routed,
    docs: options.docs,
    shop: options.shop,
    services,
    api,
    events,
    connections,
  });
  const pipeline = new PipelineOrder((message, response) => router.serve(message, response));
  const server = createNodeServer(options, (message, response) => pipeline.take(message, response), refuse);
  const idle = new IdleConnections(server, connectionEvent(options), connections, refuseLate);
  return asHttpServer(server, options, {
    announce: () => api.stop(),
    begin: () => {
      pipeline.stop();
      idle.endAfterAnswers();
    },
    closeIdle: () => idle.closeIdle(performance.now()),
    end: () => {
      idle.stop();
      arrivals.stop();
      shedder.stop();
    },
  });
}

interface Stop extends ConnectionsStop {
  /** Health checks report the stop from its first moment. */
  readonly announce: () => void;
  readonly end: () => void;
}

function asHttpServer(server: Server, { tls }: ServerOptions, stops: Stop): HttpServer {
  let stopping: Promise<boolean> | undefined;
  const stop = async (limit_seconds: number): Promise<boolean> => {
    stops.announce();
    try {
      return await stopListening(server, limit_seconds, stops);
    } finally {
      stops.end();
    }
  };
  return {
    connections: promisify(server.getConnections.bind(server)),
    async listen(at) {
      const address = await listen(server, at);
      return `${tls === undefined ? 'http' : 'https'}://${address}`;
    },
    stop(limit_seconds) {
      stopping ??= stop(limit_seconds);
      return stopping;
    },
  };
}

function createNodeServer(options: ServerOptions, onRequest: RequestListener, refuse: Refuse): Server {
  const { connections, tls, telemetry } = options;
  const nodeOptions = nodeServerOptions(connections);
  const server =
    tls === undefined
      ? http.createServer(nodeOptions, onRequest)
      : https.createServer({ ...nodeOptions, ...tls, handshakeTimeout: nodeOptions.headersTimeout }, onRequest);
  limitConnections(server, connections, telemetry);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket));
  server.on('connect', (_message, socket) => refuse({}, socket as Socket));
  return server;
}

function connectionEvent({ tls }: ServerOptions): 'connection' | 'secureConnection' {
  return tls === undefined ? 'connection' : 'secureConnection';
}

/** The client's address, behind trusted proxies. */
function createClientAddress(trustProxy: readonly string[]): (message: IncomingMessage) => string {
  const trusted = proxyAddress.compile([...trustProxy]);
  return (message) => proxyAddress(message, trusted) ?? '';
}

/** Creates short ids that differ between runs of the server. */
function createRequestIds(): () => string {
  const run = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}
