/**
 * Use case: a merchant's user undoes a change to many offers. Submits the old values as a bulk file. Skips offers whose price, stock or
 * archive flag has changed since. A value that changes while the file is created may be overwritten.
 */
import type { Account } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { jsonEntries } from '../../domain/sheets/json-entries.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { FileGoneError, uploadName } from '../../files/file-place.ts';
import type { BulkFile } from '../../store/port/files.ts';
import type { ChangeBy, UndoablePart } from '../../store/port/history.ts';
import type { FileContext } from '../files/file-context.ts';
import { refuseUnknownFile } from '../files/file-outcomes.ts';
import { readFile } from '../files/read-file.ts';
import { receiveFile } from '../files/receive-file.ts';
import type { HistoryContext } from '../history/read-history.ts';
import { bodyBefore } from '../history/restore-version.ts';
import { textLines } from '../text-lines.ts';
import { type ChangedOffers, type ChangeRow, uploadRows } from './change-offers.ts';
import { PAGE_OFFERS } from './offer-pages.ts';

export interface UndoContext {
  readonly history: Pick<HistoryContext, 'store'>;
  readonly files: FileContext;
}

const PARTS: Readonly<Partial<Record<FileType, UndoablePart>>> = Object.freeze({
  Price: 'price',
  Inventory: 'inventory',
  Archive: 'archive',
});

type Read = (skuIds: readonly string[]) => Promise<readonly ChangeBy[]>;

export async function undoOffersChange(
  { history, files }: UndoContext,
  account: Account,
  fileId: string,
): Promise<Outcome<ChangedOffers>> {
  const found = await readFile(files, account, fileId);
  if (!found.ok) return found;
  const file = found.value;
  const part = PARTS[file.type];
  if (part === undefined || file.endedMs === null) return refuseUndo();
  const readBy =
    (one: UndoablePart): Read =>
    (skuIds) =>
      history.store.readChangesBy(account.accountId, authorOfFile(fileId), one, skuIds);
  const readMain = readBy(part);
  /** Reads the stock that archiving set to 0. It is restored only for offers whose archive flag is restored. */
  const readStock: Read = async (skuIds) => {
    const archived = (await readMain(skuIds)).filter(({ isChangedSince }) => !isChangedSince);
    return readBy('inventory')(archived.map(({ skuId }) => skuId));
  };
  const count = { offers: 0, skipped: 0 };
  try {
    // Read before the flags are submitted: afterwards, the flags and the stock would count as changed again.
    const stock =
      part === 'archive' ? await uploadRows(files, account, rowsOf(files, file, readStock)) : accept(undefined);
    if (!stock.ok) return stock;
    const main = await uploadRows(files, account, rowsOf(files, file, readMain), count);
    if (!main.ok) return main;
    if (main.value === undefined) return accept({ ...count, file: undefined });
    const file_name = `Undo: ${file.name}`.slice(0, LIMITS.file_name_characters_max);
    const received = await receiveFile(files, account, main.value, { file_type: file.type, file_name });
    if (received.ok && stock.value !== undefined) {
      await receiveFile(files, account, stock.value, { file_type: 'Inventory', file_name });
    }
    return received.ok ? accept({ ...count, file: received.value }) : received;
  } catch (error) {
    if (error instanceof FileGoneError) return refuseUnknownFile();
    if (error instanceof NotARow) return refuseUndo();
    throw error;
  }
}

function refuseUndo() {
  const text = 'Only completed bulk changes from the offer list can be undone.';
  return refuse([requestProblem('change_not_undoable', text)]);
}

async function* rowsOf({ place }: FileContext, file: BulkFile, read: Read): AsyncGenerator<readonly ChangeRow[]> {
  for await (const lines of textLines(place.read(uploadName(file)))) {
    const skuIds = lines.map(skuIdOf);
    for (let start = 0; start < skuIds.length; start += PAGE_OFFERS) {
      const changes = await read(skuIds.slice(start, start + PAGE_OFFERS));
      yield changes.map(({ skuId, before, isChangedSince }) => {
        return { skuId, body: isChangedSince ? undefined : bodyBefore(before) };
      });
    }
  }
}

/** Thrown if the file does not have the format that `uploadRows` writes. */
class NotARow extends Error {
  override readonly name = 'NotARow';
}

function skuIdOf(line: unknown): string {
  try {
    const [row, ...others] = jsonEntries(`{${String(line).replace(/^\{/, '')}`);
    if (row !== undefined && others.length === 0) return row[0];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new NotARow();
}
