/**
 * In charge of one connection while somebody uses it: sends statements without waiting for the answers to those
 * before, keeps track of transactions, and knows when the connection is of no further use.
 */

import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import {
  type Command,
  type Connection,
  type HeldConnection,
  type Rows,
  type TransactionOptions,
  timeLeftMs,
} from './connection.ts';
import { isWorthAnotherTry, leavesConnection, storeError, unreachable } from './store-errors.ts';

interface Answer<Row> {
  readonly rows: readonly Row[];
  /** What the server did, by the first word of the statement. */
  readonly command: string;
}

/** The lists of some hundred rows; what is smaller leaves together with the commit. */
const LEAVES_AT_ONCE_BYTES = 8_192;

export class PooledConnection implements HeldConnection {
  readonly #client: pg.PoolClient;
  readonly #onError = (error: Error): void => this.#break(unreachable(error));
  #deadline: NodeJS.Timeout | undefined;
  #isInTransaction = false;
  #isGathering = false;
  /** Why the connection is of no further use. */
  #broken: StoreUnavailableError | undefined;

  /** Called once, when the connection has turned out to be of no further use. */
  onBroken: () => void = () => {};

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('error', this.#onError);
  }

  /** What is not answered by then fails, and the connection with it. */
  endAt(deadlineMs: number): void {
    this.#deadline = setTimeout(() => this.giveUp(), timeLeftMs(deadlineMs));
  }

  /** What is sent in this turn of the event loop leaves together: a write to the socket costs more than the read. */
  gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const socket = socketOf(this.#client);
    socket.cork();
    setImmediate(() => {
      this.#isGathering = false;
      socket.uncork();
    });
  }

  run<Row extends readonly unknown[]>(
    { name, text }: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return this.#send<Row>(text, name, values).then(({ rows }) => rows);
  }

  async runScript(text: string): Promise<void> {
    await this.#send(text);
  }

  /** The commit travels behind the commands; when one of them failed, the server makes a rollback of it. */
  async runInOneGo(commands: readonly Command[]): Promise<readonly Rows[]> {
    const [, ...rows] = await this.#inOneGo(() => [this.#begin({}), ...this.#runAll(commands), this.#end('COMMIT')]);
    return rows.slice(0, -1) as Rows[];
  }

  /** One transaction: what the first commands give tells the next ones, and those travel together with the commit. */
  async runInTwoGoes(
    first: readonly Command[],
    next: (found: readonly Rows[]) => Iterable<Command>,
  ): Promise<readonly Rows[]> {
    try {
      const [, ...found] = await this.#inOneGo(() => [this.#begin({}), ...this.#runAll(first)]);
      const written = await this.#inOneGo(() => [...this.#runAll(next(found as Rows[])), this.#end('COMMIT')]);
      return [...found, ...written.slice(0, -1)] as Rows[];
    } catch (error) {
      await this.#rollBack();
      throw error;
    }
  }

  async inTransaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions): Promise<T> {
    const begun = this.#begin(options);
    try {
      const [result] = await Promise.all([work(this), begun]);
      await this.#end('COMMIT');
      return result;
    } catch (error) {
      await this.#rollBack();
      throw error;
    }
  }

  /**
   * Ends what is under way at once: the driver's own `end` waits for the answers, which may never come. What the server
   * has received it may run all the same, and later than what others send after this.
   */
  giveUp(): void {
    this.#break(new StoreUnavailableError('The database did not answer in time.'));
    cutOff(socketOf(this.#client));
  }

  release({ isReusable }: { isReusable: boolean }): void {
    clearTimeout(this.#deadline);
    this.#client.off('error', this.#onError);
    // Whatever left a transaction open, the next user of the connection must not be inside it.
    this.#client.release(!isReusable || this.#broken !== undefined || this.#isInTransaction);
  }

  #begin({ isolation, readOnly = false }: TransactionOptions): Promise<unknown> {
    this.#isInTransaction = true;
    const level = isolation === undefined ? 'READ COMMITTED' : 'REPEATABLE READ';
    // Never READ WRITE: an operator who lets a database only be read means every transaction.
    return this.#send(`BEGIN ISOLATION LEVEL ${level}${readOnly ? ' READ ONLY' : ''}`);
  }

  async #end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const { command } = await this.#send(how);
    this.#isInTransaction = false;
    // PostgreSQL answers the commit of a failed transaction with success, and with what it did instead.
    if (command !== how) throw new Error(`A transaction ended with ${command} in place of ${how}.`);
  }

  /** One that fails leaves the transaction open, and so the connection is not used again. */
  async #rollBack(): Promise<void> {
    if (this.#isInTransaction) await this.#end('ROLLBACK').catch(() => {});
  }

  /**
   * Commands may be made one by one: large ones leave at once, so that the server is at them while the next is made. Where
   * one cannot be made, nobody waits for the answers to those before it.
   */
  #runAll(commands: Iterable<Command>): readonly Promise<unknown>[] {
    const socket = socketOf(this.#client);
    const answers: Promise<unknown>[] = [];
    try {
      for (const { statement, values } of commands) {
        answers.push(this.run(statement, values));
        if (socket.writableLength < LEAVES_AT_ONCE_BYTES) continue;
        socket.uncork();
        socket.cork();
      }
    } catch (error) {
      void Promise.allSettled(answers);
      throw error;
    }
    return answers;
  }

  async #inOneGo(send: () => readonly Promise<unknown>[]): Promise<unknown[]> {
    const socket = socketOf(this.#client);
    let sent: readonly Promise<unknown>[];
    socket.cork();
    try {
      sent = send();
    } finally {
      socket.uncork();
    }
    const outcomes = await Promise.allSettled(sent);
    // The first failure tells why; those behind it only say that the transaction had failed.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return Promise.all(sent);
  }

  /** Prepared when it has a name; without one the text may hold several statements, and has no values. */
  #send<Row>(text: string, name?: string, values?: readonly unknown[]): Promise<Answer<Row>> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, answer: Answer<Row>): void => {
        if (error) reject(this.#failure(error));
        else resolve(answer);
      };
      // With a callback: for a promise the driver would make a stack trace of each failure.
      this.#client.query({ text, name, values, rowMode: 'array' } as never, settle as never);
    });
  }

  #failure(error: Error): unknown {
    if (this.#broken !== undefined) return this.#broken;
    const mapped = storeError(error);
    if (isWorthAnotherTry(error) || !(mapped instanceof StoreUnavailableError)) return error;
    // After most failures of the server a new connection is safer.
    if (!leavesConnection(error)) this.#break(mapped);
    return mapped;
  }

  #break(reason: StoreUnavailableError): void {
    if (this.#broken !== undefined) return;
    this.#broken = reason;
    this.onBroken();
  }
}

/** What was answered is on the disk: also where the server, the database or the user has that turned off. */
const MAKE_DURABLE = statement(
  'make commits durable',
  `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
);

/** For a connection that was just opened. Sent before what others send on it, so that nobody has to wait for it. */
export function makeDurable(client: pg.PoolClient): void {
  const { text } = MAKE_DURABLE;
  client.query(text, (error: Error | undefined) => {
    if (error) cutOff(socketOf(client));
  });
}

/** The driver does not offer it. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** By a reset, where the socket has one: else the system goes on delivering what it holds, for minutes if need be. */
function cutOff(socket: Socket): void {
  const carrier = socket instanceof TLSSocket ? (socket as unknown as { _parent?: Socket })._parent : socket;
  try {
    carrier?.resetAndDestroy();
  } catch {
    // A socket of this machine's file system has none, and delivers what was written to it in any case.
  }
  socket.destroy();
}
