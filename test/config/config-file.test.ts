/** Tests the configuration file: its format, its precedence, and mistakes with file and line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { withConfigFile } from '../../src/config/config-file.ts';
import { runHere, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

async function configFile(text: string): Promise<{ folder: string; file: string }> {
  const folder = await tempFolder();
  const file = path.join(folder, 'my.env');
  writeFileSync(file, text);
  return { folder, file };
}

describe('the configuration file', () => {
  it('has lines of NAME=value and comments; relative paths start at its folder', async () => {
    const { folder, file } = await configFile(
      '# Production\n\nPORT=9000\r\n  HOST = ::1 \nDATA_DIR=data#1\nTLS_CERT=\n',
    );
    assert.deepEqual(withConfigFile({}, file), {
      PORT: '9000',
      HOST: '::1',
      DATA_DIR: path.join(folder, 'data#1'),
      TLS_CERT: '',
      OFFERBOOK_CONFIG: file,
    });
  });

  it('yields to the environment, and --config takes precedence over OFFERBOOK_CONFIG', async () => {
    const [first, second] = [await configFile('PORT=1\nHOST=a\n'), await configFile('PORT=2\n')];
    const variables = { PORT: '3', OFFERBOOK_CONFIG: second.file };
    assert.deepEqual(withConfigFile(variables, first.file), { PORT: '3', HOST: 'a', OFFERBOOK_CONFIG: first.file });
    assert.deepEqual(withConfigFile({ OFFERBOOK_CONFIG: second.file }), { PORT: '2', OFFERBOOK_CONFIG: second.file });
    assert.deepEqual(withConfigFile({}), {}, 'no ./offerbook.env here');
  });

  it('that this user may not read is refused with what to do', {
    skip: process.geteuid?.() !== 0 && 'needs root',
  }, async () => {
    const { folder, file } = await configFile('PORT=1\n');
    chmodSync(folder, 0o755);
    chmodSync(file, 0o600);
    const ids = { uid: 65_534, gid: 65_534 };
    const env = { OFFERBOOK_CONFIG: file };
    const run = spawnSync(process.execPath, ['bin/offerbook.mjs', 'merchant', 'list'], {
      encoding: 'utf8',
      env,
      ...ids,
    });
    const advice = `run the command as root or as the server's user`;
    assert.equal(run.stderr, `offerbook: The configuration file ${file} cannot be read by user 65534: ${advice}\n`);
  });

  it('is refused with file and line of each mistake', async () => {
    const { file } = await configFile(
      'PORT=1\nPROT=2\nexport HOST=a\nHOST="::1"\nPORT=3\nLOG_LEVEL=info # quiet\nDATA_DIR=/var/lib/offerbook\t# disk\nDATADIR=a\nX=1',
    );
    const faults = [
      `${file}:2: PROT is not a setting (Did you mean PORT?)`,
      `${file}:3: must be NAME=value, or a comment that starts with #`,
      `${file}:4: HOST must be written without quotes`,
      `${file}:5: PORT is set twice`,
      `${file}:6: LOG_LEVEL is followed by a comment; put the comment on a line of its own`,
      `${file}:7: DATA_DIR is followed by a comment; put the comment on a line of its own`,
      `${file}:8: DATADIR is not a setting (Did you mean DATA_DIR?)`,
      `${file}:9: X is not a setting`,
    ];
    assert.deepEqual(await runHere({}, 'merchant', 'list', '--config', file), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: ${faults.join('; ')}\n`,
    });
    const missing = await runHere({}, `--config=${file}.not`, 'merchant', 'list');
    assert.equal(missing.stderr, `offerbook: The configuration file ${file}.not does not exist\n`);
    const folder = await runHere({}, `--config=${path.dirname(file)}`, 'merchant', 'list');
    assert.equal(folder.stderr, `offerbook: The configuration file ${path.dirname(file)} is a folder\n`);
    const bad = await configFile('STOP_SECONDS=x\n');
    assert.deepEqual(withConfigFile({ STOP_SECONDS: '1' }, bad.file).STOP_SECONDS, '1');
    assert.equal((await runOfferbook({ OFFERBOOK_CONFIG: file }, 'merchant', 'list', '--help')).exitCode, 0);
    const usage = await runHere({}, 'merchant', 'list', '--config');
    assert.equal(usage.stderr.split('\n')[0], "offerbook: option '--config <file>' argument missing");
  });

  it('gives every command the same database, and doctor names it', async () => {
    const { folder, file } = await configFile('DATA_DIR=data\n');
    const added = await runOfferbook({}, '--config', file, 'merchant', 'add', 'acme', '--name', 'Acme');
    assert.equal(added.stderr, `Database: sqlite:${folder}/data (new)\n`);
    const listed = await runHere({ OFFERBOOK_CONFIG: file }, 'merchant', 'list', '--json');
    assert.equal(JSON.parse(listed.stdout).merchants.length, 1);
    const { stdout } = await runHere({ OFFERBOOK_CONFIG: file }, 'doctor', '--no-server');
    assert.match(stdout, new RegExp(`^ok {4}settings: Configuration file ${file}\\. Set: DATA_DIR\\.$`, 'm'));
  });
});
