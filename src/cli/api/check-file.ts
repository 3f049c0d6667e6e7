/** offerbook check-file: checks the rows of a bulk file locally and names the rules that only the server can check. */
import { Readable } from 'node:stream';
import { Option } from 'commander';
import { checkRows } from '../../bulk/rows/check-rows.ts';
import { nameSettings, readSettings } from '../../config/settings.ts';
import type { IgnoredField } from '../../domain/bulk-files.ts';
import { Names } from '../../domain/names.ts';
import { partsOfFile } from '../../domain/offers/parts.ts';
import { FILE_TYPES, type FileType } from '../../domain/vocabulary/file-types.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { ReportedError } from '../failure.ts';
import { openInput } from '../open-input.ts';
import type { CliCommand } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted, printable } from '../table.ts';
import { ErrorSummary, rowLines } from './file-errors.ts';

const ROWS_SHOWN_MAX = 20;

interface CheckOptions extends OutputOptions {
  readonly type: FileType;
}

export function addCheckFileCommand(program: CliCommand, shell: Shell): void {
  const command = program
    .command('check-file')
    .description(
      'Check the rows of a bulk file locally, without sending them. Some rules can only be checked by the server.',
    )
    .argument('<file>', 'the file, plain or gzip, "-" for standard input')
    .addOption(new Option('--type <type>', 'type of the rows').choices(FILE_TYPES).makeOptionMandatory())
    .action((file: string, options: CheckOptions) => checkLocally(shell, file, options));
  command.examples('check-file prices.json --type Price');
}

async function checkLocally(shell: Shell, file: string, { type, ...options }: CheckOptions): Promise<void> {
  const settings = readSettings(shell.variables);
  const { chunks, bytes } = await openInput(shell, file);
  using progress = startProgress(shell, 'Checking', 'rows');
  const summary = new ErrorSummary();
  const shown: string[] = [];
  let rows = 0;
  let ignored: readonly IgnoredField[] = [];
  const checked = checkRows(Readable.from(chunks, { objectMode: false }), {
    type,
    names: new Names(nameSettings(settings)),
    unpacked_bytes_max: settings.fileUnpackedBytesMax,
  });
  for await (const { rowsChecked, bytesRead, failed, ignoredFields } of checked) {
    rows = rowsChecked;
    ignored = ignoredFields;
    for (const row of failed) {
      summary.add(row);
      if (summary.rows <= ROWS_SHOWN_MAX) shown.push(...rowLines(row));
    }
    const note = `${summary.rows.toLocaleString('en-US')} failed`;
    progress.show(rows, undefined, bytes === undefined ? { note } : { note, share: bytesRead / bytes });
  }
  progress.end();
  const isGood = summary.rows === 0;
  const unchecked = [...new Set(partsOfFile(type).flatMap(({ serverRules }) => serverRules))];
  print(shell, options, {
    json: {
      file,
      file_type: type,
      rows,
      failed: summary.rows,
      error_summary: summary.json(),
      ignored_fields: ignored,
      not_checked: unchecked,
    },
    lines: [
      ...(isGood ? [] : [...shown, ...moreLine(summary.rows), '', ...summary.lines(), '']),
      `${file === STANDARD_STREAM ? 'Standard input' : printable(file)}: ${counted(rows, 'row')}, ${isGood ? 'no errors' : `${summary.rows.toLocaleString('en-US')} with errors`}.`,
      ...ignoredLines(ignored),
      `Only the server can check: ${unchecked.join('; ')}.`,
    ],
  });
  if (!isGood) throw new ReportedError('The file has errors.');
}

function moreLine(rows: number): string[] {
  return rows > ROWS_SHOWN_MAX ? [`and ${(rows - ROWS_SHOWN_MAX).toLocaleString('en-US')} more`] : [];
}

/** Formats the notice about unknown fields of a bulk file. */
function ignoredLines(fields: readonly IgnoredField[]): string[] {
  if (fields.length === 0) return [];
  const texts = fields.map(({ field, rows }) => `${printable(field)} (${counted(rows, 'row')})`);
  return [`Notice: unknown fields were ignored: ${texts.join(', ')}.`];
}
