/**
 * Use case: an operator copies a whole database into another one, including ids, so that tokens and keys keep working.
 *
 * An interrupted copy resumes after its last slice. It is compared with its source before the target can be used.
 */
import { createHash } from 'node:crypto';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import {
  COPIED_TABLES,
  type CopiedOffer,
  type CopiedTables,
  type CopyPosition,
  type CopyStore,
  type StoreSnapshot,
  unfinishedCopyText,
} from '../../store/port/copy.ts';
import { pagesOf } from './snapshot-pages.ts';

export interface CopyReport {
  readonly merchants: number;
  readonly skus: number;
  /** Number of SKUs that an earlier run had already copied. */
  readonly skusBefore: number;
  /** Checksum over all data, equal on both sides. */
  readonly sha256: string;
}

export interface CopyProgress {
  copied(skus: number, total: number): void;
  compared(skus: number, total: number): void;
}

export async function copyStore(
  source: CopyStore,
  target: CopyStore,
  progress: CopyProgress,
): Promise<Outcome<CopyReport>> {
  const half = await source.readMark();
  if (half !== undefined) return refuseRequest('copy_unfinished', unfinishedCopyText(half.source));
  await using opened = new AsyncDisposableStack();
  const reading = opened.adopt(await source.openSnapshot(), (held) => held.close());
  const tables = await reading.readTables();
  const begun = await begin(source, target, reading, tables);
  if (!begun.ok) return begun;
  const accounts = await countedAccounts(reading, tables);
  const skus = accounts.reduce((sum, account) => sum + account.skus, 0);

  const before = await copiedBefore(target, accounts, begun.value);
  const isAlone = await copyOffers(reading, target, accounts, begun.value, (copied) =>
    progress.copied(before + copied, skus),
  );
  if (!isAlone)
    return refuseRequest('copy_overtaken', 'Another copy into the same target is running. Let it finish, or stop it.');

  const compared = opened.adopt(await target.openSnapshot(), (held) => held.close());
  const { sha256, differing } = await compare(reading, compared, accounts, (done) => progress.compared(done, skus));
  if (differing.length > 0) {
    const text = `Source and target differ in ${differing.join(', ')}. The target cannot be used. Empty it and copy again.`;
    return refuseRequest('copy_differs', text);
  }
  await target.finishCopy();
  return accept({ merchants: tables.merchant.length, skus, skusBefore: before, sha256 });
}

/** Returns where to start: at the beginning, or after the data that an earlier run of the same copy stored. */
async function begin(
  source: CopyStore,
  target: CopyStore,
  reading: StoreSnapshot,
  tables: CopiedTables,
): Promise<Outcome<CopyPosition>> {
  const counters = await reading.readCounters();
  const origin = { source: source.name, tablesDigest: tablesChecksum(tables), writeNumber: counters.writeNumber };
  const mark = await target.readMark();
  if (mark === undefined) {
    const begun = await target.beginCopy(origin, tables, counters);
    if (begun === 'begun') return accept({ accountId: 0, order: 0 });
    return refuseRequest(
      'copy_target_used',
      `The target ${target.name} is not empty. Nothing was changed; use a new one.`,
    );
  }
  if (mark.tablesDigest === origin.tablesDigest && mark.writeNumber === origin.writeNumber) return accept(mark);
  if (mark.source !== origin.source) {
    const text = `The target ${target.name} holds an unfinished copy from ${mark.source}. Nothing was changed.`;
    return refuseRequest('copy_target_used', `${text} Finish that copy, or use a new target.`);
  }
  const text = `The source ${source.name} has changed since the copy into ${target.name} started. Nothing was changed.`;
  return refuseRequest('copy_source_changed', `${text} Empty the target and copy again, with no server on the source.`);
}

interface CountedAccount {
  readonly accountId: number;
  readonly skus: number;
}

/** Counts the offers of each account, in the order of account ids. */
async function countedAccounts(reading: StoreSnapshot, { account }: CopiedTables): Promise<CountedAccount[]> {
  const accounts: CountedAccount[] = [];
  for (const [accountId] of account) {
    accounts.push({ accountId: Number(accountId), skus: await reading.countOffers(Number(accountId)) });
  }
  return accounts;
}

/** Counts the offers that the target already has, up to the account being copied. */
async function copiedBefore(
  target: CopyStore,
  accounts: readonly CountedAccount[],
  from: CopyPosition,
): Promise<number> {
  const done = accounts.filter(({ accountId }) => accountId < from.accountId);
  const finished = done.reduce((sum, { skus }) => sum + skus, 0);
  if (from.accountId === 0) return finished;
  const reading = await target.openSnapshot();
  try {
    return finished + (await reading.countOffers(from.accountId));
  } finally {
    await reading.close();
  }
}

/** Reads the next slice while the last one is stored. Returns false if another copy is running. */
async function copyOffers(
  reading: StoreSnapshot,
  target: CopyStore,
  accounts: readonly CountedAccount[],
  from: CopyPosition,
  onProgress: (skus: number) => void,
): Promise<boolean> {
  let position = from;
  let copied = 0;
  let storing: Promise<'stored' | 'overtaken'> = Promise.resolve('stored');
  for await (const { accountId, offers } of slices(reading, accounts, from)) {
    if ((await storing) === 'overtaken') return false;
    onProgress(copied);
    storing = target.writeOffers(position, accountId, offers);
    // A failure is reported when the promise is awaited, after the next slice is read. Without this handler, an earlier rejection would end
    // the process.
    storing.catch(() => {});
    position = { accountId, order: offers.at(-1)?.order ?? position.order };
    copied += offers.length;
  }
  return (await storing) === 'stored';
}

async function* slices(
  reading: StoreSnapshot,
  accounts: readonly CountedAccount[],
  from: CopyPosition,
): AsyncGenerator<{ accountId: number; offers: readonly CopiedOffer[] }> {
  for (const { accountId } of accounts) {
    if (accountId < from.accountId) continue;
    const after = accountId === from.accountId ? from.order : 0;
    const pages = pagesOf((last) => reading.readOffers(accountId, last), after);
    for await (const offers of pages) yield { accountId, offers };
  }
}

/** Reads both sides to the end, in parallel. */
async function compare(
  source: StoreSnapshot,
  target: StoreSnapshot,
  accounts: readonly CountedAccount[],
  onProgress: (skus: number) => void,
): Promise<{ sha256: string; differing: string[] }> {
  const differing: string[] = [];
  const whole = createHash('sha256');
  const [expected, found] = await Promise.all([source.readTables(), target.readTables()]);
  whole.update(tablesChecksum(expected));
  if (tablesChecksum(expected) !== tablesChecksum(found)) differing.push('the settings');
  let compared = 0;
  for (const { accountId, skus } of accounts) {
    const [here, there] = await Promise.all([
      accountChecksum(source, accountId, (read) => onProgress(compared + read)),
      accountChecksum(target, accountId),
    ]);
    compared += skus;
    whole.update(here.sha256);
    if (here.skus !== there.skus || here.sha256 !== there.sha256) {
      differing.push(`account ${accountId} (${here.skus} and ${there.skus} SKUs)`);
    }
  }
  const numbers = await Promise.all([source.readCounters(), target.readCounters()]);
  if (numbers[0].writeNumber > numbers[1].writeNumber) differing.push('the sequence number');
  return { sha256: whole.digest('hex'), differing };
}

function tablesChecksum(tables: CopiedTables): string {
  const hash = createHash('sha256');
  for (const name of COPIED_TABLES) {
    hash.update(`${name}\n`);
    for (const row of tables[name]) {
      const values = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
      hash.update(`${JSON.stringify(values)}\n`);
    }
  }
  return hash.digest('hex');
}

/** Calls `onProgress` with the number of SKUs read so far. */
async function accountChecksum(
  reading: StoreSnapshot,
  accountId: number,
  onProgress: (skus: number) => void = () => {},
): Promise<{ readonly skus: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let skus = 0;
  for await (const offers of pagesOf((after) => reading.readOffers(accountId, after))) {
    // Both engines write offers with the same codec, so their fields have the same order.
    hash.update(offers.map((offer) => `${JSON.stringify(offer)}\n`).join(''));
    skus += offers.length;
    onProgress(skus);
  }
  return { skus, sha256: hash.digest('hex') };
}
