/** Dockerfile and compose.yaml name files, settings and options that exist, and no secret. No Docker is needed. */
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
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = '']) => found);

describe('Dockerfile', () => {
  const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((files) => files.split(' '));

  it('copies files that exist and that the ignore file lets pass', () => {
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

  it('has the Node.js that is asked for, and starts what is there, not as root', () => {
    const major = /^>=(\d+)/.exec(manifest.engines.node)?.[1];
    for (const image of all(dockerfile, /^FROM (\S+)/gm)) assert.equal(image, `node:${major}-slim`);
    assert.match(dockerfile, /^ENTRYPOINT \["node", .*"\/app\/bin\/offerbook\.mjs"\]$/m);
    assert.match(dockerfile, /^USER node$/m);
  });
});

describe('the health of a container', () => {
  it('is asked where the role and the port are known, and not of the image', () => {
    assert.doesNotMatch(dockerfile, /^HEALTHCHECK/m);
    assert.match(compose, /^ {8}- "fetch\('http:\/\/127\.0\.0\.1:8080\/healthz'\)/m);
    assert.match(dockerfile, /^ENV .*\bPORT=8080\b/m);
    assert.doesNotMatch(compose, /--role|^ {6}(?:PORT|TLS_CERT):/m);
    assert.ok(ENDPOINTS.some(({ path: route }) => route === '/healthz'));
  });

  it('may take minutes to show, while a start migrates', () => {
    assert.match(compose, /^ {6}start_period: \d+m$/m);
  });
});

describe('Docker', () => {
  it('sets settings that exist', () => {
    const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
    const [offerbook = ''] = compose.split(/^ {2}postgres:$/m);
    const set = [...all(dockerfile, /(?:^ENV| \b)([A-Z_]+)=/gm), ...all(offerbook, /^ {6}([A-Z_]+):/gm)];
    assert.ok(set.includes('NODE_ENV') && set.includes('DATABASE_URL'), set.join());
    for (const name of set.filter((found) => found !== '')) assert.ok(known.includes(name), name);
  });

  it('starts the server with options that exist', async () => {
    const { stdout } = await runOfferbook({}, 'serve', '--help');
    const options = all(compose, /command: \["serve", (.+)\]/g).flatMap((args) => all(args, /"(--[a-z-]+)"/g));
    assert.ok(options.length > 0);
    for (const option of options) assert.match(stdout, new RegExp(`${option} `));
  });

  it('has no password of its own: without one nothing starts', () => {
    for (const [whole] of compose.matchAll(/\$\{POSTGRES_PASSWORD[^}]*\}/g)) assert.match(whole, /:\?/);
    assert.equal(all(compose, /(PASSWORD)[^\n$]*: (?!\$)/g).length, 0);
    assert.match(read('.gitignore'), /^\.env$/m);
  });
});
