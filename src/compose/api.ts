/** Assembles the API of one process: services for its endpoints, HTTP server, timers. */
import manifest from '../../package.json' with { type: 'json' };
import { Sessions } from '../access/tokens/sessions.ts';
import { SignedLinks } from '../access/tokens/signed-links.ts';
import { TokenFailures } from '../access/tokens/token-failures.ts';
import { readKeys } from '../bulk/rows/read-keys.ts';
import { DOCS_FOLDER, PORTAL_FOLDER } from '../config/pages-folders.ts';
import { nameSettings, type Settings } from '../config/settings.ts';
import { shownSettings } from '../config/shown-settings.ts';
import type { TlsFiles } from '../config/tls-files.ts';
import { createBodyChecks } from '../domain/bodies/all-bodies.ts';
import { createWebhookChecks } from '../domain/bodies/webhook.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import { createSetupChecks } from '../domain/setup/all-setup.ts';
import { fileName } from '../files/file-storage.ts';
import { SHARES_PORTS } from '../http/connections/listening.ts';
import { shopEndpoints } from '../http/endpoints/storefront.ts';
import { PORTAL_ENDPOINTS } from '../http/portal-access/portal-routes.ts';
import type { Readiness } from '../http/readiness.ts';
import { ENDPOINTS, endpointsFor } from '../http/routes.ts';
import { createServer } from '../http/server.ts';
import type { Services } from '../http/services.ts';
import { CategoryModels } from '../operations/category-models.ts';
import { FeedWaits } from '../operations/events/feed-waits.ts';
import { KeptFiles } from '../operations/files/kept-files.ts';
import { UploadsUnderWay } from '../operations/files/uploads-under-way.ts';
import type { SystemContext } from '../operations/portal/read-system.ts';
import type { ViewContext } from '../operations/portal/view-context.ts';
import { estimateImpact } from '../operations/review/estimate-impact.ts';
import { shopFeedWaits } from '../operations/storefront/read-shop-events.ts';
import type { TaxonomyFiles } from '../operations/taxonomy/import-taxonomy.ts';
import { imagesWith } from '../review/current-policies.ts';
import { imageHashes } from '../review/hash-of-image.ts';
import { treeOf } from '../taxonomy/read-stored.ts';
import { PAUSE_TICK_MS } from '../telemetry/pause-meter.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { webhookFeed } from '../webhooks/webhook-feed.ts';
import { readWork } from './background.ts';
import { createPortalServices, sweepPortal } from './portal.ts';
import type { ProcessParts } from './process-parts.ts';
import { createRequestCounting, type RequestCounting } from './request-counts.ts';
import { createRequestLimiter, dryRunCounters } from './request-limiter.ts';
import { ThreadedTaxonomyFiles } from './taxonomy-files.ts';

interface ApiParts extends ProcessParts {
  readonly tls: TlsFiles | undefined;
  readonly readiness: Readiness;
  readonly isDemo: boolean;
  /** Called when an offer may be due for review. */
  readonly onOfferWritten: () => void;
  /** Called when a file or report may be ready for processing. */
  readonly onFileReceived: () => void;
}

interface SharedAddress {
  /** Whether other processes of this server listen on the address too. */
  readonly isShared: boolean;
  /** The port on which they already listen. */
  readonly port: number | undefined;
}

interface Api {
  /** Number of open client connections. */
  connections(): Promise<number>;
  /** Resolves with the URL it listens on. */
  listen(shared: SharedAddress): Promise<string>;
  /** URL that clients use. */
  publicUrl(): string;
  /** Finishes requests in flight. Resolves with whether connections had to be cut. */
  stop(): Promise<boolean>;
}

const SWEEP_INTERVAL_MS = 60_000;

export async function createApi(parts: ApiParts): Promise<Api> {
  const { settings, tls, store, telemetry, clock } = parts;
  let url = '';
  const { rateCounters } = store;
  const requests = createRequestLimiter(settings.requestsPerMinute, rateCounters, clock);
  const dryRuns = createRequestLimiter(settings.dryRunsPerMinute, dryRunCounters(rateCounters), clock);
  const marketplace = createRequestLimiter(settings.marketplaceRequestsPerMinute, rateCounters, clock);
  const limiters = {
    requests: requests.limiter,
    dryRuns: dryRuns.limiter,
    marketplaceRequests: marketplace.limiter,
  };
  const taxonomyFiles = new ThreadedTaxonomyFiles(settings, clock.nowMs);
  const counting = createRequestCounting(store.traffic, telemetry, clock);
  const services = createServices(parts, limiters, counting, taxonomyFiles, () => settings.publicUrl ?? url);
  // Its packages are loaded only if agents may use the server.
  const mcp = settings.mcp === 'on' ? await import('../http/mcp/mcp-endpoint.ts') : undefined;
  const shop = parts.isDemo && parts.hasStorefront ? { currency: settings.currency } : undefined;
  const server = createServer({
    endpoints: [
      ...endpointsFor(settings.compatibility),
      ...(shop === undefined ? [] : shopEndpoints),
      ...(mcp === undefined ? [] : [mcp.createMcpEndpoint(services.context.names)]),
    ],
    portal: {
      endpoints: PORTAL_ENDPOINTS,
      mirrored: ENDPOINTS,
      pagesFolder: PORTAL_FOLDER,
      services: withNeutralFields(services, parts),
    },
    docs: { pagesFolder: DOCS_FOLDER, settings: shownSettings(settings) },
    shop,
    services,
    telemetry,
    tracing: parts.tracing,
    trustProxy: settings.trustProxy,
    connections: settings,
    tls: tls && { cert: tls.cert, key: tls.key },
  });
  const timers: NodeJS.Timeout[] = [];
  return {
    connections: server.connections,
    publicUrl: services.publicUrl,
    async listen({ isShared, port }) {
      counting.start();
      timers.push(
        setInterval(() => {
          services.requests.sweep(clock.monotonicMs());
          services.dryRuns.sweep(clock.monotonicMs());
          services.marketplaceRequests.sweep(clock.monotonicMs());
          services.tokenContext.failures.sweep(clock.monotonicMs());
          sweepPortal(services.portal, clock.monotonicMs());
        }, SWEEP_INTERVAL_MS),
        setInterval(() => {
          const pause = telemetry.pauses.tick(performance.now());
          if (pause !== undefined) telemetry.observe('request_thread_paused', pause);
        }, PAUSE_TICK_MS),
      );
      // Elsewhere, node:cluster knows the socket by the port of the settings, which may be 0.
      const own = SHARES_PORTS ? (port ?? settings.port) : settings.port;
      url = await server.listen({ host: settings.host, port: own, isShared });
      return url;
    },
    async stop() {
      services.events.waits.close();
      services.storefront.waits.close();
      try {
        return await server.stop(settings.stop_seconds);
      } finally {
        // Waits until uploads that were cut off have removed their drafts.
        await services.files.uploads.settled();
        await taxonomyFiles.close();
        await services.context.guesses?.close();
        await services.webhooks.client.close();
        for (const timer of timers) clearInterval(timer);
        await requests.close();
        await dryRuns.close();
        await marketplace.close();
        await counting.close();
      }
    },
  };
}

function createServices(
  parts: ApiParts,
  limiters: Pick<Services, 'requests' | 'dryRuns' | 'marketplaceRequests'>,
  { counter: requestCounter, log: requestLog, flush }: RequestCounting,
  taxonomyFiles: TaxonomyFiles,
  publicUrl: () => string,
): Services {
  const { settings, store, storage, setup, readiness, telemetry, clock, onOfferWritten, onFileReceived } = parts;
  const names = new Names(nameSettings(settings));
  const { directory, taxonomy, rules } = setup;
  const checks = createSetupChecks(names);
  const settingsContext = { store, checks, nowMs: clock.nowMs };
  const account = (accountId: number) => setup.account(accountId);
  const bodies = createBodyChecks(names, taxonomy);
  const guesses = new CategoryModels({
    store: store.catalog,
    rules,
    nowMs: clock.nowMs,
    onFailure: (error) => telemetry.observe('work_stalled', { kind: 'category_model', error }),
  });
  const webhookClient = new WebhookClient({ allowedHosts: settings.webhookAllowedHosts });
  const views: ViewContext = {
    store,
    rules,
    stockEstimates: new Map(),
    heldBack: new Map(),
    requestsPerMinute: settings.requestsPerMinute,
    nowMs: clock.nowMs,
  };
  return {
    context: { store, names, rules, bodies, guesses, nowMs: clock.nowMs, onOfferWritten },
    files: {
      store,
      storage,
      limits: settings,
      uploads: new UploadsUnderWay(),
      kept: new KeptFiles({ store, storage, kept_bytes_max: settings.filesKeptBytesMax, nowMs: clock.nowMs }),
      readKeys: (file) => readKeys(storage.read(fileName(file, 'upload')), file.type, settings.fileUnpackedBytesMax),
      nowMs: clock.nowMs,
      onFileReceived,
    },
    idempotency: store.idempotency,
    plans: store.plans,
    history: { store: store.history, history_days: settings.history_days, nowMs: clock.nowMs },
    events: { store: store.feed, waits: new FeedWaits(store.feed) },
    storefront: {
      store,
      isOn: parts.hasStorefront,
      showsBestPrice: settings.storefrontBestPrice === 'on',
      order: () => rules.policies.current.rankOrder,
      waits: shopFeedWaits(store.storefront),
      hasUrl: settings.storefrontUrl !== undefined,
    },
    webhooks: {
      store,
      feed: webhookFeed(store, names),
      client: webhookClient,
      nowMs: clock.nowMs,
      checks: createWebhookChecks(names, (url) => webhookClient.refuses(url)),
    },
    views,
    search: { views, store, account },
    portal: createPortalServices(parts, { checks, isDemo: parts.isDemo }),
    setup: settingsContext,
    followSetup: () => setup.followLoudly(telemetry),
    home: { store, nowMs: clock.nowMs },
    merchants: { setup: settingsContext, store, requestsPerMinute: settings.requestsPerMinute },
    placeholders: { store, checks, images: imageHashes(parts.decoders) },
    catalog: { store: store.catalog, checks },
    ruleChanges: {
      store,
      nowMs: clock.nowMs,
      estimate: (proposal) => estimateImpact({ store, rules, account, treeOf, imagesWith }, proposal),
    },
    taxonomyFiles,
    system: createSystem(parts),
    taxonomy,
    sessions: new Sessions(directory),
    links: new SignedLinks(directory, publicUrl),
    tokenContext: { directory, checkBody: bodies.token, failures: new TokenFailures() },
    ...limiters,
    requestCounter,
    requestLog,
    requestLogContext: { store, checks, flush, nowMs: clock.nowMs },
    monotonicMs: clock.monotonicMs,
    readiness,
    storeWait_ms_max: storeWaitMsMax(settings),
    publicUrl,
  };
}

/**
 * Portal pages use neutral field names, whichever names the marketplace set for the API. Carriers and statuses, which users
 * read, keep the marketplace's names.
 */
function withNeutralFields(services: Services, { settings, setup }: ApiParts): Services {
  const { marketplace, external, availableStatus } = NEUTRAL_NAMES;
  const names = new Names({ ...nameSettings(settings), marketplace, external, availableStatus });
  const bodies = createBodyChecks(names, setup.taxonomy);
  return { ...services, context: { ...services.context, names, bodies } };
}

/** 100 ms above the database's own timeout (1,800 ms by default), because that timeout has a clearer error. */
function storeWaitMsMax({ databaseUrl, databaseCall_ms_max }: Settings): number | undefined {
  return databaseUrl === undefined ? undefined : databaseCall_ms_max + 100;
}

function createSystem({ settings, tls, store, storage, setup, clock }: ApiParts): SystemContext {
  return {
    store,
    kind: settings.databaseUrl === undefined ? 'sqlite' : 'postgresql',
    readWork: () => readWork(store.work),
    taxonomy: setup.taxonomy,
    freeBytes: () => storage.freeBytes(),
    freeBytesMin: settings.filesFreeBytesMin,
    version: manifest.version,
    startedMs: clock.nowMs(),
    certificateEndsMs: tls?.certEndsMs,
    nowMs: clock.nowMs,
  };
}
