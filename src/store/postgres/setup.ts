/**
 * In charge of the set-up half of the store: merchants, their keys, nodes and locations. The server and the command line
 * use it alike.
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
import { methodsOf } from '../shared/aggregates.ts';
import { DROP_ENDED_LINKS } from '../shared/people/removal.ts';
import { addReturnLocation, putNode, readAccount } from './accounts.ts';
import {
  credentialOfId,
  credentialOfUser,
  credentialsOfAccount,
  dropEndedCredentials,
  rollCredential,
} from './credentials.ts';
import type { Connection, Database } from './engine.ts';
import { addMerchant, listMerchants, readMerchant, setReturns, setSuspended } from './merchants.ts';
import {
  addPlaceholder,
  addPolicy,
  holdRules,
  listPlaceholders,
  listPolicies,
  noteRules,
  readRules,
  removePlaceholder,
  removePolicy,
} from './policies.ts';
import { beginSweep, beginSweepOfAll } from './review-sweeps.ts';
import { changeSetup, readSetupVersionQuickly } from './setup-version.ts';
import { runCommandsOn } from './shared-commands.ts';
import {
  addFirstSigningKey,
  addSigningKey,
  dropEndedSigningKeys,
  listSigningKeys,
  type NewSigningKey,
} from './signing-keys.ts';
import { dropTaxonomy, putTaxonomy, readTaxonomy, readTaxonomyHead } from './taxonomy.ts';
import { type Ending, kept, undone } from './transactions.ts';

export class PostgresSetupStore implements SetupStore {
  readonly settings: SettingsStore = this;
  readonly taxonomy: TaxonomyStore = this;
  readonly policies: PolicyStore = this;
  readonly people: PeopleStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.people = methodsOf('people', runCommandsOn(database));
  }

  readSetupVersion(): Promise<number> {
    return readSetupVersionQuickly(this.#database);
  }

  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addMerchant(connection, merchant, nowMs));
  }

  listMerchants(): Promise<readonly Merchant[]> {
    return listMerchants(this.#database);
  }

  readMerchant(merchantId: string): Promise<Merchant | undefined> {
    return readMerchant(this.#database, merchantId);
  }

  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown' | 'unfinished'> {
    return this.#change((connection) => setSuspended(connection, merchantId, suspended));
  }

  setReturns(merchantId: string, returns: Returns): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => setReturns(connection, merchantId, returns));
  }

  readAccount(accountId: number): Promise<Account | undefined> {
    return readAccount(this.#database, accountId);
  }

  readCredentialOfUser(user: string): Promise<Credential | undefined> {
    return credentialOfUser(this.#database, user);
  }

  readCredential(credentialId: number): Promise<Credential | undefined> {
    return credentialOfId(this.#database, credentialId);
  }

  listCredentials(accountId: number, nowMs: number): Promise<readonly Credential[]> {
    return credentialsOfAccount(this.#database, accountId, nowMs);
  }

  rollCredential(accountId: number, next: NewCredential, nowMs: number, overlapEndsMs: number): Promise<void> {
    return this.#change((connection) => rollCredential(connection, accountId, next, nowMs, overlapEndsMs));
  }

  putNode(accountId: number, node: FulfillmentNode): Promise<void> {
    return this.#change(async (connection) => {
      const ending = await putNode(connection, accountId, node);
      await beginSweep(connection, accountId);
      return ending;
    });
  }

  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addReturnLocation(connection, accountId, locationId));
  }

  listSigningKeys(): Promise<readonly SigningKey[]> {
    return listSigningKeys(this.#database);
  }

  addSigningKey(key: NewSigningKey, nowMs: number, previousEndMs: number): Promise<void> {
    return this.#change((connection) => addSigningKey(connection, key, nowMs, previousEndMs));
  }

  /** Every start of a server asks for it, nearly always in vain: it queues with other changes only when it must. */
  async addFirstSigningKey(key: NewSigningKey, nowMs: number): Promise<void> {
    if ((await this.listSigningKeys()).length > 0) return;
    await this.#change((connection) => addFirstSigningKey(connection, key, nowMs));
  }

  dropEnded(nowMs: number): Promise<DroppedSetup> {
    return this.#change(async (connection) => {
      const links = (await connection.run(DROP_ENDED_LINKS, [nowMs])).length;
      const credentials = await dropEndedCredentials(connection, nowMs);
      const signingKeys = await dropEndedSigningKeys(connection, nowMs);
      const dropped = { links, credentials, signingKeys };
      return links + credentials + signingKeys === 0 ? undone(dropped) : kept(dropped);
    });
  }

  readTaxonomyHead(): Promise<TaxonomyHead | undefined> {
    return readTaxonomyHead(this.#database);
  }

  readTaxonomy(): Promise<StoredTaxonomy | undefined> {
    return readTaxonomy(this.#database);
  }

  putTaxonomy(taxonomy: StoredTaxonomy): Promise<void> {
    return this.#change(async (connection) => {
      const ending = await putTaxonomy(connection, taxonomy);
      await beginSweepOfAll(connection);
      return ending;
    });
  }

  dropTaxonomy(): Promise<'stored' | 'unset'> {
    return this.#change(async (connection) => {
      const ending = await dropTaxonomy(connection);
      if (ending.isKept) await beginSweepOfAll(connection);
      return ending;
    });
  }

  listPolicies(): Promise<readonly Policy[]> {
    return listPolicies(this.#database);
  }

  addPolicy(policy: Policy): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addPolicy(connection, policy));
  }

  removePolicy(policy: Policy): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => removePolicy(connection, policy));
  }

  listPlaceholders(): Promise<readonly Placeholder[]> {
    return listPlaceholders(this.#database);
  }

  addPlaceholder(placeholder: Placeholder): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addPlaceholder(connection, placeholder));
  }

  removePlaceholder(hash: string): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => removePlaceholder(connection, hash));
  }

  noteRules(rules: string): Promise<void> {
    return this.#change((connection) => noteRules(connection, rules));
  }

  readRules(): Promise<string | undefined> {
    return readRules(this.#database);
  }

  holdRules(rules: string): Promise<{ inForce: boolean; holds: number }> {
    return holdRules(this.#database, rules);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #change<T>(work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
    return changeSetup(this.#database, work);
  }
}
