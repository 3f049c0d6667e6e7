/** Servers with fake endpoints or services, to test the HTTP layer when something behind it fails. */
import { readSettings } from '../../src/config/settings.ts';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { createServer, type ServerOptions } from '../../src/http/server.ts';
import type { Services } from '../../src/http/services.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { Telemetry } from '../../src/telemetry/telemetry.ts';

export interface EdgeParts {
  readonly endpoints: readonly Endpoint[];
  readonly portal?: ServerOptions['portal'];
  readonly services?: Partial<Services>;
  readonly telemetry?: Telemetry;
}

const STOP_SECONDS = 60;

/** Runs `run` against a server that stops when `run` ends. Call `stop` to stop it earlier. */
export async function withEdgeServer<T>(
  parts: EdgeParts,
  run: (url: string, stop: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const context = { names: new Names(NEUTRAL_NAMES), nowMs: () => 0 };
  const server = createServer({
    endpoints: parts.endpoints,
    ...(parts.portal === undefined ? {} : { portal: parts.portal }),
    services: { context, publicUrl: () => 'http://edge.example', ...parts.services } as unknown as Services,
    telemetry: parts.telemetry ?? new Telemetry(new EventLog('silent', { write: () => {} })),
    connections: readSettings({}),
    trustProxy: [],
  });
  const stop = async (): Promise<void> => void (await server.stop(STOP_SECONDS));
  try {
    return await run(await server.listen({ host: '127.0.0.1', port: 0 }), stop);
  } finally {
    await stop();
  }
}
