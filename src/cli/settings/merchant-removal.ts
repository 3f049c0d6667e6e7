/** offerbook merchant remove and sandbox reset: erase data permanently, even while a server is running. */
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { ENVIRONMENTS } from '../../domain/account.ts';
import { type Removed, removeMerchant, resetSandbox } from '../../operations/moves/remove-merchant.ts';
import { STANDARD_STREAM, writeExport } from '../data/export-file.ts';
import { withMoves } from '../data/move-session.ts';
import { type CliCommand, type ConfirmOptions, confirm, merchantOption, YES_OPTION } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { counted } from '../table.ts';

interface RemoveOptions extends OutputOptions, ConfirmOptions {
  readonly export: string;
}

interface ResetOptions extends OutputOptions, ConfirmOptions {
  readonly merchant: string;
}

export function addMerchantRemoveCommand(merchant: CliCommand, shell: Shell): void {
  merchant
    .command('remove')
    .description(
      'Remove a merchant permanently: suspend it, export it, read the export back, then erase its offers, settings, ' +
        'keys and portal users. The embedded database overwrites erased data in its file. Bulk files and reports are not ' +
        'exported; a running server deletes them within minutes.',
    )
    .argument('<merchant-id>', 'id of the merchant')
    .requiredOption('--export <file>', 'file for the export; an existing file is not overwritten', realFile)
    .option(...YES_OPTION)
    .action((merchantId: string, options: RemoveOptions) => remove(shell, merchantId, options))
    .examples('merchant remove acme --export acme.ndjson', 'merchant remove acme --export acme.ndjson --yes');
}

export function addSandboxCommands(program: CliCommand, shell: Shell): void {
  const sandbox = program.command('sandbox').description("Erase merchants' test data.");

  sandbox
    .command('reset')
    .description(
      "Erase all offers, bulk files, reports and logged requests of a merchant's test environment. Keys, nodes, return locations and " +
        'all live data are kept.',
    )
    .addOption(merchantOption())
    .option(...YES_OPTION)
    .action((options: ResetOptions) => reset(shell, options))
    .examples('sandbox reset --merchant acme', 'sandbox reset --merchant acme --yes');
}

/** Refuses a stream, because it cannot be read back. */
function realFile(file: string): string {
  if (file === STANDARD_STREAM) throw new InvalidArgumentError('It must be a file.');
  return file;
}

async function remove(shell: Shell, merchantId: string, options: RemoveOptions): Promise<void> {
  await confirm(
    shell,
    options,
    `Merchant ${merchantId} will be exported and erased, live offers included.`,
    merchantId,
  );
  const request = { merchantId, environments: ENVIRONMENTS };
  const exportTo = path.resolve(options.export);
  using progress = startProgress(shell, 'Erasing', 'SKUs');
  let isErasing = false;
  const removed = await stoppable(
    () => `Stopped; ${isErasing ? 'the removal is unfinished: run it again' : 'nothing was erased'}.`,
    (stopped) =>
      withMoves(shell, (session) =>
        removeMerchant(session, {
          merchantId,
          isServed: session.isServed,
          exportTo,
          exportMerchant: () => writeExport(shell, session.moves, request, { target: exportTo, stopped }),
          onProgress: (erased) => {
            isErasing = true;
            progress.show(erased);
            stopped.throwIfAborted();
          },
        }),
      ),
  );
  progress.end();
  print(shell, options, {
    json: { merchant_id: merchantId, export: removed.exportedTo, skus: removed.skus },
    lines: removedLines(merchantId, exportTo, removed),
  });
}

function removedLines(merchantId: string, exportTo: string, { skus, exportedTo }: Removed): string[] {
  const removed = `Merchant ${merchantId} was removed, with ${counted(skus, 'SKU')}`;
  if (exportedTo === null) return [`${removed}. Its import was unfinished, so there was nothing to export.`];
  if (exportedTo === exportTo) return [`${removed}. Its export is ${exportTo}.`];
  return [
    `${removed} that an interrupted removal had left.`,
    `The interrupted removal wrote the export to ${exportedTo}; ${exportTo} was not written.`,
  ];
}

async function reset(shell: Shell, options: ResetOptions): Promise<void> {
  const { merchant: merchantId } = options;
  await confirm(
    shell,
    options,
    `All test offers, bulk files, reports and logged requests of merchant ${merchantId} will be erased.`,
    merchantId,
  );
  using progress = startProgress(shell, 'Erasing', 'SKUs');
  const { skus } = await withMoves(shell, (session) =>
    resetSandbox(session, merchantId, (erased) => progress.show(erased)),
  );
  progress.end();
  print(shell, options, {
    json: { merchant_id: merchantId, environment: 'test', skus },
    lines: [`The test data of merchant ${merchantId} was erased, with ${counted(skus, 'SKU')}.`],
  });
}
