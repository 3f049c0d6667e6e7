/** Tests that every command explains itself: what it does, each option, an example that names it. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { checkoutCommit } from '../../src/cli/completion.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { type CommandRun, runInTurn, runOfferbook } from '../harness/command-line.ts';
import { COMMANDS } from '../harness/commands.ts';

const GROUPS = Object.groupBy(Object.keys(COMMANDS), (command) => command.split(' ')[0] ?? '');

describe('help', { concurrency: 2 }, () => {
  let helpOf: ReadonlyMap<string, CommandRun>;
  before(async () => {
    const asked = [...new Set([...Object.keys(COMMANDS), ...Object.keys(GROUPS)])];
    const runs = await runInTurn(asked.map((command) => [...command.split(' '), '--help']));
    helpOf = new Map(asked.map((command, place) => [command, runs[place] ?? assert.fail(command)]));
  });

  for (const [command, words] of Object.entries(COMMANDS)) {
    it(`of ${command} names its options and an example`, () => {
      const { exitCode, stdout, stderr } = helpOf.get(command) ?? assert.fail();
      assert.deepEqual([exitCode, stderr], [0, '']);
      for (const word of [...words, '--json', '--config <file>'])
        assert.ok(stdout.includes(word), `${word} in ${stdout}`);
      assert.match(stdout, new RegExp(`^Examples?:\n {2}\\$ offerbook ${command}\\b`, 'm'));
    });
  }

  it('of the program lists every command', async () => {
    const { exitCode, stdout } = await runOfferbook({}, '--help');
    assert.equal(exitCode, 0);
    for (const group of Object.keys(GROUPS)) assert.match(stdout, new RegExp(`^ {2}${group} `, 'm'));
  });

  it('of the program names its groups, in color only if colors are requested', async () => {
    const { stdout } = await runOfferbook({}, '--help');
    const headings = stdout.match(/^[A-Z].*:$/gm);
    assert.deepEqual(headings, [
      'Options:',
      ...['Server:', 'Merchants:', 'Review:', 'Access:', 'Data:', 'Bulk files:', 'Other:'],
    ]);
    const colored = await runOfferbook({ FORCE_COLOR: '1' }, '--help');
    assert.ok(colored.stdout.includes('\u001B[1mServer:\u001B[22m'), colored.stdout);
    const plain = await runOfferbook({ NO_COLOR: '1' }, '--help');
    assert.equal(plain.stdout, stdout);
  });

  it('of each group lists its commands', () => {
    for (const [group, commands] of Object.entries(GROUPS)) {
      const { stdout } = helpOf.get(group) ?? assert.fail();
      for (const command of commands ?? []) {
        const name = command.split(' ')[1];
        if (name !== undefined) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
      }
    }
  });

  it('of serve names every setting, also in a separate process', async () => {
    const run = await runOfferbook({}, 'serve', '--help');
    assert.deepEqual(helpOf.get('serve'), run);
    const { stdout } = run;
    for (const { name } of Object.values(SETTINGS)) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
  });

  it('works while a setting is invalid, and uses the configured names while all are valid', async () => {
    const wrong = await runOfferbook({ PORT: 'x' }, 'node', 'add', '--help');
    assert.equal(wrong.exitCode, 0);
    assert.match(wrong.stdout, /^ {2}<carrier_2> Ground$/m);
    const named = await runOfferbook({ CARRIER_NAMES: 'A,Acme,C,D,E' }, 'node', 'add', '--help');
    assert.match(named.stdout, /^ {2}Acme Ground$/m);
  });

  it('is followed by nothing else for --version', async () => {
    for (const words of ['--version', '-v']) {
      assert.deepEqual(await runOfferbook({}, words), { exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
    }
  });

  it('is followed by nothing but the commit of a checkout for version', async () => {
    const { exitCode, stdout, stderr } = await runOfferbook({}, 'version');
    assert.deepEqual([exitCode, stderr], [0, '']);
    const commit = checkoutCommit(path.resolve(import.meta.dirname, '../..'));
    assert.equal(stdout, `${manifest.version}${commit === undefined ? '' : ` (commit ${commit})`}\n`);
  });
});
