/**
 * In charge of the limits that keep slow, silent, flooding or simply too many clients from holding up the others.
 *
 * Node knows most of them; what it does beyond a limit is made fit here: before 24.22 it drops headers beyond the number
 * that it keeps without a word, and it waits without end for a client that does not take its answer.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Telemetry } from '../../telemetry/telemetry.ts';

export interface ConnectionLimits {
  /** For the head of a request to arrive, from the opening of the connection or the end of the request before. */
  readonly headersTimeoutSeconds: number;
  /** For the body of a request; also how long a connection may stand still in the middle of a request or an answer. */
  readonly requestTimeoutSeconds: number;
  /** For the body of an upload. */
  readonly uploadTimeoutSeconds: number;
  /** Between two requests. */
  readonly keepAliveSeconds: number;
  readonly connectionsMax: number;
  /** Of the request line and all headers. */
  readonly headerBytesMax: number;
  readonly headersMax: number;
  /** Of all bodies together while they arrive. */
  readonly bodyBytesInFlightMax: number;
}

/** How often connections are looked at whose time may be over. */
export const CHECK_INTERVAL_MS = 500;

/** A client that was told that its connection ends gets this long to read it and hang up. */
const LINGER_MS = 1000;

export function nodeServerOptions(limits: ConnectionLimits): ServerOptions {
  return {
    // Left to Offerbook, which answers in its own shape.
    requireHostHeader: false,
    // A request without a body needs no stream for one: 3 us of a read.
    optimizeEmptyRequests: true,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // Knows no difference between calls: see arrivals.ts.
    requestTimeout: 0,
    headersTimeout: Math.min(limits.headersTimeoutSeconds, limits.requestTimeoutSeconds) * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    maxHeaderSize: limits.headerBytesMax,
  };
}

export function limitConnections(server: Server, limits: ConnectionLimits, telemetry: Telemetry): void {
  server.maxConnections = limits.connectionsMax;
  // Not in the types yet. Without it a worker that is full hands the connection to the next one, and when all are full it
  // goes round and round: half a core, and nobody is refused.
  Object.assign(server, { dropMaxConnection: true });
  // One more than allowed, so that too many can be told from just enough.
  server.maxHeadersCount = limits.headersMax + 1;
  server.on('drop', () => telemetry.observe('connection_refused', { connections_max: limits.connectionsMax }));
  server.on('timeout', (socket) => {
    // Without an answer under way it was idle for KEEP_ALIVE_SECONDS, which is no fault of the client.
    if (answerUnderWay(socket) !== undefined) telemetry.observe('client_timed_out', { requestId: '' });
    socket.destroy();
  });
  // Node takes its own error listener away from a socket that it hands over, as it does for CONNECT; without another one a
  // reset would end the process. Errors that matter reach `clientError` as well.
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: Socket) => socket.on('error', () => {}));
  }
}

export function hasTooManyHeaders(message: IncomingMessage, limits: ConnectionLimits): boolean {
  return message.rawHeaders.length > limits.headersMax * 2;
}

/**
 * From now on the connection is cut off when it stands still, until this answer and those behind it are sent: Node then sets
 * the time of an idle connection.
 */
export function boundStandstill(response: ServerResponse, { requestTimeoutSeconds }: ConnectionLimits): void {
  response.req.socket.setTimeout(requestTimeoutSeconds * 1000);
}

/** By connection, the response that Node sends on it, or has sent last. */
const current = new WeakMap<Socket, ServerResponse>();

/** To be called with the response to every request, before anything else is done with it. */
export function followResponse(response: ServerResponse): void {
  const { socket } = response.req;
  // Node gives a response its socket when all before it are sent.
  if (response.socket !== null) current.set(socket, response);
  else response.once('socket', () => current.set(socket, response));
}

/** Returns the response to the first request on the connection that is not answered to the end. */
export function answerUnderWay(socket: Socket): ServerResponse | undefined {
  const response = current.get(socket);
  // Node takes the socket away from a response that is sent.
  return response === undefined || response.socket === null ? undefined : response;
}

/** Whether a request is under way on the connection: its body is still arriving, or its answer is not sent to the end. */
export function isRequestUnderWay(socket: Socket): boolean {
  return answerUnderWay(socket) !== undefined || current.get(socket)?.req.complete === false;
}

/**
 * Has Node count so many bytes more (or fewer) as waiting to be sent on the response's connection: where they are too many,
 * Node reads no further requests from there. This is the one private field of Node's that the HTTP server uses.
 * `socket.pause()` is no replacement: Node resumes the socket whenever it is done with a request, so each answer would let
 * 64 KiB more in.
 */
export function countAsUnsent(
  response: ServerResponse & { _onPendingData?: (bytes: number) => void },
  bytes: number,
): void {
  response._onPendingData?.(bytes);
}

/** Sends the last bytes and closes. A client that goes on sending, or never hangs up, is cut off. */
export function endConnection(socket: Socket, bytes: string): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.end(bytes);
}
