/** Checks that a server can listen before it creates a database, so that a failed start leaves no empty database behind. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Role, servesApi } from '../config/role.ts';
import type { Settings } from '../config/settings.ts';
import { metricsPortFault } from './metrics.ts';

/** Throws the same error as the start itself if a port is in use. */
export async function requireFreePorts(
  { host, port, metricsPort }: Pick<Settings, 'host' | 'port' | 'metricsPort'>,
  role: Role,
): Promise<void> {
  if (metricsPort !== undefined) {
    await tryToListen('127.0.0.1', metricsPort).catch((error) => {
      throw metricsPortFault(metricsPort, error);
    });
  }
  if (servesApi(role)) await tryToListen(host, port);
}

async function tryToListen(host: string, port: number): Promise<void> {
  await using server = createServer();
  // Exclusive, because a worker would otherwise listen through its primary process.
  await once(server.listen({ port, host, exclusive: true }), 'listening');
}
