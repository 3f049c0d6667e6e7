/**
 * Applies the limits that keep slow, idle, flooding or too many clients from blocking others.
 *
 * Node has most of these limits. This module closes two gaps: before 24.22, Node silently drops headers beyond the
 * maximum number, and it waits forever for a client that does not read its response.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Telemetry } from '../../telemetry/telemetry.ts';

export interface ConnectionLimits {
  /** Time for the head of a request, from the opening of the connection or the end of the previous request. */
  readonly headersTimeout_seconds: number;
  /** Time for the body of a request, and how long a connection may stall in the middle of a request or a response. */
  readonly requestTimeout_seconds: number;
  /** Time for the body of an upload. */
  readonly uploadTimeout_seconds: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAlive_seconds: number;
  readonly connectionsMax: number;
  /** Size of the request line and all headers. */
  readonly headerBytesMax: number;
  readonly headersMax: number;
  /** Memory for all incoming bodies together. */
  readonly bodyBytesInFlightMax: number;
}

/** How often connections are checked for timeouts. */
export const CHECK_INTERVAL_MS = 500;

/** How long a client may take to read the last response and close the connection. */
const LINGER_MS = 1000;

export function nodeServerOptions(limits: ConnectionLimits): ServerOptions {
  return {
    // No call needs the Host header.
    requireHostHeader: false,
    // A request without a body needs no body stream, which saves 3 us per read.
    optimizeEmptyRequests: true,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // Node has only one limit for all calls, so arrivals.ts sets a limit per call.
    requestTimeout: 0,
    headersTimeout: Math.min(limits.headersTimeout_seconds, limits.requestTimeout_seconds) * 1000,
    keepAliveTimeout: limits.keepAlive_seconds * 1000,
    maxHeaderSize: limits.headerBytesMax,
  };
}

export function limitConnections(server: Server, limits: ConnectionLimits, telemetry: Telemetry): void {
  server.maxConnections = limits.connectionsMax;
  // Not in the types yet. Without it, a full worker passes the connection to the next one. When all are full, the connection circulates:
  // half a core is busy, and no connection is refused.
  Object.assign(server, { dropMaxConnection: true });
  // One header more than allowed is read, so that a request with too many can be detected.
  server.maxHeadersCount = limits.headersMax + 1;
  server.on('drop', () => telemetry.observe('connection_refused', { connections_max: limits.connectionsMax }));
  server.on('timeout', (socket) => {
    // A connection without a response in progress was idle for KEEP_ALIVE_SECONDS, which is not an error.
    if (answerUnderWay(socket) !== undefined) telemetry.observe('client_timed_out', { requestId: '' });
    socket.destroy();
  });
  // Node removes its error listener from a socket that it detaches, as for CONNECT; without another listener, a reset would end
  // the process. Errors that matter also reach `clientError`.
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: Socket) => socket.on('error', () => {}));
  }
}

export function hasTooManyHeaders(message: IncomingMessage, limits: ConnectionLimits): boolean {
  return message.rawHeaders.length > limits.headersMax * 2;
}

/**
 * Cuts the connection if it stalls before this response and the ones after it are sent. Then Node's idle timeout applies.
 */
export function boundStandstill(response: ServerResponse, { requestTimeout_seconds }: ConnectionLimits): void {
  response.req.socket.setTimeout(requestTimeout_seconds * 1000);
}

/** The response that Node is sending on each connection, or has sent last. */
const current = new WeakMap<Socket, ServerResponse>();

/** The response to the last request of each connection. */
const newest = new WeakMap<Socket, ServerResponse>();

/** Records the response of its connection. Call it first for every request. */
export function followResponse(response: ServerResponse): void {
  const { socket } = response.req;
  newest.set(socket, response);
  // Node assigns a response its socket when all earlier ones are sent.
  if (response.socket !== null) current.set(socket, response);
  else response.once('socket', () => current.set(socket, response));
}

/** Returns the response to the first request on the connection whose response is not complete. */
export function answerUnderWay(socket: Socket): ServerResponse | undefined {
  const response = current.get(socket);
  // Node detaches the socket from a response once it is sent.
  return response === undefined || response.socket === null ? undefined : response;
}

/**
 * Whether a request is in flight on the connection: its body is still arriving, or its response is not completely sent.
 */
export function isRequestUnderWay(socket: Socket): boolean {
  return answerUnderWay(socket) !== undefined || current.get(socket)?.req.complete === false;
}

/** Closes the connection after the response to its last request, which says so unless it has begun. */
export function endAfterNewest(socket: Socket): void {
  const response = newest.get(socket);
  if (response !== undefined) response.shouldKeepAlive = false;
}

/**
 * Makes Node count this many more (or fewer) bytes as waiting to be sent on the connection. When there are too many,
 * Node reads no further requests from it. This is the only private field of Node that the HTTP server uses.
 * `socket.pause()` cannot replace it: Node resumes the socket after each request, so each response would let 64 KiB more
 * in.
 */
export function countAsUnsent(
  response: ServerResponse & { _onPendingData?: (bytes: number) => void },
  bytes: number,
): void {
  response._onPendingData?.(bytes);
}

/** Sends the last bytes and closes. A client that keeps sending, or never closes, is cut off. */
export function endConnection(socket: Socket, bytes: string): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.end(bytes);
}
