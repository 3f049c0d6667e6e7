/** Tests the settings: defaults, accepted values, and a start error that names every invalid one. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { nameSettings, readSettings, SETTINGS, SettingError } from '../../src/config/settings.ts';
import { startOfferbook } from '../../src/main.ts';
import { tempFolder } from '../harness/temp-folder.ts';

type Variables = Readonly<Record<string, string>>;

function faultOf(variables: Variables): string {
  try {
    readSettings(variables);
  } catch (error) {
    assert.ok(error instanceof SettingError, String(error));
    return error.message;
  }
  return 'no fault';
}

const LINK = 'https://shop.example/p/{code}?sku={sku}';

describe('settings', () => {
  it('have defaults that need no environment', () => {
    assert.deepEqual(readSettings({}), {
      port: 8080,
      host: '127.0.0.1',
      publicUrl: undefined,
      dataDir: path.resolve('data'),
      filesDir: undefined,
      fileBytesMax: 1_073_741_824,
      fileUnpackedBytesMax: 8_589_934_592,
      fileCheckThreads: undefined,
      filesFreeBytesMin: 1_073_741_824,
      filesWaitingBytesMax: 17_179_869_184,
      filesKeptBytesMax: 17_179_869_184,
      databaseUrl: undefined,
      databasePoolMax: 10,
      databaseWorkers: 'direct',
      databaseCall_ms_max: 1800,
      databaseStatement_ms_max: 1500,
      databaseLock_ms_max: 1300,
      history_days: 90,
      historyBytesMax: 67_108_864,
      nodeEnv: '',
      logLevel: 'info',
      requestsPerMinute: 3000,
      dryRunsPerMinute: 30_000,
      marketplaceRequestsPerMinute: 30_000,
      metricsPort: undefined,
      otlpEndpoint: undefined,
      otlpHeaders: {},
      tlsCert: undefined,
      tlsKey: undefined,
      headersTimeout_seconds: 15,
      requestTimeout_seconds: 60,
      uploadTimeout_seconds: 7200,
      keepAlive_seconds: 72,
      connectionsMax: 2000,
      headerBytesMax: 16_384,
      headersMax: 100,
      bodyBytesInFlightMax: 67_108_864,
      stop_seconds: 10,
      trustProxy: [],
      demoOffers: 'on',
      imageCheck: 'on',
      newProductData: [],
      imageRecheck_days: 30,
      imageAllowedHosts: [],
      webhooks: 'on',
      mcp: 'off',
      storefront: 'demo',
      storefrontBestPrice: 'off',
      webhookAllowedHosts: [],
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcRoleClaim: 'roles',
      oidcScopes: 'openid email',
      oidcName: 'single sign-on',
      freshSignIn_minutes: 120,
      operatorPasskeys: 'optional',
      imageMemoryMbMax: 256,
      compatibility: 'off',
      currency: 'USD',
      storefrontUrl: undefined,
      marketplaceName: 'marketplace',
      externalName: 'external',
      carrierNames: ['<carrier_1>', '<carrier_2>', '<carrier_3>', '<carrier_4>', '<carrier_5>'],
      reviewStatus: 'Under Jet Review',
    });
  });

  it('are frozen', () => {
    assert.ok(Object.isFrozen(readSettings({})));
    assert.ok(Object.isFrozen(SETTINGS));
  });

  it('ignore other variables', () => {
    assert.deepEqual(readSettings({ HOME: '/x', port: '1', PORTS: '2' }), readSettings({}));
  });

  it('each have a name, a valid default and a meaning', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    assert.deepEqual([...new Set(names)], names);
    for (const { name, meaning } of Object.values(SETTINGS)) {
      assert.match(name, /^[A-Z][A-Z_]+$/);
      assert.match(meaning, /\.$/);
    }
  });

  for (const [variables, key, value] of [
    [{ PORT: '0' }, 'port', 0],
    [{ PORT: '65535' }, 'port', 65_535],
    [{ HOST: '::1' }, 'host', '::1'],
    [{ PUBLIC_URL: 'https://api.example/' }, 'publicUrl', 'https://api.example'],
    [{ PUBLIC_URL: 'HTTP://api.example:81/base//' }, 'publicUrl', 'http://api.example:81/base'],
    [{ DATA_DIR: '/var/lib/offerbook' }, 'dataDir', '/var/lib/offerbook'],
    [{ DATA_DIR: 'x/../y' }, 'dataDir', path.resolve('y')],
    [{ FILES_DIR: 'a/../files' }, 'filesDir', path.resolve('files')],
    [{ FILE_BYTES_MAX: '1' }, 'fileBytesMax', 1],
    [{ FILE_UNPACKED_BYTES_MAX: '1099511627776' }, 'fileUnpackedBytesMax', 1_099_511_627_776],
    [{ FILES_FREE_BYTES_MIN: '0' }, 'filesFreeBytesMin', 0],
    [{ FILES_WAITING_BYTES_MAX: '1' }, 'filesWaitingBytesMax', 1],
    [{ DATABASE_URL: 'postgres://db/offers' }, 'databaseUrl', 'postgres://db/offers'],
    [{ DATABASE_URL: 'postgresql://a:b%40@[::1]:1/o?x=y' }, 'databaseUrl', 'postgresql://a:b%40@[::1]:1/o?x=y'],
    [{ DATABASE_POOL_MAX: '1' }, 'databasePoolMax', 1],
    [{ DATABASE_WORKERS: 'coordinator' }, 'databaseWorkers', 'coordinator'],
    [
      { DATABASE_CALL_MS_MAX: '102', DATABASE_STATEMENT_MS_MAX: '101', DATABASE_LOCK_MS_MAX: '100' },
      'databaseCall_ms_max',
      102,
    ],
    [{ DATABASE_CALL_MS_MAX: '600000', DATABASE_STATEMENT_MS_MAX: '599999' }, 'databaseStatement_ms_max', 599_999],
    [{ DATABASE_LOCK_MS_MAX: '10' }, 'databaseLock_ms_max', 10],
    [{ HISTORY_DAYS: '0' }, 'history_days', 0],
    [{ HISTORY_DAYS: '3650' }, 'history_days', 3650],
    [{ HISTORY_BYTES_MAX: '1048576' }, 'historyBytesMax', 1_048_576],
    [{ LOG_LEVEL: 'silent' }, 'logLevel', 'silent'],
    [{ REQUESTS_PER_MINUTE: '1' }, 'requestsPerMinute', 1],
    [{ DRY_RUNS_PER_MINUTE: '1' }, 'dryRunsPerMinute', 1],
    [{ MARKETPLACE_REQUESTS_PER_MINUTE: '1' }, 'marketplaceRequestsPerMinute', 1],
    [{ METRICS_PORT: '0' }, 'metricsPort', 0],
    [{ METRICS_PORT: '9464' }, 'metricsPort', 9464],
    [{ TLS_CERT: 'a/../cert.pem', TLS_KEY: 'k' }, 'tlsCert', path.resolve('cert.pem')],
    [{ HEADERS_TIMEOUT_SECONDS: '1' }, 'headersTimeout_seconds', 1],
    [{ REQUEST_TIMEOUT_SECONDS: '3600' }, 'requestTimeout_seconds', 3600],
    [{ UPLOAD_TIMEOUT_SECONDS: '86400' }, 'uploadTimeout_seconds', 86_400],
    [{ KEEP_ALIVE_SECONDS: '1' }, 'keepAlive_seconds', 1],
    [{ CONNECTIONS_MAX: '1' }, 'connectionsMax', 1],
    [{ HEADER_BYTES_MAX: '4096' }, 'headerBytesMax', 4096],
    [{ HEADERS_MAX: '2000' }, 'headersMax', 2000],
    [{ BODY_BYTES_IN_FLIGHT_MAX: '1048576' }, 'bodyBytesInFlightMax', 1_048_576],
    [{ IMAGE_MEMORY_MB_MAX: '64' }, 'imageMemoryMbMax', 64],
    [{ OIDC_ISSUER: 'https://id.example/a', OIDC_CLIENT_ID: 'a' }, 'oidcIssuer', 'https://id.example/a'],
    [{ OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'a' }, 'oidcIssuer', 'http://127.0.0.1:1'],
    [{ OIDC_SCOPES: 'openid groups' }, 'oidcScopes', 'openid groups'],
    [{ NEW_PRODUCT_DATA: ' bullets,manufacturer' }, 'newProductData', ['bullets', 'manufacturer']],
    [{ STOP_SECONDS: '1' }, 'stop_seconds', 1],
    [{ OFFERBOOK_PASS: 'secret' }, 'port', 8080],
    [{ OFFERBOOK_URL: 'u', OFFERBOOK_USER: 'u', OFFERBOOK_PROFILE: 'p', OFFERBOOK_HOME: 'h' }, 'port', 8080],
    [{ TRUST_PROXY: ' 10.0.0.0/8 , ::1,' }, 'trustProxy', ['10.0.0.0/8', '::1']],
    [{ CURRENCY: 'EUR' }, 'currency', 'EUR'],
    [{ STOREFRONT_URL: LINK }, 'storefrontUrl', LINK],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }, 'otlpEndpoint', 'http://127.0.0.1:4318'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%3Db, other=c=d,' }, 'otlpHeaders', { 'x-key': 'a=b', other: 'c=d' }],
    [{ STOREFRONT_URL: LINK.padEnd(300, 'x') }, 'storefrontUrl', LINK.padEnd(300, 'x')],
    [{ STOREFRONT_URL: 'http://a/{sku}{merchant}?{code}' }, 'storefrontUrl', 'http://a/{sku}{merchant}?{code}'],
    [{ MARKETPLACE_NAME: 'a_1' }, 'marketplaceName', 'a_1'],
    [{ EXTERNAL_NAME: 'x'.repeat(32) }, 'externalName', 'x'.repeat(32)],
    [{ CARRIER_NAMES: 'A, B C ,Ü,<carrier_4>,E' }, 'carrierNames', ['A', 'B C', 'Ü', '<carrier_4>', 'E']],
    [{ REVIEW_STATUS: 'Under Review' }, 'reviewStatus', 'Under Review'],
  ] as const)
    it(`accept ${JSON.stringify(variables)}`, () => assert.deepEqual(readSettings(variables)[key], value));

  const collector = 'be empty, or an http or https URL such as http://127.0.0.1:4318';
  const link =
    'be empty, or an http or https URL of at most 300 ASCII characters with {code} and {sku} once each after the host, and ' +
    '{merchant} at most once';
  const url = 'be an absolute http or https URL without ? and #';
  for (const [name, value, rule] of [
    ['PORT', '', 'be a whole number from 0 to 65535'],
    ['PORT', '65536', 'be a whole number from 0 to 65535'],
    ['PORT', '-1', 'be a whole number from 0 to 65535'],
    ['PORT', '80.5', 'be a whole number from 0 to 65535'],
    ['PORT', '0x50', 'be a whole number from 0 to 65535'],
    ['PORT', ' 80', 'be a whole number from 0 to 65535'],
    ['HOST', ' ', 'not be empty'],
    ['PUBLIC_URL', 'api.example', url],
    ['PUBLIC_URL', 'ftp://api.example', url],
    ['PUBLIC_URL', 'http://', url],
    ['PUBLIC_URL', '//api.example', url],
    ['PUBLIC_URL', 'https://api.example/?a=1', url],
    ['PUBLIC_URL', 'https://api.example/#a', url],
    ...['usd', 'US', 'XXX', ''].map((code) => {
      return ['CURRENCY', code, 'be a currency code of ISO 4217 in capitals, such as USD'] as const;
    }),
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318', collector],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4318/?a=b', collector],
    ['STOREFRONT_URL', 'https://shop.example/{code}', link],
    ['STOREFRONT_URL', 'https://shop.example/{sku}', link],
    ['STOREFRONT_URL', 'https://shop.example/{code}/{sku}/{sku}', link],
    ['STOREFRONT_URL', `${LINK}{merchant}{merchant}`, link],
    ['STOREFRONT_URL', `${LINK}{brand}`, link],
    ['STOREFRONT_URL', 'https://{code}.example/{sku}', link],
    ['STOREFRONT_URL', 'ftp://shop.example/{code}/{sku}', link],
    ['STOREFRONT_URL', 'https://shop.example/ü/{code}/{sku}', link],
    ['STOREFRONT_URL', LINK.padEnd(301, 'x'), link],
    ['DATABASE_POOL_MAX', '0', 'be a whole number from 1 to 1000'],
    ['DATABASE_WORKERS', 'on', 'be one of direct, coordinator'],
    ['DATABASE_CALL_MS_MAX', '99', 'be a whole number from 100 to 600000'],
    ['DATABASE_STATEMENT_MS_MAX', '1s', 'be a whole number from 100 to 600000'],
    ['DATABASE_LOCK_MS_MAX', '9', 'be a whole number from 10 to 600000'],
    ['DATA_DIR', '', 'not be empty'],
    ['HISTORY_DAYS', '-1', 'be a whole number from 0 to 3650'],
    ['HISTORY_DAYS', '3651', 'be a whole number from 0 to 3650'],
    ['HISTORY_BYTES_MAX', '1048575', 'be a whole number from 1048576 to 1099511627776'],
    [
      'NEW_PRODUCT_DATA',
      'bullets,title',
      'be some of manufacturer, product_description, mfr_part_number, bullets, comma-separated',
    ],
    ['LOG_LEVEL', 'loud', 'be one of trace, debug, info, warn, error, fatal, silent'],
    ['LOG_LEVEL', 'INFO', 'be one of trace, debug, info, warn, error, fatal, silent'],
    ['REQUESTS_PER_MINUTE', '0', 'be a whole number from 1 to 100000000'],
    ['REQUESTS_PER_MINUTE', 'many', 'be a whole number from 1 to 100000000'],
    ['METRICS_PORT', 'on', 'be a whole number from 0 to 65535'],
    ['METRICS_PORT', '127.0.0.1:9464', 'be a whole number from 0 to 65535'],
    ['HEADERS_TIMEOUT_SECONDS', '0', 'be a whole number from 1 to 3600'],
    ['REQUEST_TIMEOUT_SECONDS', '1.5', 'be a whole number from 1 to 3600'],
    ['KEEP_ALIVE_SECONDS', '1m', 'be a whole number from 1 to 3600'],
    ['CONNECTIONS_MAX', '0', 'be a whole number from 1 to 1000000'],
    ['BODY_BYTES_IN_FLIGHT_MAX', '1048575', 'be a whole number from 1048576 to 1099511627776'],
    ['IMAGE_MEMORY_MB_MAX', '63', 'be a whole number from 64 to 65536'],
    ['HEADER_BYTES_MAX', '4095', 'be a whole number from 4096 to 1048576'],
    ['HEADERS_MAX', '2001', 'be a whole number from 10 to 2000'],
    ['STOP_SECONDS', '', 'be a whole number from 1 to 3600'],
  ] as const)
    it(`refuse ${name}=${JSON.stringify(value)} by name`, () => {
      assert.equal(faultOf({ [name]: value }), `${name} must ${rule} (it is ${JSON.stringify(value)})`);
    });

  for (const value of ['x-key', 'x key=a', 'x-key=%a']) {
    it(`refuse OTEL_EXPORTER_OTLP_HEADERS="${value}", and hide it`, () => {
      assert.equal(
        faultOf({ OTEL_EXPORTER_OTLP_HEADERS: value }),
        'OTEL_EXPORTER_OTLP_HEADERS must be empty, or name=value pairs separated by commas, with percent-encoded values ' +
          '(the value is hidden because it may contain a password)',
      );
    });
  }

  it('that are misspelled are named, with the likely name if there is one', () => {
    assert.equal(faultOf({ OFFERBOOK_PORT: '80' }), 'OFFERBOOK_PORT is not a setting (Did you mean PORT?)');
    assert.equal(faultOf({ OFFERBOOK_PROT: '80' }), 'OFFERBOOK_PROT is not a setting (Did you mean PORT?)');
  });

  it('of TLS must be set together', () => {
    for (const half of [{ TLS_CERT: 'c' }, { TLS_KEY: 'k' }] as Variables[]) {
      assert.equal(faultOf(half), 'TLS_CERT and TLS_KEY must be set together, or neither');
    }
  });

  it('of passkeys need a URL at which browsers allow them', () => {
    const required = { OPERATOR_PASSKEYS: 'required' };
    const fault =
      'OPERATOR_PASSKEYS=required needs a PUBLIC_URL with https and a host name: browsers refuse passkeys elsewhere';
    for (const PUBLIC_URL of ['', 'http://offers.example', 'https://192.0.2.1', 'https://[2001:db8::1]/a']) {
      assert.equal(faultOf({ ...required, PUBLIC_URL }), fault);
    }
    for (const PUBLIC_URL of ['https://offers.example/a', 'http://localhost:8080']) {
      assert.equal(readSettings({ ...required, PUBLIC_URL }).operatorPasskeys, 'required');
    }
  });

  it('of the OpenID provider must be set together, with https', () => {
    for (const half of [{ OIDC_ISSUER: 'https://id.example' }, { OIDC_CLIENT_ID: 'a' }] as Variables[]) {
      assert.equal(faultOf(half), 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together, or neither');
    }
    for (const issuer of ['http://id.example', 'https://id.example?a', 'https://id.example/#a', 'id.example']) {
      const fault = `OIDC_ISSUER must be empty, or an https URL without ? and # (it is "${issuer}")`;
      assert.equal(faultOf({ OIDC_ISSUER: issuer }).split('; ')[0], fault);
    }
    for (const scopes of ['email', ' openid', 'openid  email']) {
      const fault = `OIDC_SCOPES must be scopes separated by spaces, with openid among them (it is "${scopes}")`;
      assert.equal(faultOf({ OIDC_SCOPES: scopes }), fault);
    }
  });

  it('of PostgreSQL timeouts must be shorter than the timeouts that contain them', () => {
    const order = (smaller: string, larger: string, ms: number) =>
      `${smaller} must be below ${larger} (they are ${ms} and ${ms})`;
    assert.equal(
      faultOf({ DATABASE_STATEMENT_MS_MAX: '1800' }),
      order('DATABASE_STATEMENT_MS_MAX', 'DATABASE_CALL_MS_MAX', 1800),
    );
    assert.equal(
      faultOf({ DATABASE_LOCK_MS_MAX: '1500' }),
      order('DATABASE_LOCK_MS_MAX', 'DATABASE_STATEMENT_MS_MAX', 1500),
    );
  });

  for (const [parameter, name] of [
    ['statement_timeout', 'DATABASE_STATEMENT_MS_MAX'],
    ['lock_timeout', 'DATABASE_LOCK_MS_MAX'],
    ['idle_in_transaction_session_timeout', 'DATABASE_CALL_MS_MAX'],
    ['query_timeout', 'DATABASE_CALL_MS_MAX'],
  ])
    it(`refuse ${parameter} in DATABASE_URL, with the name of the setting that it would replace`, () => {
      assert.equal(
        faultOf({ DATABASE_URL: `postgres://ann:secret@db.example/offers?sslmode=require&${parameter}=0` }),
        `DATABASE_URL must not contain ${parameter}: use ${name} instead ` +
          '(the value is hidden because it may contain a password)',
      );
    });

  it('report all invalid values at once', () => {
    const fault = faultOf({ PORT: 'x', LOG_LEVEL: 'y', EXTERNAL_NAME: 'Z' });
    for (const name of ['PORT must', 'LOG_LEVEL must', 'EXTERNAL_NAME must']) assert.ok(fault.includes(name), fault);
  });

  for (const value of [
    'mysql://ann:secret@db.example/offers',
    'postgres://ann:secret@db.example',
    'postgres://ann:sec/ret@x@db.example:port/offers',
    'postgres://db.example /offers?password=secret',
    'host=db.example password=secret',
  ])
    it(`refuse DATABASE_URL=${JSON.stringify(value)} by name, without repeating what may be a password`, () => {
      assert.equal(
        faultOf({ DATABASE_URL: value }),
        'DATABASE_URL must be empty, or a URL such as postgres://user:password@host:5432/database, ' +
          'with a percent-encoded password (the value is hidden because it may contain a password)',
      );
    });

  it('do not repeat a password in another address', () => {
    assert.ok(faultOf({ PUBLIC_URL: 'ftp://ann:sec@ret@api.example' }).includes('"ftp://***@api.example"'));
  });

  for (const value of ['garbage', '10.0.0.0/99', '300.1.1.1', '10.0.0.1 10.0.0.2'])
    it(`name TRUST_PROXY when it is ${value}, at the latest at start`, async () => {
      const dataDir = await tempFolder();
      const start = async () => {
        const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent', TRUST_PROXY: value });
        await (await startOfferbook(settings, { demo: false })).close();
      };
      await assert.rejects(start, /TRUST_PROXY/);
    });

  it('give the white label its names', () => {
    assert.deepEqual(nameSettings(readSettings({ MARKETPLACE_NAME: 'm', EXTERNAL_NAME: 'e', REVIEW_STATUS: 'r' })), {
      marketplace: 'm',
      external: 'e',
      carriers: ['<carrier_1>', '<carrier_2>', '<carrier_3>', '<carrier_4>', '<carrier_5>'],
      reviewStatus: 'r',
      availableStatus: 'Available For Purchase',
    });
  });

  it('use the names of the original API with COMPATIBILITY=jet, unless others are set', () => {
    assert.deepEqual(nameSettings(readSettings({ COMPATIBILITY: 'jet', EXTERNAL_NAME: 'e' })), {
      marketplace: 'jet',
      external: 'e',
      carriers: ['DHL', 'FedEx', 'OnTrac', 'UPS', 'USPS'],
      reviewStatus: 'Under Jet Review',
      availableStatus: 'Available for Purchase',
    });
  });
});
