/** The settings: one table that gives the frozen settings object, the error at start and the page in the docs. */
import path from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import { type NameSettings, NEUTRAL_NAMES } from '../domain/names.ts';
import {
  carrierNames,
  fieldNamePart,
  filePath,
  hosts,
  nonBlank,
  oneOf,
  optional,
  postgresUrl,
  proxies,
  publicUrl,
  reviewStatus,
  wholeNumber,
} from './setting-values.ts';

export class SettingError extends Error {
  override readonly name = 'SettingError';
}

interface Setting<T> {
  readonly name: string;
  /** As it would be written in the environment. */
  readonly fallback: string;
  readonly meaning: string;
  /** Throws an Error whose message completes "NAME must ...". */
  readonly parse: (text: string) => T;
  /** It may hold a password: an error does not repeat it. */
  readonly isSecret?: true;
}

function secret<T>(one: Setting<T>): Setting<T> {
  return { ...one, isSecret: true };
}

function setting<T>(name: string, fallback: string, meaning: string, parse: (text: string) => T): Setting<T> {
  return { name, fallback, meaning, parse };
}

/** A terabyte: more is no file that anybody would send. */
const BYTES_MAX = 1_099_511_627_776;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const SETTINGS = Object.freeze({
  port: setting('PORT', '8080', 'Port of the API; 0 takes a free one.', wholeNumber(0, 65_535)),
  host: setting('HOST', '127.0.0.1', 'Address to listen on.', nonBlank),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    'Where clients reach the server; empty means `http://HOST:PORT` (`https` with TLS_CERT).',
    publicUrl,
  ),
  dataDir: setting('DATA_DIR', './data', 'Folder of the embedded store.', (text) => path.resolve(nonBlank(text))),
  filesDir: setting(
    'FILES_DIR',
    '',
    'Folder of bulk files and reports; empty: `files` in DATA_DIR. Machines that serve one database share it.',
    filePath,
  ),
  fileBytesMax: setting(
    'FILE_BYTES_MAX',
    '1073741824',
    'Bytes that a packed bulk file (gzip) may have.',
    wholeNumber(1, BYTES_MAX),
  ),
  fileUnpackedBytesMax: setting(
    'FILE_UNPACKED_BYTES_MAX',
    '8589934592',
    'Bytes that a bulk file may have when it is unpacked, or was never packed.',
    wholeNumber(1, BYTES_MAX),
  ),
  filesFreeBytesMin: setting(
    'FILES_FREE_BYTES_MIN',
    '1073741824',
    'Bytes that bulk files and reports leave free on the disk of FILES_DIR; below that uploads are refused with 503, and files wait.',
    wholeNumber(0, BYTES_MAX),
  ),
  filesWaitingBytesMax: setting(
    'FILES_WAITING_BYTES_MAX',
    '17179869184',
    'Bytes that the uploads of one account may have together, as they lie on disk, until they are processed; beyond that ' +
      'they are refused with 429. At most a sixteenth of the disk of FILES_DIR, whatever is set.',
    wholeNumber(1, BYTES_MAX),
  ),
  filesKeptBytesMax: setting(
    'FILES_KEPT_BYTES_MAX',
    '17179869184',
    'Bytes that one account keeps of processed files, their errors and reports; beyond that the oldest go before their 30 days. ' +
      'At most a sixteenth of the disk of FILES_DIR, whatever is set.',
    wholeNumber(1, BYTES_MAX),
  ),
  databaseUrl: secret(
    setting(
      'DATABASE_URL',
      '',
      'PostgreSQL (15 or newer): `postgres://user:password@host:port/database`; empty: the embedded store in DATA_DIR.',
      optional(postgresUrl),
    ),
  ),
  databasePoolMax: setting(
    'DATABASE_POOL_MAX',
    '10',
    'Connections to PostgreSQL that one process opens at most.',
    wholeNumber(1, 1000),
  ),
  databaseCallMsMax: setting(
    'DATABASE_CALL_MS_MAX',
    '1800',
    'Milliseconds after which a request stops waiting for PostgreSQL and is answered 503.',
    wholeNumber(100, 600_000),
  ),
  databaseStatementMsMax: setting(
    'DATABASE_STATEMENT_MS_MAX',
    '1500',
    'Milliseconds after which PostgreSQL gives up a statement; below DATABASE_CALL_MS_MAX.',
    wholeNumber(100, 600_000),
  ),
  databaseLockMsMax: setting(
    'DATABASE_LOCK_MS_MAX',
    '1300',
    'Milliseconds that a statement waits for rows that another one is changing; below DATABASE_STATEMENT_MS_MAX, above ' +
      'its `deadlock_timeout`.',
    wholeNumber(10, 600_000),
  ),
  historyDays: setting(
    'HISTORY_DAYS',
    '90',
    'Days for which it is kept who changed what in an offer; 0: it is not recorded.',
    wholeNumber(0, 3650),
  ),
  nodeEnv: setting('NODE_ENV', '', '`production` refuses the demo.', (text) => text),
  logLevel: setting('LOG_LEVEL', 'info', `How much is logged: ${LOG_LEVELS.join(', ')}.`, oneOf(LOG_LEVELS)),
  requestsPerMinute: setting(
    'REQUESTS_PER_MINUTE',
    String(LIMITS.requests_per_window_max),
    'Requests that one account may send in any 60 seconds, to all processes together.',
    wholeNumber(1, 100_000_000),
  ),
  metricsPort: setting(
    'METRICS_PORT',
    '',
    'Port of the Prometheus metrics, on 127.0.0.1 only; 0 takes a free one, empty: no metrics. Of several `--processes` ' +
      'the first has the port after it, the second the next one, and so on.',
    optional(wholeNumber(0, 65_535)),
  ),
  tlsCert: setting('TLS_CERT', '', 'File of the certificate chain (PEM), to speak HTTPS; needs TLS_KEY.', filePath),
  tlsKey: setting('TLS_KEY', '', 'File of the private key (PEM) of TLS_CERT.', filePath),
  headersTimeoutSeconds: setting(
    'HEADERS_TIMEOUT_SECONDS',
    '15',
    'How long the head of a request may take to arrive.',
    wholeNumber(1, 3600),
  ),
  requestTimeoutSeconds: setting(
    'REQUEST_TIMEOUT_SECONDS',
    '60',
    'How long the body of a request may take to arrive, and a connection may stand still in the middle of one.',
    wholeNumber(1, 3600),
  ),
  uploadTimeoutSeconds: setting(
    'UPLOAD_TIMEOUT_SECONDS',
    '7200',
    'How long the upload of a bulk file may take to arrive.',
    wholeNumber(1, 86_400),
  ),
  keepAliveSeconds: setting(
    'KEEP_ALIVE_SECONDS',
    '72',
    'How long a connection may be idle between requests; longer than a proxy in front keeps its own.',
    wholeNumber(1, 3600),
  ),
  connectionsMax: setting(
    'CONNECTIONS_MAX',
    '2000',
    'Connections open at once in one process; those beyond are closed unanswered.',
    wholeNumber(1, 1_000_000),
  ),
  headerBytesMax: setting(
    'HEADER_BYTES_MAX',
    '16384',
    'Size of the request line with all headers.',
    wholeNumber(4096, 1_048_576),
  ),
  headersMax: setting('HEADERS_MAX', '100', 'Number of headers of a request.', wholeNumber(10, 2000)),
  bodyBytesInFlightMax: setting(
    'BODY_BYTES_IN_FLIGHT_MAX',
    '67108864',
    'Bytes that request bodies may hold in one process while they arrive; beyond that the largest is refused with 503.',
    wholeNumber(LIMITS.body_bytes_max, BYTES_MAX),
  ),
  stopSeconds: setting(
    'STOP_SECONDS',
    '10',
    'How long requests under way may take to finish when the server is stopped.',
    wholeNumber(1, 3600),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'Addresses or networks of reverse proxies, comma-separated, whose `X-Forwarded-For` is believed.',
    proxies,
  ),
  imageCheck: setting(
    'IMAGE_CHECK',
    'on',
    '`off` for machines without a network: images are not fetched, and the review says that it skipped them.',
    oneOf(['on', 'off']),
  ),
  imageRecheckDays: setting(
    'IMAGE_RECHECK_DAYS',
    '30',
    'Days after which an image is looked at again when an offer that shows it is reviewed.',
    wholeNumber(1, 3650),
  ),
  imageAllowedHosts: setting(
    'IMAGE_ALLOWED_HOSTS',
    '',
    'Hosts, comma-separated, as `host` or `host:port`, from which images are fetched although their addresses are not ' +
      'public; for tests and intranets.',
    hosts,
  ),
  imageMemoryMbMax: setting(
    'IMAGE_MEMORY_MB_MAX',
    '256',
    'Memory in MB for decoding images, all together in one process; images wait for their share, and one that needs more is refused.',
    wholeNumber(64, 65_536),
  ),
  marketplaceName: setting(
    'MARKETPLACE_NAME',
    NEUTRAL_NAMES.marketplace,
    'First part of field names such as `marketplace_browse_node_id`.',
    fieldNamePart,
  ),
  externalName: setting(
    'EXTERNAL_NAME',
    NEUTRAL_NAMES.external,
    'First part of `external_item_type_keyword`.',
    fieldNamePart,
  ),
  carrierNames: setting(
    'CARRIER_NAMES',
    NEUTRAL_NAMES.carriers.join(','),
    'The five carriers, comma-separated, in the order `<carrier_1>` to `<carrier_5>`.',
    carrierNames,
  ),
  reviewStatus: setting(
    'REVIEW_STATUS',
    NEUTRAL_NAMES.reviewStatus,
    'Wording of the status of offers under review.',
    reviewStatus,
  ),
});

export type Settings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

/** Reads the settings from the environment's variables; throws SettingError naming every bad one. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const [key, { name, fallback, parse, isSecret }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = variables[name] ?? fallback;
    try {
      settings[key] = parse(text);
    } catch (error) {
      const shown = isSecret ? 'its value is not shown, it may hold a password' : `it is ${shownValue(text)}`;
      faults.push(`${name} must ${(error as Error).message} (${shown})`);
    }
  }
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    faults.push('TLS_CERT and TLS_KEY must be set together, or neither');
  }
  faults.push(...misorderedLimits(settings as Settings), ...misspeltSettings(Object.keys(variables)));
  if (faults.length > 0) throw new SettingError(faults.join('; '));
  return Object.freeze(settings) as Settings;
}

/** Each limit of time is there to be reached before the next one is; those that are no numbers were told already. */
function misorderedLimits(settings: Settings): string[] {
  const limits = (['databaseLockMsMax', 'databaseStatementMsMax', 'databaseCallMsMax'] as const).map((key) => {
    return { name: SETTINGS[key].name, value: settings[key] };
  });
  return limits.slice(1).flatMap((larger, place) => {
    const smaller = limits[place] as (typeof limits)[number];
    if (!(smaller.value >= larger.value)) return [];
    return `${smaller.name} must be below ${larger.name} (they are ${smaller.value} and ${larger.value})`;
  });
}

/** Passwords in addresses are nobody's business but the operator's. */
function shownValue(text: string): string {
  return JSON.stringify(text.replace(/:\/\/.*@/s, '://***@'));
}

const OWN_PREFIX = 'OFFERBOOK_';

/** Variables that start like a setting and are none: the secret of a command, and the configuration file. */
const OWN_OTHERS: readonly string[] = ['OFFERBOOK_PASS', 'OFFERBOOK_CONFIG'];

/** Nobody but Offerbook reads variables of this prefix: one that is no setting was meant to be one. */
function misspeltSettings(names: readonly string[]): string[] {
  const known = Object.values(SETTINGS).map(({ name }) => name);
  return names
    .filter((name) => name.startsWith(OWN_PREFIX) && !OWN_OTHERS.includes(name))
    .map((name) => {
      const meant = name.slice(OWN_PREFIX.length);
      return `${name} is not a setting${known.includes(meant) ? `; its name is ${meant}` : ''}`;
    });
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
  };
}
