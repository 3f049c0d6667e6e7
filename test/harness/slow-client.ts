/** Client that sends many requests and never reads the responses. */
import { once } from 'node:events';
import net from 'node:net';
import { requestBytes } from './raw-http.ts';

/** More responses than the buffers of both systems hold. */
const REQUESTS = 400;

export interface DeafClient {
  /** Resolves when the server has cut the connection. */
  readonly closed: Promise<unknown>;
  destroy(): void;
}

/** Sends all requests and reads no response, so that the server's send buffer fills up. */
export async function openDeafClient(url: string): Promise<DeafClient> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.pause();
  const request = requestBytes({ target: '/openapi.json' });
  socket.write(Buffer.concat(Array.from({ length: REQUESTS }, () => request)));
  return { closed, destroy: () => socket.destroy() };
}
