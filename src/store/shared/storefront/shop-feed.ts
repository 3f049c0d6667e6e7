/** Reads the log of the storefront, and drops its old events. */
import type { ShopEvent, ShopFeedState, StorefrontStore } from '../../port/storefront.ts';
import { keptWrite, read } from '../command.ts';
import { columnsOf } from '../records.ts';
import { firstOf, rowsOf, statement } from '../sql.ts';

/** Takes a few milliseconds. */
const DROPPED_TOGETHER = 1000;

const STATE = columnsOf<ShopFeedState>()('tag', 'last', 'dropped');
const READ_STATE = statement('read storefront feed')`SELECT ${STATE.list} FROM shop_feed WHERE environment = $1`;
const EVENT = columnsOf<ShopEvent>()('number', 'code', 'atMs', 'body');
const READ = statement('read storefront events')`
  SELECT ${EVENT.list} FROM shop_event WHERE environment = $1 AND number > $2 ORDER BY number LIMIT $3`;
const FIND_OLD = statement<[number: number, atMs: number]>('find old storefront events')`
  SELECT number, at_ms FROM shop_event WHERE environment = $1 ORDER BY number LIMIT ${DROPPED_TOGETHER}`;
const DROP = statement<[]>('drop old storefront events')`
  DELETE FROM shop_event WHERE environment = $1 AND number <= $2`;
const NOTE_DROPPED = statement<[]>('note dropped storefront events')`
  UPDATE shop_feed SET dropped = $2 WHERE environment = $1 AND dropped < $2`;

export const readShopFeed = read<StorefrontStore['readShopFeed']>({ gate: 'quick' }, firstOf(READ_STATE, STATE.of));
export const readShopEvents = read<StorefrontStore['readShopEvents']>(rowsOf(READ, EVENT.of));

export const tidyShopFeed = keptWrite<StorefrontStore['tidyShopFeed']>(
  { lane: 'background' },
  async (sql, environment, beforeMs) => {
    const oldest = await sql.run(FIND_OLD, [environment]);
    // Later events have later times, up to the differences of the clocks of several processes.
    const kept = oldest.findIndex(([, atMs]) => atMs >= beforeMs);
    const old = kept === -1 ? oldest : oldest.slice(0, kept);
    const last = old.at(-1);
    if (last === undefined) return 'done';
    await sql.run(DROP, [environment, last[0]]);
    await sql.run(NOTE_DROPPED, [environment, last[0]]);
    return kept === -1 && oldest.length === DROPPED_TOGETHER ? 'more' : 'done';
  },
);
