/**
 * In charge of the turns of accounts, and of their lanes, one for each host that they have pictures at. Runs in the writer
 * thread, inside a transaction that is not its own.
 *
 * `turn_ms` is a time before which nothing can be taken there, so that what is full is not looked at, however much waits.
 * Taking moves it on; what may free a picture moves it back.
 */
import { LANES_TOGETHER, LANES_WOKEN } from '../shared/image-turns.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export interface Lane {
  readonly accountId: number;
  readonly host: string;
  readonly turnMs: number;
}

export interface AccountTurn {
  readonly accountId: number;
  readonly turnMs: number;
}

export class ImageLanes {
  readonly #giveLaneTurn;
  readonly #giveAccountTurn;
  readonly #othersAtHost;
  readonly #accounts;
  readonly #lanes;
  readonly #hostLapses;
  readonly #laneDue;
  readonly #setLaneTurn;
  readonly #dropLane;
  readonly #accountLapses;
  readonly #firstLane;
  readonly #setAccountTurn;
  readonly #dropAccount;

  constructor(connection: Connection) {
    this.#giveLaneTurn = query(
      connection,
      `INSERT INTO image_lane (account_id, host, turn_ms) VALUES (?1, ?2, ?3)
       ON CONFLICT DO UPDATE SET turn_ms = min(turn_ms, ?3)`,
    );
    this.#giveAccountTurn = query(
      connection,
      `INSERT INTO image_account (account_id, turn_ms) VALUES (?1, ?2)
       ON CONFLICT DO UPDATE SET turn_ms = min(turn_ms, ?2)`,
    );
    this.#othersAtHost = query<[accountId: number]>(
      connection,
      `SELECT account_id FROM image_lane WHERE host = ? AND turn_ms > ? ORDER BY turn_ms, account_id LIMIT ${LANES_WOKEN}`,
    );
    this.#accounts = query<[accountId: number, turnMs: number]>(
      connection,
      'SELECT account_id, turn_ms FROM image_account WHERE turn_ms <= ? ORDER BY turn_ms, account_id LIMIT ?',
    );
    this.#lanes = query<[host: string, turnMs: number]>(
      connection,
      `SELECT host, turn_ms FROM image_lane WHERE account_id = ? AND turn_ms <= ?
       ORDER BY turn_ms, host LIMIT ${LANES_TOGETHER}`,
    );
    this.#hostLapses = query<[dueMs: number | null]>(
      connection,
      'SELECT min(due_ms) FROM image_queue WHERE host = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#laneDue = query<[dueMs: number | null]>(
      connection,
      'SELECT min(due_ms) FROM image_queue WHERE account_id = ? AND host = ?',
    );
    this.#setLaneTurn = query(connection, 'UPDATE image_lane SET turn_ms = ?3 WHERE account_id = ?1 AND host = ?2');
    this.#dropLane = query(connection, 'DELETE FROM image_lane WHERE account_id = ? AND host = ?');
    this.#accountLapses = query<[dueMs: number | null]>(
      connection,
      'SELECT min(due_ms) FROM image_queue WHERE account_id = ? AND fence <> 0 AND due_ms > ?',
    );
    this.#firstLane = query<[turnMs: number | null]>(
      connection,
      'SELECT min(turn_ms) FROM image_lane WHERE account_id = ?',
    );
    this.#setAccountTurn = query(connection, 'UPDATE image_account SET turn_ms = ?2 WHERE account_id = ?1');
    this.#dropAccount = query(connection, 'DELETE FROM image_account WHERE account_id = ?');
  }

  giveTurn(accountId: number, host: string, nowMs: number): void {
    this.#giveLaneTurn.run(accountId, host, nowMs);
    this.#giveAccountTurn.run(accountId, nowMs);
  }

  /** A picture is in nobody's hands any more: its account has room, and so has its host, for whoever waits there. */
  giveTurnsAtHost(accountId: number, host: string, nowMs: number): void {
    for (const [other] of this.#othersAtHost.all(host, nowMs)) this.giveTurn(other, host, nowMs);
    this.giveTurn(accountId, host, nowMs);
  }

  accountsInTurn(limit: number, nowMs: number): readonly AccountTurn[] {
    return this.#accounts.all(nowMs, limit).map(([accountId, turnMs]) => ({ accountId, turnMs }));
  }

  lanesInTurn(account: AccountTurn, nowMs: number): readonly Lane[] {
    const { accountId } = account;
    return this.#lanes.all(accountId, nowMs).map(([host, turnMs]) => ({ accountId, host, turnMs }));
  }

  moveLane({ accountId, host, turnMs }: Lane, isFull: boolean, nowMs: number): void {
    const [nextMs] = (isFull ? this.#hostLapses.get(host, nowMs) : this.#laneDue.get(accountId, host)) ?? [null];
    if (nextMs === null) this.#dropLane.run(accountId, host);
    else this.#setLaneTurn.run(accountId, host, Math.max(turnMs, nextMs));
  }

  /** After its lanes were moved. */
  moveAccount({ accountId, turnMs }: AccountTurn, isFull: boolean, nowMs: number): void {
    const [nextMs] = (isFull ? this.#accountLapses.get(accountId, nowMs) : this.#firstLane.get(accountId)) ?? [null];
    if (nextMs === null) this.#dropAccount.run(accountId);
    else this.#setAccountTurn.run(accountId, Math.max(turnMs, nextMs));
  }
}
