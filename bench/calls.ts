/** The measured calls, as merchants send them; `{n}` stands for the number of a SKU. */
import { sampleDocument } from './seed-store.ts';

export interface MeasuredCall {
  readonly title: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body?: string;
  /** Whether each request has its own `Idempotency-Key`. */
  readonly hasKeys?: boolean;
  /** Required share of bare Fastify's rate, if any. */
  readonly floor?: number;
}

const quantity = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 12 }] };

export const CALLS: readonly MeasuredCall[] = [
  { title: 'PUT price', method: 'PUT', path: '/merchant-skus/sku-{n}/price', body: '{"price":12.5}', floor: 0.8 },
  {
    title: 'PUT price, key',
    method: 'PUT',
    path: '/merchant-skus/sku-{n}/price',
    body: '{"price":12.5}',
    hasKeys: true,
  },
  {
    title: 'PATCH inventory',
    method: 'PATCH',
    path: '/merchant-skus/sku-{n}/inventory',
    body: JSON.stringify(quantity),
    floor: 0.8,
  },
  { title: 'PUT sku', method: 'PUT', path: '/merchant-skus/sku-{n}', body: sampleDocument('sku'), floor: 0.5 },
  { title: 'GET price', method: 'GET', path: '/merchant-skus/sku-{n}/price', floor: 0.7 },
  { title: 'GET inventory', method: 'GET', path: '/merchant-skus/sku-{n}/inventory', floor: 0.7 },
  { title: 'GET sku', method: 'GET', path: '/merchant-skus/sku-{n}', floor: 0.6 },
];
