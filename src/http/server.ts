/**
 * In charge of the HTTP server: takes connections within their limits, gives every request an id, and sends it its way:
 * calls of the API to the API handler, files of the docs page to Fastify.
 */
import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Address, createAddressBook } from './address.ts';
import type { PathRoute } from './admit.ts';
import { ApiHandler, type Exchange } from './api-handler.ts';
import { Arrivals } from './arrivals.ts';
import { type ConnectionLimits, limitConnections, nodeServerOptions } from './connections.ts';
import { docsPageUrl, serveDocsPage } from './docs-page.ts';
import type { Endpoint } from './endpoint.ts';
import { answerUnreadable } from './faults.ts';
import { createFrameworkLog } from './framework-log.ts';
import { createOpenApiDocument, type JsonObject } from './openapi/document.ts';
import { RequestEvents } from './request-events.ts';
import type { Services } from './services.ts';

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly services: Services;
  readonly telemetry: Telemetry;
  readonly connections: ConnectionLimits;
  /** PEM texts; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
}

type RequestListener = (message: IncomingMessage, response: ServerResponse) => void;

const NOTHING_HERE: Address<PathRoute> = Object.freeze({ route: undefined, value: '', query: '' });
/** Where other methods than reads meet the docs page. */
const DOCS_PAGE: Address<PathRoute> = Object.freeze({
  route: { path: '/docs', endpoints: new Map<string, Endpoint>(), allow: 'GET, HEAD' },
  value: '',
  query: '',
});

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { endpoints, services, telemetry, connections } = options;
  const events = new RequestEvents(telemetry, endpoints);
  const trusted = proxyAddress.compile([...options.trustProxy]);
  const nextRequestId = createRequestIds();
  const refuseUnreadable = (error: { code?: string | undefined }, socket: Socket): void => {
    const requestId = nextRequestId();
    const isAnswered = answerUnreadable(error, socket, requestId);
    events.unreadable(requestId, error.code ?? '', isAnswered);
  };
  const arrivals = new Arrivals((socket) => refuseUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket));
  const api = new ApiHandler({
    services,
    events,
    telemetry,
    connections,
    arrivals,
    clientAddress: (message) => proxyAddress(message, trusted) ?? '',
  });
  const findAddress = createAddressBook(groupByPath(endpoints));

  const begin = (message: IncomingMessage, response: ServerResponse, address: Address<PathRoute>): Exchange => {
    arrivals.watch(message, response, connections.requestTimeoutSeconds);
    return { id: nextRequestId(), message, response, address, startedMs: performance.now(), headers: {}, waited_ms: 0 };
  };
  const listener =
    (serveDocs: RequestListener): RequestListener =>
    (message, response) => {
      const url = message.url ?? '/';
      const address = findAddress(url);
      const docsUrl = address.route === undefined ? docsPageUrl(url) : undefined;
      if (docsUrl === undefined) {
        api.handle(begin(message, response, address));
      } else if (message.method === 'GET' || message.method === 'HEAD') {
        const { id, startedMs } = begin(message, response, DOCS_PAGE);
        message.url = docsUrl;
        response.setHeader('x-request-id', id);
        response.once('finish', () => events.docsAnswered(id, response.statusCode, startedMs));
        serveDocs(message, response);
      } else {
        api.handle(begin(message, response, DOCS_PAGE));
      }
    };

  const fastify = Fastify({
    serverFactory: (serveDocs) => {
      const onRequest = listener(serveDocs as RequestListener);
      const server = createNodeServer(options, onRequest);
      limitConnections(server, connections, telemetry);
      server.on('checkExpectation', onRequest);
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket as Socket));
      server.on('connect', (_message, socket) => refuseUnreadable({}, socket as Socket));
      return server;
    },
    clientErrorHandler: () => {},
    loggerInstance: createFrameworkLog(telemetry),
    // The API handler refuses what comes while the server ends.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.hijack();
      api.fail(begin(request.raw, reply.raw, DOCS_PAGE), error);
    },
  });
  fastify.addHook('preClose', (next) => {
    api.stop();
    next();
  });
  fastify.addHook('onClose', async () => arrivals.stop());
  fastify.setErrorHandler((error, request, reply) => {
    reply.hijack();
    api.fail(begin(request.raw, reply.raw, DOCS_PAGE), error);
  });
  fastify.setNotFoundHandler((request, reply) => {
    reply.hijack();
    api.handle(begin(request.raw, reply.raw, NOTHING_HERE));
  });
  // Made at the first request, when the address is known, and kept: it is large and anyone may ask for it.
  let document: JsonObject | undefined;
  await serveDocsPage(fastify, () => {
    document ??= createOpenApiDocument(endpoints, services.context.names, services.publicUrl());
    return document;
  });
  return fastify;
}

function createNodeServer({ connections, tls }: ServerOptions, onRequest: RequestListener): Server {
  const nodeOptions = nodeServerOptions(connections);
  const server =
    tls === undefined
      ? http.createServer(nodeOptions, onRequest)
      : https.createServer({ ...nodeOptions, ...tls, handshakeTimeout: nodeOptions.headersTimeout }, onRequest);
  server.setTimeout(connections.requestTimeoutSeconds * 1000);
  return server;
}

function groupByPath(endpoints: readonly Endpoint[]): PathRoute[] {
  return Array.from(
    Map.groupBy(endpoints, (endpoint) => endpoint.path.toLowerCase()),
    ([, group]) => {
      const byMethod = new Map<string, Endpoint>(group.map((endpoint) => [endpoint.method, endpoint]));
      const read = byMethod.get('GET');
      if (read !== undefined) byMethod.set('HEAD', read);
      return { path: group[0]?.path ?? '', endpoints: byMethod, allow: [...byMethod.keys()].join(', ') };
    },
  );
}

/** Short, and different between two runs of the server. */
function createRequestIds(): () => string {
  const run = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}
