/**
 * In charge of the pictures that are to be fetched, and of who fetches which. Runs in the writer thread, inside a
 * transaction that is not its own, so that what is looked at stands still until it was written.
 *
 * `due_ms` of a picture is when it may be taken: its time, or the end of the lease of whoever has it. `turn_ms` of a host
 * is a time before which none of its pictures can be taken, so that hosts with as many under way as they may have are not
 * looked at, however many wait there. Taking moves it on; what may free a picture moves it back.
 */
import { imageHost, imageKey } from '../image-key.ts';
import { type HostLook, type ImageCandidate, pickImages, TELLING_LEASE_MS, TOLD_TOGETHER } from '../image-turns.ts';
import type { OfferReference, StoredImage, WantedImage } from '../review-port.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { ImageReads } from './images.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class ImageQueue {
  readonly #numbers: WriteNumbers;
  readonly #images: ImageReads;
  readonly #wait;
  readonly #queue;
  readonly #giveTurn;
  readonly #hosts;
  readonly #underWay;
  readonly #candidates;
  readonly #take;
  readonly #whenFirstLapses;
  readonly #whenFirstDue;
  readonly #setTurn;
  readonly #dropHost;
  readonly #delay;
  readonly #hold;
  readonly #store;
  readonly #waiting;
  readonly #forget;
  readonly #drop;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#images = new ImageReads(connection);
    this.#wait = query(
      connection,
      'INSERT INTO image_waiting (address_hash, account_id, sku_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#queue = query(
      connection,
      `INSERT INTO image_queue (address_hash, address, host, due_ms, since_ms) VALUES (?1, ?2, ?3, ?4, ?4)
       ON CONFLICT DO NOTHING`,
    );
    this.#giveTurn = query(
      connection,
      'INSERT INTO image_host (host, turn_ms) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET turn_ms = min(turn_ms, ?2)',
    );
    this.#hosts = query<[host: string, turnMs: number]>(
      connection,
      'SELECT host, turn_ms FROM image_host WHERE turn_ms <= ? ORDER BY turn_ms, host LIMIT ?',
    );
    this.#underWay = query<[count: number]>(
      connection,
      'SELECT count(*) FROM image_queue WHERE host = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#candidates = query<[key: Uint8Array, address: string, attempts: number, dueMs: number]>(
      connection,
      `SELECT address_hash, address, attempts, due_ms FROM image_queue WHERE host = ? AND due_ms <= ?
       ORDER BY due_ms, address_hash LIMIT ?`,
    );
    this.#take = query(
      connection,
      'UPDATE image_queue SET fence = ?2, due_ms = ?3, attempts = attempts + 1 WHERE address_hash = ?1',
    );
    this.#whenFirstLapses = query<[dueMs: number | null]>(
      connection,
      'SELECT min(due_ms) FROM image_queue WHERE host = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#whenFirstDue = query<[dueMs: number | null]>(
      connection,
      'SELECT min(due_ms) FROM image_queue WHERE host = ?',
    );
    this.#setTurn = query(connection, 'UPDATE image_host SET turn_ms = ?2 WHERE host = ?1');
    this.#dropHost = query(connection, 'DELETE FROM image_host WHERE host = ?');
    this.#delay = query(
      connection,
      'UPDATE image_queue SET due_ms = ?3, fence = 0 WHERE address_hash = ?1 AND fence = ?2',
    );
    this.#hold = query(
      connection,
      'UPDATE image_queue SET due_ms = max(due_ms, ?3) WHERE address_hash = ?1 AND fence = ?2',
    );
    this.#store = query(
      connection,
      'INSERT OR REPLACE INTO image (address_hash, address, evidence, judged_ms, etag) VALUES (?, ?, ?, ?, ?)',
    );
    this.#waiting = query<[accountId: number, skuId: string]>(
      connection,
      `SELECT account_id, sku_id FROM image_waiting WHERE address_hash = ?
       ORDER BY account_id, sku_id LIMIT ${TOLD_TOGETHER}`,
    );
    this.#forget = query(
      connection,
      'DELETE FROM image_waiting WHERE address_hash = ? AND account_id = ? AND sku_id = ?',
    );
    this.#drop = query(connection, 'DELETE FROM image_queue WHERE address_hash = ?');
  }

  want(wants: readonly (OfferReference & { readonly address: string })[], nowMs: number): void {
    const addresses = new Map<string, Buffer>();
    for (const { address, accountId, skuId } of wants) {
      const key = addresses.get(address) ?? imageKey(address);
      addresses.set(address, key);
      this.#wait.run(key, accountId, skuId);
    }
    for (const [address, key] of addresses) {
      const host = imageHost(address);
      if (this.#queue.run(key, address, host, nowMs).changes > 0) this.#giveTurn.run(host, nowMs);
    }
  }

  take(limit: number, perHost: number, lease_ms: number, nowMs: number): readonly WantedImage[] {
    // Each look moves the turn of the hosts it saw behind this moment, unless it found as many as were asked for.
    for (;;) {
      const looks = this.#hosts
        .all(nowMs, limit)
        .map(([host, turnMs]) => this.#lookAt(host, turnMs, Math.min(limit, perHost), nowMs));
      const { taken, full } = pickImages(looks, limit, perHost);
      const images = taken.map((candidate) => this.#takeOne(candidate, nowMs + lease_ms));
      for (const { host, turnMs } of looks) this.#moveTurn(host, turnMs, full.has(host), nowMs);
      if (images.length > 0 || looks.length === 0) return images;
    }
  }

  delay(address: string, fence: number, dueMs: number, nowMs: number): void {
    if (this.#delay.run(imageKey(address), fence, dueMs).changes > 0) this.#giveTurn.run(imageHost(address), nowMs);
  }

  store(address: string, fence: number, found: StoredImage, nowMs: number): readonly OfferReference[] {
    const key = imageKey(address);
    if (!this.#isHeld(key, fence, nowMs)) return [];
    this.#store.run(key, address, found.evidence, found.judgedMs, found.etag);
    return this.#tell(key, address, nowMs);
  }

  forget(address: string, fence: number, offers: readonly OfferReference[], nowMs: number): readonly OfferReference[] {
    const key = imageKey(address);
    if (!this.#isHeld(key, fence, nowMs + TELLING_LEASE_MS)) return [];
    for (const { accountId, skuId } of offers) this.#forget.run(key, accountId, skuId);
    return this.#tell(key, address, nowMs);
  }

  #lookAt(host: string, turnMs: number, candidates_max: number, nowMs: number): HostLook<Candidate> {
    const [underWay] = this.#underWay.get(host, nowMs) ?? [0];
    const candidates = this.#candidates.all(host, nowMs, candidates_max).map(([key, address, attempts, dueMs]) => {
      return { key, address, attempts, dueMs };
    });
    return { host, turnMs, underWay, candidates };
  }

  #takeOne({ key, address, attempts }: Candidate, leaseEndsMs: number): WantedImage {
    const fence = this.#numbers.drawApart();
    this.#take.run(key, fence, leaseEndsMs);
    return { address, attempts, known: this.#images.read(address), fence };
  }

  #moveTurn(host: string, turnMs: number, isFull: boolean, nowMs: number): void {
    const [nextMs] = (isFull ? this.#whenFirstLapses.get(host, nowMs) : this.#whenFirstDue.get(host)) ?? [null];
    if (nextMs === null) this.#dropHost.run(host);
    else this.#setTurn.run(host, Math.max(turnMs, nextMs));
  }

  /** The lease lasts at least until then. */
  #isHeld(key: Uint8Array, fence: number, leaseEndsMs: number): boolean {
    return this.#hold.run(key, fence, leaseEndsMs).changes > 0;
  }

  #tell(key: Uint8Array, address: string, nowMs: number): readonly OfferReference[] {
    const waiting = this.#waiting.all(key).map(([accountId, skuId]) => ({ accountId, skuId }));
    if (waiting.length > 0) return waiting;
    this.#drop.run(key);
    this.#giveTurn.run(imageHost(address), nowMs);
    return [];
  }
}

interface Candidate extends ImageCandidate {
  readonly key: Uint8Array;
  readonly address: string;
  readonly attempts: number;
}
