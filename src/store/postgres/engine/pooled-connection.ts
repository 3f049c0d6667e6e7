/** One connection in use: pipelines statements, tracks the open transaction, and detects when the connection must be dropped. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import { type Command, type Connection, type Rows, type TransactionOptions, timeLeftMs } from './connection.ts';
import { isRetryable, leavesConnectionUsable, storeError, unreachable } from './store-errors.ts';

/** A statement in another form, with the values of that form. */
export interface Rewritten {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Prepares the statement. */
  readonly name?: string;
  /** A prepared statement that is no longer needed. */
  readonly forgotten?: string | undefined;
}

/** Returns undefined to send a statement as it is. */
export type Rewrite = (statement: Statement, values: readonly unknown[]) => Rewritten | undefined;

interface Answer<Row> {
  readonly rows: readonly Row[];
  /** First word of the command that the server ran, such as COMMIT. */
  readonly command: string;
}

/** A command of this size, a few hundred rows, is sent immediately. Smaller commands are sent together with the commit. */
const FLUSH_BYTES = 8_192;

export class PooledConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #rewrite: Rewrite | undefined;
  readonly #onError = (error: Error): void => this.#break(unreachable(error));
  #deadline: NodeJS.Timeout | undefined;
  #isInTransaction = false;
  #isGathering = false;
  /** Why the connection can no longer be used. */
  #broken: StoreUnavailableError | undefined;

  /** Called once, when the connection breaks. */
  onBroken: () => void = () => {};

  constructor(client: pg.PoolClient, rewrite: Rewrite | undefined) {
    this.#client = client;
    this.#rewrite = rewrite;
    client.on('error', this.#onError);
  }

  /** Sets the deadline. Statements without a response by then fail, and the connection is dropped. */
  endAt(deadlineMs: number): void {
    this.#deadline = setTimeout(() => this.giveUp(), timeLeftMs(deadlineMs));
  }

  /** Sends the statements of this event loop tick in one socket write, because a socket write costs more than the read itself. */
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

  async run<Row extends readonly unknown[]>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    const rewritten = this.#rewrite?.(statement, values);
    if (rewritten?.forgotten !== undefined) this.#forget(rewritten.forgotten);
    const answer =
      rewritten === undefined
        ? this.#send<Row>(statement.text, statement.name, values)
        : this.#send<Row>(rewritten.text, rewritten.name, rewritten.values);
    return (await answer).rows;
  }

  /** Runs several statements as one transaction. */
  async runScript(text: string): Promise<void> {
    await this.#send(text);
  }

  /** Sends the commit with the last round. If one of its commands fails, the server turns the commit into a rollback. */
  async runInRounds(
    first: readonly Command[],
    ...next: readonly ((found: readonly Rows[]) => Iterable<Command>)[]
  ): Promise<readonly Rows[]> {
    const endAfter = (round: number) => (round === next.length ? [this.#end('COMMIT')] : []);
    try {
      const [, ...found] = await this.#inOneWrite(() => [this.#begin({}), ...this.#runAll(first), ...endAfter(0)]);
      for (const [index, commandsOf] of next.entries()) {
        const send = () => [...this.#runAll(commandsOf(found as Rows[])), ...endAfter(index + 1)];
        found.push(...(await this.#inOneWrite(send)));
      }
      return found.slice(0, -1) as Rows[];
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
   * Drops the connection immediately: the driver's own `end` waits for responses that may never come. The server may
   * still run statements that it has received, even after later statements of other connections.
   */
  giveUp(): void {
    this.#break(new StoreUnavailableError('The database did not respond in time.'));
    cutOff(socketOf(this.#client));
  }

  release({ isReusable }: { isReusable: boolean }): void {
    clearTimeout(this.#deadline);
    this.#client.off('error', this.#onError);
    // The next user must not find an open transaction.
    this.#client.release(!isReusable || this.#broken !== undefined || this.#isInTransaction);
  }

  #begin({ isolation, readOnly = false }: TransactionOptions): Promise<unknown> {
    this.#isInTransaction = true;
    const level = isolation === undefined ? 'READ COMMITTED' : 'REPEATABLE READ';
    // Never READ WRITE: an operator may have set the database to read-only.
    return this.#send(`BEGIN ISOLATION LEVEL ${level}${readOnly ? ' READ ONLY' : ''}`);
  }

  async #end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const { command } = await this.#send(how);
    this.#isInTransaction = false;
    // PostgreSQL responds to COMMIT of a failed transaction with success and the command ROLLBACK.
    if (command !== how) throw new Error(`A transaction ended with ${command} instead of ${how}.`);
  }

  /** Rolls back. If this fails, the transaction stays open and `release` drops the connection. */
  async #rollBack(): Promise<void> {
    if (this.#isInTransaction) await this.#end('ROLLBACK').catch(() => {});
  }

  /**
   * Sends all commands. Flushes large commands immediately, so that the server works while the next command is built. If building a command
   * throws, the responses are ignored.
   */
  #runAll(commands: Iterable<Command>): readonly Promise<unknown>[] {
    const socket = socketOf(this.#client);
    const answers: Promise<unknown>[] = [];
    try {
      for (const { statement, values } of commands) {
        answers.push(this.run(statement, values));
        if (socket.writableLength < FLUSH_BYTES) continue;
        socket.uncork();
        socket.cork();
      }
    } catch (error) {
      void Promise.allSettled(answers);
      throw error;
    }
    return answers;
  }

  async #inOneWrite(send: () => readonly Promise<unknown>[]): Promise<unknown[]> {
    const socket = socketOf(this.#client);
    let sent: readonly Promise<unknown>[];
    socket.cork();
    try {
      sent = send();
    } finally {
      socket.uncork();
    }
    const outcomes = await Promise.allSettled(sent);
    // The first failure is the cause; the rest only report a failed transaction.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return Promise.all(sent);
  }

  /** Frees the memory of a prepared statement, here and in the server. */
  #forget(name: string): void {
    const { parsedStatements } = (this.#client as unknown as { connection: { parsedStatements: object } }).connection;
    // If this fails, the connection is broken, and the statements sent after it report that.
    this.#send(`DEALLOCATE "${name}"`).then(
      () => Reflect.deleteProperty(parsedStatements, name),
      () => {},
    );
  }

  /** Prepares named statements. Without a name and values, the text may hold several statements. */
  #send<Row>(text: string, name?: string, values?: readonly unknown[]): Promise<Answer<Row>> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, answer: Answer<Row>): void => {
        if (error) reject(this.#failure(error));
        else resolve(answer);
      };
      // Uses a callback, because the promise form captures a stack trace for each failure.
      this.#client.query({ text, name, values, rowMode: 'array' } as never, settle as never);
    });
  }

  #failure(error: Error): unknown {
    if (this.#broken !== undefined) return this.#broken;
    const mapped = storeError(error);
    if (isRetryable(error) || !(mapped instanceof StoreUnavailableError)) return error;
    if (!leavesConnectionUsable(error)) this.#break(mapped);
    return mapped;
  }

  #break(reason: StoreUnavailableError): void {
    if (this.#broken !== undefined) return;
    this.#broken = reason;
    this.onBroken();
  }
}

/** Overrides server, database and user settings, so that every acknowledged write is on disk. */
const MAKE_DURABLE = statement('make commits durable')`
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/** Sent before the first statement of a new connection, without waiting for the response. */
export function makeDurable(client: pg.PoolClient): void {
  client.query(MAKE_DURABLE.text, (error: Error | undefined) => {
    if (error) cutOff(socketOf(client));
  });
}

/** Returns the socket, which the driver does not expose. */
function socketOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Resets the connection: a plain close would let the system deliver buffered data for minutes. */
function cutOff(socket: Socket): void {
  const carrier = socket instanceof TLSSocket ? (socket as unknown as { _parent?: Socket })._parent : socket;
  try {
    carrier?.resetAndDestroy();
  } catch {
    // Unix sockets have no reset, and always deliver buffered data.
  }
  socket.destroy();
}
