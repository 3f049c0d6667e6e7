/**
 * Use case: a merchant's user undoes a change to many offers. Submits the old values as a bulk file. Skips offers whose price, stock or
 * archive flag has changed since. A value that changes while the file is created may be overwritten.
 */
import type { Account } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { UndoablePart } from '../../domain/offers/history.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { FileGoneError } from '../../files/file-storage.ts';
import { readFile } from '../files/read-file.ts';
import { bodyBefore } from '../offers/restore.ts';
import { type ChangedOffers, type ChangeRow, NotARow, rowsForFile, submitChange, uploadRows } from './change-file.ts';
import type { ChangeContext } from './change-offers.ts';

const PARTS: Readonly<Partial<Record<FileType, UndoablePart>>> = Object.freeze({
  Price: 'price',
  Inventory: 'inventory',
  Archive: 'archive',
});

export async function undoOffersChange(
  { history, files }: Pick<ChangeContext, 'history' | 'files'>,
  account: Account,
  fileId: string,
): Promise<Outcome<ChangedOffers>> {
  const found = await readFile(files, account, fileId);
  if (!found.ok) return found;
  const file = found.value;
  const part = PARTS[file.type];
  if (part === undefined || file.endedMs === null) return refuseUndo();
  const read = async (one: UndoablePart, skuIds: readonly string[]): Promise<readonly ChangeRow[]> => {
    const changes = await history.store.readChangesBy(account.accountId, authorOfFile(fileId), one, skuIds);
    return changes.map(({ skuId, before, isChangedSince }) => {
      return { skuId, body: isChangedSince ? undefined : bodyBefore(before) };
    });
  };
  const readMain = (skuIds: readonly string[]) => read(part, skuIds);
  /** Reads the stock that archiving set to 0. It is restored only for offers whose archive flag is restored. */
  const readStock = async (skuIds: readonly string[]) => {
    const restored = (await readMain(skuIds)).filter(({ body }) => body !== undefined);
    return read(
      'inventory',
      restored.map(({ skuId }) => skuId),
    );
  };
  const count = { offers: 0, skipped: 0 };
  try {
    // Read before the flags are submitted: afterwards, the flags and the stock would count as changed again.
    const stock =
      part === 'archive' ? await uploadRows(files, account, rowsForFile(files, file, readStock)) : accept(undefined);
    if (!stock.ok) return stock;
    const main = await uploadRows(files, account, rowsForFile(files, file, readMain), count);
    if (!main.ok) return main;
    if (main.value === undefined) return accept({ ...count, file: undefined });
    const name = `Undo: ${file.name}`.slice(0, LIMITS.file_name_characters_max);
    const received = await submitChange(
      files,
      account,
      { fileId: main.value, type: file.type, name },
      stock.value === undefined ? undefined : { fileId: stock.value, name },
    );
    return received.ok ? accept({ ...count, file: received.value }) : received;
  } catch (error) {
    if (error instanceof FileGoneError) return refuseRequest('file_not_found');
    if (error instanceof NotARow) return refuseUndo();
    throw error;
  }
}

function refuseUndo() {
  const text = 'Only completed bulk changes from the offer list can be undone.';
  return refuseRequest('change_not_undoable', text);
}
