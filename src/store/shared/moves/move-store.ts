/** Imports, exports and erases whole merchants, in short transactions alongside servers, on either engine. */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../../../domain/account.ts';
import type { GroupRecord } from '../../../domain/export/records.ts';
import type { MoveStore } from '../../port/moves.ts';
import { REVIEW_KIND } from '../../port/review.ts';
import { changing, type Undoable, undone } from '../command.ts';
import { tidyFeed } from '../feed/numbering.ts';
import { discardFilesAndReports } from '../files/progress.ts';
import { dropKeys } from '../idempotency.ts';
import { removeGrants } from '../policies/policies.ts';
import { beginSweep } from '../review/review.ts';
import { readMerchant } from '../settings/merchants.ts';
import { endRemoval, hasMerchant, insertMerchant, suspend } from '../settings/rows.ts';
import type { Sql, WriteSql } from '../sql.ts';
import { dropRequestLog } from '../traffic/request-log.ts';
import { announceWork } from '../work.ts';
import { openSnapshot } from './copy-store.ts';
import type { Member, MoveEngine } from './engine.ts';
import { eraseOffers } from './erasures.ts';
import * as records from './merchant-records.ts';
import { endImport, hasImport, MoveMarks } from './move-marks.ts';
import { importedOffer, readLastOffer } from './offer-rows.ts';

/** Offers per statement, with about 1.5 MB of documents, so the overhead of a statement is negligible. */
const STATEMENT_OFFERS = 1000;

export function createMoveStore(engine: MoveEngine): MoveStore {
  const { offers } = engine;
  const marks = new MoveMarks(randomUUID());
  const change = <T>(work: (sql: WriteSql) => Promise<Undoable<T>>): Promise<T> =>
    engine.write((sql) => changing(sql, () => work(sql)));

  return {
    openSnapshot: () => openSnapshot(engine),

    beginImport: (merchant) =>
      change<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'>(async (sql) => {
        const { merchantId } = merchant;
        if (await hasImport(sql, merchantId)) return undone('unfinished');
        if (await hasMerchant(sql, merchantId)) return undone('exists');
        const accounts = await insertMerchant(sql, { ...merchant, suspended: true });
        await marks.addImport(sql, merchantId);
        return accounts;
      }),

    importOffers: (accountId, imported) =>
      engine.write<'stored' | { readonly repeated: string }>(async (sql) => {
        await marks.renewImportOf(sql, accountId);
        for (let start = 0; start < imported.length; start += STATEMENT_OFFERS) {
          const number = await sql.drawNumber();
          const slice = imported
            .slice(start, start + STATEMENT_OFFERS)
            .map((record, index) => importedOffer(record, number, offers.newOrder(number, index)));
          const repeated = await offers.insert(sql, accountId, slice);
          if (repeated !== undefined) return undone({ repeated });
        }
        await announceWork(sql, REVIEW_KIND, accountId, 0, 'backlog');
        return 'stored';
      }),

    importGroups: (accountId, groups) =>
      engine.write<'stored' | { readonly refused: string }>(async (sql) => {
        await marks.renewImportOf(sql, accountId);
        if (groups.length === 0) return 'stored';
        const number = await sql.drawNumber();
        const refused = await offers.joinGroups(sql, accountId, groups.flatMap(membersOf), number);
        if (refused !== undefined) return undone({ refused });
        await announceWork(sql, REVIEW_KIND, accountId, 0, 'backlog');
        return 'stored';
      }),

    finishImport: ({ merchantId, suspended }, accounts) =>
      change<'stored' | { readonly taken: string }>(async (sql) => {
        await marks.renewImport(sql, merchantId);
        for (const account of accounts) {
          const taken = await records.addAccountSettings(sql, account);
          if (taken !== undefined) return undone({ taken });
          // Some offers may have been reviewed before the nodes were imported.
          await beginSweep(sql, account.accountId);
        }
        await suspend(sql, merchantId, suspended);
        await endImport(sql, merchantId);
        return 'stored';
      }),

    renewImport: (merchantId) => engine.write((sql) => marks.renewImport(sql, merchantId)),
    takeOverImport: (merchantId) => engine.write((sql) => marks.takeOverImport(sql, merchantId)),

    beginRemoval: (merchantId) =>
      change<'begun' | 'unknown' | { readonly exportedTo: string }>(async (sql) => {
        if (!(await hasMerchant(sql, merchantId))) return undone('unknown');
        await suspend(sql, merchantId, true);
        const exportedTo = await marks.beginRemoval(sql, merchantId);
        return exportedTo === undefined ? 'begun' : { exportedTo };
      }),

    // The lock on the settings version orders this and the lifting of a suspension: a merchant that is being erased stays suspended.
    beginErasing: (merchantId, exportedTo) =>
      change<'begun' | 'ended'>(async (sql) => {
        return (await marks.beginErasing(sql, merchantId, exportedTo)) ? 'begun' : undone('ended');
      }),

    readLastOffer: (accountId) => readLastOffer(engine.sql, accountId),
    async eraseOffers(accountId, upTo, slice_ms_max) {
      const permit = (sql: Sql) => marks.requireErasableAccount(sql, accountId);
      const erased = await eraseOffers(engine, { accountId, upTo, slice_ms_max, permit });
      if (erased.more) return erased;
      // Events that are added from now on belong to offers that stay.
      const events = await engine.write(async (sql) => {
        await permit(sql);
        return tidyFeed(sql, accountId, Date.now());
      });
      if (events === 'more') return { ...erased, more: true };
      return { ...erased, more: (await engine.write((sql) => offers.eraseWords(sql))) === 'more' };
    },
    eraseRequests: (accountId) =>
      engine.write(async (sql) => {
        await marks.requireErasableAccount(sql, accountId);
        if (await dropKeys(sql, accountId, Number.MAX_SAFE_INTEGER)) return true;
        return dropRequestLog(sql, accountId, Number.MAX_SAFE_INTEGER);
      }),
    discardFiles: (accountId) => engine.write((sql) => discardFilesAndReports(sql, accountId)),

    eraseMerchant: (merchantId, accountId) =>
      change<'erased' | 'unknown' | 'has_offers'>(async (sql) => {
        const accountIds = Object.values((await readMerchant(sql, merchantId))?.accounts ?? {});
        if (accountIds.length === 0 || (accountId && !accountIds.includes(accountId))) return undone('unknown');
        await marks.requireErasable(sql, merchantId);
        for (const id of accountIds) {
          await records.eraseAccount(sql, id);
          await discardFilesAndReports(sql, id);
          // The offers are read last. An import that is running locks the account, so its offers are committed by then. A later import finds
          // no account.
          if ((await readLastOffer(sql, id)) > 0) return undone('has_offers');
        }
        // Undoing an import keeps grants that were made before the import.
        if (!(await endImport(sql, merchantId))) await removeGrants(sql, merchantId);
        await endRemoval(sql, merchantId);
        await records.eraseMerchant(sql, merchantId);
        return 'erased';
      }),

    close: () => engine.close(),
  };
}

function membersOf({ skuId, refinements, title, childrenSkus }: GroupRecord): Member[] {
  const children = childrenSkus.map((child, index) => {
    return { skuId: child, parent: skuId, position: index + 1, refinements: null, title: null };
  });
  return [{ skuId, parent: skuId, position: 0, refinements, title }, ...children];
}
