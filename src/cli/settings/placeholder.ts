/**
 * offerbook placeholder: manages images that shops show in place of a missing one, so that the review recognizes them.
 */

import path from 'node:path';
import type { Command } from 'commander';
import { readSettings } from '../../config/settings.ts';
import { addPlaceholder, listPlaceholders, removePlaceholder } from '../../operations/review/change-placeholders.ts';
import { imageHashes } from '../../review/hash-of-image.ts';
import { ImageDecoders } from '../../review/images/decoding/image-decoders.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { openInput } from '../open-input.ts';
import { finish } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import {
  impactJson,
  impactLines,
  openGate,
  PREVIEW_OPTION,
  RULE_NOTICE,
  type RuleChangeOptions,
  YES_OPTION,
} from './rule-change.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface AddOptions extends RuleChangeOptions {
  readonly note?: string;
}

export function addPlaceholderCommands(program: Command, shell: Shell): void {
  const placeholder = program.command('placeholder').description('Add, list and remove placeholder images.');

  finish(
    placeholder
      .command('list')
      .description('List the placeholders that were added. Built-in placeholders are not listed.')
      .action((options: OutputOptions) => list(shell, options)),
    ['placeholder list', 'placeholder list --json'],
  );

  finish(
    placeholder
      .command('add')
      .description('Add a placeholder image: offers that show it, in any size or color, get the issue "Missing image".')
      .argument('<file>', 'the image, "-" for standard input')
      .option('--note <text>', 'a note about the image (default: the file name)')
      .option(...PREVIEW_OPTION)
      .option(...YES_OPTION)
      .action((file: string, options: AddOptions) => add(shell, file, options)),
    ['placeholder add no-photo.png', 'placeholder add no-photo.png --note "shop system of acme"'],
  );

  finish(
    placeholder
      .command('remove')
      .description('Remove a placeholder.')
      .argument('<hash>', 'hash of the placeholder, from "placeholder list"')
      .option(...PREVIEW_OPTION)
      .option(...YES_OPTION)
      .action((hash: string, options: RuleChangeOptions) => remove(shell, hash, options)),
    ['placeholder remove 00ff…'],
  );
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value } = await readSetup(shell, listPlaceholders);
  print(shell, options, {
    json: { placeholders: value },
    lines:
      value.length === 0
        ? ['No placeholders were added.']
        : table(
            ['NOTE', 'HASH'],
            value.map(({ hash, note }) => [note, hash]),
          ),
  });
}

async function add(shell: Shell, file: string, options: AddOptions): Promise<void> {
  const { chunks, bytes } = await openInput(shell, file);
  const decoders = new ImageDecoders({ memory_mb_max: readSettings(shell.variables).imageMemoryMbMax });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => decoders.close());
  const images = imageHashes(decoders);
  const said = { note: options.note ?? (file === STANDARD_STREAM ? 'standard input' : path.basename(file)) };
  const gate = openGate(shell, options);
  const { value } = await changeSetup(shell, said, (context, body) =>
    addPlaceholder({ ...context, images }, body, { announcedBytes: bytes, chunks }, gate),
  );
  const { hash, note } = value;
  print(shell, options, {
    json: { hash, note, ...impactJson(gate, options) },
    lines: [...impactLines(gate, options, `Placeholder ${printable(note)} was added. ${RULE_NOTICE}`), hash],
  });
}

async function remove(shell: Shell, hash: string, options: RuleChangeOptions): Promise<void> {
  const gate = openGate(shell, options);
  await changeSetup(shell, {}, (context) => removePlaceholder(context, hash, gate));
  print(shell, options, {
    json: { hash, ...impactJson(gate, options) },
    lines: impactLines(gate, options, `The placeholder was removed. ${RULE_NOTICE}`),
  });
}
