/** In charge of ending the server: no new connections, the requests under way are answered, then every one is closed. */
import type { FastifyInstance } from 'fastify';

/** Node closes the idle connections once; those that were busy then would stay until their keep-alive time is over. */
const IDLE_CHECK_INTERVAL_MS = 20;

/** A client that does not take its answer must not keep the server from ending. */
const STOP_LIMIT_MS = 10_000;

export async function stopServer(fastify: FastifyInstance): Promise<void> {
  const { server } = fastify;
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const limit = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS);
  try {
    await fastify.close();
  } finally {
    clearInterval(idleCheck);
    clearTimeout(limit);
  }
}
