/**
 * Tests that docs/operate/deploy.md names only existing settings, metrics, limits, events and commands, and that its commands
 * work.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import { EVENTS } from '../../src/telemetry/events.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { freePort } from '../harness/free-port.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const page = (name: string) => readFileSync(path.resolve(import.meta.dirname, `../../docs/operate/${name}.md`), 'utf8');
const deployed = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../../deploy', name), 'utf8');
const text = page('deploy');
const all = (pattern: RegExp) => new Set(Array.from(text.matchAll(pattern), ([, found]) => found ?? ''));

it('settings', () => {
  const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
  const named = all(/(?:`|export |^|(?<=\S) )([A-Z]+(?:_[A-Z]+)*)(?==|`)/gm);
  assert.ok(named.size > 10, [...named].join());
  assert.deepEqual(
    [...named].filter((name) => !known.includes(name)),
    ['EBADENGINE', 'NAME', 'FILE', 'OFFERBOOK_CONFIG', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'URL', 'TOKEN'],
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

it('alert rules: those of the page, in Prometheus and on the page alike', () => {
  const rules = Array.from(
    deployed('prometheus-alerts.yml').matchAll(/^ +expr: (.+)\n(?: +for: (\d+)m$)?/gm),
    ([, expression = '', minutes]) => `${expression}${minutes === undefined ? '' : ` for ${minutes} minute`}`,
  );
  const [, table = ''] = text.split('## What to watch');
  const shown = Array.from(table.matchAll(/^\| [^|]+ \| `([^`]+)`( for 1 minute)? \|/gm), ([, expression, time]) => {
    return `${expression}${time ?? ''}`;
  });
  assert.deepEqual(rules, shown);
});

it('metrics of the dashboard and their labels', () => {
  const known = new Map<string, readonly string[]>(Object.values(METRICS).map(({ name, labels }) => [name, labels]));
  const { panels } = JSON.parse(deployed('grafana-dashboard.json')) as {
    panels: { targets: { expr: string; legendFormat: string }[] }[];
  };
  const targets = panels.flatMap((panel) => panel.targets);
  assert.ok(targets.length > 10);
  for (const { expr, legendFormat } of targets) {
    const [, name = ''] = /\b((?:offerbook|nodejs|process)_[a-z_]+?)(?:_bucket)?\b(?!_)/.exec(expr) ?? [];
    const labels = known.get(name) ?? assert.fail(expr);
    // Prometheus adds `instance`.
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      assert.ok(label === 'instance' || labels.includes(label), `${expr}: ${label}`);
    }
  }
});

it('commands', async () => {
  for (const command of all(/^ *offerbook ([a-z]+(?: (?:add|list))?)/gm)) {
    const { exitCode, stdout } = await runOfferbook({}, ...command.split(' '), '--help');
    assert.equal(exitCode, 0, command);
    assert.match(stdout, new RegExp(`^Usage: offerbook ${command} `), command);
  }
});

it('building the portal, at an installation and at an upgrade', () => {
  const builds = `${text}\n${page('upgrade')}`.split('\n').filter((line) => line.includes('npm run build:portal'));
  const { scripts } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));
  assert.equal(builds.length, 2);
  assert.ok('build:portal' in scripts);
});

it('an installation and an upgrade stop at the first command that fails', async () => {
  const folder = await tempFolder();
  for (const [command, script] of [
    ['git', 'exit 1'],
    ['npm', 'echo npm ran'],
    ['ln', 'echo ln ran'],
  ] as const) {
    writeFileSync(path.join(folder, command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  for (const name of ['deploy', 'upgrade']) {
    const [, block = ''] = /```sh\n([^`]*git clone [^`]*)```/.exec(page(name)) ?? [];
    const script = block.replace('<your copy of the repository>', 'origin');
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    const { status, stdout } = spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8', env });
    assert.notEqual(status, 0, name);
    assert.doesNotMatch(stdout, / ran$/m, name);
  }
});

it('waits for a server with equal pauses, which curl doubles by default', () => {
  const waits = ['deploy', 'upgrade', 'backup', 'docker'].flatMap(
    (name) => page(name).match(/curl .*--retry .*/g) ?? [],
  );
  assert.equal(waits.length, 7);
  for (const wait of waits) assert.match(wait, / --retry 60 --retry-delay 1 --retry-all-errors /);
});

/** Exit code of curl for a certificate that it does not trust. */
const CURL_UNTRUSTED = 60;

/** Commands that need root, a network or systemd. */
const UNTESTED = /^(?:useradd|npm|systemctl) /;

it('the commands of the guide, in a folder that replaces the root of the machine', async (t) => {
  const root = await tempFolder();
  for (const folder of ['opt', 'usr/local/bin', 'etc/systemd/system', 'var/lib', 'var/backups']) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
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
  const inProgram = `! [ -e ${root}/opt/offerbook ] || cd ${root}/opt/offerbook`;
  const printed: string[] = [];
  for (const [, block = ''] of text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)) {
    const [, user, secret] = /^test +(\S+) +(\S+)$/m.exec(printed.join('')) ?? [];
    const commands = block
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !UNTESTED.test(line))
      .map((line) =>
        inRoot(line)
          .replaceAll(/ -[og] offerbook/g, '')
          .replace(/^git clone <.+?>/, `ln -s ${path.resolve(import.meta.dirname, '../..')}`)
          .replace('URL=https://offers.example', `URL=http://127.0.0.1:${port}`)
          .replace('"test-…", "pass": "…"', () => `"${user}", "pass": "${secret}"`)
          .replace(':8080/', `:${port}/`),
      );
    // test/cli/package.test.ts runs it with a package.
    if (block.includes('.tgz')) continue;
    // The next test runs this command.
    if (block.includes('fullchain.pem')) continue;
    if (block.includes('systemctl enable')) {
      run(`${inProgram}\n${commands.join('\n')}`);
      const unit = readFileSync(path.join(root, 'etc/systemd/system/offerbook.service'), 'utf8');
      const [, start = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
      const [node = '', ...args] = inRoot(start).split(' ');
      server = spawn(node, args, {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(server.stdout ?? assert.fail(), 'data');
      continue;
    }
    if (commands.length > 0) printed.push(run(`${inProgram}\n${commands.join('\n')} 2>&1`));
    // Installed files name folders of the machine as well.
    for (const file of ['etc/offerbook/offerbook.env', 'usr/local/bin/offerbook']) {
      const installed = path.join(root, file);
      if (!existsSync(installed)) continue;
      const content = readFileSync(installed, 'utf8');
      if (!content.includes(root))
        writeFileSync(installed, inRoot(content).replace('user=offerbook', 'user=$(id -un)'));
    }
  }
  assert.ok(
    printed.some((lines) => lines.startsWith(`Database: sqlite:${root}/var/lib/offerbook (new)\n`)),
    printed.join(),
  );
  const backups = readdirSync(path.join(root, 'var/backups/offerbook'));
  assert.match(backups.join(), /^manual-[\d-]+\.db$/);
  assert.ok(
    printed.some((lines) => lines.includes('\nhttps://offers.example/portal/set-password#')),
    printed.join(),
  );
  assert.ok(printed.includes('"This message is authorized."'), printed.join());
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

it('TLS without a proxy: a self-signed certificate, the settings, the check, and clients that trust it', async (t) => {
  const root = await tempFolder();
  for (const folder of ['etc/offerbook', 'var/lib']) mkdirSync(path.join(root, folder), { recursive: true });
  const port = String(await freePort());
  const inRoot = (given: string) =>
    given
      .replaceAll(/(?<![\w./])\/(?=(?:etc|var)\b)/g, `${root}/`)
      .replaceAll(' -g offerbook', '')
      .replaceAll('8443', port);
  const [, section = ''] = /^## TLS without a proxy$(.*?)^### Port 443$/ms.exec(text) ?? [];
  const blocks = Array.from(section.matchAll(/^ *```(sh)?\n(.*?)^ *```$/gms), ([, language, block = '']) => ({
    isCommands: language === 'sh',
    block: inRoot(block.replaceAll(/^ +/gm, '')),
  }));
  const check = blocks.at(-1)?.block ?? assert.fail();
  const setup = blocks.filter(({ isCommands, block }) => isCommands && block !== check && !UNTESTED.test(block));
  assert.equal(setup.length, 2);
  const [install, createInPlace] = setup.map(({ block }) => block);
  // The installed files come from another folder.
  const others = path.join(root, 'others');
  const move = `mkdir ${others}\nmv ${root}/etc/offerbook/*.pem ${others}\ncd ${others}`;
  execFileSync('sh', ['-euc', [createInPlace, move, install].join('\n')], { stdio: 'pipe' });
  const config = path.join(root, 'etc/offerbook/offerbook.env');
  const [lines] = blocks.filter(({ isCommands }) => !isCommands);
  writeFileSync(config, `DATA_DIR=${root}/var/lib/offerbook\n${lines?.block}`);

  const program = path.resolve(import.meta.dirname, '../../bin/offerbook.mjs');
  const server = spawn(process.execPath, [program, 'serve', '--config', config], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => server.kill('SIGKILL'));
  await once(server.stdout, 'data');
  const run = (script: string, env = {}) =>
    spawnSync('sh', ['-euc', script], { encoding: 'utf8', env: { PATH, ...env } });
  const { PATH } = process.env;
  assert.equal(run(check).stdout, '{"status":"ok"}');
  const untrusting = check.replace(/ --cacert \S+/, '').replace('--retry 60', '--retry 0');
  assert.equal(run(untrusting).status, CURL_UNTRUSTED);
  const fetching = `"${process.execPath}" -e 'fetch("https://127.0.0.1:${port}/readyz").then(({ status }) => console.log(status))'`;
  const certificate = `${root}/etc/offerbook/fullchain.pem`;
  assert.equal(run(fetching, { NODE_EXTRA_CA_CERTS: certificate }).stdout, '200\n');
  assert.match(run(fetching).stderr, /self-signed certificate/);
});

it('the backup that the timer runs', () => {
  const unit = deployed('offerbook-backup.service');
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(unit) ?? [];
  const shown = execFileSync(
    'sh',
    ['-euc', command.replace('exec /usr/local/bin/offerbook', 'echo').replaceAll('%%', '%')],
    {
      encoding: 'utf8',
    },
  );
  assert.match(shown, /^backup \/var\/backups\/offerbook\/daily-\d{4}-\d\d-\d\dT\d{6}Z\.db\n$/);
});

it('the dump that the timer runs with PostgreSQL: gets its name only when complete, readable by the owner only', async () => {
  const dropIn = deployed('offerbook-backup-postgres.conf');
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(dropIn) ?? [];
  const [, pattern = ''] = /^ExecStartPost=.* -name "(.+?)"/m.exec(dropIn) ?? [];
  const folder = await tempFolder();
  const script = command.replace('/var/backups/offerbook', folder).replaceAll('%%', '%');
  const dump = (stub: string) => {
    writeFileSync(path.join(folder, 'pg_dump'), `#!/bin/sh\n${stub}\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:/usr/bin:/bin`, DUMP_URL: 'postgres://offerbook@db.example/offerbook' };
    return spawnSync('sh', ['-c', script], { env }).status;
  };
  const writing = 'for part; do case $part in --file=*) echo "$*" > "$(echo "$part" | cut -c8-)";; esac; done';
  const files = () => readdirSync(folder).filter((name) => name !== 'pg_dump');
  assert.equal(dump(`${writing}; exit 1`), 1);
  assert.deepEqual(files(), ['unfinished.dump']);
  assert.equal(dump(writing), 0);
  const [whole = '', ...others] = files();
  assert.deepEqual(others, []);
  assert.match(whole, /^daily-[\d-]{10}T\d{6}Z\.dump$/);
  assert.match(
    readFileSync(path.join(folder, whole), 'utf8'),
    /--dbname=postgres:\/\/offerbook@db\.example\/offerbook$/m,
  );
  assert.ok(path.matchesGlob(whole, pattern), whole);
  const [, kept = ''] = /pg_dump .*--file=(\S+\$\(.+?\)\.dump)/.exec(page('backup')) ?? assert.fail();
  assert.ok(!path.matchesGlob(kept, pattern), kept);
  // The drop-in adds to the unit.
  assert.match(deployed('offerbook-backup.service'), /^UMask=0077$/m);
  assert.doesNotMatch(dropIn, /UMask|PGPASSWORD=/);
});

it('the unit lets the server read the addresses of its machine, for HOST=0.0.0.0, and restarts it for as long as it fails', () => {
  const unit = deployed('offerbook.service');
  assert.match(unit, /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  assert.match(unit, /^StartLimitIntervalSec=0$/m);
});

it('the unit of the scaling guide: the unit for one process, with options', () => {
  const [, several = ''] = /^(ExecStart=\/.+)$/m.exec(page('scaling')) ?? [];
  const [, one = ''] = /^(ExecStart=.+)$/m.exec(deployed('offerbook.service')) ?? [];
  assert.equal(several.replace(' --processes 4', ''), one);
});

it('deleting old backups, but none that a page tells the operator to keep', () => {
  const [, timer = ''] = /^ExecStartPost=.* -name "(.+?)"/m.exec(deployed('offerbook-backup.service')) ?? [];
  const [, script = ''] = /^find .* -name '(.+?)'/m.exec(page('backup')) ?? [];
  assert.equal(timer, script);
  const kept = ['deploy', 'upgrade', 'backup', 'operating'].flatMap((name) =>
    Array.from(page(name).matchAll(/^ *offerbook backup (\S+\$\(.+\)\.db)$/gm), ([, file = '']) => path.basename(file)),
  );
  assert.equal(kept.length, 4);
  for (const file of kept) assert.ok(!path.matchesGlob(file, timer), `${file} matches ${timer}`);
});

it('the offerbook command runs as its own user, even if another user owns the data folder', async () => {
  const folder = await tempFolder();
  for (const [name, script] of Object.entries({
    id: 'if [ "$1" = -un ]; then echo root; else echo 0; fi',
    runuser: 'echo "$@"',
    stat: 'echo root',
  })) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const shown = execFileSync('sh', ['-c', deployed('offerbook'), 'offerbook', 'doctor', '--full'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  const program = '/opt/offerbook/node_modules/.bin/node /opt/offerbook/bin/offerbook.mjs';
  assert.equal(shown, `-u offerbook -- ${program} doctor --full\n`);
});

it('the offerbook command, by sudo: settings in the environment take precedence, as for root', async () => {
  const folder = await tempFolder();
  writeFileSync(path.join(folder, 'id'), '#!/bin/sh\nif [ "$1" = -un ]; then echo ann; else echo 1000; fi\n', {
    mode: 0o755,
  });
  writeFileSync(path.join(folder, 'sudo'), '#!/bin/sh\necho "$1"\n', { mode: 0o755 });
  const shown = execFileSync('sh', ['-c', deployed('offerbook'), 'offerbook', 'doctor'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  const kept = shown.trim().replace('--preserve-env=', '').split(',');
  const others = ['OFFERBOOK_CONFIG', 'OFFERBOOK_PASS', 'PGPASSWORD', 'NODE_EXTRA_CA_CERTS'];
  const settings = Object.values(SETTINGS).map(({ name }) => name);
  assert.deepEqual(kept.toSorted(), [...others, ...settings].toSorted());
});

it('a restore test that listens on this machine only', () => {
  const runs = Array.from(
    page('backup').matchAll(/^ *DATA_DIR=\.\/drill (.+(?:\\\n.+)?offerbook (?:serve|doctor).*)$/gm),
  );
  assert.equal(runs.length, 2);
  for (const [, run = ''] of runs) assert.match(run, /^HOST=127\.0\.0\.1 PORT=18080 TLS_CERT= TLS_KEY= PUBLIC_URL= /);
});
