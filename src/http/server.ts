/**
 * In charge of the HTTP server: every request takes the same way through address, admission, body and endpoint, and
 * leaves with a request id.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { LIMITS } from '../domain/limits.ts';
import { requestProblem } from '../domain/problem.ts';
import { type Address, createAddressBook } from './address.ts';
import { type Admission, type Admitted, admit, type PathRoute } from './admit.ts';
import { docsPageUrl, serveDocsPage } from './docs-page.ts';
import type { Endpoint } from './endpoint.ts';
import { answerUnreadable, faultProblem, stoppingAnswer } from './faults.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { disregardContentType, NO_BODY, readBody, takeBodiesAsBytes } from './read-body.ts';
import { sendAnswer } from './send.ts';
import type { Services } from './services.ts';

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly services: Services;
  readonly logger: FastifyBaseLogger;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
}

/** Found once per request by `rewriteUrl`, which runs before Fastify has a request object. */
interface AddressedMessage extends IncomingMessage {
  address?: Address<PathRoute>;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
  }
}

const NOWHERE = '/{nowhere}';

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { endpoints, services } = options;
  const routes = groupByPath(endpoints);
  const findAddress = createAddressBook(routes);
  const nextRequestId = createRequestIds();

  const server = Fastify({
    loggerInstance: options.logger,
    // A line per request would cost more than the request.
    logController: new LogController({ disableRequestLogging: true }),
    // Nor does each request need a logger of its own: the few lines that are written name the request themselves.
    childLoggerFactory: (logger) => logger,
    bodyLimit: LIMITS.body_bytes_max,
    genReqId: nextRequestId,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // Node and Fastify would answer these by themselves, in another shape.
    http: { requireHostHeader: false },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendFault(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, nextRequestId()),
    // Fastify's router sees only the paths of the route list themselves, or documentation files.
    rewriteUrl: (message) => {
      const url = message.url ?? '/';
      const docsUrl = docsPageUrl(url);
      if (docsUrl !== undefined) return docsUrl;
      const address = findAddress(url);
      (message as AddressedMessage).address = address;
      return address.route?.path ?? NOWHERE;
    },
  });

  server.server.on('checkExpectation', (message, response) => server.server.emit('request', message, response));
  server.server.on('connect', (_message, socket) => answerUnreadable({}, socket as Socket, nextRequestId()));
  let isStopping = false;
  server.addHook('preClose', (next) => {
    isStopping = true;
    next();
  });
  server.decorateRequest('admitted', null);
  server.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    if (isStopping) {
      sendAnswer(reply, stoppingAnswer());
      return;
    }
    disregardContentType(request.raw);
    const { address } = request.raw as AddressedMessage;
    if (address === undefined) {
      next();
      return;
    }
    const settle = (admission: Admission): void => {
      if ('problems' in admission) {
        sendAnswer(reply, admission);
      } else {
        reply.headers(admission.headers);
        request.admitted = admission;
        next();
      }
    };
    const admission = admit(services, request, address);
    if (admission instanceof Promise) admission.then(settle).catch(next);
    else settle(admission);
  });
  server.setErrorHandler((error, request, reply) => sendFault(error, request, reply));
  server.setNotFoundHandler((_request, reply) => {
    sendAnswer(reply, { problems: [requestProblem('route_not_found', 'There is nothing at this address.')] });
  });
  takeBodiesAsBytes(server);
  for (const endpoint of endpoints) {
    server.route({ method: endpoint.method, url: endpoint.path, handler: createHandler(services) });
  }
  await serveDocsPage(server, () => createOpenApiDocument(endpoints, services.context.names, services.publicUrl()));
  return server;
}

function createHandler(services: Services): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    answer(services, request, reply).catch((error: unknown) => sendFault(error, request, reply));
  };
}

async function answer(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { admitted } = request;
  if (admitted === null) throw new Error('The request reached its endpoint without admission.');
  const { endpoint, session, value, query } = admitted;
  const body = endpoint.requestBody === undefined ? NO_BODY : readBody(request.body);
  if ('unreadable' in body) return sendAnswer(reply, { problems: [body.unreadable] });
  const call = { services, value, query, body, ip: request.ip };
  if (endpoint.access === 'open') return sendAnswer(reply, await endpoint.handle(call));
  if (session === undefined) throw new Error('The request reached a merchant endpoint without a session.');
  sendAnswer(reply, await endpoint.handle({ ...call, account: session.account }));
}

function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { problem, isOurs } = faultProblem(error);
  if (isOurs) request.log.error({ err: error, reqId: request.id }, problem.message);
  sendAnswer(reply, { problems: [problem] });
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
