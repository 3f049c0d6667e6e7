/**
 * The server that Offerbook is compared with: a bare Fastify that parses and checks the same bodies, and keeps them in memory. Prints
 * its URL.
 */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { InventoryBody } from '../src/domain/bodies/inventory.ts';
import { PriceBody } from '../src/domain/bodies/price.ts';
import { SkuBody } from '../src/domain/bodies/sku.ts';
import { Type } from '../src/domain/check/type.ts';
import { sampleDocument } from './seed-store.ts';

const TIME = '2026-01-31T09:30:00.000Z';
const PriceAnswer = Type.Object({
  price: Type.Number(),
  fulfillment_nodes: Type.Array(Type.Object({ fulfillment_node_id: Type.String() })),
  price_last_update: Type.String(),
});
const InventoryAnswer = Type.Object({
  fulfillment_nodes: Type.Array(
    Type.Object({
      fulfillment_node_id: Type.String(),
      quantity: Type.Integer(),
      inventory_last_update: Type.Optional(Type.String()),
    }),
  ),
});
const SkuAnswer = Type.Object({
  ...SkuBody.properties,
  is_archived: Type.Boolean(),
  status: Type.String(),
  sub_status: Type.Array(Type.String()),
});

// Offerbook's schemas have fields of two types.
const server = Fastify({ ajv: { customOptions: { strictTypes: false } } });
part('PUT', '/price', PriceBody, PriceAnswer, { price: 12.5, fulfillment_nodes: [], price_last_update: TIME });
part('PATCH', '/inventory', InventoryBody, InventoryAnswer, {
  fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 12, inventory_last_update: TIME }],
});
part('PUT', '', SkuBody, SkuAnswer, {
  ...(JSON.parse(sampleDocument('sku')) as object),
  is_archived: false,
  status: 'Available For Purchase',
  sub_status: [],
});
server.get('/metrics', async () => {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1e6}\n`;
});
await server.listen({ host: '127.0.0.1', port: 0 });
console.log(`API   http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);

/** Adds the two calls of a part of an offer. `unset` is the response for a SKU that was not sent. */
function part(method: 'PUT' | 'PATCH', path: string, body: object, answer: object, unset: object): void {
  const stored = new Map<string, object>();
  const url = `/merchant-skus/:sku${path}`;
  server.route<{ Params: { sku: string }; Body: object }>({
    method,
    url,
    schema: { body: schemaOf(body) },
    handler: async ({ params, body: sent }, reply) => {
      stored.set(params.sku, sent as object);
      return reply.code(202).send();
    },
  });
  server.get<{ Params: { sku: string } }>(
    url,
    { schema: { response: { 200: schemaOf(answer) } } },
    async ({ params }) => ({ ...unset, ...stored.get(params.sku) }),
  );
}

/** Removes keywords that only Offerbook's own checker knows, for Ajv. */
function schemaOf(schema: object): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : value)));
}
