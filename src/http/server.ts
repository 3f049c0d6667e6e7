/**
 * In charge of the HTTP server: every request takes the same way through address, admission, body and endpoint, and
 * leaves with a request id.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { LIMITS } from '../domain/limits.ts';
import { requestProblem } from '../domain/problem.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Address, createAddressBook } from './address.ts';
import { type Admission, type Admitted, admit, type PathRoute } from './admit.ts';
import { type ConnectionLimits, hasTooManyHeaders, limitConnections, nodeServerOptions } from './connections.ts';
import { docsPageUrl, serveDocsPage } from './docs-page.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { answerUnreadable, faultProblem, stoppingAnswer, tooManyHeadersAnswer } from './faults.ts';
import { createFrameworkLog } from './framework-log.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { disregardContentType, NO_BODY, readBody, takeBodiesAsBytes } from './read-body.ts';
import { RequestEvents } from './request-events.ts';
import { sendAnswer } from './send.ts';
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

/** Found once per request by `rewriteUrl`, which runs before Fastify has a request object. */
interface AddressedMessage extends IncomingMessage {
  address?: Address<PathRoute>;
  startedMs?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
  }
}

type Send = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => void;

const NOWHERE = '/{nowhere}';
const NO_HEADERS = Object.freeze({});
/** Where other methods than reads meet the docs page. */
const DOCS_ADDRESS: Address<PathRoute> = {
  route: { path: NOWHERE, endpoints: new Map(), allow: 'GET, HEAD' },
  value: '',
  query: '',
};

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { endpoints, services, telemetry, connections, tls } = options;
  const routes = groupByPath(endpoints);
  const findAddress = createAddressBook(routes);
  const nextRequestId = createRequestIds();
  const events = new RequestEvents(telemetry, endpoints);
  const frameworkLog = createFrameworkLog(telemetry);
  const nodeOptions = nodeServerOptions(connections);

  const send: Send = (request, reply, answer) => {
    const { startedMs } = request.raw as AddressedMessage;
    const status = sendAnswer(reply, request.id, request.admitted?.headers ?? NO_HEADERS, answer);
    events.answered(endpointOf(request), request.id, status, startedMs ?? performance.now(), answer);
  };
  const sendFault = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { problem, isOurs } = faultProblem(error);
    if (isOurs) events.failed(endpointOf(request), request.id, problem.code === 'store_unavailable', error);
    // Nothing more can be said where the answer itself could not be written.
    if (reply.raw.headersSent) reply.raw.destroy();
    else send(request, reply, { problems: [problem] });
  };

  const server = Fastify({
    // Fastify's own logger would cost listeners on every answer; what it has to say comes through this one all the same.
    childLoggerFactory: () => frameworkLog,
    ...(tls === undefined
      ? { http: nodeOptions }
      : { https: { ...nodeOptions, ...tls, handshakeTimeout: nodeOptions.headersTimeout } }),
    requestTimeout: connections.requestTimeoutSeconds * 1000,
    connectionTimeout: connections.requestTimeoutSeconds * 1000,
    keepAliveTimeout: connections.keepAliveSeconds * 1000,
    bodyLimit: LIMITS.body_bytes_max,
    genReqId: nextRequestId,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // Fastify would answer by itself, in another shape.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sendFault(error, request, reply),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket),
    // Fastify's router sees only the paths of the route list themselves, or documentation files.
    rewriteUrl: (message) => {
      const url = message.url ?? '/';
      (message as AddressedMessage).startedMs = performance.now();
      const docsUrl = docsPageUrl(url);
      if (docsUrl !== undefined && isRead(message)) return docsUrl;
      const address = docsUrl === undefined ? findAddress(url) : DOCS_ADDRESS;
      (message as AddressedMessage).address = address;
      return address.route?.path ?? NOWHERE;
    },
  } as FastifyHttpOptions<Server>);
  const refuseUnreadable = (error: { code?: string }, socket: Socket): void => {
    const requestId = nextRequestId();
    const isAnswered = answerUnreadable(error, socket, requestId);
    events.unreadable(requestId, error.code ?? '', isAnswered);
  };

  limitConnections(server.server, connections, telemetry);
  server.server.on('checkExpectation', (message, response) => server.server.emit('request', message, response));
  server.server.on('connect', (_message, socket) => refuseUnreadable({}, socket as Socket));
  let isStopping = false;
  server.addHook('preClose', (next) => {
    isStopping = true;
    next();
  });
  server.decorateRequest('admitted', null);
  server.addHook('onRequest', (request, reply, next) => {
    if (isStopping) {
      send(request, reply, stoppingAnswer());
      return;
    }
    if (hasTooManyHeaders(request.raw, connections)) {
      telemetry.observe('headers_too_large', { requestId: request.id });
      send(request, reply, tooManyHeadersAnswer());
      return;
    }
    disregardContentType(request.raw);
    const { address } = request.raw as AddressedMessage;
    if (address === undefined) {
      // Files of the docs page, which Fastify sends.
      reply.header('x-request-id', request.id);
      next();
      return;
    }
    const settle = (admission: Admission): void => {
      if ('problems' in admission) {
        send(request, reply, admission);
      } else {
        request.admitted = admission;
        next();
      }
    };
    const admission = admit(services, request, address);
    if (admission instanceof Promise) admission.then(settle).catch(next);
    else settle(admission);
  });
  server.setErrorHandler((error, request, reply) => sendFault(error, request, reply));
  server.setNotFoundHandler((request, reply) => {
    send(request, reply, { problems: [requestProblem('route_not_found', 'There is nothing at this address.')] });
  });
  takeBodiesAsBytes(server);
  for (const endpoint of endpoints) {
    server.route({ method: endpoint.method, url: endpoint.path, handler: createHandler(services, send, sendFault) });
  }
  await serveDocsPage(
    server,
    () => createOpenApiDocument(endpoints, services.context.names, services.publicUrl()),
    ({ id, raw }, { statusCode }) => events.docsAnswered(id, statusCode, (raw as AddressedMessage).startedMs ?? 0),
  );
  return server;
}

function createHandler(
  services: Services,
  send: Send,
  sendFault: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    answer(services, request)
      .then((answered) => send(request, reply, answered))
      .catch((error: unknown) => sendFault(error, request, reply));
  };
}

async function answer(services: Services, request: FastifyRequest): Promise<Answer> {
  const { admitted } = request;
  if (admitted === null) throw new Error('The request reached its endpoint without admission.');
  const { endpoint, session, value, query } = admitted;
  const body = endpoint.requestBody === undefined ? NO_BODY : readBody(request.body);
  if ('unreadable' in body) return { problems: [body.unreadable] };
  const call = { services, value, query, body, ip: request.ip };
  if (endpoint.access === 'open') return endpoint.handle(call);
  if (session === undefined) throw new Error('The request reached a merchant endpoint without a session.');
  return endpoint.handle({ ...call, account: session.account });
}

/** Also where the request was refused before it was admitted. */
function endpointOf({ admitted, raw, method }: FastifyRequest): Endpoint | undefined {
  return admitted?.endpoint ?? (raw as AddressedMessage).address?.route?.endpoints.get(method);
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

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Short, and different between two runs of the server. */
function createRequestIds(): () => string {
  const run = randomBytes(5).toString('hex');
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}
