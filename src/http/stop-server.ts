/** In charge of ending the server: no new connections, the requests under way are answered, then every one is closed. */
import type { FastifyInstance } from 'fastify';

/** Node closes the idle connections once; those that were busy then would stay until their keep-alive time is over. */
const IDLE_CHECK_INTERVAL_MS = 20;

/**
 * A client that does not take its answer must not keep the server from ending: after the limit its connection is cut.
 * Returns whether that was needed.
 */
export async function stopServer(fastify: FastifyInstance, limitSeconds: number): Promise<boolean> {
  const { server } = fastify;
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  let isCut = false;
  const limit = setTimeout(() => {
    isCut = true;
    server.closeAllConnections();
  }, limitSeconds * 1000);
  try {
    await fastify.close();
    return isCut;
  } finally {
    clearInterval(idleCheck);
    clearTimeout(limit);
  }
}
