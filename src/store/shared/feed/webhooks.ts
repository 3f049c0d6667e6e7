/** Stores webhooks, who delivers them, and the log of their deliveries. */
import type { EventType } from '../../../domain/vocabulary/event-types.ts';
import type { Webhook, WebhookDelivery, WebhookStore } from '../../port/webhooks.ts';
import { keptWrite, read, snapshot, undone, write } from '../command.ts';
import { rowsStatement, statement, type WriteSql } from '../sql.ts';

/** Logged deliveries of one webhook. */
const LOGGED_MAX = 200;
/** Advisory locks of an account's webhooks: this plus the account. */
const LOCK_KEYS = 2 ** 41;

type WebhookRow = readonly [
  accountId: number,
  webhookId: string,
  address: string,
  types: string,
  secrets: string,
  createdMs: number,
  disabledReason: string | null,
  placeNumber: number,
  placeCount: number,
  attempts: number,
  failingSinceMs: number | null,
  dueMs: number,
];

const COLUMNS = `account_id, webhook_id, address, types, secrets, created_ms, disabled_reason, place_number, place_count,
   attempts, failing_since_ms, due_ms`;
const OF_KEY = 'account_id = $1 AND webhook_id = $2';

const LIST = statement<WebhookRow>(
  'list webhooks',
  `SELECT ${COLUMNS} FROM webhook WHERE account_id = $1 ORDER BY created_ms, webhook_id`,
);
const ADD = statement<[]>(
  'add webhook',
  `INSERT INTO webhook (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
const READ = statement<WebhookRow>('read webhook', `SELECT ${COLUMNS} FROM webhook WHERE ${OF_KEY}`);
/** It becomes due at once: `due_ms` also fences off a process that delivers to the old address. */
const CHANGE = statement<WebhookRow>(
  'change webhook',
  `UPDATE webhook SET address = $3, types = $4, secrets = $5, disabled_reason = $6, attempts = 0, failing_since_ms = NULL,
     due_ms = $7 WHERE ${OF_KEY} RETURNING ${COLUMNS}`,
);
const REMOVE = statement<[1]>('remove webhook', `DELETE FROM webhook WHERE ${OF_KEY} RETURNING 1`);
const REMOVE_LOG = statement<[]>('remove deliveries', `DELETE FROM webhook_delivery WHERE ${OF_KEY}`);
const DUE = statement<WebhookRow>(
  'list due webhooks',
  `SELECT ${COLUMNS} FROM webhook
   WHERE disabled_reason IS NULL AND due_ms <= $1 AND (due_ms, account_id, webhook_id) > ($2, $3, $4)
   ORDER BY due_ms, account_id, webhook_id LIMIT $5`,
);
const TAKE = statement<WebhookRow>(
  'take webhook',
  `UPDATE webhook SET due_ms = $4 WHERE ${OF_KEY} AND due_ms = $3 AND disabled_reason IS NULL RETURNING ${COLUMNS}`,
);
const PROGRESS = statement<[1]>(
  'note webhook progress',
  `UPDATE webhook SET place_number = $4, place_count = $5, attempts = $6, failing_since_ms = $7, disabled_reason = $8, due_ms = $9
   WHERE ${OF_KEY} AND due_ms = $3 RETURNING 1`,
);
const LOG = rowsStatement<[]>(
  'log deliveries',
  `INSERT INTO webhook_delivery (account_id, webhook_id, delivery, event_id, type, at_ms, attempt, status, failure)
   SELECT $1::bigint, $2::text, i.delivery, i.event_id, i.type, i.at_ms, i.attempt, i.status, i.failure
   FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::integer[], $9::text[])
     AS i (delivery, event_id, type, at_ms, attempt, status, failure)`,
  `INSERT INTO webhook_delivery (account_id, webhook_id, delivery, event_id, type, at_ms, attempt, status, failure)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const TRIM_LOG = statement<[]>(
  'drop old deliveries',
  `DELETE FROM webhook_delivery WHERE ${OF_KEY} AND delivery <= (
     SELECT d.delivery FROM webhook_delivery d WHERE d.account_id = $1 AND d.webhook_id = $2
     ORDER BY d.delivery DESC LIMIT 1 OFFSET ${LOGGED_MAX})`,
);
const DELIVERIES = statement<
  [eventId: string, type: string, atMs: number, attempt: number, status: number | null, failure: string | null]
>(
  'list deliveries',
  `SELECT event_id, type, at_ms, attempt, status, failure FROM webhook_delivery
   WHERE ${OF_KEY} ORDER BY delivery DESC LIMIT $3`,
);

export const addWebhook = write<WebhookStore['addWebhook']>(async (sql, webhook, webhooks_max) => {
  await lock(sql, webhook.accountId);
  if ((await sql.run(LIST, [webhook.accountId])).length >= webhooks_max) return undone('full');
  await sql.run(ADD, rowOf(webhook));
  return 'stored';
});

export const listWebhooks = read<WebhookStore['listWebhooks']>(async (sql, accountId) => {
  return (await sql.run(LIST, [accountId])).map(webhookOf);
});

export const changeWebhook = keptWrite<WebhookStore['changeWebhook']>(async (sql, accountId, webhookId, change) => {
  await lock(sql, accountId);
  const [found] = (await sql.run(READ, [accountId, webhookId])).map(webhookOf);
  if (found === undefined) return undefined;
  const { address, types, secrets, disabledReason } = { ...found, ...change };
  // A little earlier than the lease of a process that delivers now, which so loses it.
  const dueMs = Math.min(found.dueMs, Date.now()) - 1;
  const values = [address, JSON.stringify(types), JSON.stringify(secrets), disabledReason, dueMs];
  const [row] = await sql.run(CHANGE, [accountId, webhookId, ...values]);
  return row && webhookOf(row);
});

export const removeWebhook = keptWrite<WebhookStore['removeWebhook']>(async (sql, accountId, webhookId) => {
  await sql.run(REMOVE_LOG, [accountId, webhookId]);
  return (await sql.run(REMOVE, [accountId, webhookId])).length > 0 ? 'removed' : 'unknown';
});

export const listDueWebhooks = snapshot<WebhookStore['listDueWebhooks']>(async (sql, nowMs, after, limit) => {
  const start = [after?.dueMs ?? Number.MIN_SAFE_INTEGER, after?.accountId ?? 0, after?.webhookId ?? ''];
  return (await sql.run(DUE, [nowMs, ...start, limit])).map(webhookOf);
});

export const takeWebhook = keptWrite<WebhookStore['takeWebhook']>(
  async (sql, { accountId, webhookId, dueMs }, untilMs) => {
    const [row] = await sql.run(TAKE, [accountId, webhookId, dueMs, untilMs]);
    return row && webhookOf(row);
  },
);

export const noteDeliveries = keptWrite<WebhookStore['noteDeliveries']>(
  async (
    sql,
    { accountId, webhookId, dueMs: takenMs },
    { place, attempts, failingSinceMs, disabledReason },
    deliveries,
    dueMs,
  ) => {
    const progress = [place.number, place.count, attempts, failingSinceMs, disabledReason, dueMs];
    if ((await sql.run(PROGRESS, [accountId, webhookId, takenMs, ...progress])).length === 0) return 'lost';
    await log(sql, accountId, webhookId, deliveries);
    return 'stored';
  },
);

export const logDelivery = keptWrite<WebhookStore['logDelivery']>(async (sql, accountId, webhookId, delivery) => {
  await log(sql, accountId, webhookId, [delivery]);
});

export const listDeliveries = read<WebhookStore['listDeliveries']>(async (sql, accountId, webhookId, limit) => {
  const rows = await sql.run(DELIVERIES, [accountId, webhookId, limit]);
  return rows.map(([eventId, type, atMs, attempt, status, failure]) => {
    return { eventId, type, atMs, attempt, status, failure };
  });
});

/** For changes that depend on what they read. */
async function lock(sql: WriteSql, accountId: number): Promise<void> {
  await sql.lock(LOCK_KEYS + accountId);
}

async function log(
  sql: WriteSql,
  accountId: number,
  webhookId: string,
  deliveries: readonly WebhookDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const numbers: number[] = [];
  for (const _ of deliveries) numbers.push(await sql.drawNumber());
  await sql.run(LOG, [
    accountId,
    webhookId,
    numbers,
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ type }) => type),
    deliveries.map(({ atMs }) => atMs),
    deliveries.map(({ attempt }) => attempt),
    deliveries.map(({ status }) => status),
    deliveries.map(({ failure }) => failure),
  ]);
  await sql.run(TRIM_LOG, [accountId, webhookId]);
}

function rowOf(webhook: Webhook): readonly unknown[] {
  const { accountId, webhookId, address, types, secrets, createdMs, disabledReason, place } = webhook;
  const { attempts, failingSinceMs, dueMs } = webhook;
  const settings = [address, JSON.stringify(types), JSON.stringify(secrets), createdMs, disabledReason];
  return [accountId, webhookId, ...settings, place.number, place.count, attempts, failingSinceMs, dueMs];
}

function webhookOf(row: WebhookRow): Webhook {
  const [accountId, webhookId, address, types, secrets, createdMs, disabledReason, number, count, ...rest] = row;
  const [attempts, failingSinceMs, dueMs] = rest;
  return {
    accountId,
    webhookId,
    address,
    types: JSON.parse(types) as EventType[],
    secrets: JSON.parse(secrets),
    createdMs,
    disabledReason,
    place: { number, count },
    attempts,
    failingSinceMs,
    dueMs,
  };
}
