/** Stores webhooks, the leases of processes that deliver to them, and the delivery log. */
import { rolledSecrets, type Webhook, type WebhookDelivery } from '../../../domain/setup/webhooks.ts';
import type { WebhookStore } from '../../port/webhooks.ts';
import { keptWrite, read, snapshot, undone, write } from '../command.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { insertStatement, readStoreMs, rowsOf, statement, type WriteSql } from '../sql.ts';

/** Maximum number of logged deliveries per webhook. */
const LOGGED_MAX = 200;
/** Number of deliveries that one sequence number can order. */
const LOGGED_TOGETHER_MAX = 4096;
/** The advisory lock key for an account's webhooks is this plus the account id. */
const LOCK_KEYS = 2 ** 41;

const WEBHOOK = columnsOf<Webhook>({
  types: JSON_TEXT,
  include: JSON_TEXT,
  batches: FLAG,
  secrets: JSON_TEXT,
  position: JSON_TEXT,
})(
  ...(['accountId', 'webhookId', 'shop', 'address', 'types', 'include', 'batches', 'secrets', 'createdMs'] as const),
  ...(['disabledReason', 'position', 'attempts', 'failingSinceMs', 'dueMs'] as const),
);
const DELIVERY = columnsOf<WebhookDelivery>()('eventId', 'type', 'events', 'atMs', 'attempt', 'status', 'failure');
const OF_KEY = 'account_id = $1 AND webhook_id = $2';

const LIST = statement('list webhooks')`
  SELECT ${WEBHOOK.list} FROM webhook WHERE account_id = $1 ORDER BY created_ms, webhook_id`;
const ADD = insertStatement('add webhook', 'webhook', WEBHOOK.names);
const READ = statement('read webhook')`SELECT ${WEBHOOK.list} FROM webhook WHERE ${OF_KEY}`;
/** A changed webhook is due immediately: `due_ms` also fences off a process that delivers to the old address. */
const CHANGE = statement('change webhook')`
  UPDATE webhook SET address = $3, types = $4, secrets = $5, disabled_reason = $6, attempts = 0, failing_since_ms = NULL,
    due_ms = $7, include = $8, batches = $9 WHERE ${OF_KEY} RETURNING ${WEBHOOK.list}`;
const REMOVE = statement<[1]>('remove webhook')`DELETE FROM webhook WHERE ${OF_KEY} RETURNING 1`;
const REMOVE_LOG = statement<[]>('remove deliveries')`DELETE FROM webhook_delivery WHERE ${OF_KEY}`;
const DUE = statement('list due webhooks')`
  SELECT ${WEBHOOK.list} FROM webhook
  WHERE disabled_reason IS NULL AND due_ms <= $1 AND (due_ms, account_id, webhook_id) > ($2, $3, $4)
  ORDER BY due_ms, account_id, webhook_id LIMIT $5`;
const FAILING = statement('list failing webhooks')`
  SELECT ${WEBHOOK.list} FROM webhook WHERE failing_since_ms <= $1 ORDER BY failing_since_ms DESC, webhook_id LIMIT $2`;
const TAKE = statement('take webhook')`
  UPDATE webhook SET due_ms = $4 WHERE ${OF_KEY} AND due_ms = $3 AND disabled_reason IS NULL RETURNING ${WEBHOOK.list}`;
const PROGRESS = statement<[1]>('note webhook progress')`
  UPDATE webhook SET position = $4, attempts = $5, failing_since_ms = $6, disabled_reason = $7, due_ms = $8
  WHERE ${OF_KEY} AND due_ms = $3 RETURNING 1`;
const LOGGED = ['delivery', ...DELIVERY.names];
const LOG = insertStatement('log deliveries', 'webhook_delivery', ['account_id', 'webhook_id'], '', LOGGED);
const TRIM_LOG = statement<[]>('drop old deliveries')`
  DELETE FROM webhook_delivery WHERE ${OF_KEY} AND delivery <= (
    SELECT d.delivery FROM webhook_delivery d WHERE d.account_id = $1 AND d.webhook_id = $2
    ORDER BY d.delivery DESC LIMIT 1 OFFSET ${LOGGED_MAX})`;
const DELIVERIES = statement('list deliveries')`
  SELECT ${DELIVERY.list} FROM webhook_delivery WHERE ${OF_KEY} ORDER BY delivery DESC LIMIT $3`;

export const addWebhook = write<WebhookStore['addWebhook']>(async (sql, webhook, webhooks_max) => {
  await lock(sql, webhook.accountId);
  const others = (await sql.run(LIST, [webhook.accountId])).map(WEBHOOK.of);
  const same = others.find(({ webhookId }) => webhookId === webhook.webhookId);
  if (same !== undefined) return same;
  if (others.length >= webhooks_max) return undone('full');
  await sql.run(ADD, WEBHOOK.valuesOf(webhook));
  return webhook;
});

export const listWebhooks = read<WebhookStore['listWebhooks']>(rowsOf(LIST, WEBHOOK.of));

export const changeWebhook = keptWrite<WebhookStore['changeWebhook']>(async (sql, accountId, webhookId, change) => {
  await lock(sql, accountId);
  const [found] = (await sql.run(READ, [accountId, webhookId])).map(WEBHOOK.of);
  if (found === undefined) return undefined;
  const { address, types, include, batches, disabledReason, roll } = { ...found, roll: undefined, ...change };
  const secrets = roll === undefined ? found.secrets : rolledSecrets(found.secrets, roll);
  if (secrets === undefined) return 'full';
  // Moves the due time, so that a process that is delivering now loses its lease.
  const dueMs = Math.min(found.dueMs, Date.now()) - 1;
  const values = [address, JSON.stringify(types), JSON.stringify(secrets), disabledReason, dueMs];
  const options = [JSON.stringify(include), Number(batches)];
  return (await sql.run(CHANGE, [accountId, webhookId, ...values, ...options])).map(WEBHOOK.of)[0];
});

export const removeWebhook = keptWrite<WebhookStore['removeWebhook']>(async (sql, accountId, webhookId) => {
  await lock(sql, accountId);
  // Removes the webhook first. A process that logs a delivery holds a lock on the webhook's row, so its entry is in the log by then and is
  // removed too.
  const removed = await sql.run(REMOVE, [accountId, webhookId]);
  await sql.run(REMOVE_LOG, [accountId, webhookId]);
  return removed.length > 0 ? 'removed' : 'unknown';
});

export const listDueWebhooks = snapshot<WebhookStore['listDueWebhooks']>(async (sql, after, limit) => {
  const start = [after?.dueMs ?? Number.MIN_SAFE_INTEGER, after?.accountId ?? 0, after?.webhookId ?? ''];
  return (await sql.run(DUE, [await readStoreMs(sql), ...start, limit])).map(WEBHOOK.of);
});

export const listFailingWebhooks = read<WebhookStore['listFailingWebhooks']>(rowsOf(FAILING, WEBHOOK.of));

export const takeWebhook = keptWrite<WebhookStore['takeWebhook']>(
  async (sql, { accountId, webhookId, dueMs }, lease_ms) => {
    const untilMs = (await readStoreMs(sql)) + lease_ms;
    return (await sql.run(TAKE, [accountId, webhookId, dueMs, untilMs])).map(WEBHOOK.of)[0];
  },
);

export const noteDeliveries = keptWrite<WebhookStore['noteDeliveries']>(
  async (sql, { accountId, webhookId, dueMs: takenMs }, progress, deliveries, delay_ms) => {
    const { position, attempts, failingSinceMs, disabledReason } = progress;
    const dueMs = delay_ms === undefined ? takenMs : (await readStoreMs(sql)) + delay_ms;
    const moved = [JSON.stringify(position), attempts, failingSinceMs, disabledReason, dueMs];
    if ((await sql.run(PROGRESS, [accountId, webhookId, takenMs, ...moved])).length === 0) return 'lost';
    await log(sql, [accountId, webhookId], deliveries);
    return 'stored';
  },
);

export const logDelivery = keptWrite<WebhookStore['logDelivery']>(async (sql, accountId, webhookId, delivery) => {
  await lock(sql, accountId);
  // The webhook may have been removed while the message was sent.
  if ((await sql.run(READ, [accountId, webhookId])).length > 0) await log(sql, [accountId, webhookId], [delivery]);
});

export const listDeliveries = read<WebhookStore['listDeliveries']>(rowsOf(DELIVERIES, DELIVERY.of));

/** Locks the account's webhooks before a change that depends on what it reads. */
async function lock(sql: WriteSql, accountId: number): Promise<void> {
  await sql.lock(LOCK_KEYS + accountId);
}

type Key = readonly [accountId: number, webhookId: string];

async function log(sql: WriteSql, key: Key, deliveries: readonly WebhookDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  // One number for all, because each takes a round trip on PostgreSQL.
  const first = (await sql.drawNumber()) * LOGGED_TOGETHER_MAX;
  if (deliveries.length > LOGGED_TOGETHER_MAX) throw new Error('Too many deliveries for one sequence number.');
  await sql.run(LOG, [...key, deliveries.map((_, index) => first + index), ...DELIVERY.listsOf(deliveries)]);
  await sql.run(TRIM_LOG, key);
}
