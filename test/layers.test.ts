/** The rooms of the house: who may import whom, where the environment and the clock may be read, how long a file is. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, it } from 'node:test';

const SRC = path.resolve(import.meta.dirname, '../src');
const FILE_LINES_MAX = 450;

/** What both adapters of the store may import. */
const ADAPTER_IMPORTS: readonly string[] = [
  'store/port.ts',
  'store/move-marks-port.ts',
  'store/offer-list-port.ts',
  'store/offer-list-walk.ts',
  'store/offer-count-changes.ts',
  'store/sub-status-bits.ts',
  'store/request-count-port.ts',
  'store/portal-port.ts',
  'store/file-port.ts',
  'store/history-port.ts',
  'store/history-rows.ts',
  'store/review-port.ts',
  'store/policy-row.ts',
  'store/product-row.ts',
  'store/image-key.ts',
  'store/image-turns.ts',
  'store/taxonomy-port.ts',
  'store/work-port.ts',
  'store/reads-by-account.ts',
  'store/copy-port.ts',
  'store/copied-tables.ts',
  'store/finding.ts',
  'store/unfinished-moves.ts',
  'store/batch-sizes.ts',
  'domain',
];

/** What each room may import, beside itself and `node:` modules; packages are named. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: ['typebox'],
  taxonomy: ['domain', 'store/taxonomy-port.ts'],
  'store/port.ts': [
    'domain',
    'store/offer-parts.ts',
    'store/file-port.ts',
    'store/history-port.ts',
    'store/move-marks-port.ts',
    'store/work-port.ts',
    'store/rate-counter-port.ts',
    'store/portal-port.ts',
    'store/offer-list-port.ts',
    'store/request-count-port.ts',
    'store/taxonomy-port.ts',
    'store/review-port.ts',
  ],
  'store/offer-list-port.ts': ['domain', 'store/review-port.ts'],
  'store/offer-list-walk.ts': ['store/offer-list-port.ts'],
  'store/offer-count-changes.ts': ['domain', 'store/offer-list-port.ts', 'store/sub-status-bits.ts'],
  'store/sub-status-bits.ts': ['domain'],
  'store/sub-status-bits.test.ts': ['domain', 'store/sub-status-bits.ts', 'store/sqlite', 'store/postgres'],
  'store/request-count-port.ts': [],
  'store/move-marks-port.ts': [],
  'store/history-port.ts': ['domain', 'store/offer-parts.ts'],
  'store/history-rows.ts': ['domain', 'store/history-port.ts', 'store/offer-parts.ts'],
  'store/offer-parts.ts': [],
  'store/portal-port.ts': ['domain'],
  'store/file-port.ts': ['domain', 'store/offer-parts.ts'],
  'store/review-port.ts': ['domain'],
  'store/taxonomy-port.ts': [],
  'store/work-port.ts': [],
  'store/rate-counter-port.ts': [],
  'store/reads-by-account.ts': ['store/port.ts'],
  'store/reads-by-account.test.ts': ['store/port.ts', 'store/reads-by-account.ts'],
  'store/copied-tables.ts': [],
  'store/copy-port.ts': ['store/copied-tables.ts'],
  'store/contract': [
    'store/port.ts',
    'store/move-marks-port.ts',
    'store/offer-list-port.ts',
    'store/portal-port.ts',
    'store/file-port.ts',
    'store/history-port.ts',
    'store/review-port.ts',
    'store/work-port.ts',
    'store/taxonomy-port.ts',
    'store/copy-port.ts',
    'store/copied-tables.ts',
    'domain',
  ],
  'store/policy-row.ts': ['domain'],
  'store/product-row.ts': ['domain', 'store/review-port.ts'],
  'store/image-key.ts': [],
  'store/image-turns.ts': ['store/review-port.ts'],
  'store/image-turns.test.ts': ['store/review-port.ts'],
  'store/offer-list-walk.test.ts': ['store/offer-list-port.ts', 'store/offer-list-walk.ts'],
  'store/finding.ts': [],
  'store/unfinished-moves.ts': ['store/copy-port.ts', 'store/finding.ts', 'store/port.ts'],
  'store/batch-sizes.ts': [],
  'store/asked-since.ts': [],
  'store/sqlite': ADAPTER_IMPORTS,
  'store/postgres': [...ADAPTER_IMPORTS, 'store/rate-counter-port.ts', 'store/asked-since.ts', 'pg'],
  'store/open-store.ts': [
    'store/port.ts',
    'store/review-port.ts',
    'store/copy-port.ts',
    'store/sqlite',
    'store/postgres',
  ],
  access: [
    ...['store/port.ts', 'store/portal-port.ts', 'store/rate-counter-port.ts', 'store/request-count-port.ts'],
    'domain',
  ],
  // Where files lie: asked by whoever takes them in, works on them or hands them out.
  'bulk/file-place.ts': [],
  operations: [
    'bulk/file-place.ts',
    'store/file-port.ts',
    'store/history-port.ts',
    'store/move-marks-port.ts',
    'store/port.ts',
    'store/portal-port.ts',
    'store/review-port.ts',
    'store/taxonomy-port.ts',
    'store/copy-port.ts',
    'store/copied-tables.ts',
    'domain',
    'store/offer-list-port.ts',
    'store/request-count-port.ts',
    'store/work-port.ts',
    'store/reads-by-account.ts',
  ],
  background: [
    ...['store/port.ts', 'store/work-port.ts', 'store/history-port.ts', 'store/request-count-port.ts'],
    ...['domain', 'telemetry'],
  ],
  review: [
    'domain',
    'operations',
    'store/port.ts',
    'store/review-port.ts',
    'background',
    'telemetry',
    'sharp',
    'undici',
  ],
  bulk: [
    'bulk/file-place.ts',
    'access',
    'operations',
    'domain',
    'taxonomy',
    'store/port.ts',
    'store/file-port.ts',
    'store/work-port.ts',
    'store/open-store.ts',
    'background',
    'telemetry',
  ],
  config: ['domain'],
  telemetry: ['domain', 'pino', 'pino-pretty'],
  demo: ['access', 'store/port.ts', 'domain', 'sharp'],
  http: [
    'access',
    'operations',
    'domain',
    'store/port.ts',
    'store/offer-list-port.ts',
    'store/portal-port.ts',
    'store/file-port.ts',
    'store/history-port.ts',
    'store/asked-since.ts',
    'telemetry',
    '@fastify/proxy-addr',
    'typebox',
  ],
  processes: ['telemetry'],
  client: ['domain'],
  'catalog-generator': ['domain'],
  cli: [
    'main.ts',
    'processes',
    'client',
    'catalog-generator',
    'bulk',
    'access',
    'operations',
    'config',
    'demo',
    'taxonomy',
    'review',
    'domain',
    'store/port.ts',
    'store/portal-port.ts',
    'store/review-port.ts',
    'store/taxonomy-port.ts',
    'store/open-store.ts',
    'store/finding.ts',
    'store/sqlite',
    'store/postgres',
    'commander',
  ],
  compose: [
    'access',
    'bulk',
    'bulk/file-place.ts',
    'config',
    'domain',
    'http',
    'operations',
    'review',
    'store/port.ts',
    'store/request-count-port.ts',
    'store/open-store.ts',
    'store/review-port.ts',
    'taxonomy',
    'telemetry',
    'background',
    'store/taxonomy-port.ts',
  ],
  'main.ts': ['compose', 'access', 'config', 'demo', 'http', 'review', 'store/open-store.ts', 'telemetry'],
};
const ROOMS = Object.keys(MAY_IMPORT);

const PORTAL_SRC = path.resolve(import.meta.dirname, '../portal/src');
/** From the ground up. The last is no folder: it starts the pages in a browser. */
const PORTAL_ROOMS: readonly string[] = ['api', 'ui', 'pages', 'app', 'main.tsx'];
const VOCABULARIES = /^\.\.\/\.\.\/src\/domain\/vocabulary\//;

const files = globSync('**/*.ts', { cwd: SRC }).map((file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return {
    file,
    text,
    imports: importsIn(text),
    room: roomOf(file),
    isTest: /\.test\.ts$|\/testing\//.test(file),
  };
});

describe('layers', () => {
  it('every file is in a room', () => {
    assert.deepEqual(
      files.filter(({ room }) => room === undefined).map(({ file }) => file),
      [],
    );
  });

  for (const { file, imports, room, isTest } of files) {
    if (isTest) continue;
    it(`${file} imports only what its room may`, () => {
      const foreign = imports
        .map((to) => targetOf(file, to))
        .filter((to) => to !== room && !to.startsWith('node:') && !to.endsWith('.json'));
      assert.deepEqual(
        foreign.filter((to) => !(MAY_IMPORT[room ?? ''] ?? []).includes(to)),
        [],
      );
    });
  }

  it('the domain does no I/O and reads no clock', () => {
    for (const { file, text, imports, room, isTest } of files) {
      if (room !== 'domain' || isTest) continue;
      assert.deepEqual(
        imports.filter((to) => isBuiltin(to)),
        [],
        file,
      );
      assert.doesNotMatch(text, /\bDate\.now\b|\bnew Date\b|\bperformance\b|\bprocess\b|\bawait\b|Math\.random/, file);
    }
  });

  it('only the command line reads the environment', () => {
    const readers = files.filter(
      ({ text, room, isTest }) => !isTest && room !== 'cli' && /process\.(?:env|argv)\b/.test(text),
    );
    assert.deepEqual(
      readers.map(({ file }) => file),
      [],
    );
  });

  it('one file alone imports node:sqlite', () => {
    const users = files.filter(({ imports, isTest }) => !isTest && imports.includes('node:sqlite'));
    assert.deepEqual(
      users.map(({ file }) => file),
      ['store/sqlite/engine.ts'],
    );
  });

  it('private fields of Node are used in two files alone, each with its reason', () => {
    const users = files.filter(({ text, isTest }) => !isTest && /\._[a-z]/i.test(text));
    assert.deepEqual(users.map(({ file }) => file).sort(), [
      'http/connections.ts',
      'store/postgres/pooled-connection.ts',
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

  it('files open with what they are in charge of and stay small', () => {
    for (const { file, text } of files) {
      assert.match(text, /^\/\*\*/, `${file} does not open with a sentence`);
      assert.ok(text.split('\n').length <= FILE_LINES_MAX, `${file} is too long`);
    }
  });
});

describe('rooms of the portal', () => {
  for (const file of globSync('**/*.{ts,tsx}', { cwd: PORTAL_SRC })) {
    it(`portal/src/${file} imports only its own room and those before it, and of the server only vocabularies`, () => {
      const mayImport = PORTAL_ROOMS.slice(0, PORTAL_ROOMS.indexOf(file.split('/')[0] ?? '') + 1);
      const own = importsIn(readFileSync(path.join(PORTAL_SRC, file), 'utf8')).filter((to) => to.startsWith('.'));
      const places = own.map((to) => resolve(file, to));
      assert.deepEqual(
        places.filter((to) => !VOCABULARIES.test(to) && !mayImport.includes(to.split('/')[0] ?? '')),
        [],
      );
    });
  }
});

function importsIn(text: string): string[] {
  return Array.from(
    text.matchAll(/^(?:import|export|\}) (?:[^'";]* )?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
    (found) => String(found[1] ?? found[2] ?? found[3]),
  );
}

function roomOf(file: string): string | undefined {
  return ROOMS.find((room) => file === room || file.startsWith(`${room}/`));
}

function resolve(file: string, to: string): string {
  return path.posix.join(path.posix.dirname(file), to);
}

/** The room of a relative import, the name of a package, or a `node:` module. */
function targetOf(file: string, to: string): string {
  return to.startsWith('.') ? (roomOf(resolve(file, to)) ?? to) : to;
}

function isBuiltin(to: string): boolean {
  return to.startsWith('node:') || builtinModules.includes(to);
}
