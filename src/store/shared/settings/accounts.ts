/** Reads accounts, changes their fulfillment nodes and return locations, and reads the settings version. */
import type { Account, FulfillmentNode, RateKind } from '../../../domain/account.ts';
import { isMet } from '../../../domain/precondition.ts';
import { nodeTag } from '../../port/part-tags.ts';
import { OFFERS_NAMED_MAX, type SettingsStore } from '../../port/settings.ts';
import { change, READ_SETTINGS_VERSION, read, snapshot, undone } from '../command.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { beginSweep } from '../review/review.ts';
import { engineStatement, firstOf, numberOf, statement } from '../sql.ts';
import { insertAccount, insertReturnLocation, storeNode } from './rows.ts';

const ACCOUNT = columnsOf<Account>({ suspended: FLAG, returnShippingMethods: JSON_TEXT })(
  ...(['merchantId', 'environment', 'suspended', 'timeToReturnDays', 'returnShippingMethods'] as const),
);
/** A node, or a return location, whose `rateKind` is null; an account without any has a row of nulls. */
type PlaceColumns = [id: string, RateKind, methods: string, levels: string] | [id: string | null, null, null, null];

/** One statement, which needs no snapshot: servers run it for each account that they have not cached. */
const READ = statement<[...PlaceColumns, logsBodies: 0 | 1, ...account: unknown[]]>('read account')`
  SELECT p.place_id, p.rate_kind, p.methods, p.levels, a.logs_bodies,
    coalesce(a.merchant_id, ''), a.environment, coalesce(m.suspended, 0),
    coalesce(m.time_to_return_days, 0), coalesce(m.return_shipping_methods, '[]')
  FROM account a LEFT JOIN merchant m ON m.merchant_id = a.merchant_id LEFT JOIN (
    SELECT node_id AS place_id, rate_kind, methods, levels FROM fulfillment_node WHERE account_id = $1
    UNION ALL SELECT location_id, NULL, NULL, NULL FROM return_location WHERE account_id = $1
  ) p ON true WHERE a.account_id = $1 ORDER BY p.place_id`;

const OF_MARKETPLACE = statement<[accountId: number]>('read account of marketplace')`
  SELECT account_id FROM account WHERE merchant_id IS NULL AND environment = $1`;
const SET_LOGS_BODIES = statement<[1]>('set logs bodies')`
  UPDATE account SET logs_bodies = $2 WHERE account_id = $1 RETURNING 1`;
const REMOVE = {
  node: statement<[1]>('remove node')`DELETE FROM fulfillment_node WHERE account_id = $1 AND node_id = $2 RETURNING 1`,
  return_location: statement<[1]>('remove return location')`
    DELETE FROM return_location WHERE account_id = $1 AND location_id = $2 RETURNING 1`,
};

type UserRow = [skuId: string, count: number];

/** Searches JSON text for a field. JSON.stringify wrote the node prices and exceptions, so each field has one spelling. */
const OFFERS_OF_NODE = engineStatement<UserRow>(
  'find offers of node',
  `SELECT sku_id, count(*) OVER () FROM offer WHERE account_id = $1 AND (
     coalesce((inventory -> $2::text ->> 0)::bigint > 0
       AND (inventory -> $2::text ->> 2)::bigint >= inventory_zeroed_number, false)
     OR strpos(coalesce(price_nodes, ''), $3::text) > 0 OR strpos(coalesce(shipping_exceptions, ''), $3::text) > 0)
   ORDER BY upload_order LIMIT ${OFFERS_NAMED_MAX}`,
  `SELECT s.sku_id, count(*) OVER () FROM sku s WHERE s.account_id = $1 AND (
     EXISTS (SELECT 1 FROM inventory i WHERE i.sku = s.id AND i.node_id = $2 AND i.quantity > 0)
     OR EXISTS (SELECT 1 FROM price p WHERE p.sku = s.id AND instr(p.nodes, $3) > 0)
     OR EXISTS (SELECT 1 FROM shipping_exception e WHERE e.sku = s.id AND instr(e.exceptions, $3) > 0))
   ORDER BY s.id LIMIT ${OFFERS_NAMED_MAX}`,
);
const OFFERS_OF_RETURN_LOCATION = engineStatement<UserRow>(
  'find offers of return location',
  `SELECT sku_id, count(*) OVER () FROM offer
   WHERE account_id = $1 AND return_location_ids::jsonb @> to_jsonb($2::text)
   ORDER BY upload_order LIMIT ${OFFERS_NAMED_MAX}`,
  `SELECT s.sku_id, count(*) OVER () FROM sku s JOIN returns_exception r ON r.sku = s.id
   WHERE s.account_id = $1 AND EXISTS (SELECT 1 FROM json_each(r.location_ids) WHERE value = $2)
   ORDER BY s.id LIMIT ${OFFERS_NAMED_MAX}`,
);

/** Servers poll the version. */
export const readSetupVersion = read<SettingsStore['readSetupVersion']>(
  { gate: 'quick' },
  numberOf(READ_SETTINGS_VERSION),
);

export const readAccount = read<SettingsStore['readAccount']>(async (sql, accountId) => {
  const rows = await sql.run(READ, [accountId]);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [, , , , logsBodies, ...account] = first;
  const nodes = new Map<string, FulfillmentNode>();
  const returnLocationIds = new Set<string>();
  for (const [id, rateKind, methods, levels] of rows) {
    if (rateKind !== null) nodes.set(id, { id, rateKind, methods: JSON.parse(methods), levels: JSON.parse(levels) });
    else if (id !== null) returnLocationIds.add(id);
  }
  return { accountId, ...ACCOUNT.of(account), nodes, returnLocationIds, ...(logsBodies === 1 && { logsBodies: true }) };
});

export const readMarketplaceAccount = read<SettingsStore['readMarketplaceAccount']>(
  firstOf(OF_MARKETPLACE, ([id]) => id),
);

export const addMarketplaceAccount = change<SettingsStore['addMarketplaceAccount']>(async (sql, environment) => {
  const known = await readMarketplaceAccount(sql, environment);
  return known === undefined ? insertAccount(sql, null, environment) : undone(known);
});

export const putNode = change<SettingsStore['putNode']>(async (sql, accountId, node, precondition) => {
  if (precondition !== undefined) {
    const stored = (await readAccount(sql, accountId))?.nodes.get(node.id);
    const currentTag = stored === undefined ? null : nodeTag(stored);
    if (!isMet(precondition, currentTag)) return undone({ currentTag });
  }
  await storeNode(sql, accountId, node);
  await beginSweep(sql, accountId);
  return 'stored';
});

export const addReturnLocation = change<SettingsStore['addReturnLocation']>(async (sql, accountId, locationId) => {
  return (await insertReturnLocation(sql, accountId, locationId)) ? 'stored' : undone('exists');
});

export const setLogsBodies = change<SettingsStore['setLogsBodies']>(async (sql, accountId, logsBodies) => {
  return (await sql.run(SET_LOGS_BODIES, [accountId, Number(logsBodies)])).length > 0 ? 'stored' : undone('unknown');
});

export const removePlace = change<SettingsStore['removePlace']>(async (sql, accountId, kind, id) => {
  if ((await sql.run(REMOVE[kind], [accountId, id])).length === 0) return undone('unknown');
  if (kind === 'node') await beginSweep(sql, accountId);
  return 'stored';
});

export const findOffersOfPlace = snapshot<SettingsStore['findOffersOfPlace']>(async (sql, accountId, kind, id) => {
  const rows =
    kind === 'node'
      ? await sql.run(OFFERS_OF_NODE, [accountId, id, `"fulfillment_node_id":${JSON.stringify(id)}`])
      : await sql.run(OFFERS_OF_RETURN_LOCATION, [accountId, id]);
  return { count: rows[0]?.[1] ?? 0, skuIds: rows.map(([skuId]) => skuId) };
});
