/** Finds a free port on loopback, for a server that must be stopped and started at the same address. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Finds a port below the range for outgoing connections, because one of them could take the port while the server is stopped. */
export async function freePort(): Promise<number> {
  for (;;) {
    const candidate = randomInt(15_000, 30_000);
    const probe = createServer().listen(candidate, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return candidate;
  }
}
