/**
 * In charge of the pictures that are to be fetched, and of who fetches which, over all processes.
 *
 * `due_ms` of a picture is when it may be taken: its time, or the end of the lease of whoever has it. `turn_ms` of a host
 * is a time before which none of its pictures can be taken, so that hosts with as many under way as they may have are not
 * looked at, however many wait there. Taking moves it on; what may free a picture moves it back.
 *
 * Whoever changes the queue of a host has changed the host's row before, and so locked it: what is looked at stands still
 * until the end of the transaction, and nobody waits in a circle. The transactions are a few milliseconds long.
 */
import { imageHost, imageKey } from '../image-key.ts';
import { type ImageCandidate, pickImages, TELLING_LEASE_MS, TOLD_TOGETHER } from '../image-turns.ts';
import type { OfferReference, StoredImage, WantedImage } from '../review-port.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { readImages, writeImage } from './images.ts';
import { STORE_MS } from './store-time.ts';

const WAIT = statement<[]>(
  'wait for images',
  `INSERT INTO image_waiting (address_hash, account_id, sku_id)
   SELECT i.address_hash, i.account_id, i.sku_id
   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   ORDER BY i.address_hash, i.account_id, i.sku_id
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
);
const GIVE_TURNS = statement<[]>(
  'give turns to image hosts',
  `INSERT INTO image_host (host, turn_ms) SELECT host, ${STORE_MS} FROM unnest($1::text[]) AS i (host) ORDER BY host
   ON CONFLICT (host) DO UPDATE SET turn_ms = LEAST(image_host.turn_ms, excluded.turn_ms)`,
);
const QUEUE = statement<[]>(
  'queue images',
  `INSERT INTO image_queue (address_hash, address, host, due_ms, since_ms)
   SELECT address_hash, address, host, ${STORE_MS}, ${STORE_MS}
   FROM unnest($1::bytea[], $2::text[], $3::text[]) AS i (address_hash, address, host) ORDER BY address_hash
   ON CONFLICT (address_hash) DO NOTHING`,
);

const HOSTS = statement<[host: string]>(
  'find image hosts',
  `SELECT host FROM image_host WHERE turn_ms <= ${STORE_MS} ORDER BY turn_ms, host LIMIT $1`,
);
/** Changes nothing: it waits for whoever has the hosts in hand, and leaves out those whose turn is over by then. */
const HOLD_HOSTS = statement<[host: string, turnMs: number, nowMs: number]>(
  'hold image hosts',
  `UPDATE image_host SET turn_ms = turn_ms WHERE host = ANY ($1::text[]) AND turn_ms <= ${STORE_MS}
   RETURNING host, turn_ms, ${STORE_MS}`,
);
const UNDER_WAY = statement<[host: string, count: number]>(
  'count images under way',
  `SELECT host, count(*) FROM image_queue WHERE host = ANY ($1::text[]) AND fence <> 0 AND due_ms > $2
   GROUP BY host`,
);
const CANDIDATES = statement<[host: string, key: Buffer, dueMs: number]>(
  'find due images',
  `SELECT h.host, q.address_hash, q.due_ms FROM unnest($1::text[]) AS h (host)
   CROSS JOIN LATERAL (
     SELECT address_hash, due_ms FROM image_queue WHERE image_queue.host = h.host AND due_ms <= $2
     ORDER BY due_ms, address_hash LIMIT $3
   ) q`,
);
const TAKE = statement<[key: Buffer, address: string, attempts: number, fence: number]>(
  'take images',
  `UPDATE image_queue SET fence = nextval('write_number'), due_ms = $2::bigint, attempts = attempts + 1
   WHERE address_hash = ANY ($1::bytea[])
   RETURNING address_hash, address, attempts - 1, fence`,
);
const MOVE_FULL = statement<[]>(
  'move turns of full image hosts',
  `UPDATE image_host SET turn_ms = GREATEST(turn_ms, (
     SELECT min(due_ms) FROM image_queue q WHERE q.host = image_host.host AND fence <> 0 AND due_ms > $2))
   WHERE host = ANY ($1::text[])`,
);
const MOVE_OTHERS = statement<[]>(
  'move turns of image hosts',
  `UPDATE image_host SET turn_ms = GREATEST(turn_ms, (
     SELECT min(due_ms) FROM image_queue q WHERE q.host = image_host.host))
   WHERE host = ANY ($1::text[])`,
);
const DROP_HOSTS = statement<[]>(
  'drop image hosts',
  `DELETE FROM image_host WHERE host = ANY ($1::text[])
     AND NOT EXISTS (SELECT 1 FROM image_queue q WHERE q.host = image_host.host)`,
);

const DELAY = statement<[]>(
  'delay image',
  `UPDATE image_queue SET due_ms = ${STORE_MS} + $3::bigint, fence = 0 WHERE address_hash = $1 AND fence = $2`,
);
const HOLD = statement<[one: number]>(
  'hold image',
  `UPDATE image_queue SET due_ms = GREATEST(due_ms, ${STORE_MS} + $3::bigint)
   WHERE address_hash = $1 AND fence = $2 RETURNING 1`,
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
const DROP = statement<[]>('drop image from queue', 'DELETE FROM image_queue WHERE address_hash = $1');
const FIGURES = statement<[waiting: number, oldestWait_ms: number]>(
  'read image figures',
  `SELECT (SELECT count(*) FROM image_queue),
     coalesce(GREATEST(0, ${STORE_MS} - (SELECT min(since_ms) FROM image_queue)), 0)`,
);

const HOSTS_TOGETHER = 64;
/** A look finds nothing where all of its hosts are full, whose turns it moves then, or in the hands of others. */
const LOOKS_MAX = 50;

interface Candidate extends ImageCandidate {
  readonly key: Buffer;
}

export async function wantImages(
  database: Database,
  wants: readonly (OfferReference & { readonly address: string })[],
): Promise<void> {
  if (wants.length === 0) return;
  const keys = new Map<string, Buffer>();
  for (const { address } of wants) if (!keys.has(address)) keys.set(address, imageKey(address));
  const hosts = [...keys.keys()].map(imageHost);
  await database.runTogether([
    {
      statement: WAIT,
      values: [
        wants.map(({ address }) => keys.get(address)),
        wants.map(({ accountId }) => accountId),
        wants.map(({ skuId }) => skuId),
      ],
    },
    { statement: GIVE_TURNS, values: [[...new Set(hosts)]] },
    { statement: QUEUE, values: [[...keys.values()], [...keys.keys()], hosts] },
  ]);
}

export async function takeImages(
  database: Database,
  limit: number,
  perHost: number,
  lease_ms: number,
): Promise<readonly WantedImage[]> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const hosts = (await database.run(HOSTS, [Math.max(limit, HOSTS_TOGETHER)])).map(([host]) => host);
    if (hosts.length === 0) return [];
    const taken = await database.inTransaction((connection) => takeOf(connection, hosts, limit, perHost, lease_ms));
    if (taken.length > 0) return withKnown(database, taken);
  }
  return [];
}

type Taken = Omit<WantedImage, 'known'>;

async function takeOf(
  connection: Connection,
  found: readonly string[],
  limit: number,
  perHost: number,
  lease_ms: number,
): Promise<readonly Taken[]> {
  const held = await connection.run(HOLD_HOSTS, [found]);
  const [first] = held;
  if (first === undefined) return [];
  const nowMs = first[2];
  const hosts = held.map(([host]) => host);
  const [underWay, due] = await Promise.all([
    connection.run(UNDER_WAY, [hosts, nowMs]),
    connection.run(CANDIDATES, [hosts, nowMs, Math.min(limit, perHost)]),
  ]);
  const counts = new Map(underWay);
  const candidates = Map.groupBy(due, ([host]) => host);
  const looks = held.map(([host, turnMs]) => ({
    host,
    turnMs,
    underWay: counts.get(host) ?? 0,
    candidates: (candidates.get(host) ?? []).map(([, key, dueMs]): Candidate => ({ key, dueMs })),
  }));
  const { taken, full } = pickImages(looks, limit, perHost);
  const keys = taken.map(({ key }) => key);
  const [rows] = await Promise.all([
    keys.length === 0 ? [] : connection.run(TAKE, [keys, nowMs + lease_ms]),
    connection.run(MOVE_FULL, [[...full], nowMs]),
    connection.run(MOVE_OTHERS, [hosts.filter((host) => !full.has(host))]),
    connection.run(DROP_HOSTS, [hosts]),
  ]);
  const places = new Map(keys.map((key, place) => [key.toString('hex'), place]));
  return rows
    .map(([key, address, attempts, fence]) => ({
      place: places.get(key.toString('hex')) ?? 0,
      address,
      attempts,
      fence,
    }))
    .sort((one, other) => one.place - other.place)
    .map(({ address, attempts, fence }) => ({ address, attempts, fence }));
}

async function withKnown(connection: Connection, taken: readonly Taken[]): Promise<readonly WantedImage[]> {
  const images = await readImages(
    connection,
    taken.map(({ address }) => address),
  );
  const known = new Map(images.map((image) => [image.address, image]));
  return taken.map((image) => ({ ...image, known: known.get(image.address) }));
}

export async function delayImage(database: Database, { address, fence }: WantedImage, delay_ms: number): Promise<void> {
  await database.runTogether([
    { statement: GIVE_TURNS, values: [[imageHost(address)]] },
    { statement: DELAY, values: [imageKey(address), fence, delay_ms] },
  ]);
}

export function storeImage(
  database: Database,
  image: WantedImage,
  found: StoredImage,
): Promise<readonly OfferReference[]> {
  return whileHeld(database, image, 0, (connection, key) => writeImage(connection, key, image.address, found));
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

export async function readImageFigures(connection: Connection): Promise<{ waiting: number; oldestWait_ms: number }> {
  const [[waiting, oldestWait_ms] = [0, 0]] = await connection.run(FIGURES);
  return { waiting, oldestWait_ms };
}

/** The lease lasts another `lease_ms` at least. Gives those who wait still; when nobody does, the picture leaves the queue. */
function whileHeld(
  database: Database,
  { address, fence }: WantedImage,
  lease_ms: number,
  work: (connection: Connection, key: Buffer) => Promise<void>,
): Promise<readonly OfferReference[]> {
  const key = imageKey(address);
  return database.inTransaction(async (connection) => {
    await connection.run(GIVE_TURNS, [[imageHost(address)]]);
    const held = await connection.run(HOLD, [key, fence, lease_ms]);
    if (held.length === 0) return [];
    await work(connection, key);
    const waiting = await connection.run(WAITING, [key]);
    if (waiting.length === 0) await connection.run(DROP, [key]);
    return waiting.map(([accountId, skuId]) => ({ accountId, skuId }));
  });
}
