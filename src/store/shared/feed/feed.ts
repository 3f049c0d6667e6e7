/** Reads the change feed: finds the next events, and looks up their SKU ids and authors. */
import type { Author } from '../../../domain/author.ts';
import type { EventChange } from '../../../domain/event-changes.ts';
import {
  eventJson,
  type FeedEvent,
  type FeedPosition,
  isOfferEvent,
  offerEvent,
  statusChange,
} from '../../../domain/events.ts';
import { stringifyExactJson } from '../../../domain/int64.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { Names } from '../../../domain/names.ts';
import { EVENT_CODES } from '../../../domain/vocabulary/event-types.ts';
import type { FeedPage, FeedStore, FeedTextPage } from '../../port/feed.ts';
import { commandsWith } from '../command.ts';
import { rowsStatement, type Sql, statement } from '../sql.ts';
import { readEventChanges } from './event-changes.ts';
import { readFeedState } from './numbering.ts';

const { snapshot } = commandsWith({ account: true });

/** Reads the next batches of each type without their content, because batches of files list thousands of offers. */
const NEXT = rowsStatement<[number: number, type: number, events: number]>(
  'find next events',
  `SELECT e.number, e.type, e.events FROM unnest($2::smallint[]) AS i (type) CROSS JOIN LATERAL (
     SELECT b.number, b.type, b.events FROM event_batch b
     WHERE b.account_id = $1 AND b.type = i.type AND b.number >= $3::bigint ORDER BY b.number LIMIT $4::bigint) e`,
  `SELECT number, type, events FROM event_batch
   WHERE account_id = $1 AND type = $2 AND number >= $3 ORDER BY number LIMIT $4`,
);
const READ = rowsStatement<[number: number, type: number, atMs: number, detail: string, offers: string]>('read events')`
  SELECT e.number, e.type, e.at_ms, e.detail, e.offers FROM unnest($2::smallint[], $3::bigint[]) AS i (type, number)
  JOIN event_batch e ON e.account_id = $1 AND e.type = i.type AND e.number = i.number`;
const SKU_IDS = rowsStatement<[offer: number, skuId: string]>(
  'read SKUs of events',
  `SELECT offer.upload_order, offer.sku_id FROM unnest($2::bigint[]) AS i (upload_order)
   JOIN offer ON offer.account_id = $1 AND offer.upload_order = i.upload_order`,
  'SELECT id, sku_id FROM sku WHERE account_id = $1 AND id = $2',
);
const AUTHORS = rowsStatement<[authorId: number, name: Author]>('read authors of events')`
  SELECT author.author_id, author.name FROM unnest($2::bigint[]) AS i (author_id)
  JOIN author ON author.account_id = $1 AND author.author_id = i.author_id`;
const OLDEST = statement<[atMs: number | null]>('read oldest event')`
  SELECT min(at_ms) FROM event_batch WHERE account_id = $1`;

/** One event as it is stored. */
interface RawEvent {
  readonly position: FeedPosition;
  readonly type: FeedEvent['type'];
  readonly atMs: number;
  /** JSON text. */
  readonly detail: string;
  readonly offer: number;
}

type ReadPage = (...asked: Parameters<FeedStore['readEvents']>) => Promise<FeedPage | undefined>;
type ReadTextPage = (...asked: Parameters<FeedStore['readEventTexts']>) => Promise<FeedTextPage | undefined>;

/** Returns the methods that read events: they first number the committed events, unless the page is full without them. */
export function numberedReads(methods: {
  readonly readPage: ReadPage;
  readonly readTextPage: ReadTextPage;
  readonly numberEvents: (accountId: number) => Promise<'more' | 'done'>;
}): Pick<FeedStore, 'readEvents' | 'readEventTexts'> {
  const readNumbered = async <Page extends FeedPage | FeedTextPage>(
    accountId: number,
    readOnce: () => Promise<Page | undefined>,
  ): Promise<Page> => {
    const page = await readOnce();
    if (page !== undefined && (page.more || !page.hasUnnumbered)) return page;
    const left = await methods.numberEvents(accountId);
    const numbered = await readOnce();
    if (numbered === undefined) throw new Error('The feed was erased while it was read.');
    return left === 'more' ? { ...numbered, more: true } : numbered;
  };
  return {
    readEvents: (...asked) => readNumbered(asked[0], () => methods.readPage(...asked)),
    readEventTexts: (...asked) => readNumbered(asked[0], () => methods.readTextPage(...asked)),
  };
}

/** Returns undefined if the feed must be opened first. */
export const readPage = snapshot<ReadPage>(async (sql, accountId, query) => {
  const { after, types, withChanges = false } = query;
  const limit = withChanges ? Math.min(query.limit, LIMITS.event_changes_page_max) : query.limit;
  const state = await readFeedState(sql, accountId);
  if (state === undefined) return undefined;
  const start = after ?? { number: state.dropped + 1, count: 0 };
  // Reads two more batches than events: the events of the first batch may all have been read before, and an extra batch shows whether
  // there are more.
  const codes = types.map((type) => EVENT_CODES[type]);
  const found = await sql.run(NEXT, [accountId, codes, start.number, limit + 2]);
  const batches = found.toSorted((a, b) => a[0] - b[0]);
  let events = 0;
  const needed = batches.filter(([number, , count]) => {
    const isNeeded = events <= limit;
    events += number === start.number ? count - start.count : count;
    return isNeeded;
  });
  const raw = await rawEvents(sql, accountId, needed, start);
  const asked = raw.slice(0, limit);
  const changes = withChanges ? await changesThatFit(sql, accountId, asked) : undefined;
  const page = changes === undefined ? asked : asked.slice(0, changes.length);
  const more = raw.length > page.length;
  const end = { number: Math.max(state.end + 1, start.number), count: state.end < start.number ? start.count : 0 };
  const next = more ? (page.at(-1) as RawEvent).position : end;
  const [oldest] = await sql.run(OLDEST, [accountId]);
  return { ...state, events: await resolved(sql, accountId, page, changes), next, more, oldestMs: oldest?.[0] ?? null };
});

/** Like `readPage`, with the events as text. */
export const readTextPage = snapshot<ReadTextPage>({ gate: 'long' }, async (sql, accountId, query, settings) => {
  const found = await readPage(sql, accountId, query);
  if (found === undefined) return undefined;
  const { events, ...page } = found;
  const names = new Names(settings);
  return { ...page, text: events.map((event) => stringifyExactJson(eventJson(event, page.tag, names))).join() };
});

const TYPE_OF_CODE = new Map<number, RawEvent['type']>(
  Object.entries(EVENT_CODES).map(([type, code]) => [code, type as RawEvent['type']]),
);

async function rawEvents(
  sql: Sql,
  accountId: number,
  batches: readonly (readonly [number: number, type: number, ...unknown[]])[],
  start: FeedPosition,
): Promise<RawEvent[]> {
  const numbers = batches.map(([number]) => number);
  const rows = await sql.run(READ, [accountId, batches.map(([, type]) => type), numbers]);
  return rows
    .toSorted((a, b) => a[0] - b[0])
    .flatMap(([number, code, atMs, detail, offers]) => {
      const type = TYPE_OF_CODE.get(code) as RawEvent['type'];
      const all = (JSON.parse(offers) as number[]).map((offer, index): RawEvent => {
        return { position: { number, count: index + 1 }, type, atMs, detail, offer };
      });
      return number === start.number ? all.slice(start.count) : all;
    });
}

/** Returns the change of each event, undefined for events that have none, up to the limit of a page. */
async function changesThatFit(
  sql: Sql,
  accountId: number,
  events: readonly RawEvent[],
): Promise<readonly (EventChange | undefined)[]> {
  const updates = events.flatMap(({ type, offer, detail, atMs }, place) => {
    if (type !== 'offer.updated') return [];
    const [part, authorId] = JSON.parse(detail);
    return [{ place, offer, part, authorId, atMs }];
  });
  const recorded = await readEventChanges(sql, accountId, updates);
  let characters = 0;
  const changes: (EventChange | undefined)[] = [];
  for (const [place, { type, detail }] of events.entries()) {
    if (type === 'offer.updated') {
      const { change, characters: own } = recorded(place);
      characters += own;
      if (place > 0 && characters > LIMITS.event_changes_page_characters_max) break;
      changes.push(change);
    } else changes.push(type === 'offer.status_changed' ? statusChange(JSON.parse(detail)) : undefined);
  }
  return changes;
}

/** Leaves out events of offers that were erased since. */
async function resolved(
  sql: Sql,
  accountId: number,
  page: readonly RawEvent[],
  changes?: readonly (EventChange | undefined)[],
): Promise<FeedEvent[]> {
  const details = new Map(page.map(({ detail }) => [detail, JSON.parse(detail)]));
  const offers = new Set(page.map(({ offer }) => offer));
  const updates = page.filter(({ type }) => type === 'offer.updated');
  const authorIds = new Set(updates.map(({ detail }) => details.get(detail)[1] as number));
  const skuIds = new Map(await sql.run(SKU_IDS, [accountId, [...offers]]));
  const authors = new Map(await sql.run(AUTHORS, [accountId, [...authorIds]]));
  return page.flatMap(({ position, type, atMs, detail, offer }, index): FeedEvent[] => {
    const content = details.get(detail);
    if (!isOfferEvent(type)) return [{ position, atMs, type, ...content }];
    const skuId = skuIds.get(offer);
    if (skuId === undefined) return [];
    const change = changes?.[index];
    return [{ position, atMs, ...offerEvent(type, content, skuId, authors), ...(change && { change }) }];
  });
}
