/** Tests that every API call accesses at most one shard. A real Citus cluster explains the statements of each call. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { REFERENCE_TABLES } from '../../src/store/postgres/engine/distribution.ts';
import { administer } from '../../src/store/postgres/testing/administer.ts';
import { CITUS_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { createTestDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { PATIENCE } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const skipped = process.env[CITUS_VARIABLE] ? false : `no Citus: set ${CITUS_VARIABLE}`;
/** Sent every 10 seconds for all calls since; no call waits for it. */
const BEHIND_CALLS = 'note use of credential';
const WRITES_REFERENCE = new RegExp(`\\b(?:INTO|UPDATE|DELETE FROM) (?:${REFERENCE_TABLES.join('|')})\\b`);
/** How Citus inserts rows that it cannot assign to shards (see insert-values.ts); such a plan has no tasks. */
const THROUGH_FILES = /pull to coordinator/;

/** The fields of responses that later calls use. */
interface Answered {
  readonly id?: string;
  readonly marketplace_file_id?: string;
  readonly url?: string;
  readonly report_id?: string;
  readonly webhook_id?: string;
  readonly changes?: readonly { readonly id: number }[];
  readonly events?: readonly { readonly id: string }[];
  readonly checks?: readonly { readonly fixes?: readonly { readonly id: string }[] }[];
}

interface Sent {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

it('each API call accesses at most one shard, and writes no reference table', { skip: skipped }, async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  await administer(database.url, `ALTER DATABASE ${name} SET citus.shard_count = 8`);
  const place = { DATA_DIR: await tempFolder(), DATABASE_URL: database.url, ...PATIENCE };
  const statements = recordStatements(t);
  const unseen = new Set(ENDPOINTS.filter(({ access }) => access === 'merchant').map(({ id }) => id));
  const sentBy = new Map<string, ReadonlyMap<string, Sent>>();

  // Runs without background work, because its statements would be counted with the statements of the calls.
  await withOfferbook(
    place,
    { demo: true, role: 'api', settings: { REQUESTS_PER_MINUTE: '1000000', WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } },
    async (url) => {
      // The first calls open connections, and may be slow.
      const token = await waitUntil('a token', 60_000, () => requestToken(url, 'test'));
      const headers = { authorization: `Bearer ${token}` };
      const call = async (id: string, method: string, path: string, body?: unknown) => {
        statements.clear();
        const address = path.startsWith('http') ? path : `${url}${path}`;
        const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const response = await waitUntil('a response', 60_000, async () => {
          const answer = await fetch(address, request);
          return answer.status === 503 ? undefined : answer;
        });
        const text = await response.text();
        assert.ok(response.ok || response.status === 404, `${method} ${path}: ${response.status} ${text}`);
        unseen.delete(id);
        sentBy.set(`${id} ${response.status}`, new Map(statements));
        return text === '' || !text.startsWith('{') ? {} : (JSON.parse(text) as Answered);
      };
      const sku = '/merchant-skus/pot';
      const attributes_node_specific = [{ attribute_id: 1, attribute_value: 'red' }];
      await call('checkToken', 'GET', '/authcheck');
      await call('putSku', 'PUT', sku, { ...minimalSku(), attributes_node_specific });
      await call('putSku', 'PUT', '/merchant-skus/child', { ...minimalSku(), attributes_node_specific });
      const { marketplace_browse_node_id: _, ...shoe } = minimalSku();
      const boots = { ...shoe, product_type_id: 37_005_005_000, product_description: 'Rubber boots, knee-high.' };
      await call('putShoeSku', 'PUT', '/merchant-skus/shoe/v2', boots);
      await call('putOffer', 'PUT', '/merchant-skus/whole/offer', { sku: minimalSku(), price: { price: 5 } });
      await call('listSkus', 'GET', '/merchant-skus?limit=10');
      await call('listFilteredSkus', 'GET', '/merchant-skus?sub_status=Missing%20price&q=pot');
      await call('putPrice', 'PUT', `${sku}/price`, { price: 5 });
      const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 5 }] };
      await call('patchInventory', 'PATCH', `${sku}/inventory`, stock);
      const group = {
        relationship: 'Variation',
        variation_refinements: [1],
        children_skus: ['child'],
        group_title: 'x',
      };
      await call('putVariation', 'PUT', `${sku}/variation`, group);
      await call('putShippingException', 'PUT', `${sku}/shippingexception`, { fulfillment_nodes: [] });
      await call('putReturnsException', 'PUT', `${sku}/returnsexception`, { return_location_ids: [] });
      for (const [id, part] of [
        ['getSku', ''],
        ['getOffer', '/offer'],
        ['getPosition', '/position'],
        ['getPrice', '/price'],
        ['getInventory', '/inventory'],
        ['getVariation', '/variation'],
        ['getShippingException', '/shippingexception'],
        ['getReturnsException', '/returnsexception'],
        ['getReview', '/review'],
      ] as const) {
        await call(id, 'GET', `${sku}${part}`);
      }
      await call('requestReview', 'POST', `${sku}/review`);
      const pack = { ...minimalSku(), product_title: 'Pot, pack of 2', multipack_quantity: 1 };
      await call('putSku', 'PUT', '/merchant-skus/pack', pack);
      const { checks = [] } = await call('getReview', 'GET', '/merchant-skus/pack/review');
      const fixes = checks.flatMap((check) => check.fixes?.map(({ id }) => id) ?? []);
      await call('applyFixes', 'POST', '/merchant-skus/pack/review/fixes', { fixes });
      await call('putArchive', 'PUT', `${sku}/status/archive`, { is_archived: true });
      const change = { offers: [{ merchant_sku: 'whole', offer: { price: { price: 6 } } }] };
      const { id: planId } = await call('makePlan', 'POST', '/plans', change);
      await call('listPlans', 'GET', '/plans');
      await call('getPlan', 'GET', `/plans/${planId}`);
      await call('applyPlan', 'POST', `/plans/${planId}/apply`);
      await call('cancelFile', 'POST', `/files/${planId}/cancel`);
      await call('undoPlan', 'POST', `/plans/${planId}/undo`);
      const upload = await call('requestUpload', 'GET', '/files/uploadToken');
      const fileId = String(upload.marketplace_file_id);
      await call('uploadFile', 'PUT', String(upload.url), { pot: { price: 6 } });
      await call('receiveFile', 'POST', '/files/uploaded', {
        url: upload.url,
        file_type: 'Price',
        file_name: 'p.json',
      });
      await call('listFiles', 'GET', '/files');
      await call('getFile', 'GET', `/files/${fileId}`);
      await call('cancelFile', 'POST', `/files/${fileId}/cancel`);
      await call('undoFile', 'POST', `/files/${fileId}/undo`);
      const report = await call('requestReport', 'POST', '/reports/ProductStatus');
      await call('getReportState', 'GET', `/reports/state/${report.report_id}`);
      await call('requestFingerprints', 'POST', '/reports/Fingerprints');
      await call('requestOffers', 'POST', '/reports/Offers');
      await call('putPrice', 'PUT', '/merchant-skus/whole/price', { price: 6 });
      const { changes = [] } = await call('getHistory', 'GET', '/merchant-skus/whole/history');
      await call('restoreVersion', 'POST', `/merchant-skus/whole/history/${changes[0]?.id ?? 0}/restore`);
      const { events = [] } = await call('listEvents', 'GET', '/events');
      // Nothing listens at this address; a failed delivery is a response too.
      const hook = { url: 'http://127.0.0.1:1/', types: ['offer.updated'] };
      const webhook = `/webhooks/${(await call('addWebhook', 'POST', '/webhooks', hook)).webhook_id}`;
      await call('listWebhooks', 'GET', '/webhooks');
      await call('getWebhook', 'GET', webhook);
      await call('changeWebhook', 'PATCH', webhook, { enabled: true });
      await call('rollWebhookSecret', 'POST', `${webhook}/secret`, { overlap_seconds: 3600 });
      await call('testWebhook', 'POST', `${webhook}/test`);
      await call('replayEvent', 'POST', `${webhook}/replay`, { event_id: events[0]?.id });
      await call('listDeliveries', 'GET', `${webhook}/deliveries`);
      await call('removeWebhook', 'DELETE', webhook);
      await call('listFulfillmentNodes', 'GET', '/fulfillment-nodes');
      await call('getFulfillmentNode', 'GET', '/fulfillment-nodes/demo-node-east');
      await call('listSetupFulfillmentNodes', 'GET', '/setup/fulfillmentNodes');
      await call('listReturnLocations', 'GET', '/setup/returnsLocations');
      await call('listTaxonomyNodes', 'GET', '/taxonomy/links/v1');
      await call('getTaxonomyNode', 'GET', '/taxonomy/nodes/1010100');
      await call('listTaxonomyAttributes', 'GET', '/taxonomy/nodes/1010100/attributes');
      await call('getCategorySchema', 'GET', '/taxonomy/nodes/1010100/schema');
      await call('searchTaxonomy', 'GET', '/taxonomy/search?q=pot');
      await call('listUpcomingRequirements', 'GET', '/requirements/upcoming');
      await call('listUpcomingFailures', 'GET', '/requirements/upcoming/1/offers');
      await call('listRequirementChanges', 'GET', '/requirements/changes');
    },
  );
  assert.deepEqual([...unseen], [], 'every call was made');

  const shards = await countedShards(database.url, sentBy);
  assert.ok([...shards.values()].filter((count) => count === 1).length >= 20, 'calls of offers ask their shard');
});

/** Returns the statements that the process sends, by name. */
function recordStatements(t: { after(restore: () => void): void }): Map<string, Sent> {
  const sent = new Map<string, Sent>();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: [Sent]) {
    const [asked] = args;
    // Inserts of rows have no name; other statements without values start and end transactions.
    if (asked.values !== undefined && asked.name !== BEHIND_CALLS) sent.set(asked.name ?? asked.text, asked);
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as never;
  t.after(() => {
    pg.Client.prototype.query = query;
  });
  return sent;
}

/** Returns the largest number of shards per statement, by call. Fails if it is more than one. */
async function countedShards(
  url: string,
  sentBy: ReadonlyMap<string, ReadonlyMap<string, Sent>>,
): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const explained = new Map<string, number>();
  const shards = new Map<string, number>();
  try {
    for (const [id, sent] of sentBy) {
      for (const [name, { text, values = [] }] of sent) {
        assert.doesNotMatch(text, WRITES_REFERENCE, `${id} sends "${name}"`);
        if (!explained.has(name)) {
          const { rows } = await client.query<unknown[]>({
            text: `EXPLAIN (COSTS OFF) ${text}`,
            values,
            rowMode: 'array',
          });
          const plan = rows.map(([line]) => line).join('\n');
          const tasks = Array.from(plan.matchAll(/Task Count: (\d+)/g), ([, count]) => Number(count));
          assert.ok(Math.max(0, ...tasks) <= 1, `${id} sends "${name}":\n${plan}`);
          assert.doesNotMatch(plan, THROUGH_FILES, `${id} sends "${name}"`);
          explained.set(name, Math.max(0, ...tasks));
        }
        shards.set(id, Math.max(shards.get(id) ?? 0, explained.get(name) ?? 0));
      }
    }
  } finally {
    await client.end();
  }
  return shards;
}
