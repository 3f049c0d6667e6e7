/** Finishes image checks: stores results and marks waiting offers as due, or puts the image back. */
import type { ImageStore, WantedImage } from '../../port/images.ts';
import type { SkuKey } from '../../port/offers.ts';
import { keptWrite } from '../command.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { rowsStatement, type Sql, STORE_MS, statement } from '../sql.ts';
import { goBehind, type Lane, lockImages } from './image-lanes.ts';
import { imageKey, WAIT } from './images.ts';

/** Number of offers that are marked as due together after a check. */
const SLICE_OFFERS = 500;
/** Each slice extends the lease by more than the time to mark its offers, even on a busy server. */
const MARKING_LEASE_MS = 30_000;

const OFFER = columnsOf<SkuKey>()('accountId', 'skuId');

interface HeldImage extends Lane {
  readonly key: Uint8Array;
  readonly dueMs: number;
  readonly askedMs: number;
  readonly isAsked: boolean;
  readonly againPause_ms: number | null;
  /** While the users of a changed image are added to the waiting offers: the last one added. Null: none are left to add. */
  readonly addedUpTo: SkuKey | null;
}

const HELD_IMAGE = columnsOf<HeldImage>({ isAsked: FLAG, addedUpTo: JSON_TEXT })(
  ...(['accountId', 'host', 'dueMs', 'askedMs', 'isAsked', 'againPause_ms', 'addedUpTo'] as const),
);
const HELD = statement('read image under way')`
  SELECT ${HELD_IMAGE.list} FROM image_queue WHERE address_hash = $1 AND fence = $2`;
const BEGIN_ALONE = statement<[one: number]>('begin image alone')`
  UPDATE image_queue SET lost = lost + 1,
    due_ms = CASE WHEN due_ms > ${STORE_MS} + CAST($3 AS bigint) THEN due_ms ELSE ${STORE_MS} + CAST($3 AS bigint) END
  WHERE address_hash = $1 AND fence = $2 RETURNING 1`;
const DELAY = statement<[]>('delay image')`
  UPDATE image_queue SET fence = 0, lost = 0, attempts = attempts + $2, failed_try = coalesce($3, failed_try),
    due_ms = $4, asked_ms = $5, is_asked = $6, again_pause_ms = NULL
  WHERE address_hash = $1`;
const FOUND = statement<[]>('came back with image')`
  UPDATE image_queue SET lost = 0, failed_try = NULL, due_ms = $2, asked_ms = $3, is_asked = 0, added_up_to = $4
  WHERE address_hash = $1`;
const STORE = statement<[]>('store image')`
  INSERT INTO image (address_hash, address, evidence, reviewed_ms, etag, asked_ms) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (address_hash) DO UPDATE SET
    evidence = excluded.evidence, reviewed_ms = excluded.reviewed_ms, etag = excluded.etag,
    asked_ms = CASE WHEN image.asked_ms > excluded.asked_ms THEN image.asked_ms ELSE excluded.asked_ms END`;
const RENEW_LEASE = statement<[]>('renew image lease')`UPDATE image_queue SET due_ms = $2 WHERE address_hash = $1`;
const WAITING = statement('list offers waiting for image')`
  SELECT account_id, sku_id FROM image_waiting WHERE address_hash = $1
  ORDER BY account_id, sku_id LIMIT ${SLICE_OFFERS}`;
const FORGET = rowsStatement<[]>('delete offers waiting for image')`
  DELETE FROM image_waiting USING unnest($2::bigint[], $3::text[]) AS i (account_id, sku_id)
  WHERE image_waiting.address_hash = $1
    AND image_waiting.account_id = i.account_id AND image_waiting.sku_id = i.sku_id`;
const NEXT_USERS = statement('find next users of image')`
  SELECT account_id, sku_id FROM image_user WHERE address_hash = $1 AND (account_id, sku_id) > ($2, $3)
  ORDER BY account_id, sku_id LIMIT ${SLICE_OFFERS}`;
const SET_ADDED = statement<[]>('note added users of image')`
  UPDATE image_queue SET added_up_to = $2 WHERE address_hash = $1`;
const CHECK_AGAIN = statement<[]>('check image again')`
  UPDATE image_queue SET fence = 0, attempts = 0, since_ms = $2, due_ms = $3, is_asked = 1, again_pause_ms = NULL
  WHERE address_hash = $1`;
const DROP = statement<[]>('drop image from queue')`DELETE FROM image_queue WHERE address_hash = $1`;

const BEFORE_ALL: SkuKey = { accountId: 0, skuId: '' };

export const beginAlone = keptWrite<ImageStore['beginAlone']>(async (sql, { address, fence }, lease_ms) => {
  return (await sql.run(BEGIN_ALONE, [imageKey(address), fence, lease_ms])).length > 0;
});

export const delayImage = keptWrite<ImageStore['delayImage']>(async (sql, image, delay_ms, failedTry) => {
  const nowMs = await lockImages(sql);
  const held = await readHeld(sql, image);
  if (held === undefined) return;
  const { key, againPause_ms } = held;
  const askedMs = held.isAsked ? nowMs : held.askedMs;
  const againMs = againPause_ms === null ? Number.POSITIVE_INFINITY : Math.max(nowMs, askedMs + againPause_ms);
  const dueMs = Math.min(nowMs + delay_ms, againMs);
  const [tries, evidence] = failedTry === undefined ? [0, null] : [1, JSON.stringify(failedTry)];
  await sql.run(DELAY, [key, tries, evidence, dueMs, askedMs, againPause_ms === null ? 0 : 1]);
  await goBehind(sql, held, nowMs);
});

export const storeImage = keptWrite<ImageStore['storeImage']>(async (sql, image, found, isOther = false) => {
  const nowMs = await lockImages(sql);
  const held = await readHeld(sql, image);
  if (held === undefined) return [];
  const { key } = held;
  const askedMs = held.isAsked ? nowMs : held.askedMs;
  const addedUpTo = isOther ? BEFORE_ALL : held.addedUpTo;
  await Promise.all([
    sql.run(FOUND, [key, Math.max(held.dueMs, nowMs), askedMs, addedUpTo && JSON.stringify(addedUpTo)]),
    sql.run(STORE, [key, image.address, JSON.stringify(found.evidence), found.reviewedMs, found.etag, askedMs]),
  ]);
  return nextToMark(sql, { ...held, askedMs, addedUpTo }, nowMs);
});

export const forgetWaiting = keptWrite<ImageStore['forgetWaiting']>(
  { lane: 'background' },
  async (sql, image, offers) => {
    const nowMs = await lockImages(sql);
    const held = await readHeld(sql, image);
    if (held === undefined) return [];
    await Promise.all([
      sql.run(RENEW_LEASE, [held.key, Math.max(held.dueMs, nowMs + MARKING_LEASE_MS)]),
      sql.run(FORGET, [held.key, ...OFFER.listsOf(offers)]),
    ]);
    return nextToMark(sql, held, nowMs);
  },
);

/** Returns undefined if another process has taken the image, or if the check is done. */
async function readHeld(sql: Sql, { address, fence }: WantedImage): Promise<HeldImage | undefined> {
  const key = imageKey(address);
  const [held] = (await sql.run(HELD, [key, fence])).map(HELD_IMAGE.of);
  return held && { key, ...held };
}

/** The image leaves the queue when no offer is left to mark. Under the lock no offer starts to wait meanwhile. */
async function nextToMark(sql: Sql, image: HeldImage, nowMs: number): Promise<readonly SkuKey[]> {
  const { key, askedMs, againPause_ms } = image;
  const waiting = (await sql.run(WAITING, [key])).map(OFFER.of);
  const next = waiting.length > 0 ? waiting : await addUsers(sql, image);
  if (next.length > 0) return next;
  if (againPause_ms === null) await sql.run(DROP, [key]);
  else await sql.run(CHECK_AGAIN, [key, nowMs, Math.max(nowMs, askedMs + againPause_ms)]);
  await goBehind(sql, image, nowMs);
  return [];
}

/** If the image has changed, adds the next offers that use it to the offers that wait for it. */
async function addUsers(sql: Sql, { key, addedUpTo }: HeldImage): Promise<readonly SkuKey[]> {
  if (addedUpTo === null) return [];
  const users = (await sql.run(NEXT_USERS, [key, addedUpTo.accountId, addedUpTo.skuId])).map(OFFER.of);
  const last = users.length < SLICE_OFFERS ? undefined : users.at(-1);
  await sql.run(WAIT, [users.map(() => key), ...OFFER.listsOf(users)]);
  await sql.run(SET_ADDED, [key, last === undefined ? null : JSON.stringify(last)]);
  return users;
}
