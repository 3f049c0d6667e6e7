/** Tests that Dockerfile and compose files name existing files, settings and options, and no secret. Needs no Docker. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config/settings.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { runOfferbook } from '../harness/command-line.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const citusCompose = read('compose.citus.yaml');
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = '']) => found);

describe('Dockerfile', () => {
  const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((files) => files.split(' '));

  it('copies files that exist and are not in the ignore file', () => {
    const passing = all(read('.dockerignore'), /^!(\S+)$/gm);
    assert.ok(copied.length > 5, copied.join());
    for (const file of copied) {
      assert.ok(existsSync(path.join(ROOT, file)), file);
      assert.ok(passing.includes(file), `${file} is ignored`);
    }
  });

  it('copies everything that the sources import', () => {
    const left = /\.test\.ts$|\/testing\/|^src\/store\/contract\//;
    for (const file of globSync(['bin/*.mjs', 'src/**/*.ts'], { cwd: ROOT })) {
      if (left.test(file)) continue;
      for (const imported of all(read(file), /(?:from|import\() ?'(\.[^']+)'/g)) {
        const target = path.join(path.dirname(file), imported);
        assert.ok(!left.test(target), `${file} imports ${target}, which is not in the image`);
        assert.ok(
          copied.some((copy) => target === copy || target.startsWith(`${copy}/`)),
          `${file} imports ${target}, which is not in the image`,
        );
      }
    }
  });

  it('has the required Node.js, and starts an existing file, not as root', () => {
    const major = /^>=(\d+)/.exec(manifest.engines.node)?.[1];
    for (const image of all(dockerfile, /^FROM (\S+)/gm)) assert.equal(image, `node:${major}-slim`);
    assert.match(dockerfile, /^ENTRYPOINT \["node", .*"\/app\/bin\/offerbook\.mjs"\]$/m);
    assert.match(dockerfile, /^USER node$/m);
  });
});

describe('the health of a container', () => {
  it('is checked in the compose file, which knows role and port, and not in the image', () => {
    assert.doesNotMatch(dockerfile, /^HEALTHCHECK/m);
    assert.match(compose, /^ {8}- "fetch\('http:\/\/127\.0\.0\.1:8080\/healthz'\)/m);
    assert.match(dockerfile, /^ENV .*\bPORT=8080\b/m);
    assert.doesNotMatch(compose, /--role|^ {6}(?:PORT|TLS_CERT):/m);
    assert.ok(ENDPOINTS.some(({ path: route }) => route === '/healthz'));
  });

  it('may take minutes, while a start migrates', () => {
    assert.match(compose, /^ {6}start_period: \d+m$/m);
  });
});

describe('Docker', () => {
  it('sets settings that exist', () => {
    const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
    const set = all(dockerfile, /(?:^ENV| \b)([A-Z_]+)=/gm);
    for (const file of [compose, citusCompose]) {
      const environment = Object.keys(servicesOf(file).offerbook?.environment ?? {});
      assert.ok(environment.includes('DATABASE_URL'), environment.join());
      set.push(...environment);
    }
    assert.ok(set.includes('NODE_ENV'), set.join());
    for (const name of set.filter((found) => found !== '')) assert.ok(known.includes(name), name);
  });

  it('starts the server with options that exist', async () => {
    const { stdout } = await runOfferbook({}, 'serve', '--help');
    const commands = all(compose + citusCompose, /command: \["serve", (.+)\]/g);
    const options = commands.flatMap((args) => all(args, /"(--[a-z-]+)"/g));
    assert.equal(commands.length, 2);
    assert.ok(options.length > 1);
    for (const option of options) assert.match(stdout, new RegExp(`${option} `));
  });

  it('contains no password: without one nothing starts', () => {
    for (const file of [compose, citusCompose]) {
      for (const [whole] of file.matchAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g)) assert.match(whole, /:\?/);
      assert.equal(all(file, /(PASSWORD)[^\n$]*: (?!\$)/g).length, 0);
    }
    assert.match(read('.gitignore'), /^\.env$/m);
  });
});

describe('compose.citus.yaml', () => {
  const services = servicesOf(citusCompose);
  const { offerbook, coordinator, 'join-workers': joinWorkers, ...workers } = services;

  it('runs the same Offerbook as compose.yaml, on the coordinator', () => {
    const plain = servicesOf(compose).offerbook;
    const url = String(plain?.environment?.DATABASE_URL);
    const environment = { ...plain?.environment, DATABASE_URL: url.replace('@postgres:', '@coordinator:') };
    assert.deepEqual({ ...offerbook, depends_on: plain?.depends_on }, { ...plain, environment });
    assert.deepEqual(Object.keys(offerbook?.depends_on ?? {}), ['join-workers']);
  });

  it('joins every worker that it starts, once all nodes are healthy', () => {
    assert.equal(Object.keys(workers).length, 2);
    const joined = all(JSON.stringify(joinWorkers?.command), /citus_add_node\('([a-z0-9-]+)', 5432\)/g);
    assert.deepEqual(joined, Object.keys(workers));
    assert.match(JSON.stringify(joinWorkers?.command), /citus_set_coordinator_host\('coordinator', 5432\)/);
    assert.deepEqual(Object.keys(joinWorkers?.depends_on ?? {}), ['coordinator', ...Object.keys(workers)]);
  });

  it('sets up all nodes alike, each with its own volume', () => {
    const volumes = Object.entries({ coordinator, ...workers }).map(([name, node]) => {
      assert.deepEqual({ ...node, volumes: [] }, { ...coordinator, volumes: [] }, name);
      assert.deepEqual(node?.volumes, [`${name}-data:/var/lib/postgresql/data`]);
      return `${name}-data`;
    });
    const declared = parsedYaml(citusCompose).volumes as Tree;
    assert.deepEqual(Object.keys(declared), ['offerbook-data', ...volumes]);
    assert.equal(joinWorkers?.image, coordinator?.image);
  });
});

describe('compose.sqlite.yaml', () => {
  it('runs the same Offerbook as compose.yaml, without PostgreSQL', () => {
    const file = parsedYaml(read('compose.sqlite.yaml'));
    const { depends_on: _, ...plain } = servicesOf(compose).offerbook ?? {};
    const { DATABASE_URL: __, ...environment } = plain.environment as Tree;
    assert.deepEqual(file, {
      services: { offerbook: { ...plain, command: '["serve"]', environment } },
      volumes: { 'offerbook-data': undefined },
    });
  });
});

type Tree = { [key: string]: string | string[] | Tree | undefined };
type Service = Tree & { readonly environment?: Tree; readonly depends_on?: Tree };

function servicesOf(file: string): Readonly<Record<string, Service | undefined>> {
  return parsedYaml(file).services as Readonly<Record<string, Service | undefined>>;
}

/** The YAML subset of the compose files: maps by indentation, lists of plain values, and plain values. */
function parsedYaml(text: string): Tree {
  const root: Tree = {};
  const open: { indent: number; tree: Tree; key: string }[] = [];
  for (const line of text.split('\n')) {
    const [, spaces = '', isItem, content = ''] = /^( *)(- )?(.*)$/.exec(line) ?? [];
    if (content === '' || content.startsWith('#')) continue;
    while ((open.at(-1)?.indent ?? -1) >= spaces.length) open.pop();
    const above = open.at(-1);
    if (isItem !== undefined) {
      assert.ok(above !== undefined, line);
      const items = above.tree[above.key];
      above.tree[above.key] = Array.isArray(items) ? [...items, content] : [content];
      continue;
    }
    const [, key, value] = /^([\w-]+):(?: (.+))?$/.exec(content) ?? assert.fail(`not understood: ${line}`);
    if (above !== undefined) above.tree[above.key] ??= {};
    const tree = above === undefined ? root : (above.tree[above.key] as Tree);
    assert.ok(!((key as string) in tree), `twice: ${line}`);
    tree[key as string] = value;
    open.push({ indent: spaces.length, tree, key: key as string });
  }
  return root;
}
