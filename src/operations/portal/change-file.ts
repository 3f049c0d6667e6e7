/** Writes a change to many offers as a bulk file, submits it, and reads the SKU ids of an uploaded change. */
import type { Account } from '../../domain/account.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { jsonEntries } from '../../domain/sheets/json-entries.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { type FileKey, fileName } from '../../files/file-storage.ts';
import type { FileContext } from '../files/file-context.ts';
import { receiveUpload } from '../files/receive-upload.ts';
import { requestUpload, submitFile } from '../files/submit-file.ts';
import { textLines } from '../text-lines.ts';
import { PAGE_OFFERS } from './offer-pages.ts';

export interface ChangedOffers {
  /** Number of rows in the file. */
  readonly offers: number;
  /** Number of offers that the change does not apply to, such as archived offers for a new price. */
  readonly skipped: number;
  /** The bulk file; undefined if the change applies to no offer. */
  readonly file: BulkFile | undefined;
}

/** A row of the bulk file. `body` is the body of the single call; undefined if the change does not apply to the offer. */
export interface ChangeRow {
  readonly skuId: string;
  readonly body: object | undefined;
}

interface UploadedRows {
  readonly fileId: string;
  /** Drawn before the rows were read, so that they do not overwrite what was written since. */
  readonly number: number;
}

/** Stores the rows as a bulk file with a row per line, and counts them. Returns undefined without rows. */
export async function uploadRows(
  files: FileContext,
  account: Account,
  pages: AsyncIterable<readonly ChangeRow[]>,
  count = { offers: 0, skipped: 0 },
  drawn?: number,
): Promise<Outcome<UploadedRows | undefined>> {
  const number = drawn ?? (await files.store.files.drawNumber(account.accountId));
  const texts = rowTexts(pages, count);
  const first = await texts.next();
  if (first.done) return accept(undefined);
  const fileId = await requestUpload(files, account);
  const chunks = fileText(first.value, texts);
  const taken = await receiveUpload(files, account, fileId, { announcedBytes: undefined, chunks });
  return taken.ok ? accept({ fileId, number }) : taken;
}

interface NamedFile extends UploadedRows {
  readonly type: FileType;
  readonly name: string;
}

/** Submits the file of a change. Then submits the file `stock`, which restores the stock of offers that the change unarchives. */
export async function submitChange(
  files: FileContext,
  account: Account,
  { fileId, number, type, name }: NamedFile,
  stock: Omit<NamedFile, 'type'> | undefined,
): Promise<Outcome<BulkFile>> {
  const received = await submitFile(files, account, fileId, { file_type: type, file_name: name }, { number });
  if (received.ok && stock !== undefined) {
    const { number } = stock;
    await submitFile(files, account, stock.fileId, { file_type: 'Inventory', file_name: stock.name }, { number });
  }
  return received;
}

/** Reads the SKU ids of an uploaded change, and yields the rows that `read` returns for them. */
export async function* rowsForFile(
  { storage }: FileContext,
  file: FileKey,
  read: (skuIds: readonly string[]) => Promise<readonly ChangeRow[]>,
): AsyncGenerator<readonly ChangeRow[]> {
  for await (const lines of textLines(storage.read(fileName(file, 'upload')))) {
    const skuIds = lines.map(skuIdOf);
    for (let start = 0; start < skuIds.length; start += PAGE_OFFERS) {
      yield await read(skuIds.slice(start, start + PAGE_OFFERS));
    }
  }
}

/** Thrown if the file does not have the format that `uploadRows` writes. */
export class NotARow extends Error {
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

/** Yields the rows of each page as text, and skips pages without rows. */
async function* rowTexts(
  pages: AsyncIterable<readonly ChangeRow[]>,
  count: { offers: number; skipped: number },
): AsyncGenerator<string, undefined> {
  for await (const page of pages) {
    const rows = page.filter(({ body }) => body !== undefined);
    count.offers += rows.length;
    count.skipped += page.length - rows.length;
    if (rows.length > 0)
      yield rows.map(({ skuId, body }) => `${JSON.stringify(skuId)}:${stringifyExactJson(body)}`).join(',\n');
  }
}

async function* fileText(first: string, others: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{${first}`);
  for await (const rows of others) yield Buffer.from(`,\n${rows}`);
  yield Buffer.from('}\n');
}
