/** Tests the completion scripts: bash completes commands and options of each level; all shells know every command. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { runHere } from '../harness/command-line.ts';
import { COMMANDS } from '../harness/commands.ts';

async function scriptOf(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runHere({}, 'completion', shell);
  assert.deepEqual([exitCode, stderr], [0, '']);
  return stdout;
}

function completed(script: string, ...words: readonly string[]): string[] {
  const list = ['offerbook', ...words].map((word) => `'${word}'`).join(' ');
  const call = `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _offerbook; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${script}\n${call}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('completion', () => {
  it('of bash offers the right words at each position', async () => {
    const script = await scriptOf('bash');
    assert.deepEqual(completed(script, 'me'), ['merchant']);
    assert.deepEqual(completed(script, '--config', '/etc/offerbook.env', 'merchant', 's'), ['set', 'suspend']);
    assert.deepEqual(completed(script, 'keys', 'roll', '--o'), ['--overlap']);
    assert.deepEqual(completed(script, 'backup', '--'), ['--json', '--config', '--help']);
  });

  for (const shell of ['zsh', 'fish']) {
    it(`of ${shell} knows every command`, async () => {
      const script = await scriptOf(shell);
      for (const command of Object.keys(COMMANDS)) {
        const word = command.split(' ').at(-1) ?? '';
        assert.ok(shell === 'zsh' ? script.includes(`'${command}'`) : script.includes(` -a ${word} -d '`), command);
      }
    });
  }

  it('is refused for other shells', async () => {
    const { exitCode, stderr } = await runHere({}, 'completion', 'tcsh');
    const rule = 'Allowed choices are bash, zsh, fish.';
    const message = `command-argument value 'tcsh' is invalid for argument 'shell'. ${rule}`;
    assert.deepEqual([exitCode, stderr.split('\n')[0]], [2, `offerbook: ${message}`]);
  });
});
