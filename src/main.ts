/** Composition root: assembles database, API, metrics and background work into one running process. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { newSigningKey } from './access/tokens/token.ts';
import { type Background, readReview, readWork, startBackground } from './compose/background.ts';
import { CurrentSetup } from './compose/current-setup.ts';
import { limitToDisk, openFileStorage } from './compose/file-storage.ts';
import { reportFullDisk } from './compose/full-disk.ts';
import { metricsPortFault, metricsPortOf, startMetrics, unlessStoreIsDown } from './compose/metrics.ts';
import { type Clock, SYSTEM_CLOCK } from './compose/process-parts.ts';
import { reviewCodeVersion } from './compose/review-code-version.ts';
import { type ErrorSource, watchUncaughtErrors } from './compose/uncaught-errors.ts';
import { isPortalBuilt } from './config/pages-folders.ts';
import { type Role, servesApi, worksInBackground } from './config/role.ts';
import { databaseName, type Settings } from './config/settings.ts';
import { readTlsFiles } from './config/tls-files.ts';
import { assertDemoIsSafe, closeDemo, DEMO_USERS, openDemo } from './demo/demo-merchant.ts';
import { imageHost, startImageServer } from './demo/image-server.ts';
import { startSampleOffers } from './demo/sample-offers.ts';
import { addressLines, demoLines } from './demo/welcome.ts';
import { Readiness } from './http/readiness.ts';
import { ImageDecoders } from './review/images/decoding/image-decoders.ts';
import { ReviewMeter } from './review/review-meter.ts';
import { damagedLogs, hasDatabase, lockStore, openStore, publishServerUrls } from './store/open-store.ts';
import { EventLog, openLogDestination } from './telemetry/event-log.ts';
import { Telemetry } from './telemetry/telemetry.ts';

export interface StartOptions {
  readonly demo: boolean;
  /** Default: `all`. */
  readonly role?: Role;
  /** Number of the process, if there are several. */
  readonly worker?: number | undefined;
  /** Port on which the other processes listen. */
  readonly sharedPort?: number | undefined;
  /** Receives the lines to show at start. */
  readonly say?: (line: string) => void;
  readonly clock?: Clock;
  /** Process whose uncaught errors are handled; if absent, Node handles them. */
  readonly process?: ErrorSource;
  /** Called when the process must restart: the database connection is lost for good, or an error was not caught. */
  readonly onFatal?: (error: Error) => void;
}

export interface Offerbook {
  /** URL it listens on; empty in the role `worker`. */
  readonly url: string;
  /** URL of the metrics, if METRICS_PORT is set. */
  readonly metricsUrl: string | undefined;
  /** Finishes requests in flight, then closes everything. */
  close(): Promise<void>;
}

export async function startOfferbook(settings: Settings, options: StartOptions): Promise<Offerbook> {
  const { role = 'all', worker, sharedPort, say = () => {}, clock = SYSTEM_CLOCK, onFatal = () => {} } = options;
  if (options.demo) assertDemoIsSafe(settings);
  const tls = servesApi(role) ? readTlsFiles(settings) : undefined;
  await using starting = new AsyncDisposableStack();
  const log = new EventLog(settings.logLevel, await openLogDestination(process.stderr.isTTY), worker);
  starting.defer(() => log.flush());
  const telemetry = new Telemetry(log);
  if (options.process !== undefined) starting.defer(watchUncaughtErrors(options.process, telemetry, onFatal));

  // Load the API's code while the database threads start, which takes about as long.
  const apiLoading = servesApi(role) ? import('./compose/api.ts') : undefined;
  const isNew = !(await hasDatabase(settings));
  const metricsPort = metricsPortOf(settings.metricsPort, worker);
  // A worker shares its port with every program of its user that shares it too, so the first one makes sure that it is free.
  const isFirst = worker !== undefined && sharedPort === undefined;
  if (isFirst || (isNew && worker === undefined)) await requireFreePorts({ ...settings, metricsPort }, role);
  starting.adopt(await lockStore(settings), (unlock) => unlock());
  // A killed server may have left its URLs.
  await publishServerUrls(settings);
  starting.defer(() => publishServerUrls(settings));
  const store = starting.adopt(
    await openStore(
      settings,
      (error) => {
        telemetry.observe('store_lost', { error });
        onFatal(error);
      },
      (accountId, error) => telemetry.observe('work_failed', { kind: 'history', accountId, error }),
    ),
    (opened) => opened.close(),
  );
  const database = `${databaseName(settings)}${isNew ? ' (new)' : ''}`;
  say(`Database       ${database}`);
  const storage = await openFileStorage(settings);
  for (const file of await damagedLogs(settings)) telemetry.observe('log_damaged', { file });
  const isDiskFull = await reportFullDisk(store, telemetry, say);
  await store.settings.addFirstSigningKey(newSigningKey(), clock.nowMs());
  const demo = options.demo ? await openDemo(store, clock.nowMs()) : 'absent';
  if (!options.demo && (await closeDemo(store))) {
    say(
      'The demo merchant was suspended and its portal users were removed, because their secrets are public. --demo restores them.',
    );
  }
  if (options.demo && demo === 'absent') say('No demo merchant was added: this database has other merchants.');

  const readiness = new Readiness(() => store.ping());
  const { imageCheck, newProductData } = settings;
  const program = { imageCheck, newProductData, code: reviewCodeVersion() };
  // An import, or another server on the same database, may bring the demo back at any time.
  const refusedUsers = options.demo ? [] : DEMO_USERS;
  const setup = starting.adopt(new CurrentSetup(store, program, refusedUsers), (followed) => followed.stop());
  // Offers that were reviewed by another release, or with another IMAGE_CHECK or NEW_PRODUCT_DATA, are re-reviewed.
  if (worksInBackground(role)) {
    const noting = setup.activeRules.note();
    // On a full disk this is retried two minutes after space is free, if no process has recorded other rules.
    await (isDiskFull ? unlessStoreIsDown(noting, undefined) : noting);
  }
  await setup.follow();
  const reviewMeter = new ReviewMeter();
  const decoders = starting.adopt(
    new ImageDecoders({
      memory_mb_max: settings.imageMemoryMbMax,
      onLost: (error) => telemetry.observe('image_decoder_lost', { error }),
    }),
    (opened) => opened.close(),
  );
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = settings;
  const tracing =
    endpoint === undefined
      ? undefined
      : starting.adopt(
          new (await import('./telemetry/tracing.ts')).Tracing({
            ...{ endpoint, headers, version: manifest.version },
            ...{ store: store.traffic, telemetry, nowMs: clock.nowMs },
          }),
          (opened) => opened.close(),
        );
  let background: Background | undefined;
  const parts = {
    settings: await limitToDisk(settings),
    tls,
    store,
    storage,
    setup,
    readiness,
    telemetry,
    tracing,
    reviewMeter,
    decoders,
    clock,
    // Host and process id are for operators; only the random part is unique across containers and restarts.
    processName: `${hostname()}/${process.pid}/${randomBytes(6).toString('hex')}`,
    isDemo: demo !== 'absent',
    hasStorefront: settings.storefront === 'on' || (settings.storefront === 'demo' && demo !== 'absent'),
    onOfferWritten: () => background?.wake(),
    onFileReceived: () => background?.wakeFiles(),
  };
  const api = await (await apiLoading)?.createApi(parts);
  const metrics = await startMetrics(metricsPort, starting, {
    version: manifest.version,
    telemetry,
    certificateEndsMs: tls?.certEndsMs,
    connections: async () => api?.connections() ?? 0,
    isReady: () => readiness.isReady(),
    store: () => store.readFigures(),
    work: () => unlessStoreIsDown(readWork(store.work), []),
    review: () => readReview(store, reviewMeter),
  });
  // Workers share the image server of worker 1. It starts after the metrics, which may be configured to the same port.
  const images =
    demo !== 'absent' && (worker ?? 1) === 1
      ? starting.adopt(await startImageServer(settings.port), (opened) => opened.close())
      : undefined;
  const demoHosts = demo === 'absent' ? [] : [images?.host ?? imageHost(settings.port)];
  background = worksInBackground(role) ? await startBackground({ ...parts, demoHosts }) : undefined;
  setup.keepFollowing(telemetry);
  let cutConnections = false;
  starting.defer(async () => {
    const [isCut] = await Promise.all([api?.stop(), background?.stop(settings.stop_seconds)]);
    cutConnections = isCut ?? false;
  });
  const url = (await api?.listen({ isShared: worker !== undefined, port: sharedPort })) ?? '';
  if (api !== undefined) await publishServerUrls(settings, { url, publicUrl: api.publicUrl() });
  if (settings.demoOffers === 'on' && api !== undefined && images !== undefined) {
    const onFailed = (error: unknown) => telemetry.observe('demo_offers_failed', { error });
    const offers = startSampleOffers({ store, server: url, imageHost: images.host, onFailed });
    starting.defer(() => offers.close());
  }
  telemetry.observe('server_started', {
    role,
    database,
    url: url === '' ? undefined : url,
    publicUrl: api?.publicUrl() === url ? undefined : api?.publicUrl(),
    metricsUrl: metrics?.url,
  });
  if (api === undefined) {
    say('Background work only: this process does not serve the API.');
  } else {
    for (const line of addressLines(api.publicUrl(), url, isPortalBuilt())) say(line);
    const shown = demo === 'absent' ? [] : demoLines(api.publicUrl(), images?.addresses ?? [], parts.hasStorefront);
    for (const line of shown) say(line);
  }

  const running = starting.move();
  return {
    url,
    metricsUrl: metrics?.url,
    async close() {
      telemetry.observe('server_stopping', { seconds_max: settings.stop_seconds });
      await running.disposeAsync();
      telemetry.observe('server_stopped', { cutConnections });
    },
  };
}

/**
 * Checks that the server can listen before it creates a database, so that a failed start leaves no empty database behind. Throws the same
 * error as the start itself if a port is in use.
 */
async function requireFreePorts(
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
