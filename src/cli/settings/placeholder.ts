/**
 * offerbook placeholder: manages images that shops show in place of a missing one, logos and watermarks, so that the review
 * recognizes them.
 */

import path from 'node:path';
import { readSettings } from '../../config/settings.ts';
import { PLACEHOLDER_KINDS } from '../../domain/setup/policy.ts';
import { addPlaceholder, listPlaceholders, removePlaceholder } from '../../operations/review/change-placeholders.ts';
import { imageHashes } from '../../review/hash-of-image.ts';
import { ImageDecoders } from '../../review/images/decoding/image-decoders.ts';
import type { Placeholder } from '../../store/port/settings.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { openInput } from '../open-input.ts';
import type { CliCommand } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeRules, RULE_NOTICE, type RuleChangeOptions } from './rule-change.ts';
import { readSetup } from './setup-session.ts';

interface AddOptions extends RuleChangeOptions {
  readonly note?: string;
  readonly kind?: string;
}

export function addPlaceholderCommands(program: CliCommand, shell: Shell): void {
  const placeholder = program
    .command('placeholder')
    .description('Add, list and remove placeholder images, logos and watermarks.');

  placeholder
    .command('list')
    .description('List the images that were added. Built-in placeholders are not listed.')
    .action((options: OutputOptions) => list(shell, options))
    .examples('placeholder list', 'placeholder list --json');

  placeholder
    .command('add')
    .description(
      'Add a placeholder image, a logo or a watermark: offers that show it, in any size or color, get the issue "Missing image".',
    )
    .argument('<file>', 'the image, "-" for standard input')
    .option('--note <text>', 'a note about the image (default: the file name)')
    .option('--kind <kind>', `what the image is: ${PLACEHOLDER_KINDS.join(', ')} (default: placeholder)`)
    .ruleChangeOptions()
    .action((file: string, options: AddOptions) => add(shell, file, options))
    .examples(
      'placeholder add no-photo.png',
      'placeholder add no-photo.png --note "shop system of acme"',
      'placeholder add logo.png --kind watermark',
    );

  placeholder
    .command('remove')
    .description('Remove a placeholder.')
    .argument('<hash>', 'hash of the placeholder, from "placeholder list"')
    .ruleChangeOptions()
    .action((hash: string, options: RuleChangeOptions) =>
      changeRules(shell, options, {
        sent: {},
        operation: (context, _body, gate) => removePlaceholder(context, hash, gate),
        result: () => ({ json: { hash }, done: `The placeholder was removed. ${RULE_NOTICE}` }),
      }),
    )
    .examples('placeholder remove 00ff…');
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value } = await readSetup(shell, listPlaceholders);
  print(shell, options, {
    json: { placeholders: value.map(shown) },
    lines: table(
      ['KIND', 'NOTE', 'HASH'],
      value.map(shown).map(({ hash, note, kind }) => [kind, note, hash]),
      'No placeholders were added.',
    ),
  });
}

async function add(shell: Shell, file: string, options: AddOptions): Promise<void> {
  const { chunks, bytes } = await openInput(shell, file);
  const decoders = new ImageDecoders({ memory_mb_max: readSettings(shell.variables).imageMemoryMbMax });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => decoders.close());
  const images = imageHashes(decoders);
  await changeRules(shell, options, {
    sent: {
      note: options.note ?? (file === STANDARD_STREAM ? 'standard input' : path.basename(file)),
      kind: options.kind,
    },
    operation: (context, body, gate) =>
      addPlaceholder({ ...context, images }, body, { announcedBytes: bytes, chunks }, gate),
    result: (added) => ({
      json: shown(added),
      done: `The ${shown(added).kind} ${printable(added.note)} was added. ${RULE_NOTICE}`,
      more: [added.hash],
    }),
  });
}

function shown({ hash, note, sample }: Placeholder) {
  return { hash, note, kind: sample?.kind ?? 'placeholder' };
}
