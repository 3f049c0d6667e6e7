/**
 * Numbers the events of a feed, and drops old events. A reader that reaches the end of a feed numbers the events committed by then, under a
 * lock on the account. Events that commit later get higher numbers, whenever their transaction began.
 */
import { randomBytes } from 'node:crypto';
import { EVENT_CODES } from '../../../domain/vocabulary/event-types.ts';
import type { FeedStore } from '../../port/feed.ts';
import { commandsWith, read } from '../command.ts';
import { engineStatement, firstOf, insertStatement, rowsStatement, statement } from '../sql.ts';
import { noteFeedEnd } from '../storefront/progress.ts';

const { keptWrite } = commandsWith({ account: true });

/** A slice takes about 10 ms. */
const SLICE_BATCHES = 1000;
/** The key of a feed's advisory lock is this plus the account id. */
const LOCK_KEYS = 2 ** 40;
const TAG_BYTES = 6;

const CODES = Object.freeze(Object.values(EVENT_CODES));

type StateRow = [tag: string, dropped: number, hasUnnumbered: boolean | 0 | 1, ...ends: (number | null)[]];
const stateText = (hint: string) => `
  SELECT f.tag, f.dropped,
    EXISTS (SELECT 1 FROM event_batch e ${hint} WHERE e.account_id = $1 AND e.number IS NULL),
    ${CODES.map((code) => `(SELECT max(e.number) FROM event_batch e WHERE e.account_id = $1 AND e.type = ${code})`).join(', ')}
  FROM event_feed f WHERE f.account_id = $1`;
/** SQLite would choose an index with all batches of the account. */
const STATE = engineStatement<StateRow>(
  'read feed state',
  stateText(''),
  stateText('INDEXED BY event_batch_unnumbered'),
);
const OPEN = insertStatement('open feed', 'event_feed', ['account_id', 'tag', 'dropped'], 'DO NOTHING');
const UNNUMBERED = statement<[drawn: number]>('find unnumbered events')`
  SELECT drawn FROM event_batch WHERE account_id = $1 AND number IS NULL ORDER BY drawn LIMIT ${SLICE_BATCHES}`;
const NUMBER = rowsStatement<[]>('number events')`
  UPDATE event_batch SET number = i.number FROM unnest($2::bigint[], $3::bigint[]) AS i (drawn, number)
  WHERE event_batch.account_id = $1 AND event_batch.drawn = i.drawn AND event_batch.number IS NULL`;
const FIND_OLD = statement<[number: number]>('find old events')`
  SELECT number FROM event_batch WHERE account_id = $1 AND at_ms < $2 AND number IS NOT NULL
  ORDER BY at_ms LIMIT ${SLICE_BATCHES}`;
const DROP = statement<[]>('drop old events')`
  DELETE FROM event_batch WHERE account_id = $1 AND at_ms < $2 AND number <= $3`;
const NOTE_DROPPED = statement<[]>('note dropped events')`
  UPDATE event_feed SET dropped = $2 WHERE account_id = $1 AND dropped < $2`;

export const readFeedState = read<FeedStore['readFeedState']>(
  { gate: 'quick' },
  firstOf(STATE, ([tag, dropped, hasUnnumbered, ...ends]) => {
    const end = Math.max(dropped, ...ends.map((last) => last ?? 0));
    return { tag, dropped, end, hasUnnumbered: Boolean(hasUnnumbered) };
  }),
);

/** Opens the feed if it is new, and numbers a slice of the committed events. */
export const numberEvents = keptWrite<(accountId: number) => Promise<'more' | 'done'>>(async (sql, accountId) => {
  // Without the lock, a later transaction could number its events first.
  await sql.lock(LOCK_KEYS + accountId);
  await sql.run(OPEN, [accountId, randomBytes(TAG_BYTES).toString('hex'), 0]);
  const drawn = (await sql.run(UNNUMBERED, [accountId])).map(([each]) => each);
  if (drawn.length === 0) return 'done';
  const end = (await readFeedState(sql, accountId))?.end ?? 0;
  await sql.run(NUMBER, [accountId, drawn, drawn.map((_, index) => end + 1 + index)]);
  await noteFeedEnd(sql, accountId, end + drawn.length);
  return drawn.length < SLICE_BATCHES ? 'done' : 'more';
});

export const tidyFeed = keptWrite<FeedStore['tidyFeed']>({ lane: 'background' }, async (sql, accountId, beforeMs) => {
  // Old events are numbered before they are dropped, so that cursors of readers who missed them are refused.
  if ((await numberEvents(sql, accountId)) === 'more') return 'more';
  const old = (await sql.run(FIND_OLD, [accountId, beforeMs])).map(([number]) => number);
  if (old.length === 0) return 'done';
  const last = Math.max(...old);
  await sql.run(DROP, [accountId, beforeMs, last]);
  await sql.run(NOTE_DROPPED, [accountId, last]);
  return old.length < SLICE_BATCHES ? 'done' : 'more';
});
