/** Tests that every command is recorded in the activity log, or changes no data that stays. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RECORDED_COMMANDS } from '../../src/cli/settings/record-command.ts';
import { COMMANDS } from '../harness/commands.ts';

const UNRECORDED = [
  ...['serve', 'doctor', 'generate-catalog', 'backup', 'restore', 'export', 'copy', 'check-file'],
  ...['completion', 'version'],
  ...[
    'merchant list',
    'keys list',
    'node list',
    'return-location list',
    'policy list',
    'placeholder list',
    'user list',
  ],
  ...['taxonomy show', 'taxonomy search', 'catalog show'],
];

it('a command is in one of the two lists', () => {
  assert.deepEqual(Object.keys(COMMANDS).sort(), [...RECORDED_COMMANDS, ...UNRECORDED].sort());
});
