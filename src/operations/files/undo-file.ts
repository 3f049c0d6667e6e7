/**
 * Use case: a merchant undoes a bulk file. Submits another bulk file with the values from before the file, which it reads from the history.
 * Values that were changed again since are skipped and named.
 */
import type { Account } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { UndoablePart } from '../../domain/offers/history.ts';
import { partsOfFile } from '../../domain/offers/parts.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import { FileGoneError } from '../../files/file-storage.ts';
import type { HistoryContext } from '../history/read-history.ts';
import { bodyBefore } from '../offers/restore.ts';
import { type ChangedOffers, type ChangeRow, submitChange, uploadRows } from '../portal/change-file.ts';
import type { FileContext } from './file-context.ts';
import { removeKept } from './kept-files.ts';
import { readFile } from './read-file.ts';

export interface UndoContext {
  readonly history: Pick<HistoryContext, 'store'>;
  readonly files: FileContext;
}

/** Why an offer that the file changed is skipped, or some of its parts. */
export const LEFT_REASONS = ['changed_since', 'offer_added', 'no_earlier_value'] as const;

export interface LeftOffer {
  readonly skuId: string;
  readonly reason: (typeof LEFT_REASONS)[number];
  /** Parts that were changed since; undefined if no part is restored. */
  readonly parts?: readonly OfferPart[] | undefined;
}

export interface UndoneFile extends ChangedOffers {
  /** The first of the skipped offers. */
  readonly left: readonly LeftOffer[];
}

/** Offers whose history is read together. */
const PAGE_OFFERS = 200;

export async function undoFile(
  { history, files }: UndoContext,
  account: Account,
  fileId: string,
): Promise<Outcome<UndoneFile>> {
  const found = await readFile(files, account, fileId);
  if (!found.ok) return found;
  // An undo counts as an upload of the account, so that few of them run at a time.
  const undone = await files.uploads.run(account.accountId, () => undo({ history, files }, account, found.value));
  return undone ?? refuseRequest('uploads_too_many');
}

async function undo({ history, files }: UndoContext, account: Account, file: BulkFile): Promise<Outcome<UndoneFile>> {
  // Undoing a group would change SKUs that the file does not name.
  if (file.type === 'Variation' || file.endedMs === null || file.validateOnly) {
    return refuseRequest('change_not_undoable');
  }
  if (file.progress.rowsProcessed > LIMITS.undo_rows_max) return refuseTooMany();
  const parts = partsOfFile(file.type).map(({ name }) => name as UndoablePart);
  const left: LeftOffer[] = [];
  const count = { offers: 0, skipped: 0 };
  const read = async (skuIds: readonly string[], which = parts) => {
    const by = authorOfFile(file.fileId);
    const reads = which.map((part) => history.store.readChangesBy(account.accountId, by, part, skuIds));
    const changes = Map.groupBy((await Promise.all(reads)).flat(), ({ skuId }) => skuId);
    return [...new Set(skuIds)].flatMap((skuId): UndoRow | readonly never[] => {
      const own = changes.get(skuId);
      if (own === undefined) return [];
      const standing = own.filter(({ isChangedSince }) => !isChangedSince);
      if (standing.length === 0) return { skuId, body: undefined, reason: 'changed_since' };
      const bodies = standing.flatMap(({ before }) => {
        const body = bodyBefore(before);
        return body === undefined ? [] : [[before.part, body] as const];
      });
      const [first] = bodies;
      const isAdded = own.some(({ before }) => before.part === 'sku' && before.before === null);
      if (isAdded) return { skuId, body: undefined, reason: 'offer_added' };
      if (first === undefined) return { skuId, body: undefined, reason: 'no_earlier_value' };
      const body = file.type === 'Offers' ? Object.fromEntries(bodies) : first[1];
      if (standing.length === own.length) return { skuId, body };
      const changed = own.filter((change) => !standing.includes(change)).map(({ before }) => before.part);
      return { skuId, body, reason: 'changed_since', parts: changed };
    });
  };
  const noted = async (skuIds: readonly string[]) => {
    const rows = await read(skuIds);
    for (const { skuId, reason, parts } of rows) {
      if (reason !== undefined && left.length < LIMITS.undo_named_max) left.push({ skuId, reason, parts });
      if (parts !== undefined) count.skipped += 1;
    }
    return rows;
  };
  /** Reads the stock that archiving set to 0. It is restored only for offers whose archive flag is restored. */
  const stockOf = async (skuIds: readonly string[]) => {
    const restored = (await read(skuIds)).filter(({ body }) => body !== undefined).map(({ skuId }) => skuId);
    return read(restored, ['inventory']);
  };
  const uploads: string[] = [];
  const upload = async (read: Parameters<typeof pagesOf>[2], counted?: typeof count) => {
    const uploaded = await uploadRows(files, account, pagesOf(files, file, read), counted);
    if (uploaded.ok && uploaded.value !== undefined) uploads.push(uploaded.value.fileId);
    return uploaded;
  };
  let isSubmitted = false;
  try {
    const main = await upload(noted, count);
    if (!main.ok) return main;
    if (main.value === undefined) return accept({ ...count, left, file: undefined });
    // Read before the flags are submitted: afterwards, the flags and the stock would count as changed again.
    const stock = file.type === 'Archive' ? await upload(stockOf) : accept(undefined);
    if (!stock.ok) return stock;
    const name = `Undo: ${file.name}`.slice(0, LIMITS.file_name_characters_max);
    // If the call throws, the file may have been submitted: it stays.
    isSubmitted = true;
    const received = await submitChange(
      files,
      account,
      { ...main.value, type: file.type, name },
      stock.value === undefined ? undefined : { ...stock.value, name },
    );
    isSubmitted = received.ok;
    return received.ok ? accept({ ...count, left, file: received.value }) : received;
  } catch (error) {
    if (error instanceof FileGoneError) return refuseRequest('file_not_found');
    if (error instanceof TooManyRows) return refuseTooMany();
    throw error;
  } finally {
    const { store, storage } = files;
    const { accountId } = account;
    const unused = isSubmitted ? [] : uploads;
    for (const id of unused) await removeKept(store.files, storage, { kind: 'file', accountId, id });
  }
}

class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

function refuseTooMany() {
  return refuseRequest('change_not_undoable', `Files with more than ${LIMITS.undo_rows_max} rows cannot be undone.`);
}

type UndoRow = ChangeRow & Partial<Omit<LeftOffer, 'skuId'>>;

async function* pagesOf(
  { readKeys }: FileContext,
  file: BulkFile,
  read: (skuIds: readonly string[]) => Promise<readonly ChangeRow[]>,
): AsyncGenerator<readonly ChangeRow[]> {
  let rows = 0;
  for await (const keys of readKeys(file)) {
    rows += keys.length;
    // The progress of a cancelled file has only the rows before that.
    if (rows > LIMITS.undo_rows_max) throw new TooManyRows();
    for (let start = 0; start < keys.length; start += PAGE_OFFERS) yield read(keys.slice(start, start + PAGE_OFFERS));
  }
}
