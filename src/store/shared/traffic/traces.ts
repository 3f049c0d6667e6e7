/** Stores which trace the last write of a SKU belongs to, for its review and webhooks, which other processes may run. */
import type { NotedTrace, TraceStore } from '../../port/traffic.ts';
import { snapshot, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { dropSome, insertStatement, rowsStatement } from '../sql.ts';

/** How many traces are dropped at a time. This takes SQLite's writer a few milliseconds. */
const DROPPED_MAX = 5_000;

const TRACE = columnsOf<NotedTrace>()('skuId', 'traceparent', 'atMs');
const NEWEST = 'DO UPDATE SET traceparent = excluded.traceparent, at_ms = excluded.at_ms' as const;
const NOTE = insertStatement('note traces', 'trace', ['account_id'], NEWEST, TRACE.names);
const READ = rowsStatement<[skuId: string, traceparent: string]>('read traces')`
  SELECT t.sku_id, t.traceparent FROM unnest($2::text[]) AS i (sku_id)
  JOIN trace t ON t.account_id = $1 AND t.sku_id = i.sku_id`;

export const noteTrace = write<TraceStore['noteTrace']>(async (sql, accountId, trace) => {
  await sql.run(NOTE, [accountId, ...TRACE.listsOf([trace])]);
});

export const readTraces = snapshot<TraceStore['readTraces']>(async (sql, accountId, skuIds) => {
  return new Map(await sql.run(READ, [accountId, [...skuIds]]));
});

export const dropTraces = write<TraceStore['dropTraces']>(
  { lane: 'background' },
  dropSome('drop traces', 'trace', 'at_ms < $1 ORDER BY at_ms', DROPPED_MAX),
);
