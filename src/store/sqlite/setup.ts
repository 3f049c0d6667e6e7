/**
 * In charge of the set-up half of the store: merchants, their keys, nodes and locations. Runs on the calling thread,
 * in the server and on the command line alike, on one connection; each change is a short transaction.
 */
import type { Account, FulfillmentNode } from '../../domain/account.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type {
  Credential,
  DroppedSetup,
  Merchant,
  NewCredential,
  NewMerchant,
  Returns,
  SetupStore,
  SigningKey,
} from '../port.ts';
import type {
  Act,
  ListedPortalUser,
  NewSession,
  OneTimeLink,
  PortalUser,
  RecordedAct,
  SessionRotation,
  StoredSession,
} from '../portal-port.ts';
import type { Placeholder } from '../review-port.ts';
import type { StoredTaxonomy, TaxonomyHead } from '../taxonomy-port.ts';
import { AccountReads, addReturnLocation, putNode } from './accounts.ts';
import { addAct, dropActsBefore, listActs } from './acts.ts';
import { CredentialReads, dropEndedCredentials, rollCredential } from './credentials.ts';
import type { Connection } from './engine.ts';
import { query, storeError } from './engine.ts';
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
import type { NewSigningKey } from './signing-keys.ts';
import { addFirstSigningKey, addSigningKey, dropEndedSigningKeys, listSigningKeys } from './signing-keys.ts';
import { dropTaxonomy, putTaxonomy, readTaxonomy, readTaxonomyHead } from './taxonomy.ts';
import { inWriteTransaction } from './transactions.ts';

export class SqliteSetupStore implements SetupStore {
  readonly #connection: Connection;
  readonly #version;
  readonly #accounts: AccountReads;
  readonly #credentials: CredentialReads;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#version = query<[version: number]>(connection, 'SELECT version FROM setup_version');
    this.#accounts = new AccountReads(connection);
    this.#credentials = new CredentialReads(connection);
  }

  readSetupVersion(): Promise<number> {
    return answered(() => this.#version.get()?.[0] ?? 0);
  }

  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addMerchant(connection, merchant, nowMs));
  }

  listMerchants(): Promise<readonly Merchant[]> {
    return answered(() => listMerchants(this.#connection));
  }

  readMerchant(merchantId: string): Promise<Merchant | undefined> {
    return answered(() => readMerchant(this.#connection, merchantId));
  }

  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => setSuspended(connection, merchantId, suspended));
  }

  setReturns(merchantId: string, returns: Returns): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => setReturns(connection, merchantId, returns));
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
    return this.#change((connection) => rollCredential(connection, accountId, next, nowMs, overlapEndsMs));
  }

  putNode(accountId: number, node: FulfillmentNode): Promise<void> {
    return this.#change((connection) => {
      putNode(connection, accountId, node);
      beginSweep(connection, accountId);
    });
  }

  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addReturnLocation(connection, accountId, locationId));
  }

  listSigningKeys(): Promise<readonly SigningKey[]> {
    return answered(() => listSigningKeys(this.#connection));
  }

  addSigningKey(key: NewSigningKey, nowMs: number, previousEndMs: number): Promise<void> {
    return this.#change((connection) => addSigningKey(connection, key, nowMs, previousEndMs));
  }

  addFirstSigningKey(key: NewSigningKey, nowMs: number): Promise<void> {
    return this.#change((connection) => addFirstSigningKey(connection, key, nowMs));
  }

  dropEnded(nowMs: number): Promise<DroppedSetup> {
    return this.#change((connection) => ({
      links: dropEndedLinks(connection, nowMs),
      credentials: dropEndedCredentials(connection, nowMs),
      signingKeys: dropEndedSigningKeys(connection, nowMs),
    }));
  }

  addPortalUser(user: PortalUser, link: OneTimeLink): Promise<'stored' | 'exists' | 'merchant_unknown'> {
    return this.#change((connection) => addPortalUser(connection, user, link));
  }

  listPortalUsers(): Promise<readonly ListedPortalUser[]> {
    return answered(() => listPortalUsers(this.#connection));
  }

  readPortalUser(email: string): Promise<PortalUser | undefined> {
    return answered(() => readPortalUser(this.#connection, email));
  }

  removePortalUser(email: string): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => removePortalUser(connection, email));
  }

  replaceLink(email: string, link: OneTimeLink, nowMs: number): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => replaceLink(connection, email, link, nowMs));
  }

  readLink(tokenHash: Uint8Array, nowMs: number): Promise<PortalUser | undefined> {
    return answered(() => readLink(this.#connection, tokenHash, nowMs));
  }

  readPasswordHash(email: string): Promise<string | null | undefined> {
    return answered(() => readPasswordHash(this.#connection, email));
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
    return answered(() => readSession(this.#connection, tokenHash, nowMs));
  }

  extendSession(tokenHash: Uint8Array, idleEndsMs: number): Promise<void> {
    return this.#write((connection) => extendSession(connection, tokenHash, idleEndsMs));
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
    return this.#write((connection) => dropEndedSessions(connection, nowMs));
  }

  addAct(act: Act): Promise<void> {
    return this.#write((connection) => addAct(connection, act));
  }

  listActs(before: number, limit: number): Promise<readonly RecordedAct[]> {
    return answered(() => listActs(this.#connection, before, limit));
  }

  dropActsBefore(timeMs: number): Promise<number> {
    return this.#write((connection) => dropActsBefore(connection, timeMs));
  }

  readTaxonomyHead(): Promise<TaxonomyHead | undefined> {
    return answered(() => readTaxonomyHead(this.#connection));
  }

  readTaxonomy(): Promise<StoredTaxonomy | undefined> {
    return answered(() => readTaxonomy(this.#connection));
  }

  putTaxonomy(taxonomy: StoredTaxonomy): Promise<void> {
    return this.#change((connection) => {
      putTaxonomy(connection, taxonomy);
      beginSweepOfAll(connection);
    });
  }

  dropTaxonomy(): Promise<'stored' | 'unset'> {
    return this.#change((connection) => {
      const outcome = dropTaxonomy(connection);
      if (outcome === 'stored') beginSweepOfAll(connection);
      return outcome;
    });
  }

  listPolicies(): Promise<readonly Policy[]> {
    return answered(() => listPolicies(this.#connection));
  }

  addPolicy(policy: Policy): Promise<'stored' | 'exists'> {
    return this.#change((connection) => addPolicy(connection, policy));
  }

  removePolicy(policy: Policy): Promise<'stored' | 'unknown'> {
    return this.#change((connection) => removePolicy(connection, policy));
  }

  listPlaceholders(): Promise<readonly Placeholder[]> {
    return answered(() => listPlaceholders(this.#connection));
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
    return answered(() => readRules(this.#connection));
  }

  holdRules(rules: string): Promise<{ inForce: boolean; holds: number }> {
    return answered(() => inWriteTransaction(this.#connection, () => holdRules(this.#connection, rules)));
  }

  async close(): Promise<void> {
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** What no server keeps in memory leaves the version as it is. */
  #write<T>(work: (connection: Connection) => T): Promise<T> {
    const connection = this.#connection;
    return answered(() => inWriteTransaction(connection, () => work(connection)));
  }

  /** The version is raised when a row was touched, so that no change can forget it and no refusal causes it. */
  #change<T>(work: (connection: Connection) => T): Promise<T> {
    return answered(() => {
      const connection = this.#connection;
      return inWriteTransaction(connection, () => {
        const touchedBefore = rowsTouched(connection);
        const result = work(connection);
        if (rowsTouched(connection) !== touchedBefore) {
          connection.exec('UPDATE setup_version SET version = version + 1');
        }
        return result;
      });
    });
  }
}

/** What is asked of SQLite on this thread is done at once; callers get a promise, as from every other store. */
export function answered<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(storeError(error));
  }
}

function rowsTouched(connection: Connection): number {
  return query<[number]>(connection, 'SELECT total_changes()').get()?.[0] ?? 0;
}
