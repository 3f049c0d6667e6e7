/** In charge of the API of one process: what its endpoints are given, its server, and what is done for it at intervals. */
import { promisify } from 'node:util';
import { type RateLimiter, SlidingWindowLimiter } from '../access/rate-limiter.ts';
import { Sessions } from '../access/sessions.ts';
import { SignedLinks } from '../access/signed-links.ts';
import type { FilePlace } from '../bulk/file-place.ts';
import { nameSettings, type Settings } from '../config/settings.ts';
import type { TlsFiles } from '../config/tls-files.ts';
import { createBodyChecks } from '../domain/bodies/all-bodies.ts';
import { LIMITS } from '../domain/limits.ts';
import { Names } from '../domain/names.ts';
import type { Readiness } from '../http/readiness.ts';
import { ENDPOINTS } from '../http/routes.ts';
import { createServer } from '../http/server.ts';
import type { Services } from '../http/services.ts';
import { stopServer } from '../http/stop-server.ts';
import { UploadsUnderWay } from '../operations/files/uploads-under-way.ts';
import type { Store } from '../store/port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from './clock.ts';
import { createRequestLimiter } from './request-limiter.ts';
import type { SetupInForce } from './setup-in-force.ts';

export interface ApiParts {
  readonly settings: Settings;
  readonly tls: TlsFiles | undefined;
  readonly store: Store;
  /** Where files lie. */
  readonly place: FilePlace;
  readonly setup: SetupInForce;
  readonly readiness: Readiness;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** An offer may be due for review. */
  readonly onOfferWritten: () => void;
  /** A file or a report may be there to be worked on. */
  readonly onFileReceived: () => void;
}

export interface Api {
  /** Client connections that are open. */
  connections(): Promise<number>;
  /** Resolves with where it listens. */
  listen(): Promise<string>;
  /** Where clients reach it. */
  publicUrl(): string;
  /** Finishes the requests under way; says whether connections had to be cut. */
  stop(): Promise<boolean>;
}

const SWEEP_INTERVAL_MS = 60_000;
const FAILURE_KEYS_MAX = 10_000;

/** It listens only when it is told to. */
export async function createApi(parts: ApiParts): Promise<Api> {
  const { settings, tls, store, telemetry, clock } = parts;
  let url = '';
  const requests = createRequestLimiter(settings, store, clock);
  const services = createServices(parts, requests.limiter, () => settings.publicUrl ?? url);
  const server = await createServer({
    endpoints: ENDPOINTS,
    services,
    telemetry,
    trustProxy: settings.trustProxy,
    connections: settings,
    tls: tls && { cert: tls.cert, key: tls.key },
  });
  const timers: NodeJS.Timeout[] = [];
  return {
    connections: () => promisify(server.server.getConnections.bind(server.server))(),
    publicUrl: services.publicUrl,
    async listen() {
      timers.push(
        setInterval(() => {
          services.requests.sweep(clock.monotonicMs());
          services.tokenDesk.failures.sweep(clock.monotonicMs());
        }, SWEEP_INTERVAL_MS),
      );
      const listening = await server.listen({ host: settings.host, port: settings.port });
      // Fastify does not know what the server that it was given speaks.
      url = tls === undefined ? listening : listening.replace(/^http:/, 'https:');
      return url;
    },
    async stop() {
      try {
        return await stopServer(server, settings.stopSeconds);
      } finally {
        // Those that were cut off leave nothing behind.
        await services.files.uploads.settled();
        for (const timer of timers) clearInterval(timer);
        await requests.close();
      }
    },
  };
}

function createServices(
  { settings, store, place, setup, readiness, clock, onOfferWritten, onFileReceived }: ApiParts,
  requests: RateLimiter<number>,
  publicUrl: () => string,
): Services {
  const names = new Names(nameSettings(settings));
  const { directory, taxonomy, rules } = setup;
  const bodies = createBodyChecks(names, taxonomy);
  return {
    context: { store, names, rules, bodies, nowMs: clock.nowMs, onOfferWritten },
    files: { store, place, limits: settings, uploads: new UploadsUnderWay(), nowMs: clock.nowMs, onFileReceived },
    taxonomy,
    sessions: new Sessions(directory),
    links: new SignedLinks(directory, publicUrl),
    tokenDesk: {
      directory,
      checkBody: bodies.token,
      failures: new SlidingWindowLimiter<string>({
        limit: LIMITS.token_failures_per_window_max,
        windowSeconds: LIMITS.request_window_seconds,
        keysMax: FAILURE_KEYS_MAX,
      }),
    },
    requests,
    monotonicMs: clock.monotonicMs,
    readiness,
    storeWait_ms_max: storeWaitMsMax(settings),
    publicUrl,
  };
}

/** What a call of the store says when its own time is over tells more, and comes first: 1,800 and 1,900 by default. */
function storeWaitMsMax({ databaseUrl, databaseCallMsMax }: Settings): number | undefined {
  return databaseUrl === undefined ? undefined : databaseCallMsMax + 100;
}
