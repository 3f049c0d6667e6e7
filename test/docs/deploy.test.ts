/** Tests that docs/operate/deploy.md names only existing settings, metrics, limits, events and commands, and that its commands work. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { EVENTS } from '../../src/telemetry/events.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/operate/deploy.md'), 'utf8');
const all = (pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, found]) => found ?? ''));

it('settings', () => {
  const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
  const named = all(/(?:`|export |^|(?<=\S) )([A-Z]+(?:_[A-Z]+)*)(?==|`)/gm);
  assert.ok(named.size > 10, [...named].join());
  assert.deepEqual(
    [...named].filter((name) => !known.includes(name)),
    ['NAME', 'FILE', 'OFFERBOOK_CONFIG'],
  );
});

it('metrics and their labels', () => {
  const known: string[] = Object.values(METRICS).map(({ name }) => name);
  const named = all(/\b((?:offerbook|nodejs|process)_[a-z_]+?)(?:_bucket)?\b/g);
  assert.ok(named.size > 5, [...named].join());
  assert.deepEqual(
    [...named].filter((name) => !known.includes(name)),
    [],
  );
  const limits = Object.values(EVENTS).map(({ limit }) => limit);
  for (const limit of all(/limit="(\w+)"/g)) assert.ok(limits.includes(limit), limit);
});

it('commands', async () => {
  for (const command of all(/^ *offerbook ([a-z]+(?: (?:add|list))?)/gm)) {
    const { exitCode, stdout } = await runOfferbook({}, ...command.split(' '), '--help');
    assert.equal(exitCode, 0, command);
    assert.match(stdout, new RegExp(`^Usage: offerbook ${command} `), command);
  }
});

it('building the portal, at an installation and at an upgrade', () => {
  const builds = text.split('\n').filter((line) => line.includes('npm run build:portal'));
  const { scripts } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));
  assert.equal(builds.length, 2);
  assert.ok('build:portal' in scripts);
});

/** Commands that need root, a network or systemd. */
const UNTESTED = /^(?:useradd|git|npm|systemctl) /;

it('the commands of the guide, in a folder that stands for the root of the machine', async (t) => {
  const root = await tempFolder();
  for (const folder of ['opt', 'usr/local/bin', 'etc/systemd/system', 'var/lib', 'var/backups']) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
  symlinkSync(path.resolve(import.meta.dirname, '../..'), path.join(root, 'opt/offerbook'));
  const inRoot = (given: string) => given.replaceAll(/(?<![\w.])\/(?=(?:opt|etc|var|usr\/local)\b)/g, `${root}/`);
  const port = await freePort();
  const env = {
    PATH: `${path.dirname(process.execPath)}:${root}/usr/local/bin:/usr/bin:/bin`,
    PORT: String(port),
    METRICS_PORT: '0',
  };
  const run = (script: string) => {
    return execFileSync('sh', ['-euc', script], {
      encoding: 'utf8',
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  let server: ReturnType<typeof spawn> | undefined;
  t.after(() => server?.kill('SIGKILL'));
  const printed: string[] = [];
  for (const [, block = ''] of text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)) {
    const commands = block
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !UNTESTED.test(line))
      .map((line) =>
        inRoot(line)
          .replaceAll(/ -[og] offerbook/g, '')
          .replace(':8080/', `:${port}/`),
      );
    if (block.includes('systemctl enable')) {
      run(`cd ${root}/opt/offerbook\n${commands.join('\n')}`);
      const unit = readFileSync(path.join(root, 'etc/systemd/system/offerbook.service'), 'utf8');
      const [, start = ''] = /^ExecStart=\/usr\/bin\/node (.+)$/m.exec(unit) ?? [];
      server = spawn(process.execPath, inRoot(start).split(' '), {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(server.stdout ?? assert.fail(), 'data');
      continue;
    }
    if (commands.length > 0) printed.push(run(`cd ${root}/opt/offerbook\n${commands.join('\n')} 2>&1`));
    // Installed files name folders of the machine, too.
    for (const file of ['etc/offerbook/offerbook.env', 'usr/local/bin/offerbook']) {
      const installed = path.join(root, file);
      if (!existsSync(installed)) continue;
      const content = readFileSync(installed, 'utf8');
      if (!content.includes(root)) writeFileSync(installed, inRoot(content));
    }
  }
  assert.ok(
    printed.some((lines) => lines.startsWith(`Database: sqlite:${root}/var/lib/offerbook (new)\n`)),
    printed.join(),
  );
  assert.deepEqual(readdirSync(path.join(root, 'var/backups/offerbook')).sort(), ['before-upgrade.db', 'now.db']);
  assert.ok(!existsSync(path.join(root, 'var/lib/offerbook/drill')));
  const checked = printed.at(-1) ?? '';
  assert.match(checked, new RegExp(`Database: sqlite:${root}/var/lib/offerbook$`, 'm'));
  assert.match(
    checked,
    new RegExp(`^ok {4}settings: Configuration file ${root}/etc/offerbook/offerbook\\.env\\.`, 'm'),
  );
  assert.doesNotMatch(checked, /^fail/m);
  server?.kill('SIGTERM');
  const [exitCode] = await once(server ?? assert.fail(), 'exit');
  assert.equal(exitCode, 0);
});

it('the backup that the timer runs', () => {
  const unit = readFileSync(path.resolve(import.meta.dirname, '../../deploy/offerbook-backup.service'), 'utf8');
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(unit) ?? [];
  const shown = execFileSync(
    'sh',
    ['-euc', command.replace('exec /usr/local/bin/offerbook', 'echo').replaceAll('%%', '%')],
    {
      encoding: 'utf8',
    },
  );
  assert.match(shown, /^backup \/var\/backups\/offerbook\/offerbook-\d{4}-\d\d-\d\d-\d{6}\.db\n$/);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
