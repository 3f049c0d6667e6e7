/**
 * `npm run release -- 0.2.0`: checks that the commit can be released, sets the version, writes the packages, a list of their components and
 * checksums into `build/`, and stores a database with which later versions are tested. Prints the remaining steps, because it commits and
 * publishes nothing. `--tested` leaves out the tests, for a commit that has passed them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { storeRelease } from '../test/harness/stored-releases.ts';

interface LockedPackage {
  /** Set only if the name differs from the one in the path. */
  readonly name?: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string;
  readonly dev?: true;
  readonly optional?: true;
}

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILD = path.join(ROOT, 'build');
/** Licenses that allow use in any product, and that of the image library, which is linked dynamically. */
const LICENSES = /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|LGPL-3\.0-or-later)(?: (?:AND|OR) .*)?$/;
const UNRELEASED = '## Unreleased\n';
/** The packages that a server needs, by path. */
const NEEDED = (Object.entries(lock.packages) as unknown as [string, LockedPackage][]).filter(
  ([at, { dev }]) => at !== '' && !dev,
);
const [version = ''] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

try {
  check();
  setVersion();
  build();
  await storeRelease(version);
  sayNext();
} catch (error) {
  console.error(`Not released: ${(error as Error).message}`);
  process.exitCode = 1;
}

function check(): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version, such as: npm run release -- 0.2.0');
  if (isBefore(version, manifest.version)) throw new Error(`${version} is before ${manifest.version}`);
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`the tag v${version} exists`);
  checkClean('commit or stash your changes first');
  if (!read('CHANGELOG.md').includes(UNRELEASED)) throw new Error(`CHANGELOG.md has no section "${UNRELEASED.trim()}"`);
  npm('run', 'docs');
  checkClean('npm run docs changed generated pages; commit them first');
  checkLicenses();
  npm('audit', '--omit=dev', '--audit-level=moderate');
  if (process.argv.includes('--tested')) return;
  npm('test');
  npm('run', 'test:full');
}

function checkClean(remedy: string): void {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`${remedy}:\n${changed}`);
}

function checkLicenses(): void {
  const [unlisted] = NEEDED.filter(([, { license }]) => !LICENSES.test(license));
  if (unlisted === undefined) return;
  throw new Error(`${unlisted[0]} has the license ${unlisted[1].license}, which scripts/release.ts does not list`);
}

function setVersion(): void {
  for (const folder of ['.', 'client']) {
    if (JSON.parse(read(`${folder}/package.json`)).version === version) continue;
    npm('version', version, '--no-git-tag-version', '--prefix', path.join(ROOT, folder));
  }
  const today = new Date().toISOString().slice(0, 10);
  const changes = read('CHANGELOG.md').replace(UNRELEASED, `## ${version} (${today})\n`);
  writeFileSync(path.join(ROOT, 'CHANGELOG.md'), changes);
}

function build(): void {
  npm('run', 'package');
  writeFileSync(path.join(BUILD, `offerbook-${version}.cdx.json`), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
  const files = globSync('*.{tgz,json}', { cwd: BUILD }).sort();
  const sums = files.map((file) => {
    return `${createHash('sha256')
      .update(readFileSync(path.join(BUILD, file)))
      .digest('hex')}  ${file}\n`;
  });
  writeFileSync(path.join(BUILD, 'SHA256SUMS'), sums.join(''));
}

/** In CycloneDX. `npm sbom --omit=dev` leaves out packages that a development package needs too, such as `pg`. */
function billOfMaterials(): object {
  const components = NEEDED.map(([at, { name, version: locked, license, integrity, optional }]) => {
    const full = name ?? at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return {
      type: 'library',
      'bom-ref': at,
      name: full,
      version: locked,
      purl: `pkg:npm/${full.replace('@', '%40')}@${locked}`,
      scope: optional ? 'optional' : 'required',
      licenses: [{ expression: license }],
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    };
  });
  const component = { type: 'application', name: 'offerbook', version, purl: `pkg:npm/offerbook@${version}` };
  const metadata = { timestamp: new Date().toISOString(), component };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components };
}

function sayNext(): void {
  console.log(`
${version} is ready in build/: ${globSync('*', { cwd: BUILD }).sort().join(', ')}

Read the diff and CHANGELOG.md. Then:

  git add --all
  git commit -m "Release ${version}"
  git tag -s v${version} -m "Offerbook ${version}"
  git push --follow-tags
  npm publish build/offerbook-${version}.tgz
  npm publish build/offerbook-client-${version}.tgz

Attach the other files of build/ to the release page of the tag. To give up instead: git checkout . && git clean -f test/fixtures`);
}

function isBefore(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = first.findIndex((part, place) => part !== second[place]);
  return at !== -1 && (first[at] ?? 0) < (second[at] ?? 0);
}

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trimEnd();
}

function npm(...args: readonly string[]): void {
  console.error(`npm ${args.join(' ')}`);
  const script = process.env.npm_execpath;
  const [file, before] = script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
  // All output of npm goes to stderr: stdout has only the steps that remain for a person.
  const shell = process.platform === 'win32' && file === 'npm';
  const { status } = spawnSync(file, [...before, ...args], { cwd: ROOT, stdio: ['ignore', 2, 2], shell });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}
