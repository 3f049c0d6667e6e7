/** Reads pages of the offer list. */
import { isDescending, type OfferFilter, orderOf } from '../../../domain/offers/offer-list.ts';
import { SUB_STATUS_BITS } from '../../../domain/offers/verdict-counts.ts';
import { wordsLookedUp } from '../../../domain/text/search-words.ts';
import { accountWord, foundOf, type OfferListReads, type Selector } from '../../shared/offer-list/offer-list-walk.ts';
import type { RunPath } from '../../shared/offer-list/sorted-offers.ts';
import type { Command, Connection } from '../engine/connection.ts';
import { type Database, type Statement, statement } from '../engine/engine.ts';
import { countOf, gatherOf, type ListCommand, runOf, walkAlong } from './offer-list-statements.ts';

/**
 * The word index needs bitmap scans, which are off for all other statements (see engine.ts). Without the second setting, the
 * planner would read all offers of the account while it assumes that the words are common.
 */
const PLAN_FOR_WORDS: readonly Command[] = [
  statement('allow bitmap scans')`SET LOCAL enable_bitmapscan = on`,
  statement('forbid index scans')`SET LOCAL enable_indexscan = off`,
].map((setting: Statement) => ({ statement: setting, values: [] }));

const NO_NUMBERS = new Float64Array();

export function offerListReadsOn(database: Database): OfferListReads {
  async function runSelecting<Row extends readonly unknown[]>(selector: RunPath | Selector, command: ListCommand<Row>) {
    if (selector !== 'words') return database.run(command.statement, command.values);
    const rows = await database.runInRounds([...PLAN_FOR_WORDS, command as Command]);
    return (rows.at(-1) ?? []) as unknown as readonly Row[];
  }
  return {
    walk(accountId, request) {
      const { path, descending, examined_max, limit } = request;
      const { walk, end } = walkAlong(path, bitOf(request), descending);
      const values = { ...filterValues(accountId, request), ...request.after, limit };
      // Both statements need one snapshot: if the end moved in between, offers would be missing.
      const read = async (connection: Connection) => {
        const walking = walk({ ...values, checked_at: examined_max });
        const found = (await connection.run(walking.statement, walking.values)).map(foundOf);
        if (found.length === limit) return { found, end: undefined };
        const ending = end({ ...values, checked_at: examined_max - 1 });
        const [last] = await connection.run(ending.statement, ending.values);
        return { found, end: last && foundOf(last).position };
      };
      return database.inTransaction(read, { isolation: 'repeatable read', readOnly: true });
    },

    async gather(accountId, request) {
      const { selector, sort, after, limit, gathered_max } = request;
      const filters = filterValues(accountId, request);
      const counting = countOf(selector, bitOf(request));
      const [count] = await runSelecting(
        selector,
        counting({ ...filters, limit: gathered_max + 1, gathered: gathered_max + 1 }),
      );
      if ((count?.[0] ?? 0) > gathered_max) return 'too_many';
      const gathering = gatherOf(selector, bitOf(request), isDescending(sort));
      const values = { ...filters, ...after, limit, sort: orderOf(sort), gathered: gathered_max };
      return (await runSelecting(selector, gathering(values))).map(foundOf);
    },

    async readRun(accountId, request) {
      const { path, order, unpriced, after, examined_max } = request;
      const values = { ...filterValues(accountId, request), sort: order, unpriced, order: after, limit: examined_max };
      if (path === 'words') {
        // Counting is cheaper than a sort whose result is discarded.
        const [count] = await runSelecting(path, countOf(path, null)(values));
        if (count?.[0] === examined_max) return { values: NO_NUMBERS, orders: NO_NUMBERS, end: after };
      }
      const [row] = await runSelecting(path, runOf(path, bitOf(request))(values));
      const [numbers, orders, end, examined] = row ?? [null, null, null, 0];
      return {
        values: numbersOf(numbers),
        orders: numbersOf(orders),
        end: examined < examined_max ? undefined : (end ?? undefined),
      };
    },
  };
}

function filterValues(accountId: number, filter: OfferFilter) {
  const { words, status = null, categoryId = null, inStock = null, archived = null, upcoming = null } = filter;
  return {
    account: accountId,
    status,
    category: categoryId,
    sub_status: bitOf(filter),
    words: searchOf(accountId, words),
    words_looked_up: searchOf(accountId, wordsLookedUp(words)),
    in_stock: inStock,
    archived,
    upcoming,
  };
}

function numbersOf(list: string | null): Float64Array {
  return Float64Array.from(list === null ? [] : (JSON.parse(list) as number[]));
}

function searchOf(accountId: number, words: readonly string[]): string | null {
  return words.length === 0 ? null : words.map((word) => `${accountWord(accountId, word)}:*`).join(' & ');
}

function bitOf({ subStatus }: OfferFilter): number | null {
  return subStatus === undefined ? null : SUB_STATUS_BITS[subStatus];
}
