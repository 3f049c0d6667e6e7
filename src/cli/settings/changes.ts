/** offerbook changes: lists announced changes to the review's rules, moves their dates, cancels them and announces them again. */
import { InvalidArgumentError } from 'commander';
import type { Outcome } from '../../domain/outcome.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import {
  type AnnouncedChanges,
  announceAgain,
  cancelAnnouncedChange,
  listAnnouncedChanges,
  moveAnnouncedChange,
  readEnforcedFrom,
} from '../../operations/review/announced-changes.ts';
import type { AnnouncedChange } from '../../store/port/settings.ts';
import { type CliCommand, wholeNumber } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { NOTICE, readSetup } from './setup-session.ts';

const ID = ['<id>', 'id of the change, from "changes list"', wholeNumber()] as const;

export function addChangesCommands(program: CliCommand, shell: Shell): void {
  const changes = program
    .command('changes')
    .description(
      'List the announced changes of policies, placeholders and taxonomy, move their dates and cancel them.',
    );

  changes
    .command('list')
    .description('List the announced changes, next first; then those that were applied or cancelled.')
    .action((options: OutputOptions) => list(shell, options))
    .examples('changes list', 'changes list --json');

  changes
    .command('move')
    .description('Postpone an announced change, or bring it forward.')
    .argument(...ID)
    .argument('<date>', 'when it applies, such as 2030-03-01T00:00:00Z; at least an hour ahead', date)
    .action((id: number, enforcedFromMs: number, options: OutputOptions) =>
      change(shell, options, (context) => moveAnnouncedChange(context, id, enforcedFromMs)),
    )
    .examples('changes move 3 2030-03-01T00:00:00Z');

  changes
    .command('cancel')
    .description('Cancel an announced change.')
    .argument(...ID)
    .action((id: number, options: OutputOptions) =>
      change(shell, options, (context) => cancelAnnouncedChange(context, id, 'command line')),
    )
    .examples('changes cancel 3');

  changes
    .command('restore')
    .description('Announce a cancelled change again, with its date.')
    .argument(...ID)
    .action((id: number, options: OutputOptions) => change(shell, options, (context) => announceAgain(context, id)))
    .examples('changes restore 3');
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value } = await readSetup(shell, listAnnouncedChanges);
  const rows = value.map(({ announcedId, state, enforcedFromMs, subject }) => {
    return [String(announcedId), state, isoTime(enforcedFromMs), subject];
  });
  print(shell, options, {
    json: { changes: value.map(shown) },
    lines: table(['ID', 'STATE', 'APPLIES FROM', 'CHANGE'], rows, 'No changes are announced.'),
  });
}

async function change(
  shell: Shell,
  options: OutputOptions,
  operation: (context: AnnouncedChanges) => Promise<Outcome<AnnouncedChange>>,
): Promise<void> {
  const { value } = await readSetup(shell, operation);
  const { subject, state, enforcedFromMs } = value;
  const result = state === 'announced' ? `will apply from ${isoTime(enforcedFromMs)}` : 'was cancelled';
  print(shell, options, { json: shown(value), lines: [`The change ${printable(subject)} ${result}. ${NOTICE}`] });
}

function shown({ announcedId: id, subject, state, enforcedFromMs }: AnnouncedChange) {
  return { id, subject, state, enforced_from: isoTime(enforcedFromMs) };
}

function date(text: string): number {
  const read = readEnforcedFrom(text, Date.now());
  if (typeof read === 'string') throw new InvalidArgumentError(`It ${read}.`);
  return read;
}
