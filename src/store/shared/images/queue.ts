/**
 * Queues images to fetch, and leases the next ones.
 *
 * `due_ms` is when an image may be taken: when its check is due, or when its lease expires. image-lanes.ts decides whose turn it is, and
 * checks.ts finishes checks. A check requested during another one is recorded at the image, and follows it.
 */
import type { FailedTry, ImageStore, WantedImage } from '../../port/images.ts';
import { keptWrite, snapshot } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { insertStatement, listsOf, rowsStatement, STORE_MS, statement } from '../sql.ts';
import { lanesInTurn, lockImages, pickImages, rescheduleLanes, scheduleLanes } from './image-lanes.ts';
import { imageHost, imageKey, readImages, userColumns, WAIT } from './images.ts';

/** An account with fewer queued images takes over images that it also requests, instead of waiting behind other accounts. */
const TAKES_OVER_BELOW = 100;

const LAST_ASKED = rowsStatement<[address: string, askedMs: number]>('find when images were asked for')`
  SELECT address, asked_ms FROM image WHERE address_hash = ANY ($1::bytea[])`;
const TAKE_OVER = rowsStatement<[]>('take over images')`
  UPDATE image_queue SET account_id = i.account_id FROM unnest($1::bytea[], $2::bigint[]) AS i (address_hash, account_id)
  WHERE image_queue.address_hash = i.address_hash AND image_queue.account_id <> i.account_id AND fence = 0
    AND (SELECT count(*) FROM (SELECT 1 FROM image_queue q WHERE q.account_id = i.account_id LIMIT ${TAKES_OVER_BELOW}) few)
      < ${TAKES_OVER_BELOW}`;
const QUEUED = ['address_hash', 'account_id', 'address', 'host', 'due_ms'];
/** Has no RETURNING, because SQLite would then need 8.2 ms of CPU time instead of 3.8 ms for a list of 200. */
const QUEUE = insertStatement('queue images', 'image_queue', ['since_ms'], 'DO NOTHING', QUEUED);
/** Returns the lanes of the images, which may belong to other accounts. */
const ASK = rowsStatement<[accountId: number, host: string]>('ask for images')`
  UPDATE image_queue SET
    asked_ms = GREATEST(image_queue.asked_ms, i.asked_ms),
    is_asked = CASE WHEN fence = 0 THEN 1 ELSE is_asked END,
    again_pause_ms = CASE WHEN fence <> 0 THEN $3::bigint END,
    due_ms = CASE WHEN fence <> 0 THEN due_ms
      ELSE LEAST(due_ms, GREATEST($4::bigint, GREATEST(image_queue.asked_ms, i.asked_ms) + $3::bigint)) END
  FROM unnest($1::bytea[], $2::bigint[]) AS i (address_hash, asked_ms)
  WHERE image_queue.address_hash = i.address_hash RETURNING account_id, host`;
const DUE_IN = (account: string, host: string) => `SELECT address_hash, address, attempts, lost, due_ms,
     CASE WHEN is_asked = 1 OR asked_ms > 0 OR again_pause_ms IS NOT NULL THEN 1 ELSE 0 END AS is_wished
   FROM image_queue WHERE account_id = ${account} AND host = ${host} AND due_ms <= $4
   ORDER BY due_ms, address_hash LIMIT $5`;
const CANDIDATES = rowsStatement<
  [lane: number, key: Uint8Array, address: string, attempts: number, lost: number, dueMs: number, isAsked: number]
>(
  'find due images',
  `SELECT l.lane, q.address_hash, q.address, q.attempts, q.lost, q.due_ms, q.is_wished
   FROM unnest($1::integer[], $2::bigint[], $3::text[]) AS l (lane, account_id, host)
   CROSS JOIN LATERAL (${DUE_IN('l.account_id', 'l.host')}) q ORDER BY l.lane, q.due_ms, q.address_hash`,
  `SELECT $1, q.* FROM (${DUE_IN('$2', '$3')}) q`,
);
const TAKE = rowsStatement<[]>('take images')`
  UPDATE image_queue SET fence = i.fence, due_ms = $3::bigint, again_pause_ms = NULL,
    is_asked = CASE WHEN again_pause_ms IS NULL THEN is_asked ELSE 1 END, lost = CASE WHEN lost = 0 THEN 1 ELSE lost END
  FROM unnest($1::bytea[], $2::bigint[]) AS i (address_hash, fence) WHERE image_queue.address_hash = i.address_hash`;
const FAILED_TRY = columnsOf<FailedTry>({ evidence: JSON_TEXT })('address', 'evidence', 'nextMs');
const FAILED_TRIES = rowsStatement('find failed tries at images')`
  SELECT address, failed_try, CASE WHEN fence = 0 THEN due_ms END FROM image_queue
  WHERE address_hash = ANY ($1::bytea[]) AND failed_try IS NOT NULL`;
type FigureColumns = [waiting: number, retrying: number, ...sinceMs: [number | null, number | null], nowMs: number];
const FIGURES = statement<FigureColumns>('read image figures')`
  SELECT count(*), count(*) FILTER (WHERE attempts > 0), min(since_ms) FILTER (WHERE attempts = 0),
    min(since_ms) FILTER (WHERE attempts > 0), ${STORE_MS} FROM image_queue`;

const COUNT_BY_ACCOUNT = statement<[accountId: number, images: number]>('count images by account')`
  SELECT account_id, count(*) FROM image_queue GROUP BY account_id`;

export const wantImages = keptWrite<ImageStore['wantImages']>({ slices: 0 }, async (sql, wants, pause_ms) => {
  if (wants.length === 0) return;
  const nowMs = await lockImages(sql);
  // An image is charged to the account of the first offer that requests it.
  const paying = [...new Map(wants.toReversed().map((want) => [want.address, want])).values()].reverse();
  const addresses = paying.map(({ address }) => address);
  const [keys, hosts] = [addresses.map(imageKey), addresses.map(imageHost)];
  const accountIds = paying.map(({ accountId }) => accountId);
  const askedMs = new Map(pause_ms === undefined ? [] : await sql.run(LAST_ASKED, [keys]));
  const asked = addresses.map((address) => askedMs.get(address) ?? 0);
  const dueMs = asked.map((ms) => Math.max(nowMs, ms + (pause_ms ?? 0)));
  const [, , , payers] = await Promise.all([
    sql.run(WAIT, userColumns(wants)),
    sql.run(TAKE_OVER, [keys, accountIds]),
    sql.run(QUEUE, [nowMs, keys, accountIds, addresses, hosts, dueMs]),
    pause_ms === undefined ? [] : sql.run(ASK, [keys, asked, pause_ms, nowMs]),
  ]);
  // The next take drops a lane without images, for example if another account is charged.
  const lanes = paying.map(({ accountId }, index) => ({ accountId, host: hosts[index] ?? '' }));
  await scheduleLanes(sql, [...lanes, ...payers.map(([accountId, host]) => ({ accountId, host }))], nowMs);
});

/** Maximum number of scans per take; the next take continues where this one ended. */
export const LOOKS_MAX = 200;

type LookOnce = (...args: Parameters<ImageStore['takeImages']>) => Promise<readonly WantedImage[] | 'again'>;

/**
 * Scans some lanes for due images. Returns `again` if none is due but lanes moved in the queue, so the next scan may find some.
 * The moves are committed before the next scan, so that a take ends.
 */
export const lookForImages = keptWrite<LookOnce>({ lane: 'background' }, async (sql, limits, lease_ms) => {
  const nowMs = await lockImages(sql);
  const lanes = await lanesInTurn(sql, limits, nowMs);
  if (lanes.length === 0) return [];
  const image_max = Math.min(limits.limit, limits.perHost);
  const values = [[...lanes.keys()], ...listsOf(lanes, 'accountId', 'host'), nowMs, image_max];
  const due = (await sql.run(CANDIDATES, values)).flatMap(([index, key, address, attempts, lost, dueMs, isAsked]) => {
    const lane = lanes[index];
    return lane === undefined ? [] : [{ lane, key, address, attempts, lost, dueMs, isAsked: isAsked === 1 }];
  });
  const picked = pickImages(due, limits);
  const fences = await Promise.all(picked.map(() => sql.drawNumber()));
  await sql.run(TAKE, [picked.map(({ key }) => key), fences, nowMs + lease_ms]);
  await rescheduleLanes(sql, lanes);
  if (picked.length === 0) return 'again';
  const addresses = picked.map(({ address }) => address);
  const known = new Map((await readImages(sql, addresses)).map((image) => [image.address, image]));
  return picked.map(({ address, attempts, lost, isAsked }, index) => {
    return { address, attempts, lost, known: known.get(address), isAsked, fence: fences[index] ?? 0 };
  });
});

export const readFailedTries = snapshot<ImageStore['readFailedTries']>(async (sql, addresses) => {
  return (await sql.run(FAILED_TRIES, [[...new Set(addresses)].map(imageKey)])).map(FAILED_TRY.of);
});

export const readImageFigures = snapshot<ImageStore['readImageFigures']>(async (sql) => {
  const [[waiting, retrying, sinceMs, retriedSinceMs, nowMs] = [0, 0, null, null, 0]] = await sql.run(FIGURES);
  const age_ms = (ms: number | null) => (ms === null ? 0 : Math.max(0, nowMs - ms));
  return { waiting, oldestWait_ms: age_ms(sinceMs), retrying, oldestRetry_ms: age_ms(retriedSinceMs) };
});

export const countImagesByAccount = snapshot<ImageStore['countImagesByAccount']>(
  async (sql) => new Map(await sql.run(COUNT_BY_ACCOUNT)),
);
