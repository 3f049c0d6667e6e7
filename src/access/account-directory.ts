/**
 * In charge of knowing accounts, credential sets and signing keys without asking the store on every request.
 *
 * Everything known is dropped when the setup version of the store has moved on, which is looked at every half second;
 * so a change by another process (the CLI, another server) counts here within the 2 seconds that are promised.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from '../domain/account.ts';
import type { Credential, Merchant, SigningKey } from '../store/port/settings.ts';
import type { SetupStore } from '../store/port.ts';

export const REFRESH_INTERVAL_MS = 500;

/** Anyone may send what nobody knows; the store is asked no more often than this for all of it. */
const STRANGER_INTERVAL_MS = 100;

/** Small objects; beyond this many accounts in use at once the directory starts anew. */
const ACCOUNTS_MAX = 100_000;

export class AccountDirectory {
  readonly #store: SetupStore;
  readonly #refusedUsers: readonly string[];
  readonly #accounts = new Map<number, Account>();
  readonly #credentials = new Map<number, Credential>();
  readonly #merchants = new Map<string, Merchant>();
  #signingKeys: readonly SigningKey[] | undefined;
  #version = -1;
  /** One that has not begun. */
  #nextLook: Promise<void> | undefined;
  #lastLookMs = Number.NEGATIVE_INFINITY;

  /** Credential sets of `refusedUsers` count as unknown, whoever stored them. */
  constructor(store: SetupStore, refusedUsers: readonly string[] = []) {
    this.#store = store;
    this.#refusedUsers = refusedUsers;
  }

  /** Moves on with the setup: what was derived from an older version must be derived again. */
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
   * For who met something that is not known here: it may be new since the last look. Those who come before the next look
   * begins share it, and it is after all of them; one that is under way may have read the version before the change.
   */
  refreshForStranger(): Promise<void> {
    this.#nextLook ??= this.#checkInTurn();
    return this.#nextLook;
  }

  async #checkInTurn(): Promise<void> {
    await pause(Math.max(0, this.#lastLookMs + STRANGER_INTERVAL_MS - performance.now()));
    this.#nextLook = undefined;
    this.#lastLookMs = performance.now();
    await this.refresh();
  }

  async account(accountId: number): Promise<Account | undefined> {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const version = this.#version;
    const account = await this.#store.settings.readAccount(accountId);
    if (account !== undefined && version === this.#version) this.#keep(this.#accounts, accountId, account);
    return account;
  }

  async merchant(merchantId: string): Promise<Merchant | undefined> {
    const known = this.#merchants.get(merchantId);
    if (known !== undefined) return known;
    const version = this.#version;
    const merchant = await this.#store.settings.readMerchant(merchantId);
    if (merchant !== undefined && version === this.#version) this.#keep(this.#merchants, merchantId, merchant);
    return merchant;
  }

  async credential(credentialId: number): Promise<Credential | undefined> {
    const known = this.#credentials.get(credentialId);
    if (known !== undefined) return known;
    const version = this.#version;
    const credential = await this.#store.settings.readCredential(credentialId);
    if (credential !== undefined && this.#refusedUsers.includes(credential.user)) return undefined;
    if (credential !== undefined && version === this.#version) this.#keep(this.#credentials, credentialId, credential);
    return credential;
  }

  async credentialOfUser(user: string): Promise<Credential | undefined> {
    return this.#refusedUsers.includes(user) ? undefined : this.#store.settings.readCredentialOfUser(user);
  }

  /** Newest first. */
  async signingKeys(): Promise<readonly SigningKey[]> {
    if (this.#signingKeys !== undefined) return this.#signingKeys;
    const version = this.#version;
    const keys = await this.#store.settings.listSigningKeys();
    if (version === this.#version) this.#signingKeys = keys;
    return keys;
  }

  #keep<Id, T>(cache: Map<Id, T>, id: Id, value: T): void {
    if (cache.size >= ACCOUNTS_MAX) cache.clear();
    cache.set(id, value);
  }

  #forget(): void {
    this.#accounts.clear();
    this.#credentials.clear();
    this.#merchants.clear();
    this.#signingKeys = undefined;
  }
}
