/** In charge of the set-up of an account: its fulfillment nodes and return locations, and the account read as a whole. */
import type { Account, Environment, FulfillmentNode, RateKind } from '../../domain/account.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { inSnapshot } from './transactions.ts';

export class AccountReads {
  readonly #connection: Connection;
  readonly #account;
  readonly #nodes;
  readonly #returnLocations;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#account = query<
      [merchantId: string, environment: Environment, suspended: 0 | 1, timeToReturnDays: number, returnMethods: string]
    >(
      connection,
      `SELECT m.merchant_id, a.environment, m.suspended, m.time_to_return_days, m.return_shipping_methods
       FROM account a JOIN merchant m ON m.merchant_id = a.merchant_id
       WHERE a.account_id = ?`,
    );
    this.#nodes = query<[nodeId: string, rateKind: RateKind, methods: string, levels: string]>(
      connection,
      'SELECT node_id, rate_kind, methods, levels FROM fulfillment_node WHERE account_id = ? ORDER BY node_id',
    );
    this.#returnLocations = query<[locationId: string]>(
      connection,
      'SELECT location_id FROM return_location WHERE account_id = ? ORDER BY location_id',
    );
  }

  readAccount(accountId: number): Account | undefined {
    return inSnapshot(this.#connection, () => {
      const row = this.#account.get(accountId);
      if (row === undefined) return undefined;
      const [merchantId, environment, suspended, timeToReturnDays, returnMethods] = row;
      const nodes = new Map<string, FulfillmentNode>();
      for (const [id, rateKind, methods, levels] of this.#nodes.all(accountId)) {
        nodes.set(id, { id, rateKind, methods: JSON.parse(methods), levels: JSON.parse(levels) });
      }
      return {
        accountId,
        merchantId,
        environment,
        suspended: suspended === 1,
        nodes,
        returnLocationIds: new Set(this.#returnLocations.all(accountId).map(([locationId]) => locationId)),
        timeToReturnDays,
        returnShippingMethods: JSON.parse(returnMethods),
      };
    });
  }
}

export function putNode(connection: Connection, accountId: number, node: FulfillmentNode): void {
  query(
    connection,
    `INSERT INTO fulfillment_node (account_id, node_id, rate_kind, methods, levels) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account_id, node_id)
     DO UPDATE SET rate_kind = excluded.rate_kind, methods = excluded.methods, levels = excluded.levels`,
  ).run(accountId, node.id, node.rateKind, JSON.stringify(node.methods), JSON.stringify(node.levels));
}

export function addReturnLocation(connection: Connection, accountId: number, locationId: string): 'stored' | 'exists' {
  const { changes } = query(
    connection,
    'INSERT INTO return_location (account_id, location_id) VALUES (?, ?) ON CONFLICT (account_id, location_id) DO NOTHING',
  ).run(accountId, locationId);
  return changes === 0 ? 'exists' : 'stored';
}
