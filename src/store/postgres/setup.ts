/**
 * In charge of the set-up half of the store: merchants, their keys, nodes and locations. The server and the command line
 * use it alike.
 */

import type { Account, FulfillmentNode } from '../../domain/account.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type {
  Act,
  ListedPortalUser,
  NewSession,
  OneTimeLink,
  PeopleStore,
  PortalUser,
  RecordedAct,
  SessionRotation,
  StoredSession,
} from '../port/people.ts';
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
import { addReturnLocation, putNode, readAccount } from './accounts.ts';
import { addAct, dropActsBefore, listActs } from './acts.ts';
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
import {
  addSession,
  changePassword,
  dropEndedSessions,
  endSession,
  endSessions,
  extendSession,
  readPasswordHash,
  readSession,
  rotateSession,
  useLink,
} from './portal-sessions.ts';
import {
  addPortalUser,
  dropEndedLinks,
  listPortalUsers,
  readLink,
  readPortalUser,
  removePortalUser,
  replaceLink,
} from './portal-users.ts';
import { beginSweep, beginSweepOfAll } from './review-sweeps.ts';
import { changeSetup, readSetupVersionQuickly } from './setup-version.ts';
import type { NewSigningKey } from './signing-keys.ts';
import { addFirstSigningKey, addSigningKey, dropEndedSigningKeys, listSigningKeys } from './signing-keys.ts';
import { dropTaxonomy, putTaxonomy, readTaxonomy, readTaxonomyHead } from './taxonomy.ts';
import { type Ending, inWriteTransaction, kept, undone } from './transactions.ts';

export class PostgresSetupStore implements SetupStore {
  readonly settings: SettingsStore = this;
  readonly taxonomy: TaxonomyStore = this;
  readonly policies: PolicyStore = this;
  readonly people: PeopleStore = this;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
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
      const links = await dropEndedLinks(connection, nowMs);
      const credentials = await dropEndedCredentials(connection, nowMs);
      const signingKeys = await dropEndedSigningKeys(connection, nowMs);
      const dropped = { links, credentials, signingKeys };
      return links + credentials + signingKeys === 0 ? undone(dropped) : kept(dropped);
    });
  }

  addPortalUser(user: PortalUser, link: OneTimeLink): Promise<'stored' | 'exists' | 'merchant_unknown'> {
    return this.#change((connection) => addPortalUser(connection, user, link));
  }

  listPortalUsers(): Promise<readonly ListedPortalUser[]> {
    return listPortalUsers(this.#database);
  }

  readPortalUser(email: string): Promise<PortalUser | undefined> {
    return readPortalUser(this.#database, email);
  }

  removePortalUser(email: string): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => removePortalUser(connection, email));
  }

  replaceLink(email: string, link: OneTimeLink, nowMs: number): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => replaceLink(connection, email, link, nowMs));
  }

  readLink(tokenHash: Uint8Array, nowMs: number): Promise<PortalUser | undefined> {
    return readLink(this.#database, tokenHash, nowMs);
  }

  readPasswordHash(email: string): Promise<string | null | undefined> {
    return readPasswordHash(this.#database, email);
  }

  useLink(
    tokenHash: Uint8Array,
    passwordHash: string,
    session: NewSession | null,
    nowMs: number,
  ): Promise<PortalUser | undefined> {
    return this.#write((connection) => useLink(connection, tokenHash, passwordHash, session, nowMs));
  }

  changePassword(email: string, from: string, to: string, session: NewSession): Promise<'stored' | 'changed'> {
    return this.#write((connection) => changePassword(connection, email, from, to, session));
  }

  addSession(
    email: string,
    passwordHash: string,
    session: NewSession,
    sessions_max: number,
  ): Promise<'stored' | 'changed'> {
    return this.#write((connection) => addSession(connection, email, passwordHash, session, sessions_max));
  }

  readSession(tokenHash: Uint8Array, nowMs: number): Promise<StoredSession | undefined> {
    return readSession(this.#database, tokenHash, nowMs);
  }

  extendSession(tokenHash: Uint8Array, idleEndsMs: number): Promise<void> {
    return extendSession(this.#database, tokenHash, idleEndsMs);
  }

  rotateSession(tokenHash: Uint8Array, next: SessionRotation): Promise<'rotated' | 'overtaken'> {
    return this.#write((connection) => rotateSession(connection, tokenHash, next));
  }

  endSession(sessionId: string): Promise<void> {
    return this.#write((connection) => endSession(connection, sessionId));
  }

  endSessions(email: string, exceptSessionId: string | null): Promise<number> {
    return this.#write((connection) => endSessions(connection, email, exceptSessionId));
  }

  dropEndedSessions(nowMs: number): Promise<number> {
    return dropEndedSessions(this.#database, nowMs);
  }

  addAct(act: Act): Promise<void> {
    return addAct(this.#database, act);
  }

  listActs(before: number, limit: number): Promise<readonly RecordedAct[]> {
    return listActs(this.#database, before, limit);
  }

  dropActsBefore(timeMs: number): Promise<number> {
    return dropActsBefore(this.#database, timeMs);
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

  /** What no server keeps in memory leaves the version as it is. */
  #write<T>(work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
    return inWriteTransaction(this.#database, work);
  }

  #change<T>(work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
    return changeSetup(this.#database, work);
  }
}
