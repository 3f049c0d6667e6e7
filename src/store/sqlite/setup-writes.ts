/**
 * In charge of the writes of the set-up half of the store, by name. Each runs inside a transaction that is not its own: in a
 * server that of the writer thread, so that nobody who is answered meanwhile waits for the write lock; on the command line
 * one of the calling thread.
 */
import type { FulfillmentNode } from '../../domain/account.ts';
import type { DroppedSetup } from '../port/settings.ts';
import type { StoredTaxonomy } from '../port/taxonomy.ts';
import { DROP_ENDED_LINKS } from '../shared/people/removal.ts';
import { addReturnLocation, putNode } from './accounts.ts';
import { dropEndedCredentials, rollCredential } from './credentials.ts';
import { type Connection, query } from './engine.ts';
import { addMerchant, setReturns, setSuspended } from './merchants.ts';
import { addPlaceholder, addPolicy, holdRules, noteRules, removePlaceholder, removePolicy } from './policies.ts';
import { beginSweep, beginSweepOfAll } from './review-sweeps.ts';
import { addFirstSigningKey, addSigningKey, dropEndedSigningKeys } from './signing-keys.ts';
import { runStatement } from './sql.ts';
import { dropTaxonomy, putTaxonomy } from './taxonomy.ts';

/** The version is raised when one of them touched a row, so that no change can forget it and no refusal causes it. */
const CHANGES = Object.freeze({
  addMerchant,
  setSuspended,
  setReturns,
  rollCredential,
  putNode: (connection: Connection, accountId: number, node: FulfillmentNode): void => {
    putNode(connection, accountId, node);
    beginSweep(connection, accountId);
  },
  addReturnLocation,
  addSigningKey,
  addFirstSigningKey,
  dropEnded: (connection: Connection, nowMs: number): DroppedSetup => ({
    links: runStatement(connection, DROP_ENDED_LINKS, [nowMs]).length,
    credentials: dropEndedCredentials(connection, nowMs),
    signingKeys: dropEndedSigningKeys(connection, nowMs),
  }),
  putTaxonomy: (connection: Connection, taxonomy: StoredTaxonomy): void => {
    putTaxonomy(connection, taxonomy);
    beginSweepOfAll(connection);
  },
  dropTaxonomy: (connection: Connection): 'stored' | 'unset' => {
    const outcome = dropTaxonomy(connection);
    if (outcome === 'stored') beginSweepOfAll(connection);
    return outcome;
  },
  addPolicy,
  removePolicy,
  addPlaceholder,
  removePlaceholder,
  noteRules,
});

/** What no server keeps in memory leaves the version as it is. */
const UNVERSIONED = Object.freeze({ holdRules });

const WRITES = Object.freeze({ ...CHANGES, ...UNVERSIONED });

export type SetupWrite = keyof typeof WRITES;
export type SetupWriteArgs<Name extends SetupWrite> =
  Parameters<(typeof WRITES)[Name]> extends [Connection, ...infer Args] ? Args : never;
export type SetupWriteResult<Name extends SetupWrite> = ReturnType<(typeof WRITES)[Name]>;

/** How a store has one done. */
export type WriteSetup = <Name extends SetupWrite>(
  name: Name,
  ...args: SetupWriteArgs<Name>
) => Promise<SetupWriteResult<Name>>;

/** The types of its arguments and of its result are those of `WriteSetup`, on the other side of the threads. */
export function writeSetup(connection: Connection, name: SetupWrite, args: readonly unknown[]): unknown {
  const write = WRITES[name] as (connection: Connection, ...args: readonly unknown[]) => unknown;
  const touchedBefore = rowsTouched(connection);
  const result = write(connection, ...args);
  if (name in CHANGES && rowsTouched(connection) !== touchedBefore) {
    connection.exec('UPDATE setup_version SET version = version + 1');
  }
  return result;
}

function rowsTouched(connection: Connection): number {
  return query<[number]>(connection, 'SELECT total_changes()').get()?.[0] ?? 0;
}
