/** Checks the layers: which folder may import which, where the environment and the clock may be read, and file sizes. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, it } from 'node:test';

const SRC = path.resolve(import.meta.dirname, '../src');
const FILE_LINES_MAX = 400;
/** Maximum number of lines in a test file, more than elsewhere, because test cases read better together. */
const TEST_LINES_MAX = 450;
const FOLDER_FILES_MAX = 25;

/** What each folder may import, in addition to itself and `node:` modules; packages are named. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  taxonomy: ['domain', 'store/port'],
  'store/port': ['domain'],
  'store/shared': ['store/port', 'domain'],
  'store/schema.test.ts': ['store/sqlite', 'store/postgres'],
  'store/twins.test.ts': [],
  'store/contract': ['store/port', 'store/shared', 'domain'],
  'store/sqlite': ['store/port', 'store/shared', 'domain'],
  'store/postgres': ['store/port', 'store/shared', 'domain', 'pg'],
  'store/open-store.ts': ['store/port', 'store/shared', 'store/sqlite', 'store/postgres'],
  access: ['store/port', 'domain', 'openid-client', '@simplewebauthn/server', '@simplewebauthn/server/helpers'],
  // Stores the bytes of bulk files: used by everything that receives, processes or serves them.
  files: ['domain'],
  operations: ['files', 'store/port', 'domain'],
  background: ['store/port', 'domain', 'telemetry'],
  // Requests to addresses that merchants chose.
  outbound: ['undici'],
  webhooks: ['domain', 'operations', 'outbound', 'store/port', 'telemetry', 'undici'],
  storefront: ['domain', 'store/port', 'background', 'telemetry'],
  review: ['domain', 'operations', 'outbound', 'store/port', 'background', 'telemetry', 'sharp', 'undici'],
  bulk: [
    'files',
    'access',
    'operations',
    'domain',
    'taxonomy',
    'store/port',
    'store/open-store.ts',
    'background',
    'telemetry',
    'papaparse',
  ],
  config: ['domain'],
  telemetry: ['domain', 'store/port', 'pino', 'pino-pretty'],
  demo: ['access', 'catalog-generator', 'client', 'store/port', 'domain', 'sharp'],
  http: [
    'access',
    'operations',
    'webhooks',
    'domain',
    'store/port',
    'telemetry',
    '@fastify/proxy-addr',
    '@modelcontextprotocol/server',
  ],
  processes: ['telemetry'],
  'catalog-generator': ['domain'],
  cli: [
    'main.ts',
    'processes',
    'catalog-generator',
    'bulk',
    'access',
    'operations',
    'config',
    'demo',
    'taxonomy',
    'review',
    'domain',
    'store/port',
    'store/open-store.ts',
    'store/sqlite',
    'store/postgres',
    'commander',
  ],
  compose: [
    'access',
    'bulk',
    'files',
    'config',
    'demo',
    'domain',
    'http',
    'operations',
    'review',
    'storefront',
    'store/port',
    'store/open-store.ts',
    'taxonomy',
    'telemetry',
    'background',
    'webhooks',
  ],
  'main.ts': ['compose', 'access', 'config', 'demo', 'http', 'review', 'store/open-store.ts', 'telemetry'],
};
const LAYERS = Object.keys(MAY_IMPORT);

const PORTAL_SRC = path.resolve(import.meta.dirname, '../portal/src');
/** Layers from the lowest up. The last one is not a folder, but the file that starts the pages in a browser. */
const PORTAL_LAYERS: readonly string[] = ['api', 'ui', 'pages', 'app', 'main.tsx'];
/** What the portal may import from the server, by its alias for `src/domain/`. */
const SHARED_WITH_PORTAL: readonly string[] = [
  '#domain/vocabulary/',
  '#domain/sheets/',
  '#domain/check/near-names.ts',
  '#domain/limits.ts',
];

const files = globSync('**/*.ts', { cwd: SRC }).map((file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return {
    file,
    text,
    imports: importsIn(text),
    layer: layerOf(file),
    isTest: /\.test\.ts$|\/testing\//.test(file),
  };
});

describe('layers', () => {
  it('every file is in a layer', () => {
    assert.deepEqual(
      files.filter(({ layer }) => layer === undefined).map(({ file }) => file),
      [],
    );
  });

  for (const { file, imports, layer, isTest } of files) {
    if (isTest) continue;
    it(`${file} imports only what its layer may`, () => {
      const foreign = imports
        .map((to) => targetOf(file, to))
        .filter((to) => to !== layer && !to.startsWith('node:') && !to.endsWith('.json'));
      assert.deepEqual(
        foreign.filter((to) => !(MAY_IMPORT[layer ?? ''] ?? []).includes(to)),
        [],
      );
    });
  }

  it('the domain does no I/O and reads no clock', () => {
    for (const { file, text, imports, layer, isTest } of files) {
      if (layer !== 'domain' || isTest) continue;
      assert.deepEqual(
        imports.filter((to) => isBuiltin(to)),
        [],
        file,
      );
      // `new Date(ms)` only converts a time.
      assert.doesNotMatch(
        text,
        /\bDate\.now\b|\bnew Date\b(?!\([^)])|\bperformance\b|\bprocess\b|\bawait\b|Math\.random/,
        file,
      );
    }
  });

  it('only the command line reads the environment', () => {
    const readers = files.filter(
      ({ text, layer, isTest }) => !isTest && layer !== 'cli' && /process\.(?:env|argv)\b/.test(text),
    );
    assert.deepEqual(
      readers.map(({ file }) => file),
      [],
    );
  });

  it('only one file imports node:sqlite', () => {
    const users = files.filter(({ imports, isTest }) => !isTest && imports.includes('node:sqlite'));
    assert.deepEqual(
      users.map(({ file }) => file),
      ['store/sqlite/engine/connection.ts'],
    );
  });

  it('private fields of Node are used in only two files, each with its reason', () => {
    const users = files.filter(({ text, isTest }) => !isTest && /\._[a-z]/i.test(text));
    assert.deepEqual(users.map(({ file }) => file).sort(), [
      'http/connections/connections.ts',
      'store/postgres/engine/pooled-connection.ts',
    ]);
  });

  it('there is no import cycle', () => {
    const graph = new Map(
      files.map(({ file, imports }) => [
        file,
        imports.filter((to) => to.startsWith('.')).map((to) => resolve(file, to)),
      ]),
    );
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      assert.ok(!trail.includes(file), `${[...trail, file].join(' -> ')}`);
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
  });

  it('files start with a comment that says what they do, and stay small', () => {
    for (const { file, text, isTest } of files) {
      assert.match(text, /^\/\*\*/, `${file} does not open with a sentence`);
      const isSuite = isTest || file.startsWith('store/contract/');
      assert.ok(
        text.trimEnd().split('\n').length <= (isSuite ? TEST_LINES_MAX : FILE_LINES_MAX),
        `${file} is too long`,
      );
    }
  });

  it('no folder has too many files', () => {
    const portal = globSync('**/*.{ts,tsx}', { cwd: PORTAL_SRC }).map((file) => `portal/src/${file}`);
    const counted = files.filter(({ file, isTest }) => !isTest && !file.startsWith('store/contract/'));
    const folders = Map.groupBy([...counted.map(({ file }) => `src/${file}`), ...portal], (file) => path.dirname(file));
    const full = [...folders].filter(([, own]) => own.length > FOLDER_FILES_MAX);
    assert.deepEqual(
      full.map(([folder, own]) => `${folder}: ${own.length}`),
      [],
    );
  });
});

describe('layers of the portal', () => {
  for (const file of globSync('**/*.{ts,tsx}', { cwd: PORTAL_SRC })) {
    it(`portal/src/${file} imports only its own and lower layers, and from the server only what they share`, () => {
      assert.deepEqual(refusedInPortal(file, importsIn(readFileSync(path.join(PORTAL_SRC, file), 'utf8'))), []);
    });
  }

  it('refuses other files of the server, modules of Node.js and higher layers', () => {
    const refused = [
      '#domain/problem.ts',
      '#domain/offers/parts.ts',
      '#domain/vocabulary/../problem.ts',
      '../../../src/domain/vocabulary/statuses.ts',
      '../../../src/http/routes.ts',
      'node:path',
      'fs',
      '../app/shell.tsx',
    ];
    assert.deepEqual(refusedInPortal('pages/any.tsx', refused), refused);
    const allowed = ['#domain/vocabulary/statuses.ts', '#domain/limits.ts', '../api/client.ts', './other.tsx', 'react'];
    assert.deepEqual(refusedInPortal('pages/any.tsx', allowed), []);
  });
});

/** Returns the imports that a file of the portal may not have. */
function refusedInPortal(file: string, imports: readonly string[]): string[] {
  const layers = PORTAL_LAYERS.slice(0, PORTAL_LAYERS.indexOf(file.split('/')[0] ?? '') + 1);
  return imports.filter((to) => {
    if (to.startsWith('#')) return !SHARED_WITH_PORTAL.some((shared) => path.posix.normalize(to).startsWith(shared));
    return to.startsWith('.') ? !layers.includes(resolve(file, to).split('/')[0] ?? '') : isBuiltin(to);
  });
}

function importsIn(text: string): string[] {
  return Array.from(
    text.matchAll(/^(?:import|export|\}) (?:[^'";]* )?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
    (found) => String(found[1] ?? found[2] ?? found[3]),
  );
}

function layerOf(file: string): string | undefined {
  return LAYERS.find((layer) => file === layer || file === `${layer}.ts` || file.startsWith(`${layer}/`));
}

function resolve(file: string, to: string): string {
  return path.posix.join(path.posix.dirname(file), to);
}

/** Returns the folder of a relative import, the name of a package, or a `node:` module. */
function targetOf(file: string, to: string): string {
  if (!to.startsWith('.')) return to;
  const target = resolve(file, to);
  return target.startsWith('../client/src/') ? 'client' : (layerOf(target) ?? to);
}

function isBuiltin(to: string): boolean {
  return to.startsWith('node:') || builtinModules.includes(to);
}
