/** Tests that the command line shows secrets once, when they are created, and that no database file contains them. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { tempFolder } from '../harness/temp-folder.ts';

interface CredentialJson {
  readonly user: string;
  readonly secret: string;
}

it('secrets are shown when they are created, and neither stored nor shown again', async () => {
  const DATA_DIR = await tempFolder();
  const added = await offerbookJson({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme Inc.');
  const rolled = await offerbookJson({ DATA_DIR }, 'keys', 'roll', '--merchant', 'acme', '--env', 'live', '--yes');
  const { test, live } = added.credentials as Record<'test' | 'live', CredentialJson>;
  const next = rolled.credentials as CredentialJson;
  assert.equal(new Set([test.secret, live.secret, next.secret]).size, 3);

  const files = await Promise.all((await readdir(DATA_DIR)).map((name) => readFile(path.join(DATA_DIR, name))));
  const holds = (text: string | Buffer) => files.some((file) => file.includes(text));
  assert.ok(holds(test.user), 'the search finds what is stored');
  for (const { secret } of [test, live, next]) {
    assert.ok(!holds(secret), 'the secret as it is shown');
    assert.ok(!holds(Buffer.from(secret, 'base64url')), 'the bytes behind it');
  }
  for (const command of [
    ['merchant', 'list'],
    ['node', 'list', '--merchant', 'acme'],
  ]) {
    const { stdout, stderr } = await runOfferbook({ DATA_DIR }, ...command);
    for (const { user, secret } of [test, live, next]) {
      assert.ok(!`${stdout}${stderr}`.includes(secret) && !`${stdout}${stderr}`.includes(user));
    }
  }
});
