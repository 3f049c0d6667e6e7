/** The composition root: puts store, access, operations and HTTP together into one running Offerbook. */
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { AccountDirectory, REFRESH_INTERVAL_MS } from './access/account-directory.ts';
import { SlidingWindowLimiter } from './access/rate-limiter.ts';
import { Sessions } from './access/sessions.ts';
import { newSigningKey } from './access/token.ts';
import { nameSettings, SettingError, type Settings } from './config/settings.ts';
import { readTlsFiles } from './config/tls-files.ts';
import { assertDemoIsSafe, closeDemo, openDemo } from './demo/demo-merchant.ts';
import { addressLines, demoLines } from './demo/welcome.ts';
import { createBodyChecks } from './domain/bodies/all-bodies.ts';
import { LIMITS } from './domain/limits.ts';
import { Names } from './domain/names.ts';
import { Readiness } from './http/readiness.ts';
import { ENDPOINTS } from './http/routes.ts';
import { createServer } from './http/server.ts';
import type { Services } from './http/services.ts';
import { stopServer } from './http/stop-server.ts';
import type { Store } from './store/port.ts';
import { lockDataDir } from './store/sqlite/lock.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import { createBuiltinTaxonomy } from './taxonomy/builtin-taxonomy.ts';
import { EventLog } from './telemetry/event-log.ts';
import { openLogDestination } from './telemetry/log-destination.ts';
import { type MetricsSources, writeMetricsPage } from './telemetry/metrics-page.ts';
import { type MetricsServer, startMetricsServer } from './telemetry/metrics-server.ts';
import { ProcessMeter } from './telemetry/process-meter.ts';
import { Telemetry } from './telemetry/telemetry.ts';

export interface Clock {
  /** Time of day. */
  readonly nowMs: () => number;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
}

export interface StartOptions {
  readonly demo: boolean;
  /** Takes the lines that a person should see at start. */
  readonly say?: (line: string) => void;
  readonly clock?: Clock;
  /** Called when the store is gone and only a new process can help. */
  readonly onFatal?: (error: Error) => void;
}

export interface Offerbook {
  /** Where it listens. */
  readonly url: string;
  /** Where the metrics are, when they were asked for. */
  readonly metricsUrl: string | undefined;
  /** Finishes the requests under way, then lets go of everything. */
  close(): Promise<void>;
}

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const SWEEP_INTERVAL_MS = 60_000;
const FAILURE_KEYS_MAX = 10_000;
const ACCOUNT_KEYS_MAX = 100_000;

export async function startOfferbook(settings: Settings, options: StartOptions): Promise<Offerbook> {
  const { say = () => {}, clock = SYSTEM_CLOCK, onFatal = () => {} } = options;
  if (options.demo) assertDemoIsSafe(settings);
  const tls = readTlsFiles(settings);
  await using starting = new AsyncDisposableStack();
  const log = new EventLog(settings.logLevel, await openLogDestination(process.stderr.isTTY));
  starting.defer(() => log.flush());
  const telemetry = new Telemetry(log);

  starting.adopt(lockDataDir(settings.dataDir), (unlock) => unlock());
  const store = starting.adopt(
    await openSqliteStore({
      dataDir: settings.dataDir,
      onFatal: (error) => {
        telemetry.observe('store_lost', { error });
        onFatal(error);
      },
    }),
    (opened) => opened.close(),
  );
  await store.addFirstSigningKey(newSigningKey(), clock.nowMs());
  const demo = options.demo ? await openDemo(store, clock.nowMs()) : 'absent';
  if (!options.demo && (await closeDemo(store))) {
    say('The demo merchant in this store is suspended, because its credentials are known; --demo wakes it.');
  }
  if (options.demo && demo === 'absent') say('This store has merchants of its own; no demo merchant was added.');

  const directory = new AccountDirectory(store);
  await directory.refresh();
  let url = '';
  const services = createServices(settings, store, directory, clock, () => settings.publicUrl ?? url);
  const timers = [
    setInterval(() => void followSetup(directory, telemetry), REFRESH_INTERVAL_MS),
    setInterval(() => {
      services.requests.sweep(clock.monotonicMs());
      services.tokenDesk.failures.sweep(clock.monotonicMs());
    }, SWEEP_INTERVAL_MS),
  ];
  starting.defer(() => {
    for (const timer of timers) clearInterval(timer);
  });

  const server = await createServer({
    endpoints: ENDPOINTS,
    services,
    telemetry,
    trustProxy: settings.trustProxy,
    connections: settings,
    tls: tls && { cert: tls.cert, key: tls.key },
  });
  const metrics = await startMetrics(settings.metricsPort, starting, {
    version: manifest.version,
    telemetry,
    certificateEndsMs: tls?.certEndsMs,
    connections: () => promisify(server.server.getConnections.bind(server.server))(),
    isReady: () => services.readiness.isReady(),
    store: () => store.readFigures(),
  });
  let cutConnections = false;
  starting.defer(async () => {
    cutConnections = await stopServer(server, settings.stopSeconds);
  });
  const listening = await server.listen({ host: settings.host, port: settings.port });
  // Fastify does not know what the server that it was given speaks.
  url = tls === undefined ? listening : listening.replace(/^http:/, 'https:');
  telemetry.observe('server_started', { url, metricsUrl: metrics?.url });
  for (const line of addressLines(services.publicUrl())) say(line);
  if (demo !== 'absent') for (const line of demoLines(services.publicUrl())) say(line);

  const running = starting.move();
  return {
    url,
    metricsUrl: metrics?.url,
    async close() {
      telemetry.observe('server_stopping', { seconds_max: settings.stopSeconds });
      await running.disposeAsync();
      telemetry.observe('server_stopped', { cutConnections });
    },
  };
}

async function followSetup(directory: AccountDirectory, telemetry: Telemetry): Promise<void> {
  const { version } = directory;
  try {
    await directory.refresh();
    if (directory.version !== version) telemetry.observe('setup_changed', { version: directory.version });
  } catch (error) {
    telemetry.observe('setup_unreadable', { error });
  }
}

async function startMetrics(
  port: number | undefined,
  starting: AsyncDisposableStack,
  sources: Omit<MetricsSources, 'process'>,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const meter = starting.adopt(new ProcessMeter(), (opened) => opened.close());
  try {
    const metrics = await startMetricsServer(port, () => writeMetricsPage({ ...sources, process: meter }));
    return starting.adopt(metrics, (opened) => opened.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(`METRICS_PORT must be a free port on 127.0.0.1 (${port}: ${code})`);
  }
}

function createServices(
  settings: Settings,
  store: Store,
  directory: AccountDirectory,
  clock: Clock,
  publicUrl: () => string,
): Services {
  const names = new Names(nameSettings(settings));
  const taxonomy = createBuiltinTaxonomy();
  const bodies = createBodyChecks(names, taxonomy);
  const windowSeconds = LIMITS.request_window_seconds;
  return {
    context: { store, names, taxonomy, bodies, nowMs: clock.nowMs },
    sessions: new Sessions(directory),
    tokenDesk: {
      directory,
      checkBody: bodies.token,
      failures: new SlidingWindowLimiter<string>({
        limit: LIMITS.token_failures_per_window_max,
        windowSeconds,
        keysMax: FAILURE_KEYS_MAX,
      }),
    },
    requests: new SlidingWindowLimiter<number>({
      limit: settings.requestsPerMinute,
      windowSeconds,
      keysMax: ACCOUNT_KEYS_MAX,
    }),
    monotonicMs: clock.monotonicMs,
    readiness: new Readiness(() => store.ping()),
    publicUrl,
  };
}
