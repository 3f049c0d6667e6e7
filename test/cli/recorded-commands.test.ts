/** Tests that every command is recorded in the activity log, or changes no data that stays. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isRecorded } from '../../src/cli/database-use.ts';
import { COMMANDS } from '../harness/commands.ts';

const UNRECORDED = [
  ...['serve', 'doctor', 'generate-catalog', 'backup', 'restore', 'export', 'feed', 'copy', 'check-file'],
  ...['completion', 'version'],
  ...[
    'merchant list',
    'keys list',
    'node list',
    'return-location list',
    'policy list',
    'placeholder list',
    'changes list',
    'user list',
  ],
  ...['taxonomy show', 'taxonomy search', 'catalog show'],
];

it('every other command is recorded', () => {
  const unrecorded = Object.keys(COMMANDS).filter((words) => !isRecorded(words));
  assert.deepEqual(unrecorded.sort(), UNRECORDED.sort());
});
