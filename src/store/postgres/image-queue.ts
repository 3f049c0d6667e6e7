/**
 * In charge of the pictures that are to be fetched, and of who fetches which, over all processes.
 *
 * `due_ms` of a picture is when it may be taken: its time, or the end of the lease of whoever has it. Where it waits, and
 * whose turn it is, is in image-lanes.ts; so is the lock under which pictures come into the queue, are taken and leave it.
 * A look that is asked for while one is under way is noted beside it, and follows it.
 */

import type { FailedTry, ImageLimits, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { imageHost, imageKey } from '../shared/image-key.ts';
import { type ImageCandidate, LOOKS_MAX, TAKES_OVER_BELOW, TELLING_LEASE_MS, TOLD_TOGETHER, pickImages } from '../shared/image-turns.ts';
import { STORE_MS } from '../shared/sql.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { LOCK_LANES, findInTurn, giveTurns, giveTurnsAtHost, moveTurns } from './image-lanes.ts';
import { nextImageUsers } from './image-users.ts';
import { readImages, readLastAsked, writeImage } from './images.ts';

const WAIT = statement<[]>(
  'wait for images',
  `INSERT INTO image_waiting (address_hash, account_id, sku_id)
   SELECT i.address_hash, i.account_id, i.sku_id
   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   ORDER BY i.address_hash, i.account_id, i.sku_id
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
);
const QUEUE = statement<[]>(
  'queue images',
  `INSERT INTO image_queue (address_hash, address, host, account_id, due_ms, since_ms)
   SELECT address_hash, address, host, account_id, GREATEST(${STORE_MS}, not_before_ms), ${STORE_MS}
   FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
     AS i (address_hash, address, host, account_id, not_before_ms)
   ON CONFLICT (address_hash) DO NOTHING`,
);
/** Of accounts with so few in the queue that those of others would have them wait longer. */
const TAKE_OVER = statement<[]>(
  'take over images',
  `UPDATE image_queue SET account_id = i.account_id FROM unnest($1::bytea[], $2::bigint[]) AS i (address_hash, account_id)
   WHERE image_queue.address_hash = i.address_hash AND image_queue.account_id <> i.account_id AND fence = 0
     AND (SELECT count(*) FROM (
       SELECT 1 FROM image_queue q WHERE q.account_id = i.account_id LIMIT ${TAKES_OVER_BELOW}) few) < ${TAKES_OVER_BELOW}`,
);

/** Its lane gets a turn with it, which may be that of another account. */
const ASK = statement<[]>(
  'ask for images',
  `WITH asked AS (
     UPDATE image_queue SET
       asked_ms = GREATEST(image_queue.asked_ms, i.asked_ms),
       is_asked = CASE WHEN fence = 0 THEN 1 ELSE is_asked END,
       again_pause_ms = CASE WHEN fence <> 0 THEN $3::bigint END,
       due_ms = CASE WHEN fence <> 0 THEN due_ms
         ELSE LEAST(due_ms, GREATEST(${STORE_MS}, GREATEST(image_queue.asked_ms, i.asked_ms) + $3::bigint)) END
     FROM unnest($1::bytea[], $2::bigint[]) AS i (address_hash, asked_ms)
     WHERE image_queue.address_hash = i.address_hash
     RETURNING account_id, host
   ), lanes AS (
     INSERT INTO image_lane (account_id, host, turn_ms) SELECT DISTINCT account_id, host, ${STORE_MS} FROM asked
     ON CONFLICT (account_id, host) DO UPDATE SET turn_ms = LEAST(image_lane.turn_ms, excluded.turn_ms)
   )
   INSERT INTO image_account (account_id, turn_ms) SELECT DISTINCT account_id, ${STORE_MS} FROM asked
   ON CONFLICT (account_id) DO UPDATE SET turn_ms = LEAST(image_account.turn_ms, excluded.turn_ms)`,
);

const UNDER_WAY = statement<[host: string, count: number]>(
  'count images under way',
  `SELECT host, count(*) FROM image_queue WHERE host = ANY ($1::text[]) AND fence <> 0 AND due_ms > $2
   GROUP BY host`,
);
const CANDIDATES = statement<[accountId: number, host: string, key: Buffer, lost: number, dueMs: number]>(
  'find due images',
  `SELECT l.account_id, l.host, q.address_hash, q.lost, q.due_ms FROM unnest($1::bigint[], $2::text[]) AS l (account_id, host)
   CROSS JOIN LATERAL (
     SELECT address_hash, lost, due_ms FROM image_queue
     WHERE image_queue.account_id = l.account_id AND image_queue.host = l.host AND due_ms <= $3
     ORDER BY due_ms, address_hash LIMIT $4
   ) q`,
);
const TAKE = statement<[key: Buffer, address: string, attempts: number, lost: number, fence: number, isAsked: boolean]>(
  'take images',
  `UPDATE image_queue SET fence = nextval('write_number'), due_ms = $3::bigint, lost = GREATEST(lost, 1),
     is_asked = CASE WHEN again_pause_ms IS NULL THEN is_asked ELSE 1 END, again_pause_ms = NULL
   FROM unnest($1::bytea[], $2::integer[]) AS i (address_hash, lost_before)
   WHERE image_queue.address_hash = i.address_hash
   RETURNING image_queue.address_hash, address, attempts, lost_before, fence, is_asked = 1 OR asked_ms > 0`,
);

const DELAY = statement<[accountId: number]>(
  'delay image',
  `UPDATE image_queue SET fence = 0, lost = 0,
     attempts = attempts + CASE WHEN $4::text IS NULL THEN 0 ELSE 1 END,
     failed_try = coalesce($4::text, failed_try),
     due_ms = CASE WHEN again_pause_ms IS NULL THEN ${STORE_MS} + $3::bigint ELSE LEAST(${STORE_MS} + $3::bigint,
       GREATEST(${STORE_MS}, CASE WHEN is_asked = 1 THEN ${STORE_MS} ELSE asked_ms END + again_pause_ms)) END,
     asked_ms = CASE WHEN is_asked = 1 THEN ${STORE_MS} ELSE asked_ms END,
     is_asked = CASE WHEN again_pause_ms IS NULL THEN 0 ELSE 1 END,
     again_pause_ms = NULL
   WHERE address_hash = $1 AND fence = $2 RETURNING account_id`,
);
const BEGIN_ALONE = statement<[one: number]>(
  'begin image alone',
  `UPDATE image_queue SET due_ms = GREATEST(due_ms, ${STORE_MS} + $3::bigint), lost = lost + 1
   WHERE address_hash = $1 AND fence = $2 RETURNING 1`,
);
const HOLD = statement<[accountId: number]>(
  'hold image',
  `UPDATE image_queue SET due_ms = GREATEST(due_ms, ${STORE_MS} + $3::bigint)
   WHERE address_hash = $1 AND fence = $2 RETURNING account_id`,
);
const FOUND = statement<[askedMs: number]>(
  'came back with image',
  `UPDATE image_queue SET lost = 0, failed_try = NULL,
     asked_ms = CASE WHEN is_asked = 1 THEN ${STORE_MS} ELSE asked_ms END, is_asked = 0
   WHERE address_hash = $1 RETURNING asked_ms`,
);
const READ_TOLD = statement<[accountId: number | null, skuId: string | null]>(
  'read who was told of image',
  'SELECT told_account_id, told_sku_id FROM image_queue WHERE address_hash = $1',
);
const SET_TOLD = statement<[]>(
  'note who was told of image',
  'UPDATE image_queue SET told_account_id = $2, told_sku_id = $3 WHERE address_hash = $1',
);
const WAITING = statement<[accountId: number, skuId: string]>(
  'find who waits for image',
  `SELECT account_id, sku_id FROM image_waiting WHERE address_hash = $1
   ORDER BY account_id, sku_id LIMIT ${TOLD_TOGETHER}`,
);
const FORGET = statement<[]>(
  'forget who waits for image',
  `DELETE FROM image_waiting USING unnest($2::bigint[], $3::text[]) AS i (account_id, sku_id)
   WHERE image_waiting.address_hash = $1
     AND image_waiting.account_id = i.account_id AND image_waiting.sku_id = i.sku_id`,
);
const LOOK_AGAIN = statement<[]>(
  'look again at image',
  `UPDATE image_queue SET fence = 0, attempts = 0, since_ms = ${STORE_MS}, is_asked = 1, again_pause_ms = NULL,
     due_ms = GREATEST(${STORE_MS}, asked_ms + again_pause_ms)
   WHERE address_hash = $1 AND again_pause_ms IS NOT NULL`,
);
const DROP = statement<[]>('drop image from queue', 'DELETE FROM image_queue WHERE address_hash = $1 AND fence = $2');
const FAILED_TRIES = statement<[address: string, evidence: string, nextMs: number | null]>(
  'find failed tries at images',
  `SELECT address, failed_try, CASE WHEN fence = 0 THEN due_ms END FROM image_queue
   WHERE address_hash = ANY ($1::bytea[]) AND failed_try IS NOT NULL`,
);
const FIGURES = statement<[waiting: number, oldestWait_ms: number]>(
  'read image figures',
  `SELECT (SELECT count(*) FROM image_queue),
     coalesce(GREATEST(0, ${STORE_MS} - (SELECT min(since_ms) FROM image_queue)), 0)`,
);

interface Candidate extends ImageCandidate {
  readonly key: Buffer;
  readonly lost: number;
}

export async function wantImages(
  database: Database,
  wants: readonly ImageUser[],
  pause_ms: number | undefined,
): Promise<void> {
  if (wants.length === 0) return;
  const keys = new Map<string, Buffer>();
  for (const { address } of wants) if (!keys.has(address)) keys.set(address, imageKey(address));
  const keyOf = ({ address }: ImageUser) => keys.get(address);
  const accountOf = ({ accountId }: ImageUser) => accountId;
  // Of several offers that want a picture, the first of each account; of several accounts the first pays.
  const paying = [
    ...new Map(wants.toReversed().map((want) => [`${want.accountId} ${want.address}`, want])).values(),
  ].reverse();
  const first = [...new Map(paying.toReversed().map((want) => [want.address, want])).values()].reverse();
  const lanes = new Map(
    paying.map(({ accountId, address }) => {
      const host = imageHost(address);
      return [`${accountId} ${host}`, { accountId, host }];
    }),
  );
  const commandsOf = (askedMs: ReadonlyMap<string, number>) => {
    const asked = first.map(({ address }) => askedMs.get(address) ?? 0);
    return [
      { statement: TAKE_OVER, values: [first.map(keyOf), first.map(accountOf)] },
      {
        statement: QUEUE,
        values: [
          first.map(keyOf),
          first.map(({ address }) => address),
          first.map(({ address }) => imageHost(address)),
          first.map(accountOf),
          asked.map((ms) => ms + (pause_ms ?? 0)),
        ],
      },
      ...(pause_ms === undefined ? [] : [{ statement: ASK, values: [first.map(keyOf), asked, pause_ms] }]),
      // Behind the queue, in the order in which whoever has a picture writes: the other way round two may wait in a circle.
      { statement: WAIT, values: [wants.map(keyOf), wants.map(accountOf), wants.map(({ skuId }) => skuId)] },
      ...giveTurns([...lanes.values()]),
    ];
  };
  if (pause_ms === undefined) {
    await database.runTogether([{ statement: LOCK_LANES, values: [] }, ...commandsOf(new Map())]);
    return;
  }
  await database.inTransaction(async (connection) => {
    const addresses = first.map(({ address }) => address);
    const [, asked] = await Promise.all([connection.run(LOCK_LANES), readLastAsked(connection, addresses)]);
    await Promise.all(commandsOf(asked).map(({ statement, values }) => connection.run(statement, values)));
  });
}

export async function takeImages(
  database: Database,
  limits: ImageLimits,
  lease_ms: number,
): Promise<readonly WantedImage[]> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const taken = await database.inTransaction((connection) => takeOf(connection, limits, lease_ms));
    if (taken === undefined) return [];
    if (taken.length > 0) return withKnown(database, taken);
  }
  return [];
}

type Taken = Omit<WantedImage, 'known'>;

/** Undefined: nobody's turn it is. */
async function takeOf(
  connection: Connection,
  limits: ImageLimits,
  lease_ms: number,
): Promise<readonly Taken[] | undefined> {
  const { limit, perHost, perAccount } = limits;
  const [, inTurn] = await Promise.all([connection.run(LOCK_LANES), findInTurn(connection, limit, perAccount)]);
  if (inTurn === undefined) return undefined;
  const { nowMs, lanes } = inTurn;
  const [accountIds, hosts] = [lanes.map(({ accountId }) => accountId), lanes.map(({ host }) => host)];
  const [underWay, due] = await Promise.all([
    connection.run(UNDER_WAY, [[...new Set(hosts)], nowMs]),
    connection.run(CANDIDATES, [accountIds, hosts, nowMs, Math.min(limit, perHost)]),
  ]);
  const candidates = Map.groupBy(due, ([accountId, host]) => `${accountId} ${host}`);
  const looks = lanes.map((lane) => ({
    ...lane,
    candidates: (candidates.get(`${lane.accountId} ${lane.host}`) ?? []).map(
      ([, , key, lost, dueMs]): Candidate => ({ key, lost, dueMs }),
    ),
  }));
  const counts = { ofHost: new Map(underWay), ofAccount: inTurn.underWay };
  const { taken, fullHosts, fullAccounts } = pickImages(looks, counts, limits);
  const keys = taken.map(({ key }) => key);
  const [rows] = await Promise.all([
    keys.length === 0 ? [] : connection.run(TAKE, [keys, taken.map(({ lost }) => lost), nowMs + lease_ms]),
    moveTurns(connection, inTurn, fullHosts, fullAccounts),
  ]);
  const places = new Map(keys.map((key, place) => [key.toString('hex'), place]));
  return rows
    .map(([key, address, attempts, lost, fence, isAsked]) => {
      return { place: places.get(key.toString('hex')) ?? 0, image: { address, attempts, lost, fence, isAsked } };
    })
    .sort((one, other) => one.place - other.place)
    .map(({ image }) => image);
}

async function withKnown(connection: Connection, taken: readonly Taken[]): Promise<readonly WantedImage[]> {
  const images = await readImages(
    connection,
    taken.map(({ address }) => address),
  );
  const known = new Map(images.map((image) => [image.address, image]));
  return taken.map((image) => ({ ...image, known: known.get(image.address) }));
}

export function delayImage(
  database: Database,
  { address, fence }: WantedImage,
  delay_ms: number,
  failedTry: string | undefined,
): Promise<void> {
  return database.inTransaction(async (connection) => {
    const [, delayed] = await Promise.all([
      connection.run(LOCK_LANES),
      connection.run(DELAY, [imageKey(address), fence, delay_ms, failedTry ?? null]),
    ]);
    for (const [accountId] of delayed) await giveTurnsAtHost(connection, accountId, imageHost(address));
  });
}

export async function beginAlone(
  database: Database,
  { address, fence }: WantedImage,
  lease_ms: number,
): Promise<boolean> {
  return (await database.run(BEGIN_ALONE, [imageKey(address), fence, lease_ms])).length > 0;
}

export function storeImage(
  database: Database,
  image: WantedImage,
  found: StoredImage,
  isOther: boolean,
): Promise<readonly OfferReference[]> {
  return whileHeld(database, image, 0, async (connection, key) => {
    const [[askedMs] = [0]] = await connection.run(FOUND, [key]);
    await writeImage(connection, key, image.address, found, askedMs);
    if (isOther) await connection.run(SET_TOLD, [key, 0, '']);
  });
}

export function forgetWaiting(
  database: Database,
  image: WantedImage,
  offers: readonly OfferReference[],
): Promise<readonly OfferReference[]> {
  return whileHeld(database, image, TELLING_LEASE_MS, async (connection, key) => {
    const columns = [offers.map(({ accountId }) => accountId), offers.map(({ skuId }) => skuId)];
    await connection.run(FORGET, [key, ...columns]);
  });
}

export async function readFailedTries(
  connection: Connection,
  addresses: readonly string[],
): Promise<readonly FailedTry[]> {
  if (addresses.length === 0) return [];
  const rows = await connection.run(FAILED_TRIES, [addresses.map(imageKey)]);
  return rows.map(([address, evidence, nextMs]) => ({ address, evidence, nextMs }));
}

export async function readImageFigures(connection: Connection): Promise<{ waiting: number; oldestWait_ms: number }> {
  const [[waiting, oldestWait_ms] = [0, 0]] = await connection.run(FIGURES);
  return { waiting, oldestWait_ms };
}

/** The lease lasts another `lease_ms` at least. Gives those who wait still; when nobody does, the picture leaves the queue. */
async function whileHeld(
  database: Database,
  image: WantedImage,
  lease_ms: number,
  work: (connection: Connection, key: Buffer) => Promise<void>,
): Promise<readonly OfferReference[]> {
  const key = imageKey(image.address);
  const waiting = await database.inTransaction(async (connection) => {
    const held = await connection.run(HOLD, [key, image.fence, lease_ms]);
    if (held.length === 0) return undefined;
    await work(connection, key);
    const those = await connection.run(WAITING, [key]);
    return those.length > 0 ? those : addUsers(connection, key);
  });
  if (waiting === undefined) return [];
  const left = waiting.length > 0 ? waiting : await endWait(database, image, key);
  return left.map(([accountId, skuId]) => ({ accountId, skuId }));
}

/** The next of those that are judged by it wait from now on, where they are to be told. */
async function addUsers(connection: Connection, key: Buffer): Promise<readonly [accountId: number, skuId: string][]> {
  const [[accountId, skuId] = [null, null]] = await connection.run(READ_TOLD, [key]);
  if (accountId === null || skuId === null) return [];
  const users = await nextImageUsers(connection, key, { accountId, skuId });
  const last = users.length < TOLD_TOGETHER ? undefined : users.at(-1);
  await connection.run(WAIT, [users.map(() => key), users.map(([id]) => id), users.map(([, id]) => id)]);
  await connection.run(SET_TOLD, [key, last?.[0] ?? null, last?.[1] ?? null]);
  return users;
}

/** Under the lock nobody begins to wait while it is looked whether anybody does. */
function endWait(
  database: Database,
  { address, fence }: WantedImage,
  key: Buffer,
): Promise<readonly [accountId: number, skuId: string][]> {
  return database.inTransaction(async (connection) => {
    const [, held] = await Promise.all([connection.run(LOCK_LANES), connection.run(HOLD, [key, fence, 0])]);
    const [accountId] = held[0] ?? [];
    if (accountId === undefined) return [];
    const late = await connection.run(WAITING, [key]);
    if (late.length > 0) return late;
    await Promise.all([
      connection.run(LOOK_AGAIN, [key]),
      connection.run(DROP, [key, fence]),
      giveTurnsAtHost(connection, accountId, imageHost(address)),
    ]);
    return [];
  });
}
