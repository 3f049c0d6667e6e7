/**
 * Caches accounts, merchants, credential sets and signing keys, so that a request with a token does not query the store.
 *
 * The cache is dropped when the settings version of the store has changed, which is checked every half second. So a
 * change by another process (the CLI, another server) takes effect here within the promised 2 seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Account, Credential, Merchant } from '../domain/account.ts';
import type { SigningKey } from '../store/port/settings.ts';
import type { SetupStore } from '../store/port.ts';

export const REFRESH_INTERVAL_MS = 500;

/** Minimum time between the version checks for unknown ids, which anyone can send. */
const STRANGER_INTERVAL_MS = 100;

/** Maximum entries of each cache; a full cache is cleared. Entries are small. */
const ENTRIES_MAX = 100_000;

export class AccountDirectory {
  readonly #store: SetupStore;
  readonly #refusedUsers: readonly string[];
  readonly #accounts = new Map<number, Account>();
  readonly #credentials = new Map<number, Credential>();
  readonly #merchants = new Map<string, Merchant>();
  #signingKeys: readonly SigningKey[] | undefined;
  #version = -1;
  /** A scheduled check of the version that has not started yet. */
  #nextCheck: Promise<void> | undefined;
  #lastCheckMs = Number.NEGATIVE_INFINITY;

  /** Credential sets of `refusedUsers` count as unknown, even if they are stored. */
  constructor(store: SetupStore, refusedUsers: readonly string[] = []) {
    this.#store = store;
    this.#refusedUsers = refusedUsers;
  }

  /** The settings version of the cached data. Callers recompute data that they derived from an older version. */
  get version(): number {
    return this.#version;
  }

  async refresh(): Promise<void> {
    const version = await this.#store.settings.readSetupVersion();
    if (version === this.#version) return;
    this.#forget();
    this.#version = version;
  }

  /**
   * Checks the version immediately, for an id that is unknown here and may be new. Callers share the next check if it has
   * not started; one that is running may have read the version before the change.
   */
  refreshForStranger(): Promise<void> {
    this.#nextCheck ??= this.#checkSpaced();
    return this.#nextCheck;
  }

  async #checkSpaced(): Promise<void> {
    await pause(Math.max(0, this.#lastCheckMs + STRANGER_INTERVAL_MS - performance.now()));
    this.#nextCheck = undefined;
    this.#lastCheckMs = performance.now();
    await this.refresh();
  }

  account(accountId: number): Promise<Account | undefined> {
    return this.#read(this.#accounts, accountId, () => this.#store.settings.readAccount(accountId));
  }

  merchant(merchantId: string): Promise<Merchant | undefined> {
    return this.#read(this.#merchants, merchantId, () => this.#store.settings.readMerchant(merchantId));
  }

  credential(credentialId: number): Promise<Credential | undefined> {
    return this.#read(this.#credentials, credentialId, async () => {
      const credential = await this.#store.settings.readCredential(credentialId);
      return credential && this.#refusedUsers.includes(credential.user) ? undefined : credential;
    });
  }

  async credentialOfUser(user: string): Promise<Credential | undefined> {
    return this.#refusedUsers.includes(user) ? undefined : this.#store.settings.readCredentialOfUser(user);
  }

  /** Returns the signing keys, newest first. */
  async signingKeys(): Promise<readonly SigningKey[]> {
    if (this.#signingKeys !== undefined) return this.#signingKeys;
    const version = this.#version;
    const keys = await this.#store.settings.listSigningKeys();
    if (version === this.#version) this.#signingKeys = keys;
    return keys;
  }

  /** Caches what it reads, unless the settings have changed in the meantime. */
  async #read<Id, T>(cache: Map<Id, T>, id: Id, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const version = this.#version;
    const found = await read();
    if (found === undefined || version !== this.#version) return found;
    if (cache.size >= ENTRIES_MAX) cache.clear();
    cache.set(id, found);
    return found;
  }

  #forget(): void {
    this.#accounts.clear();
    this.#credentials.clear();
    this.#merchants.clear();
    this.#signingKeys = undefined;
  }
}
