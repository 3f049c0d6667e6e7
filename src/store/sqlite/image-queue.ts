/**
 * In charge of the pictures that are to be fetched, and of who fetches which. Runs in the writer thread, inside a
 * transaction that is not its own, so that what is looked at stands still until it was written.
 *
 * `due_ms` of a picture is when it may be taken: its time, or the end of the lease of whoever has it. Where it waits, and
 * whose turn it is, is in image-lanes.ts. A look that is asked for while one is under way is noted beside it, and follows it.
 */

import type { ImageLimits, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { imageHost, imageKey } from '../shared/image-key.ts';
import {
  type ImageCandidate,
  type LaneLook,
  LOOKS_MAX,
  pickImages,
  TAKES_OVER_BELOW,
  TELLING_LEASE_MS,
  TOLD_TOGETHER,
} from '../shared/image-turns.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { type AccountTurn, ImageLanes, type Lane } from './image-lanes.ts';
import { ImageUsers } from './image-users.ts';
import { ImageReads } from './images.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class ImageQueue {
  readonly #numbers: WriteNumbers;
  readonly #images: ImageReads;
  readonly #lanes: ImageLanes;
  readonly #users: ImageUsers;
  readonly #wait;
  readonly #queue;
  readonly #queued;
  readonly #takeOver;
  readonly #lastAsked;
  readonly #ask;
  readonly #underWayOfHost;
  readonly #underWayOfAccount;
  readonly #candidates;
  readonly #take;
  readonly #account;
  readonly #delay;
  readonly #hold;
  readonly #beginAlone;
  readonly #store;
  readonly #found;
  readonly #readTold;
  readonly #setTold;
  readonly #waiting;
  readonly #forget;
  readonly #lookAgain;
  readonly #drop;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#images = new ImageReads(connection);
    this.#lanes = new ImageLanes(connection);
    this.#users = new ImageUsers(connection);
    this.#wait = query(
      connection,
      'INSERT INTO image_waiting (address_hash, account_id, sku_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#queue = query(
      connection,
      `INSERT INTO image_queue (address_hash, address, host, account_id, due_ms, since_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#queued = query<[count: number]>(
      connection,
      `SELECT count(*) FROM (SELECT 1 FROM image_queue WHERE account_id = ? LIMIT ${TAKES_OVER_BELOW})`,
    );
    this.#takeOver = query(
      connection,
      'UPDATE image_queue SET account_id = ?2 WHERE address_hash = ?1 AND account_id <> ?2 AND fence = 0',
    );
    this.#lastAsked = query<[askedMs: number]>(connection, 'SELECT asked_ms FROM image WHERE address_hash = ?');
    this.#ask = query<[accountId: number]>(
      connection,
      `UPDATE image_queue SET
         asked_ms = max(asked_ms, ?2),
         is_asked = max(is_asked, fence = 0),
         again_pause_ms = CASE WHEN fence <> 0 THEN ?3 END,
         due_ms = CASE WHEN fence <> 0 THEN due_ms ELSE min(due_ms, max(?4, max(asked_ms, ?2) + ?3)) END
       WHERE address_hash = ?1 RETURNING account_id`,
    );
    this.#underWayOfHost = query<[count: number]>(
      connection,
      'SELECT count(*) FROM image_queue WHERE host = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#underWayOfAccount = query<[count: number]>(
      connection,
      'SELECT count(*) FROM image_queue WHERE account_id = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#candidates = query<
      [key: Uint8Array, address: string, attempts: number, lost: number, dueMs: number, isAsked: number]
    >(
      connection,
      `SELECT address_hash, address, attempts, lost, due_ms, is_asked OR asked_ms > 0 OR again_pause_ms IS NOT NULL
       FROM image_queue
       WHERE account_id = ? AND host = ? AND due_ms <= ? ORDER BY due_ms, address_hash LIMIT ?`,
    );
    this.#take = query(
      connection,
      `UPDATE image_queue SET fence = ?2, due_ms = ?3, lost = max(lost, 1),
         is_asked = max(is_asked, again_pause_ms IS NOT NULL), again_pause_ms = NULL
       WHERE address_hash = ?1`,
    );
    this.#account = query<[accountId: number]>(
      connection,
      'SELECT account_id FROM image_queue WHERE address_hash = ? AND fence = ?',
    );
    this.#delay = query(
      connection,
      `UPDATE image_queue SET fence = 0, lost = 0,
         attempts = attempts + (?4 IS NOT NULL),
         failed_try = coalesce(?4, failed_try),
         due_ms = coalesce(min(?3, max(?5, iif(is_asked, ?5, asked_ms) + again_pause_ms)), ?3),
         asked_ms = iif(is_asked, ?5, asked_ms),
         is_asked = again_pause_ms IS NOT NULL,
         again_pause_ms = NULL
       WHERE address_hash = ?1 AND fence = ?2`,
    );
    this.#hold = query(
      connection,
      'UPDATE image_queue SET due_ms = max(due_ms, ?3) WHERE address_hash = ?1 AND fence = ?2',
    );
    this.#beginAlone = query(
      connection,
      'UPDATE image_queue SET due_ms = max(due_ms, ?3), lost = lost + 1 WHERE address_hash = ?1 AND fence = ?2',
    );
    this.#store = query(
      connection,
      `INSERT INTO image (address_hash, address, evidence, judged_ms, etag, asked_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET evidence = excluded.evidence, judged_ms = excluded.judged_ms, etag = excluded.etag,
         asked_ms = max(asked_ms, excluded.asked_ms)`,
    );
    this.#found = query<[askedMs: number]>(
      connection,
      `UPDATE image_queue SET lost = 0, failed_try = NULL, asked_ms = iif(is_asked, ?2, asked_ms), is_asked = 0
       WHERE address_hash = ?1 RETURNING asked_ms`,
    );
    this.#readTold = query<[accountId: number | null, skuId: string | null]>(
      connection,
      'SELECT told_account_id, told_sku_id FROM image_queue WHERE address_hash = ?',
    );
    this.#setTold = query(
      connection,
      'UPDATE image_queue SET told_account_id = ?2, told_sku_id = ?3 WHERE address_hash = ?1',
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
    this.#lookAgain = query(
      connection,
      `UPDATE image_queue SET fence = 0, attempts = 0, since_ms = ?2, due_ms = max(?2, asked_ms + again_pause_ms),
         is_asked = 1, again_pause_ms = NULL
       WHERE address_hash = ?1 AND again_pause_ms IS NOT NULL`,
    );
    this.#drop = query(connection, 'DELETE FROM image_queue WHERE address_hash = ? AND fence = ?');
  }

  want(wants: readonly ImageUser[], pause_ms: number | undefined, nowMs: number): void {
    for (const [accountId, ofAccount] of Map.groupBy(wants, (want) => want.accountId)) {
      const mayTakeOver = (this.#queued.get(accountId)?.[0] ?? 0) < TAKES_OVER_BELOW;
      const addresses = new Map<string, Buffer>();
      for (const { address, skuId } of ofAccount) {
        const key = addresses.get(address) ?? imageKey(address);
        addresses.set(address, key);
        this.#wait.run(key, accountId, skuId);
      }
      for (const [address, key] of addresses) {
        const host = imageHost(address);
        const askedMs = pause_ms === undefined ? 0 : (this.#lastAsked.get(key)?.[0] ?? 0);
        const dueMs = Math.max(nowMs, askedMs + (pause_ms ?? 0));
        const isNew = this.#queue.run(key, address, host, accountId, dueMs, nowMs).changes > 0;
        const isIts = isNew || (mayTakeOver && this.#takeOver.run(key, accountId).changes > 0);
        if (isIts) this.#lanes.giveTurn(accountId, host, nowMs);
        const [payer] = pause_ms === undefined ? [] : (this.#ask.get(key, askedMs, pause_ms, nowMs) ?? []);
        if (payer !== undefined) this.#lanes.giveTurn(payer, host, nowMs);
      }
    }
  }

  take(limits: ImageLimits, lease_ms: number, nowMs: number): readonly WantedImage[] {
    // Each look moves the turns of what it saw behind this moment, unless it found as many as were asked for.
    for (let look = 0; look < LOOKS_MAX; look++) {
      const accounts = this.#lanes.accountsInTurn(limits.limit, nowMs);
      if (accounts.length === 0) return [];
      const images = this.#takeOf(accounts, limits, lease_ms, nowMs);
      if (images.length > 0) return images;
    }
    return [];
  }

  delay(address: string, fence: number, dueMs: number, failedTry: string | undefined, nowMs: number): void {
    const key = imageKey(address);
    const [accountId] = this.#account.get(key, fence) ?? [];
    if (accountId === undefined) return;
    this.#delay.run(key, fence, dueMs, failedTry ?? null, nowMs);
    this.#lanes.giveTurnsAtHost(accountId, imageHost(address), nowMs);
  }

  beginAlone(address: string, fence: number, leaseEndsMs: number): boolean {
    return this.#beginAlone.run(imageKey(address), fence, leaseEndsMs).changes > 0;
  }

  store(
    address: string,
    fence: number,
    found: StoredImage,
    isOther: boolean,
    nowMs: number,
  ): readonly OfferReference[] {
    const key = imageKey(address);
    if (!this.#isHeld(key, fence, nowMs)) return [];
    const [askedMs] = this.#found.get(key, nowMs) ?? [0];
    this.#store.run(key, address, found.evidence, found.judgedMs, found.etag, askedMs);
    if (isOther) this.#setTold.run(key, 0, '');
    return this.#tell(key, address, fence, nowMs);
  }

  forget(address: string, fence: number, offers: readonly OfferReference[], nowMs: number): readonly OfferReference[] {
    const key = imageKey(address);
    if (!this.#isHeld(key, fence, nowMs + TELLING_LEASE_MS)) return [];
    for (const { accountId, skuId } of offers) this.#forget.run(key, accountId, skuId);
    return this.#tell(key, address, fence, nowMs);
  }

  #takeOf(
    accounts: readonly AccountTurn[],
    limits: ImageLimits,
    lease_ms: number,
    nowMs: number,
  ): readonly WantedImage[] {
    const ofAccount = new Map(
      accounts.map(({ accountId }) => [accountId, this.#underWayOfAccount.get(accountId, nowMs)?.[0] ?? 0]),
    );
    const hasRoom = ({ accountId }: AccountTurn) => (ofAccount.get(accountId) ?? 0) < limits.perAccount;
    const seen = accounts
      .filter(hasRoom)
      .flatMap((account) =>
        this.#lanes
          .lanesInTurn(account, nowMs)
          .map((lane) => ({ lane, look: this.#lookAt(account, lane, limits, nowMs) })),
      );
    const hosts = new Set(seen.map(({ lane }) => lane.host));
    const ofHost = new Map(Array.from(hosts, (host) => [host, this.#underWayOfHost.get(host, nowMs)?.[0] ?? 0]));
    const looks = seen.map(({ look }) => look);
    const { taken, fullHosts, fullAccounts } = pickImages(looks, { ofHost, ofAccount }, limits);
    const images = taken.map((candidate) => this.#takeOne(candidate, nowMs + lease_ms));
    for (const { lane } of seen) this.#lanes.moveLane(lane, fullHosts.has(lane.host), nowMs);
    for (const account of accounts) this.#lanes.moveAccount(account, fullAccounts.has(account.accountId), nowMs);
    return images;
  }

  #lookAt(account: AccountTurn, lane: Lane, { limit, perHost }: ImageLimits, nowMs: number): LaneLook<Candidate> {
    const candidates = this.#candidates
      .all(lane.accountId, lane.host, nowMs, Math.min(limit, perHost))
      .map(([key, address, attempts, lost, dueMs, isAsked]) => ({
        ...{ key, address, attempts, lost, dueMs },
        isAsked: isAsked === 1,
      }));
    return { ...lane, turnMs: Math.max(account.turnMs, lane.turnMs), candidates };
  }

  #takeOne({ key, address, attempts, lost, isAsked }: Candidate, leaseEndsMs: number): WantedImage {
    const fence = this.#numbers.drawApart();
    this.#take.run(key, fence, leaseEndsMs);
    return { address, attempts, lost, known: this.#images.read(address), isAsked, fence };
  }

  /** The lease lasts at least until then. */
  #isHeld(key: Uint8Array, fence: number, leaseEndsMs: number): boolean {
    return this.#hold.run(key, fence, leaseEndsMs).changes > 0;
  }

  /** The next of those that are judged by it wait from now on, where they are to be told. */
  #addUsers(key: Uint8Array): readonly OfferReference[] {
    const [accountId, skuId] = this.#readTold.get(key) ?? [null, null];
    if (accountId === null || skuId === null) return [];
    const users = this.#users.next(key, { accountId, skuId });
    for (const user of users) this.#wait.run(key, user.accountId, user.skuId);
    const last = users.length < TOLD_TOGETHER ? undefined : users.at(-1);
    this.#setTold.run(key, last?.accountId ?? null, last?.skuId ?? null);
    return users;
  }

  #tell(key: Uint8Array, address: string, fence: number, nowMs: number): readonly OfferReference[] {
    const waiting = this.#waiting.all(key).map(([accountId, skuId]) => ({ accountId, skuId }));
    if (waiting.length > 0) return waiting;
    const users = this.#addUsers(key);
    if (users.length > 0) return users;
    const [accountId] = this.#account.get(key, fence) ?? [];
    this.#lookAgain.run(key, nowMs);
    this.#drop.run(key, fence);
    if (accountId !== undefined) this.#lanes.giveTurnsAtHost(accountId, imageHost(address), nowMs);
    return [];
  }
}

interface Candidate extends ImageCandidate {
  readonly key: Uint8Array;
  readonly address: string;
  readonly attempts: number;
  readonly lost: number;
  readonly isAsked: boolean;
}
