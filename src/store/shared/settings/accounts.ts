/** Reads accounts, changes their fulfillment nodes and return locations, and reads the settings version. */

import type { Environment, FulfillmentNode, RateKind } from '../../../domain/account.ts';
import type { SettingsStore } from '../../port/settings.ts';
import { change, READ_SETTINGS_VERSION, read, undone } from '../command.ts';
import { beginSweep } from '../review-sweeps.ts';
import { statement } from '../sql.ts';
import { insertReturnLocation, storeNode } from './rows.ts';

/** The account itself, then its nodes, then its return locations. */
type AccountRow =
  | [0, merchantId: string, Environment, returnMethods: string, null, suspended: 0 | 1, timeToReturnDays: number]
  | [1, nodeId: string, RateKind, methods: string, levels: string, null, null]
  | [2, locationId: string, null, null, null, null, null];

/** One statement, which needs no snapshot: servers run it for each account that they have not cached. */
const READ = statement<AccountRow>(
  'read account',
  `SELECT 0, m.merchant_id, a.environment, m.return_shipping_methods, NULL, m.suspended, m.time_to_return_days
   FROM account a JOIN merchant m ON m.merchant_id = a.merchant_id WHERE a.account_id = $1
   UNION ALL
   SELECT 1, node_id, rate_kind, methods, levels, NULL, NULL FROM fulfillment_node WHERE account_id = $1
   UNION ALL
   SELECT 2, location_id, NULL, NULL, NULL, NULL, NULL FROM return_location WHERE account_id = $1
   ORDER BY 1, 2`,
);

/** Servers poll it. */
export const readSetupVersion = read<SettingsStore['readSetupVersion']>(async (sql) => {
  const [row] = await sql.run(READ_SETTINGS_VERSION);
  return row?.[0] ?? 0;
});

export const readAccount = read<SettingsStore['readAccount']>(async (sql, accountId) => {
  const [account, ...rows] = await sql.run(READ, [accountId]);
  if (account?.[0] !== 0) return undefined;
  const [, merchantId, environment, returnMethods, , suspended, timeToReturnDays] = account;
  const nodes = new Map<string, FulfillmentNode>();
  const returnLocationIds = new Set<string>();
  for (const row of rows) {
    if (row[0] === 1) nodes.set(row[1], nodeOf(row));
    else returnLocationIds.add(row[1]);
  }
  return {
    accountId,
    merchantId,
    environment,
    suspended: suspended === 1,
    nodes,
    returnLocationIds,
    timeToReturnDays,
    returnShippingMethods: JSON.parse(returnMethods),
  };
});

export const putNode = change<SettingsStore['putNode']>(async (sql, accountId, node) => {
  await storeNode(sql, accountId, node);
  await beginSweep(sql, accountId);
});

export const addReturnLocation = change<SettingsStore['addReturnLocation']>(async (sql, accountId, locationId) => {
  return (await insertReturnLocation(sql, accountId, locationId)) ? 'stored' : undone('exists');
});

function nodeOf([, id, rateKind, methods, levels]: AccountRow & { 0: 1 }): FulfillmentNode {
  return { id, rateKind, methods: JSON.parse(methods), levels: JSON.parse(levels) };
}
