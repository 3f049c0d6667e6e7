/**
 * The servers that Offerbook is compared with: they read and check the body and answer, and do nothing else.
 * Run as `bare-servers.ts node|fastify`; prints the address.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import Type from 'typebox';
import { PriceBody } from '../src/domain/bodies/price.ts';

const PRICE = { price: 12.5, fulfillment_nodes: [], price_last_update: '2026-01-31T09:30:00.000Z' };

const [, , kind] = process.argv;
if (kind === 'node') startNode();
else await startFastify();

function startNode(): void {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(PRICE));
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
  const answer = Type.Object({
    price: Type.Number(),
    fulfillment_nodes: Type.Array(Type.Object({ fulfillment_node_id: Type.String(), quantity: Type.Integer() })),
    price_last_update: Type.String(),
  });
  const url = '/merchant-skus/:sku/price';
  server.put(url, { schema: { body: PriceBody } }, async (_request, reply) => reply.code(202).send());
  server.get(url, { schema: { response: { 200: answer } } }, async () => PRICE);
  await server.listen({ host: '127.0.0.1', port: 0 });
  announce((server.server.address() as AddressInfo).port);
}

function announce(port: number): void {
  console.log(`API   http://127.0.0.1:${port}`);
}
