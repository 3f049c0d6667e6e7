/**
 * Packs the server as a tarball that installs without a clone, in `build/` or the folder of the first argument. `npm run package` also packs
 * the client. Node runs no TypeScript below `node_modules`, so the package has compiled sources, in the folders that they have in the clone.
 * It also has the built pages, and the packages of the lock file, so that all installations have the same versions; only binaries for the
 * machine come from the registry.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.resolve(process.argv[2] ?? path.join(ROOT, 'build'));
/** The contents of the tarball. */
const PACKAGE = path.join(TARGET, 'package');
/** Files and folders that are packed as they are. */
const COPIED = [
  ...['bin', 'scripts/packaged-node.mjs', 'deploy', 'portal/dist', 'site/dist'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE'],
];
/** A source file that is named in a call of `import` or `new URL`. The compiler only renames those in `import` statements. */
const NAMED_SOURCE = /((?:import|new URL)\(['"`][^'"`]*)\.ts(?=['"`])/g;
/** This package needs binaries for the machine. */
const NATIVE = 'sharp';
/** A server needs only the modules of these packages: 2 of the 17 MB for agents, and no documentation and tests. */
const UNUSED = [
  'node_modules/{@modelcontextprotocol/*,zod}/**/*.{map,cjs,ts,cts,mts}',
  'node_modules/{undici/docs,pino/docs,pino/test,pino-pretty/test,papaparse/tests}',
];
/** A server needs only two files of this package, 1.6 of its 12 MB, and not its dependency that reports each installation. */
const SWAGGER = 'node_modules/swagger-ui-dist';
const UNUSED_BY_SWAGGER = /\.map$|-bundle-core|es-bundle|standalone|sizes|swagger-ui\.js$|\.html$|\.png$/;

rmSync(PACKAGE, { recursive: true, force: true });
mkdirSync(PACKAGE, { recursive: true });
bundlePackages();
compile();
writeManifest();
for (const name of COPIED) cpSync(path.join(ROOT, name), path.join(PACKAGE, name), { recursive: true });
npm('pack', PACKAGE, '--pack-destination', TARGET);
rmSync(PACKAGE, { recursive: true });

function bundlePackages(): void {
  for (const name of ['package.json', 'package-lock.json']) cpSync(path.join(ROOT, name), path.join(PACKAGE, name));
  npm('ci', '--prefix', PACKAGE, '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund');
  rmSync(path.join(PACKAGE, 'package-lock.json'));
  for (const name of globSync(`${SWAGGER}/*`, { cwd: PACKAGE })) {
    if (UNUSED_BY_SWAGGER.test(name)) rmSync(path.join(PACKAGE, name));
  }
  for (const name of globSync(UNUSED, { cwd: PACKAGE })) rmSync(path.join(PACKAGE, name), { recursive: true });
  const swagger = JSON.parse(readFileSync(path.join(PACKAGE, SWAGGER, 'package.json'), 'utf8'));
  writeJson(`${SWAGGER}/package.json`, { ...swagger, dependencies: {} });
}

function compile(): void {
  run('portal/scripts/api-types.mjs');
  run('node_modules/typescript/bin/tsc', '-p', 'scripts/tsconfig.package.json', '--outDir', PACKAGE);
  const others = globSync('src/**/*.*', { cwd: ROOT }).filter((name) => !name.endsWith('.ts'));
  for (const name of others) cpSync(path.join(ROOT, name), path.join(PACKAGE, name));
  for (const name of globSync('src/**/*.{js,mjs}', { cwd: PACKAGE })) {
    const file = path.join(PACKAGE, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(NAMED_SOURCE, '$1.js'));
  }
}

/** Leaves out what only a clone needs. */
function writeManifest(): void {
  const { private: _, scripts, devDependencies, overrides, allowScripts, ...rest } = manifest;
  const bundleDependencies = Object.keys(rest.dependencies).filter((name) => name !== NATIVE);
  writeJson('package.json', { ...rest, bundleDependencies });
}

function writeJson(name: string, value: object): void {
  writeFileSync(path.join(PACKAGE, name), `${JSON.stringify(value, null, 2)}\n`);
}

function npm(...args: readonly string[]): void {
  const script = process.env.npm_execpath;
  if (script?.endsWith('npm-cli.js')) run(script, ...args, '--silent');
  else execFileSync('npm', [...args, '--silent'], { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
}

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
}
