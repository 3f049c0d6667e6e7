/** offerbook export and import: move whole merchants from one Offerbook to another. */
import { addAbortSignal } from 'node:stream';
import { textLines } from '../../operations/text-lines.ts';
import { openInput } from '../open-input.ts';
import { type AccountOptions, type CliCommand, environmentsOf, environmentsOption } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable, withStopSignal } from '../stoppable.ts';
import { counted } from '../table.ts';
import { STANDARD_STREAM, writeExport } from './export-file.ts';
import { withMoves } from './move-session.ts';

interface ExportOptions extends Pick<AccountOptions, 'env' | 'json'> {
  readonly merchant?: string;
}

export function addExportCommands(program: CliCommand, shell: Shell): void {
  program
    .command('export')
    .description(
      'Export merchants with their settings, keys and offers as lines of JSON, as a snapshot, even while ' +
        'a server is running. Keys are exported as hashes; keep the file safe.',
    )
    .argument('<file>', 'file to write, "-" for standard output; an existing file is not overwritten')
    .option('--merchant <id>', 'only this merchant (default: all)')
    .addOption(environmentsOption())
    .action((file: string, options: ExportOptions) => exportTo(shell, file, options))
    .examples(
      'export everything.ndjson',
      'export --merchant acme --env live acme.ndjson',
      'export --merchant acme - | gzip > acme.gz',
    );

  program
    .command('import')
    .description(
      'Import the merchants of an export, with their keys, times and order of upload, even while a server is running. ' +
        'Each merchant is imported completely or not at all; existing merchants are refused.',
    )
    .argument('<file>', 'a file that "offerbook export" wrote, "-" for standard input')
    .action((file: string, options: OutputOptions) => importFrom(shell, file, options))
    .examples('import acme.ndjson', 'import - < acme.ndjson');
}

async function exportTo(shell: Shell, file: string, options: ExportOptions): Promise<void> {
  const request = { merchantId: options.merchant, environments: environmentsOf(options) };
  if (file === STANDARD_STREAM) {
    shell.needWholeOutput('Standard output was closed early: the export is incomplete.');
  }
  const write = (stopped?: AbortSignal) =>
    withMoves(shell, ({ moves }) => writeExport(shell, moves, request, { target: file, stopped }));
  // A blocked pipe would keep the process from handling signals, so signals end the process directly.
  const counts =
    file === STANDARD_STREAM ? await write() : await stoppable(() => 'Stopped; no export was written.', write);
  // Prints to standard error if standard output holds the export itself.
  const reporting = file === STANDARD_STREAM ? { ...shell, out: shell.err } : shell;
  print(reporting, options, {
    json: { file, ...counts },
    lines: [`Exported ${figures(counts)} to ${file === STANDARD_STREAM ? 'standard output' : file}.`],
  });
}

async function importFrom(shell: Shell, file: string, options: OutputOptions): Promise<void> {
  const { chunks, bytes } = await openInput(shell, file);
  // Loaded only when needed, because its checks take a while to compile and other commands should start fast.
  const { importMerchants } = await import('../../operations/moves/import-merchants.ts');
  using progress = startProgress(shell, 'Importing', 'bytes');
  const { merchantIds, counts } = await withStopSignal((stopped) => {
    const lines = textLines(addAbortSignal(stopped, chunks), (done) => progress.show(done, bytes));
    return withMoves(shell, (session) => importMerchants(session, lines));
  });
  progress.end();
  print(shell, options, {
    json: { merchant_ids: merchantIds, ...counts },
    lines: [`Imported ${figures(counts)}: ${merchantIds.join(', ')}.`],
  });
}

function figures({ merchants, skus }: { readonly merchants: number; readonly skus: number }): string {
  return `${counted(merchants, 'merchant')} with ${counted(skus, 'SKU')}`;
}
