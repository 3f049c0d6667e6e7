/** Defines all settings in one table. The settings object, startup errors and the table in the docs are derived from it. */
import path from 'node:path';
import { suggestion } from '../domain/check/near-names.ts';
import { COMPATIBILITIES, JET } from '../domain/compatibility.ts';
import { LIMITS } from '../domain/limits.ts';
import { type NameSettings, NEUTRAL_NAMES } from '../domain/names.ts';
import { PRODUCT_DATA } from '../domain/vocabulary/product-data.ts';
import { STATUSES } from '../domain/vocabulary/statuses.ts';
import {
  allowsPasskeys,
  carrierNames,
  collectorHeaders,
  collectorUrl,
  currency,
  fieldNamePart,
  filePath,
  hosts,
  issuerUrl,
  nonBlank,
  oidcScopes,
  oneOf,
  optional,
  PASSKEYS_FAULT,
  postgresUrl,
  proxies,
  publicUrl,
  reviewStatus,
  severalOf,
  shownValue,
  storefrontUrl,
  wholeNumber,
} from './setting-values.ts';

export class SettingError extends Error {
  override readonly name = 'SettingError';
}

interface Setting<T> {
  readonly name: string;
  /** The default as text, as in an environment variable. */
  readonly fallback: string;
  readonly meaning: string;
  /** Throws an Error whose message completes "NAME must ...". */
  readonly parse: (text: string) => T;
  /** The value may contain a password, so errors do not repeat it. */
  readonly isSecret?: true;
}

function setting<T>(
  name: string,
  fallback: string,
  parse: (text: string) => T,
  more: Pick<Setting<T>, 'meaning' | 'isSecret'>,
): Setting<T> {
  return { name, fallback, parse, ...more };
}

/** A terabyte, more than any bulk file. */
const BYTES_MAX = 1_099_511_627_776;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const SETTINGS = Object.freeze({
  port: setting('PORT', '8080', wholeNumber(0, 65_535), { meaning: 'Port for the API; 0 picks a free port.' }),
  host: setting('HOST', '127.0.0.1', nonBlank, { meaning: 'Address to listen on.' }),
  publicUrl: setting('PUBLIC_URL', '', publicUrl, {
    meaning:
      'URL at which clients reach the server; links and upload URLs start with it. If empty, it is `http://HOST:PORT` (`https` with ' +
      'TLS_CERT), with an address of this machine for a HOST of `0.0.0.0` or `::`. Set it for clients on other machines.',
  }),
  dataDir: setting('DATA_DIR', './data', (text) => path.resolve(nonBlank(text)), {
    meaning: 'Folder for the embedded database.',
  }),
  filesDir: setting('FILES_DIR', '', filePath, {
    meaning:
      'Folder for bulk files and reports. If empty, `files` in DATA_DIR. Machines that use the same database must share this folder.',
  }),
  fileBytesMax: setting('FILE_BYTES_MAX', '1073741824', wholeNumber(1, BYTES_MAX), {
    meaning: 'Maximum size of a gzip-compressed bulk file, in bytes.',
  }),
  fileUnpackedBytesMax: setting('FILE_UNPACKED_BYTES_MAX', '8589934592', wholeNumber(1, BYTES_MAX), {
    meaning: 'Maximum size of a bulk file after decompression, in bytes.',
  }),
  fileCheckThreads: setting('FILE_CHECK_THREADS', '', optional(wholeNumber(0, 16)), {
    meaning:
      'Threads per process that check the rows of large SKU files, in addition to the bulk file thread; they end 5 seconds after the last ' +
      'file. If empty, 1 with 3 cores, 2 with more, otherwise none.',
  }),
  filesFreeBytesMin: setting('FILES_FREE_BYTES_MIN', '1073741824', wholeNumber(0, BYTES_MAX), {
    meaning:
      'Minimum free space on the FILES_DIR disk, in bytes. With less, uploads get 503 and submitted files wait. If the disk of the ' +
      'embedded database has less, each account can only store its share of the remaining space.',
  }),
  filesWaitingBytesMax: setting('FILES_WAITING_BYTES_MAX', '17179869184', wholeNumber(1, BYTES_MAX), {
    meaning:
      'Maximum total size of unprocessed uploads per account, in bytes; further uploads get 429. Capped at one sixteenth of the ' +
      'FILES_DIR disk.',
  }),
  filesKeptBytesMax: setting('FILES_KEPT_BYTES_MAX', '17179869184', wholeNumber(1, BYTES_MAX), {
    meaning:
      'Maximum total size of processed files, error files and reports per account, in bytes. Above it, the oldest are deleted ' +
      `before ${LIMITS.file_retention_days} days have passed. Capped at one sixteenth of the FILES_DIR disk.`,
  }),
  databaseUrl: setting('DATABASE_URL', '', optional(postgresUrl), {
    meaning:
      'URL of a PostgreSQL database (version 15 or newer): `postgres://user:password@host:port/database`, with special characters in the password ' +
      'percent-encoded (`%40` for `@`). If empty, the embedded database in DATA_DIR is used.',
    isSecret: true,
  }),
  databasePoolMax: setting('DATABASE_POOL_MAX', '10', wholeNumber(1, 1000), {
    meaning: 'Maximum number of PostgreSQL connections per process. The bulk file thread opens up to 4 more.',
  }),
  databaseWorkers: setting('DATABASE_WORKERS', 'direct', oneOf(['direct', 'coordinator']), {
    meaning:
      'On Citus, where a process sends reads by key: `direct`, to the worker that holds the account, if the worker accepts its connections; ' +
      '`coordinator`, always to the coordinator.',
  }),
  databaseCall_ms_max: setting('DATABASE_CALL_MS_MAX', '1800', wholeNumber(100, 600_000), {
    meaning: 'Timeout for a call to PostgreSQL, in milliseconds; the request then gets 503.',
  }),
  databaseStatement_ms_max: setting('DATABASE_STATEMENT_MS_MAX', '1500', wholeNumber(100, 600_000), {
    meaning: 'PostgreSQL statement timeout, in milliseconds; must be below DATABASE_CALL_MS_MAX.',
  }),
  databaseLock_ms_max: setting('DATABASE_LOCK_MS_MAX', '1300', wholeNumber(10, 600_000), {
    meaning:
      "PostgreSQL lock timeout, in milliseconds; must be below DATABASE_STATEMENT_MS_MAX, and should be above PostgreSQL's " +
      '`deadlock_timeout`.',
  }),
  history_days: setting('HISTORY_DAYS', '90', wholeNumber(0, 3650), {
    meaning: 'Days to keep the change history of offers; 0 disables the history.',
  }),
  historyBytesMax: setting('HISTORY_BYTES_MAX', '67108864', wholeNumber(1_048_576, BYTES_MAX), {
    meaning:
      'Maximum size of the change history of an account, in bytes, or 4 times the size of its offers if that is larger. Above it, the ' +
      'oldest changes are deleted before HISTORY_DAYS have passed. The last change of each part of an offer stays.',
  }),
  nodeEnv: setting('NODE_ENV', '', (text) => text, {
    meaning: 'With `production`, the server refuses to run the demo.',
  }),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(LOG_LEVELS), { meaning: `Log level: ${LOG_LEVELS.join(', ')}.` }),
  requestsPerMinute: setting(
    'REQUESTS_PER_MINUTE',
    String(LIMITS.requests_per_window_max),
    wholeNumber(1, 100_000_000),
    { meaning: 'Rate limit: requests per account in any 60 seconds, across all processes.' },
  ),
  dryRunsPerMinute: setting(
    'DRY_RUNS_PER_MINUTE',
    String(LIMITS.dry_runs_per_window_max),
    wholeNumber(1, 100_000_000),
    {
      meaning:
        'Rate limit for dry runs, per account in any 60 seconds, across all processes. Dry runs do not count towards REQUESTS_PER_MINUTE.',
    },
  ),
  marketplaceRequestsPerMinute: setting(
    'MARKETPLACE_REQUESTS_PER_MINUTE',
    String(LIMITS.marketplace_requests_per_window_max),
    wholeNumber(1, 100_000_000),
    {
      meaning:
        "Rate limit for the marketplace's own API keys: requests of all keys of an environment in any 60 seconds, across all processes.",
    },
  ),
  metricsPort: setting('METRICS_PORT', '', optional(wholeNumber(0, 65_535)), {
    meaning:
      'Port for Prometheus metrics, on 127.0.0.1 only; 0 picks a free port. If empty, metrics are disabled. With `--processes`, ' +
      'worker 1 uses the next port, worker 2 the port after that, and so on.',
  }),
  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', '', optional(collectorUrl), {
    meaning:
      'URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. The server sends it the traces of requests, reviews and webhooks. ' +
      'If empty, there are no traces.',
  }),
  otlpHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', '', collectorHeaders, {
    meaning: 'Headers for the collector: `name=value`, separated by commas, with percent-encoded values.',
    isSecret: true,
  }),
  tlsCert: setting('TLS_CERT', '', filePath, {
    meaning: 'Path to the certificate chain (PEM). Enables HTTPS; requires TLS_KEY.',
  }),
  tlsKey: setting('TLS_KEY', '', filePath, {
    meaning: 'Path to the private key (PEM) for the certificate in TLS_CERT.',
  }),
  headersTimeout_seconds: setting('HEADERS_TIMEOUT_SECONDS', '15', wholeNumber(1, 3600), {
    meaning: 'Timeout for receiving request headers.',
  }),
  requestTimeout_seconds: setting('REQUEST_TIMEOUT_SECONDS', '60', wholeNumber(1, 3600), {
    meaning: 'Timeout for receiving a request body, and for a connection on which no data moves.',
  }),
  uploadTimeout_seconds: setting('UPLOAD_TIMEOUT_SECONDS', '7200', wholeNumber(1, 86_400), {
    meaning: 'Timeout for receiving a bulk file upload.',
  }),
  keepAlive_seconds: setting('KEEP_ALIVE_SECONDS', '72', wholeNumber(1, 3600), {
    meaning: "Keep-alive timeout for idle connections; must be longer than the proxy's idle timeout.",
  }),
  connectionsMax: setting('CONNECTIONS_MAX', '2000', wholeNumber(1, 1_000_000), {
    meaning: 'Maximum number of open connections per process; further connections are closed.',
  }),
  headerBytesMax: setting('HEADER_BYTES_MAX', '16384', wholeNumber(4096, 1_048_576), {
    meaning: 'Maximum size of the request line and all headers together, in bytes.',
  }),
  headersMax: setting('HEADERS_MAX', '100', wholeNumber(10, 2000), {
    meaning: 'Maximum number of headers per request.',
  }),
  bodyBytesInFlightMax: setting('BODY_BYTES_IN_FLIGHT_MAX', '67108864', wholeNumber(LIMITS.body_bytes_max, BYTES_MAX), {
    meaning:
      'Maximum total size of request bodies being received per process, in bytes. Above it, the request with the largest body gets 503.',
  }),
  stop_seconds: setting('STOP_SECONDS', '10', wholeNumber(1, 3600), {
    meaning: 'Shutdown timeout: seconds that requests in flight have to finish.',
  }),
  trustProxy: setting('TRUST_PROXY', '', proxies, {
    meaning: 'Addresses or networks of reverse proxies whose `X-Forwarded-For` header is trusted, comma-separated.',
  }),
  demoOffers: setting('DEMO_OFFERS', 'on', oneOf(['on', 'off']), {
    meaning: "With `off`, `serve --demo` adds no sample offers to the demo merchant's test environment.",
  }),
  imageCheck: setting('IMAGE_CHECK', 'on', oneOf(['on', 'off']), {
    meaning:
      'With `off`, the review skips image checks and reports them as skipped. For machines without internet access.',
  }),
  newProductData: setting('NEW_PRODUCT_DATA', '', severalOf(PRODUCT_DATA), {
    meaning:
      `Fields that an offer needs if the catalog does not know its product, comma-separated, of ${PRODUCT_DATA.join(', ')}. Categories with ` +
      'their own `new_product_data` in the taxonomy ignore this setting.',
  }),
  imageRecheck_days: setting('IMAGE_RECHECK_DAYS', '30', wholeNumber(1, 3650), {
    meaning: 'Days that an image check stays valid. After that, the next review of an offer downloads the image again.',
  }),
  imageAllowedHosts: setting('IMAGE_ALLOWED_HOSTS', '', hosts, {
    meaning:
      'Hosts from which images are downloaded even if their IP addresses are private, comma-separated, as `host` or ' +
      '`host:port`. For tests and intranets.',
  }),
  webhooks: setting('WEBHOOKS', 'on', oneOf(['on', 'off']), {
    meaning:
      'With `off`, webhook events are queued and not sent, except test events and replays. For restore tests and rehearsals.',
  }),
  webhookAllowedHosts: setting('WEBHOOK_ALLOWED_HOSTS', '', hosts, {
    meaning:
      'Hosts to which webhook events are sent even if their IP addresses are private, comma-separated, as `host` or ' +
      '`host:port`. For tests and intranets.',
  }),
  mcp: setting('MCP', 'off', oneOf(['on', 'off']), {
    meaning: 'With `on`, agents can use the server through the Model Context Protocol, at `/mcp`, with API keys.',
  }),
  storefront: setting('STOREFRONT', 'demo', oneOf(['on', 'off', 'demo']), {
    meaning:
      'With `on`, the storefront calls serve the live offers. With `demo`, only `serve --demo` does so. With `off`, the ' +
      'storefront calls are refused.',
  }),
  storefrontBestPrice: setting('STOREFRONT_BEST_PRICE', 'off', oneOf(['on', 'off']), {
    meaning:
      'With `on`, merchants see what the best offer of their product costs, unless its price may only be shown on request. With ' +
      '`off`, they only see the rank of their own offer.',
  }),
  oidcIssuer: setting('OIDC_ISSUER', '', issuerUrl, {
    meaning:
      'Issuer URL of the OpenID provider with which people can sign in to the portal; requires OIDC_CLIENT_ID. If empty, people sign in with ' +
      'passwords only.',
  }),
  oidcClientId: setting('OIDC_CLIENT_ID', '', optional(nonBlank), {
    meaning: 'Client id of this server at the OpenID provider.',
  }),
  oidcClientSecret: setting('OIDC_CLIENT_SECRET', '', optional(nonBlank), {
    meaning: 'Client secret of this server at the OpenID provider; empty for a public client.',
    isSecret: true,
  }),
  oidcRoleClaim: setting('OIDC_ROLE_CLAIM', 'roles', nonBlank, {
    meaning:
      'Claim of the ID token with the role: `operator`, `merchant-admin:<merchant id>` or `merchant-viewer:<merchant id>`, as a text or a list.',
  }),
  oidcScopes: setting('OIDC_SCOPES', 'openid email', oidcScopes, {
    meaning: 'Scopes that the server requests from the OpenID provider, separated by spaces.',
  }),
  oidcName: setting('OIDC_NAME', 'single sign-on', nonBlank, {
    meaning: 'Name of the OpenID provider on the sign-in page: *Sign in with …*.',
  }),
  freshSignIn_minutes: setting('FRESH_SIGN_IN_MINUTES', '120', wholeNumber(0, 10_080), {
    meaning:
      'Portal users who signed in longer ago must confirm who they are before they create or roll API keys, add merchants or users, or change ' +
      'policies, placeholders or the taxonomy; 0 disables this.',
  }),
  operatorPasskeys: setting('OPERATOR_PASSKEYS', 'optional', oneOf(['optional', 'required']), {
    meaning:
      'With `required`, operators who sign in with a password must also use a passkey. Operators of the OpenID provider are not affected.',
  }),
  imageMemoryMbMax: setting('IMAGE_MEMORY_MB_MAX', '256', wholeNumber(64, 65_536), {
    meaning:
      'Memory limit for decoding images, in MB per process. Images wait until enough memory is free; an image that needs more than the limit is rejected.',
  }),
  compatibility: setting('COMPATIBILITY', 'off', oneOf(COMPATIBILITIES), {
    meaning:
      'With `jet`, field names and responses match the original API, for existing clients of it (see docs/reference/compatibility.md).',
  }),
  currency: setting('CURRENCY', 'USD', currency, {
    meaning: 'Currency of all amounts, as a code of ISO 4217. Product feeds name it with each price.',
  }),
  storefrontUrl: setting('STOREFRONT_URL', '', optional(storefrontUrl), {
    meaning:
      'URL of an offer in your storefront, for product feeds, with `{code}` for the product code, `{sku}` for the SKU and, if needed, ' +
      '`{merchant}` for the merchant: `https://shop.example/p/{code}?sku={sku}`.',
  }),
  marketplaceName: setting('MARKETPLACE_NAME', NEUTRAL_NAMES.marketplace, fieldNamePart, {
    meaning: 'Prefix for field names: replaces `marketplace` in `marketplace_browse_node_id` and similar fields.',
  }),
  externalName: setting('EXTERNAL_NAME', NEUTRAL_NAMES.external, fieldNamePart, {
    meaning: 'Prefix for a field name: replaces `external` in `external_item_type_keyword`.',
  }),
  carrierNames: setting('CARRIER_NAMES', NEUTRAL_NAMES.carriers.join(','), carrierNames, {
    meaning: 'Names for the five carriers `<carrier_1>` to `<carrier_5>`, in that order, comma-separated.',
  }),
  reviewStatus: setting('REVIEW_STATUS', NEUTRAL_NAMES.reviewStatus, reviewStatus, {
    meaning: 'Name of the status for offers under review.',
  }),
});

export type Settings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

/** Reads the settings from environment variables. Throws a SettingError that names every invalid one. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const settings: Record<string, unknown> = {};
  const defaults = variables[SETTINGS.compatibility.name] === 'jet' ? JET.defaults : {};
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = variables[setting.name] ?? defaults[setting.name] ?? setting.fallback;
    try {
      settings[key] = setting.parse(text);
    } catch (error) {
      faults.push(valueFault(setting, text, error as Error));
    }
  }
  for (const [one, other] of [['tlsCert', 'tlsKey'] as const, ['oidcIssuer', 'oidcClientId'] as const]) {
    if ((settings[one] === undefined) === (settings[other] === undefined)) continue;
    faults.push(`${SETTINGS[one].name} and ${SETTINGS[other].name} must be set together, or neither`);
  }
  if (!allowsPasskeys(settings as Settings)) faults.push(PASSKEYS_FAULT);
  faults.push(...misorderedLimits(settings as Settings), ...misspelledSettings(Object.keys(variables)));
  if (faults.length > 0) throw new SettingError(faults.join('; '));
  return Object.freeze(settings) as Settings;
}

/** `error` is the error that the setting's parser threw. */
export function valueFault({ name, isSecret }: Setting<unknown>, text: string, { message }: Error): string {
  const shown = isSecret ? 'the value is hidden because it may contain a password' : `it is ${shownValue(text)}`;
  return `${name} must ${message} (${shown})`;
}

/** Each timeout must be shorter than the next. Invalid numbers have already been reported. */
function misorderedLimits(settings: Settings): string[] {
  const limits = (['databaseLock_ms_max', 'databaseStatement_ms_max', 'databaseCall_ms_max'] as const).map((key) => {
    return { name: SETTINGS[key].name, value: settings[key] };
  });
  return limits.slice(1).flatMap((larger, index) => {
    const smaller = limits[index] as (typeof limits)[number];
    if (!(smaller.value >= larger.value)) return [];
    return `${smaller.name} must be below ${larger.name} (they are ${smaller.value} and ${larger.value})`;
  });
}

const OWN_PREFIX = 'OFFERBOOK_';

/** Variables with the prefix that are not settings: the configuration file and the variables of the merchant's client. */
const OWN_OTHERS: readonly string[] = [
  'OFFERBOOK_CONFIG',
  ...['URL', 'USER', 'PASS', 'PROFILE', 'HOME'].map((name) => `${OWN_PREFIX}${name}`),
];

/** Only Offerbook uses variables with this prefix, so an unknown one is a typo. */
function misspelledSettings(names: readonly string[]): string[] {
  const known = Object.values(SETTINGS).map(({ name }) => name);
  return names
    .filter((name) => name.startsWith(OWN_PREFIX) && !OWN_OTHERS.includes(name))
    .map((name) => {
      const meant = name.slice(OWN_PREFIX.length);
      return `${name} is not a setting${suggestion(meant, known)}`;
    });
}

/** Returns the database in the form that `offerbook copy` takes, without user and password. */
export function databaseName({ dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return `sqlite:${dataDir}`;
  const { host, pathname } = new URL(databaseUrl);
  return `postgres://${host}${pathname}`;
}

export function filesFolder({ filesDir, dataDir }: Pick<Settings, 'filesDir' | 'dataDir'>): string {
  return filesDir ?? path.join(dataDir, 'files');
}

export function nameSettings(settings: Settings): NameSettings {
  return {
    marketplace: settings.marketplaceName,
    external: settings.externalName,
    carriers: settings.carrierNames,
    reviewStatus: settings.reviewStatus,
    availableStatus: settings.compatibility === 'jet' ? JET.availableStatus : STATUSES.available,
  };
}
