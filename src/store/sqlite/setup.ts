/**
 * In charge of the set-up half of the store: merchants, their keys, nodes and locations, people and their sessions. Reads are
 * on the calling thread, in the server and on the command line alike; where writes are done is said by whoever opens it.
 */

import type { Account, FulfillmentNode } from '../../domain/account.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { PeopleStore } from '../port/people.ts';
import type { Placeholder, PolicyStore } from '../port/policies.ts';
import type {
  Credential,
  DroppedSetup,
  Merchant,
  NewCredential,
  NewMerchant,
  Returns,
  SettingsStore,
  SigningKey,
} from '../port/settings.ts';
import type { StoredTaxonomy, TaxonomyHead, TaxonomyStore } from '../port/taxonomy.ts';
import type { SetupStore } from '../port.ts';
import { methodsOf, type RunCommand } from '../shared/aggregates.ts';
import { AccountReads } from './accounts.ts';
import { CredentialReads } from './credentials.ts';
import { type Connection, query, storeError } from './engine.ts';
import { listMerchants, readMerchant } from './merchants.ts';
import { listPlaceholders, listPolicies, readRules } from './policies.ts';
import {
  type SetupWrite,
  type SetupWriteArgs,
  type SetupWriteResult,
  type WriteSetup,
  writeSetup,
} from './setup-writes.ts';
import type { InOrder } from './shared-commands.ts';
import { listSigningKeys, type NewSigningKey } from './signing-keys.ts';
import { readTaxonomy, readTaxonomyHead } from './taxonomy.ts';
import { inWriteTransaction } from './transactions.ts';

export class SqliteSetupStore implements SetupStore {
  readonly settings: SettingsStore = this;
  readonly taxonomy: TaxonomyStore = this;
  readonly policies: PolicyStore = this;
  readonly people: PeopleStore;
  readonly #connection: Connection;
  readonly #version;
  readonly #accounts: AccountReads;
  readonly #credentials: CredentialReads;
  readonly #write: WriteSetup;

  constructor(connection: Connection, write: WriteSetup, run: RunCommand) {
    this.#connection = connection;
    this.people = methodsOf('people', run);
    this.#write = write;
    this.#version = query<[version: number]>(connection, 'SELECT version FROM setup_version');
    this.#accounts = new AccountReads(connection);
    this.#credentials = new CredentialReads(connection);
  }

  readSetupVersion(): Promise<number> {
    return answered(() => this.#version.get()?.[0] ?? 0);
  }

  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'> {
    return this.#write('addMerchant', merchant, nowMs);
  }

  listMerchants(): Promise<readonly Merchant[]> {
    return answered(() => listMerchants(this.#connection));
  }

  readMerchant(merchantId: string): Promise<Merchant | undefined> {
    return answered(() => readMerchant(this.#connection, merchantId));
  }

  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown' | 'unfinished'> {
    return this.#write('setSuspended', merchantId, suspended);
  }

  setReturns(merchantId: string, returns: Returns): Promise<'stored' | 'unknown'> {
    return this.#write('setReturns', merchantId, returns);
  }

  readAccount(accountId: number): Promise<Account | undefined> {
    return answered(() => this.#accounts.readAccount(accountId));
  }

  readCredentialOfUser(user: string): Promise<Credential | undefined> {
    return answered(() => this.#credentials.ofUser(user));
  }

  readCredential(credentialId: number): Promise<Credential | undefined> {
    return answered(() => this.#credentials.ofId(credentialId));
  }

  listCredentials(accountId: number, nowMs: number): Promise<readonly Credential[]> {
    return answered(() => this.#credentials.ofAccount(accountId, nowMs));
  }

  rollCredential(accountId: number, next: NewCredential, nowMs: number, overlapEndsMs: number): Promise<void> {
    return this.#write('rollCredential', accountId, next, nowMs, overlapEndsMs);
  }

  putNode(accountId: number, node: FulfillmentNode): Promise<void> {
    return this.#write('putNode', accountId, node);
  }

  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'> {
    return this.#write('addReturnLocation', accountId, locationId);
  }

  listSigningKeys(): Promise<readonly SigningKey[]> {
    return answered(() => listSigningKeys(this.#connection));
  }

  addSigningKey(key: NewSigningKey, nowMs: number, previousEndMs: number): Promise<void> {
    return this.#write('addSigningKey', key, nowMs, previousEndMs);
  }

  addFirstSigningKey(key: NewSigningKey, nowMs: number): Promise<void> {
    return this.#write('addFirstSigningKey', key, nowMs);
  }

  dropEnded(nowMs: number): Promise<DroppedSetup> {
    return this.#write('dropEnded', nowMs);
  }

  readTaxonomyHead(): Promise<TaxonomyHead | undefined> {
    return answered(() => readTaxonomyHead(this.#connection));
  }

  readTaxonomy(): Promise<StoredTaxonomy | undefined> {
    return answered(() => readTaxonomy(this.#connection));
  }

  putTaxonomy(taxonomy: StoredTaxonomy): Promise<void> {
    return this.#write('putTaxonomy', taxonomy);
  }

  dropTaxonomy(): Promise<'stored' | 'unset'> {
    return this.#write('dropTaxonomy');
  }

  listPolicies(): Promise<readonly Policy[]> {
    return answered(() => listPolicies(this.#connection));
  }

  addPolicy(policy: Policy): Promise<'stored' | 'exists'> {
    return this.#write('addPolicy', policy);
  }

  removePolicy(policy: Policy): Promise<'stored' | 'unknown'> {
    return this.#write('removePolicy', policy);
  }

  listPlaceholders(): Promise<readonly Placeholder[]> {
    return answered(() => listPlaceholders(this.#connection));
  }

  addPlaceholder(placeholder: Placeholder): Promise<'stored' | 'exists'> {
    return this.#write('addPlaceholder', placeholder);
  }

  removePlaceholder(hash: string): Promise<'stored' | 'unknown'> {
    return this.#write('removePlaceholder', hash);
  }

  noteRules(rules: string): Promise<void> {
    return this.#write('noteRules', rules);
  }

  readRules(): Promise<string | undefined> {
    return answered(() => readRules(this.#connection));
  }

  holdRules(rules: string): Promise<{ inForce: boolean; holds: number }> {
    return this.#write('holdRules', rules);
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

/** For the command line: each write is a short transaction of the calling thread. */
export function writeSetupHere(connection: Connection, inOrder: InOrder): WriteSetup {
  return <Name extends SetupWrite>(name: Name, ...args: SetupWriteArgs<Name>) =>
    inOrder(() =>
      answered(() =>
        inWriteTransaction(connection, () => writeSetup(connection, name, args) as SetupWriteResult<Name>),
      ),
    );
}

/** What is asked of SQLite on this thread is done at once; callers get a promise, as from every other store. */
export function answered<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(storeError(error));
  }
}
