/** Records in the activity log which commands changed data. */
import type { Command } from 'commander';
import { readSettings } from '../../config/settings.ts';
import { LIMITS } from '../../domain/limits.ts';
import { openSetupStore } from '../../store/open-store.ts';
import type { Shell } from '../shell.ts';

const BY = 'command line';

/** Recorded commands by name. Commands that replace a whole database are not recorded. */
export const RECORDED_COMMANDS: ReadonlySet<string> = new Set([
  'merchant add',
  'merchant set',
  'merchant rename',
  'merchant suspend',
  'merchant resume',
  'merchant remove',
  'keys roll',
  'node add',
  'node set',
  'node remove',
  'return-location add',
  'return-location remove',
  'signing-key roll',
  'taxonomy import',
  'taxonomy reset',
  'policy exclude',
  'policy restrict',
  'policy grant',
  'policy remove',
  'catalog set',
  'placeholder add',
  'placeholder remove',
  'import',
  'sandbox reset',
  'user add',
  'user reset',
  'user remove',
  'user sessions-end',
]);

/** Records the command after it succeeded. The values of options are recorded too, because none is a secret. */
export async function recordCommand(shell: Shell, command: Command): Promise<void> {
  const act = wordsOf(command);
  if (!RECORDED_COMMANDS.has(act)) return;
  const { json, yes, merchant, preview, ...options } = command.opts<Record<string, unknown>>();
  // A preview changes nothing.
  if (preview === true) return;
  const [subject = merchant, ...others] = command.args;
  const of = merchant === undefined || merchant === subject ? {} : { merchant };
  const details = [...others, ...Object.entries({ ...of, ...options }).map(([name, value]) => `${name}: ${value}`)];
  const store = await openSetupStore(readSettings(shell.variables));
  try {
    await store.people.addAct({
      atMs: Date.now(),
      by: BY,
      act,
      subject: String(subject ?? ''),
      detail: details.join(', ').slice(0, LIMITS.act_detail_characters_max),
    });
  } finally {
    await store.close();
  }
}

/** Returns the words of a command without the name of the program, such as `merchant add`. */
export function wordsOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return `${wordsOf(parent)} ${command.name()}`.trim();
}
