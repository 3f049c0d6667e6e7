/** Stores how many offers each account had on each day, by the stored counts of offers. */
import type { AccountDay, OfferDay, OfferListStore, OfferRise } from '../../port/offer-list.ts';
import { keptWrite, scan, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { dropSome, insertStatement, rowsOf, statement } from '../sql.ts';

const DAY = columnsOf<AccountDay>()('day', 'accountId', 'available', 'failing', 'review', 'archived');
const PUT = insertStatement('put offer days', 'offer_day', [], 'REPLACE', DAY.names);
const TOTAL = columnsOf<OfferDay>()('day', 'available', 'failing', 'review', 'archived');
const SUMS = TOTAL.names.slice(1).map((column) => `CAST(sum(${column}) AS bigint)`);
const TOTALS = statement('sum offer days')`
  SELECT day, ${SUMS.join(', ')} FROM offer_day WHERE day >= $1 GROUP BY day ORDER BY day`;
const RISE = columnsOf<OfferRise>()('accountId', 'before', 'now');
const RISES = statement('list rises of failing offers')`
  SELECT n.account_id, b.failing, n.failing FROM offer_day n
  JOIN offer_day b ON b.account_id = n.account_id AND b.day = $1
  WHERE n.day = $2 AND n.failing > b.failing ORDER BY n.failing - b.failing DESC, n.account_id LIMIT $3`;
/** Status and number of offers. */
const COUNTS = statement<[accountId: number, status: string, offers: number]>('count offers of all accounts')`
  SELECT account_id, value, offers FROM offer_count WHERE kind = 'status'`;

export const countOffersByAccount = scan<OfferListStore['countOffersByAccount']>(async (sql, day) => {
  const found = new Map<number, AccountDay>();
  for (const [accountId, status, offers] of await sql.run(COUNTS)) {
    const before = found.get(accountId) ?? { day, accountId, available: 0, failing: 0, review: 0, archived: 0 };
    const of = status === 'available' || status === 'review' || status === 'archived' ? status : 'failing';
    found.set(accountId, { ...before, [of]: before[of] + offers });
  }
  return [...found.values()];
});

export const putOfferDays = keptWrite<OfferListStore['putOfferDays']>(
  { lane: 'background', slices: 0 },
  async (sql, days) => {
    if (days.length > 0) await sql.run(PUT, DAY.listsOf(days));
  },
);

export const sumOfferDays = scan<OfferListStore['sumOfferDays']>(rowsOf(TOTALS, TOTAL.of));
export const listOfferRises = scan<OfferListStore['listOfferRises']>(rowsOf(RISES, RISE.of));
export const dropOfferDays = write<OfferListStore['dropOfferDays']>(
  { lane: 'background' },
  dropSome('drop offer days', 'offer_day', 'day < $1 ORDER BY day, account_id'),
);
