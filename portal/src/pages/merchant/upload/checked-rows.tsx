/** Shows the result of the check of a sheet: the wrong cells to correct, and the button that uploads the other rows. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { isProblemsHeading, type Mapping } from '#domain/sheets/header.ts';
import type { ReadRow } from '#domain/sheets/read-row.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import type { Environment } from '../../../api/session.ts';
import type { CheckedSheet } from '../../../api/sheets/check-sheet.ts';
import { downloadBadRows } from '../../../api/sheets/download-sheet.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';
import { SERVER_CHECK_ROWS_MAX } from '../../../api/sheets/limits.ts';
import { checkOnServer } from '../../../api/sheets/server-check.ts';
import { countOf, countText } from '../../../ui/numbers.ts';
import { Failed } from '../../../ui/states.tsx';
import { SheetMenu } from './sheet-menu.tsx';
import { useSheetRows } from './use-sheet-rows.ts';
import { WrongCells } from './wrong-cells.tsx';

interface Check {
  readonly rows: readonly ReadRow[];
  /** Uploads the rows if the server finds nothing wrong. */
  readonly isUpload: boolean;
}

/** How many columns that are not imported are named next to the button. */
const LEFT_OUT_SHOWN_MAX = 8;

interface CheckedRowsProps {
  readonly environment: Environment;
  readonly fileName: string;
  readonly sheet: SheetFile;
  readonly type: SheetType;
  readonly mapping: Mapping;
  readonly checked: CheckedSheet;
  readonly edits: Map<number, readonly string[]>;
  /** The rows are those that a file failed to write, so the server checks them at once. */
  readonly isRetry?: boolean;
  readonly upload: (rows: readonly ReadRow[]) => void;
  readonly cancel: () => void;
}

export function CheckedRows({ environment, fileName, sheet, type, mapping, checked, ...props }: CheckedRowsProps) {
  const { edits, isRetry = false, upload, cancel } = props;
  const { ready, readyRows, corrected, edit, refuse } = useSheetRows(sheet, checked, edits);
  const wrong = corrected.filter(({ problems }) => problems.length > 0);
  const aborting = useRef(new AbortController());
  useEffect(() => () => aborting.current.abort(), []);
  /** The rows that the server found correct. A corrected row is another object. */
  const passed = useRef(new WeakSet<ReadRow>());
  const checking = useMutation({
    mutationFn: ({ rows }: Check) => {
      aborting.current = new AbortController();
      const { signal } = aborting.current;
      const unchecked = rows.filter((row) => !passed.current.has(row));
      return checkOnServer({ environment, fileName, type, rows: unchecked, signal });
    },
    onSuccess: (problems, { rows, isUpload }) => {
      for (const row of rows) if (!problems.has(row.row)) passed.current.add(row);
      if (problems.size > 0) refuse(problems);
      else if (isUpload) upload(rows);
    },
  });
  const isTooLong = readyRows > SERVER_CHECK_ROWS_MAX;
  const submit = () => {
    const rows = ready();
    if (isTooLong || rows.every((row) => passed.current.has(row))) upload(rows);
    else checking.mutate({ rows, isUpload: true });
  };
  const { mutate: check } = checking;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the rows as they were read.
  useEffect(() => {
    if (isRetry && readyRows > 0) check({ rows: ready(), isUpload: false });
  }, []);
  const uploadUnchecked = () => {
    aborting.current.abort();
    checking.reset();
    upload(ready());
  };
  const found = wrong.filter(({ row }) => checking.data?.has(row)).length;
  const leftOut = useMemo(() => columnsLeftOut(sheet, mapping), [sheet, mapping]);
  return (
    <>
      <Text role="status" fw={600}>
        {countOf(readyRows, 'row')} ready to upload
        {wrong.length > 0 && `, ${countOf(wrong.length, 'row')} with problems`}
      </Text>
      {found > 0 && (
        <Alert color="orange" role="alert" title="Nothing is uploaded yet">
          The server would refuse {countOf(found, 'row')}. Correct the cells, or upload the other rows.
        </Alert>
      )}
      {corrected.length > 0 && (
        <WrongCells
          rows={corrected}
          mapping={mapping}
          headings={sheet.headings}
          disabled={checking.isPending}
          isNumbered={!isRetry}
          edit={edit}
        />
      )}
      {(wrong.length > 0 || isTooLong) && (
        <Text size="sm" c="dimmed">
          {wrong.length > 0 && 'Rows with problems are not uploaded. '}
          {isTooLong &&
            `With more than ${countText(SERVER_CHECK_ROWS_MAX)} rows, the server checks only after the upload that SKUs and categories exist.`}
        </Text>
      )}
      {checking.isError && !aborting.current.signal.aborted && <Failed error={checking.error} />}
      <Group>
        <Button disabled={readyRows === 0} loading={checking.isPending} onClick={submit}>
          Upload {countOf(readyRows, 'row')}
        </Button>
        {(checking.isPending || checking.isError) && (
          <Button variant="default" onClick={uploadUnchecked}>
            Upload without the check
          </Button>
        )}
        {wrong.length > 0 && (
          <SheetMenu
            label="Download rows with problems"
            items={[{ label: '', save: (format) => downloadBadRows(fileName, format, sheet.headings, wrong) }]}
          />
        )}
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
        {leftOut.length > 0 && (
          <Text size="sm" className="anywhere" title={leftOut.join(', ')}>
            Not imported: {leftOut.slice(0, LEFT_OUT_SHOWN_MAX).join(', ')}
            {leftOut.length > LEFT_OUT_SHOWN_MAX && ` and ${leftOut.length - LEFT_OUT_SHOWN_MAX} more`}
          </Text>
        )}
      </Group>
      {checking.isPending && (
        <Text size="sm" role="status">
          Checking with the server that SKUs and categories exist…
        </Text>
      )}
    </>
  );
}

/** Columns without a name are listed only if they have a value. */
function columnsLeftOut({ headings, rows }: SheetFile, mapping: Mapping): string[] {
  return headings.flatMap((heading, at) => {
    if (mapping[at] !== undefined || isProblemsHeading(heading)) return [];
    if (heading.trim() !== '') return [heading];
    return rows.some((cells) => (cells[at] ?? '').trim() !== '') ? [`column ${at + 1}`] : [];
  });
}
