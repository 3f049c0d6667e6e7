/**
 * In charge of the limits that keep slow, silent, flooding or simply too many clients from holding up the others.
 *
 * Node knows most of them; what it does beyond a limit is made fit here: before 24.22 it drops headers beyond the number
 * that it keeps without a word, and it waits without end for a client that does not take its answer.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Telemetry } from '../telemetry/telemetry.ts';

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
    // It would start and clear a timer for every request: see idle-connections.ts.
    keepAliveTimeout: 0,
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
    telemetry.observe('client_timed_out', { requestId: '' });
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
 * From now on the connection is cut off when it stands still, until this answer and those behind it are sent. Only for
 * those that may: a timer for every request is felt by reads (docs/decisions/0021).
 */
export function boundStandstill(response: ServerResponse, { requestTimeoutSeconds }: ConnectionLimits): void {
  const { socket } = response.req;
  socket.setTimeout(requestTimeoutSeconds * 1000);
  response.once('finish', () => {
    if (answerUnderWay(socket) === undefined) socket.setTimeout(0);
  });
}

/** Of the requests on a connection that are not answered to the end, the first one's; Node keeps it there. */
export function answerUnderWay(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** Whether a request is under way on the connection: its body is still arriving, or its answer is not sent to the end. */
export function isRequestUnderWay(socket: Socket & { parser?: { incoming?: IncomingMessage | null } | null }): boolean {
  return answerUnderWay(socket) !== undefined || socket.parser?.incoming?.complete === false;
}

/**
 * Has Node take so many bytes more (or fewer) for waiting to be sent on the response's connection: where they are too many,
 * Node reads no further requests from there.
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
