/**
 * Hashes and verifies passwords with argon2id, which is slow and memory-hard on purpose. It runs outside the request
 * thread and with bounded concurrency, so that many sign-ins at once do not slow other requests.
 *
 * A hash contains its parameters (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`), so the cost can be raised later while old
 * hashes still verify.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** Above the OWASP minimum of 19 MiB and 2 passes. */
const COST: Cost = Object.freeze({ memory: 32_768, passes: 2, parallelism: 1 });

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const AT_ONCE_MAX = 2;
const WAITING_MAX = 32;
const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** Thrown when the queue of passwords to hash is full. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError';
}

export class Passwords {
  readonly #waiting: (() => void)[] = [];
  #atWork = 0;
  /** Verified for unknown users, so that their sign-in takes as long as the sign-in of a known user. */
  #decoyHash: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#withSlot(async () => {
      const salt = randomBytes(SALT_BYTES);
      return encode(COST, salt, await derive(password, salt, COST, HASH_BYTES));
    });
  }

  /** Returns whether the password matches the hash. Takes just as long for a user without a password. */
  async fits(encoded: string | null | undefined, password: string): Promise<boolean> {
    const compared = encoded ?? (await this.#hashOfNobody());
    const [, memory, passes, parallelism, salt = '', expected = ''] = ENCODED.exec(compared) ?? [];
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const bytes = Buffer.from(expected, 'base64');
    const given = await this.#withSlot(() => derive(password, Buffer.from(salt, 'base64'), cost, bytes.length));
    return timingSafeEqual(given, bytes) && encoded !== null && encoded !== undefined;
  }

  #hashOfNobody(): Promise<string> {
    this.#decoyHash ??= this.hash(randomBytes(HASH_BYTES).toString('base64url')).catch((error) => {
      this.#decoyHash = undefined;
      throw error;
    });
    return this.#decoyHash;
  }

  async #withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#atWork < AT_ONCE_MAX) {
      this.#atWork++;
    } else {
      if (this.#waiting.length >= WAITING_MAX)
        throw new PasswordsBusyError('Too many passwords are waiting to be hashed.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // Passes the slot on to a waiting call, so that no new call takes it in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#atWork--;
      else next();
    }
  }
}

/** Normalizes Unicode, because keyboards compose letters differently. Equal passwords have the same normalized form. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

function derive(password: string, nonce: Uint8Array, cost: Cost, tagLength: number): Promise<Buffer> {
  const message = normalizePassword(password);
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function encode({ memory, passes, parallelism }: Cost, salt: Uint8Array, hash: Uint8Array): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}
