/** In charge of the set-up of an account: its fulfillment nodes and return locations, and the account read as a whole. */
import type { Account, Environment, FulfillmentNode, RateKind } from '../../domain/account.ts';
import { type Connection, statement } from './engine.ts';
import { type Ending, kept, undone } from './transactions.ts';

type NodeRow = [nodeId: string, rateKind: RateKind, methods: string, levels: string];

/** One statement, so that everything is of one moment; the lists come as JSON text, null where they are empty. */
const READ = statement<
  [
    merchantId: string,
    environment: Environment,
    suspended: 0 | 1,
    timeToReturnDays: number,
    returnMethods: string,
    nodes: string | null,
    returnLocationIds: string | null,
  ]
>(
  'read account',
  `SELECT m.merchant_id, a.environment, m.suspended, m.time_to_return_days, m.return_shipping_methods,
     (SELECT json_agg(json_build_array(n.node_id, n.rate_kind, n.methods, n.levels) ORDER BY n.node_id)
      FROM fulfillment_node n WHERE n.account_id = a.account_id),
     (SELECT json_agg(r.location_id ORDER BY r.location_id) FROM return_location r WHERE r.account_id = a.account_id)
   FROM account a JOIN merchant m ON m.merchant_id = a.merchant_id
   WHERE a.account_id = $1`,
);
const PUT_NODE = statement<[]>(
  'put node',
  `INSERT INTO fulfillment_node (account_id, node_id, rate_kind, methods, levels) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (account_id, node_id)
   DO UPDATE SET rate_kind = excluded.rate_kind, methods = excluded.methods, levels = excluded.levels`,
);
const ADD_RETURN_LOCATION = statement<[1]>(
  'add return location',
  `INSERT INTO return_location (account_id, location_id) VALUES ($1, $2)
   ON CONFLICT (account_id, location_id) DO NOTHING RETURNING 1`,
);

export async function readAccount(connection: Connection, accountId: number): Promise<Account | undefined> {
  const [row] = await connection.run(READ, [accountId]);
  if (row === undefined) return undefined;
  const [merchantId, environment, suspended, timeToReturnDays, returnMethods, nodes, returnLocationIds] = row;
  return {
    accountId,
    merchantId,
    environment,
    suspended: suspended === 1,
    nodes: new Map(nodesOf(nodes).map((node) => [node.id, node])),
    returnLocationIds: new Set(JSON.parse(returnLocationIds ?? '[]')),
    timeToReturnDays,
    returnShippingMethods: JSON.parse(returnMethods),
  };
}

export async function putNode(
  connection: Connection,
  accountId: number,
  { id, rateKind, methods, levels }: FulfillmentNode,
): Promise<Ending<undefined>> {
  await connection.run(PUT_NODE, [accountId, id, rateKind, JSON.stringify(methods), JSON.stringify(levels)]);
  return kept(undefined);
}

export async function addReturnLocation(
  connection: Connection,
  accountId: number,
  locationId: string,
): Promise<Ending<'stored' | 'exists'>> {
  const added = await connection.run(ADD_RETURN_LOCATION, [accountId, locationId]);
  return added.length > 0 ? kept('stored') : undone('exists');
}

function nodesOf(text: string | null): FulfillmentNode[] {
  return (JSON.parse(text ?? '[]') as NodeRow[]).map(([id, rateKind, methods, levels]) => {
    return { id, rateKind, methods: JSON.parse(methods), levels: JSON.parse(levels) };
  });
}
