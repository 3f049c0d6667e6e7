/**
 * Servers that Offerbook is compared with: they parse the body, respond, and store nothing. Fastify also checks the body. Run
 * `bare-servers.ts node|fastify`; it prints its URL.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { InventoryBody } from '../src/domain/bodies/inventory.ts';
import { PriceBody } from '../src/domain/bodies/price.ts';
import { SkuBody } from '../src/domain/bodies/sku.ts';
import { Type } from '../src/domain/check/type.ts';
import { sampleDocument } from './seed-store.ts';

const TIME = '2026-01-31T09:30:00.000Z';
const PRICE = { price: 12.5, fulfillment_nodes: [], price_last_update: TIME };
const INVENTORY = {
  fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 12, inventory_last_update: TIME }],
};
const SKU = {
  ...(JSON.parse(sampleDocument('sku')) as object),
  is_archived: false,
  status: 'Available For Purchase',
  sub_status: [],
};

const [, , kind] = process.argv;
if (kind === 'node') startNode();
else await startFastify();

function startNode(): void {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        const answer = request.url?.endsWith('/price') ? PRICE : request.url?.endsWith('/inventory') ? INVENTORY : SKU;
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer));
      } else {
        JSON.parse(Buffer.concat(chunks).toString('utf8'));
        response.writeHead(202).end();
      }
    });
  });
  server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
}

async function startFastify(): Promise<void> {
  const server = Fastify();
  const sku = '/merchant-skus/:sku';
  const priceAnswer = Type.Object({
    price: Type.Number(),
    fulfillment_nodes: Type.Array(Type.Object({ fulfillment_node_id: Type.String() })),
    price_last_update: Type.String(),
  });
  const inventoryAnswer = Type.Object({
    fulfillment_nodes: Type.Array(
      Type.Object({
        fulfillment_node_id: Type.String(),
        quantity: Type.Integer(),
        inventory_last_update: Type.String(),
      }),
    ),
  });
  const skuAnswer = Type.Object({
    ...SkuBody.properties,
    is_archived: Type.Boolean(),
    status: Type.String(),
    sub_status: Type.Array(Type.String()),
  });
  // Removes keywords that only Offerbook's own checker knows, for Ajv.
  const schemaOf = (schema: object) =>
    JSON.parse(JSON.stringify(schema, (key, value) => (key.startsWith('x-') ? undefined : value)));
  server.put(`${sku}/price`, { schema: { body: schemaOf(PriceBody) } }, async (_, reply) => reply.code(202).send());
  server.patch(`${sku}/inventory`, { schema: { body: schemaOf(InventoryBody) } }, async (_, reply) =>
    reply.code(202).send(),
  );
  server.put(sku, { schema: { body: schemaOf(SkuBody) } }, async (_, reply) => reply.code(202).send());
  server.get(`${sku}/price`, { schema: { response: { 200: schemaOf(priceAnswer) } } }, async () => PRICE);
  server.get(`${sku}/inventory`, { schema: { response: { 200: schemaOf(inventoryAnswer) } } }, async () => INVENTORY);
  server.get(sku, { schema: { response: { 200: schemaOf(skuAnswer) } } }, async () => SKU);
  await server.listen({ host: '127.0.0.1', port: 0 });
  announce((server.server.address() as AddressInfo).port);
}

function announce(port: number): void {
  console.log(`API   http://127.0.0.1:${port}`);
}
