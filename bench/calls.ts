/** The measured calls, as merchants send them; clients.ts says what the placeholders stand for. */
import type { Clients } from './clients.ts';
import { sampleDocument } from './seed-store.ts';

export interface MeasuredCall extends Pick<Clients, 'method' | 'path' | 'body' | 'hasKeys'> {
  readonly title: string;
  /** Which third of the stored SKUs the call uses, so that a call does not find what another one changed; all SKUs without it. */
  readonly third?: 0 | 1 | 2;
  readonly areSkusNew?: boolean;
}

const PRICE = { method: 'PUT', path: '/merchant-skus/{sku}/price', body: '{"price":{value}.25}' } as const;
const STOCK = '{"fulfillment_nodes":[{"fulfillment_node_id":"demo-node-east","quantity":{value}}]}';
const SKU = { method: 'PUT', path: '/merchant-skus/{sku}', body: sampleDocument('{sku}') } as const;

export const CALLS: readonly MeasuredCall[] = [
  { title: 'PUT price, new price', ...PRICE },
  { title: 'PATCH inventory, new quantity', method: 'PATCH', path: '/merchant-skus/{sku}/inventory', body: STOCK },
  { title: 'PUT sku, new title', ...SKU, body: sampleDocument('{sku}', { title: ', {value}' }), third: 0 },
  { title: 'PUT sku, new description', ...SKU, body: sampleDocument('{sku}', { description: '{value}' }), third: 1 },
  { title: 'PUT sku, unchanged', ...SKU, third: 2 },
  { title: 'PUT price, Idempotency-Key', ...PRICE, hasKeys: true },
  { title: 'GET price', method: 'GET', path: '/merchant-skus/{sku}/price' },
  { title: 'GET inventory', method: 'GET', path: '/merchant-skus/{sku}/inventory' },
  { title: 'GET sku', method: 'GET', path: '/merchant-skus/{sku}' },
  // Last, because it makes the database larger.
  { title: 'PUT sku, new SKU', ...SKU, areSkusNew: true },
];

const NEW_SKUS_MAX = 9_000_000;

/** Returns the SKUs of a call, in a database with this many. */
export function skusOf({ third, areSkusNew }: MeasuredCall, stored: number): Pick<Clients, 'firstSku' | 'skus'> {
  if (areSkusNew) return { firstSku: stored, skus: NEW_SKUS_MAX };
  const skus = third === undefined ? stored : Math.floor(stored / 3);
  return { firstSku: skus * (third ?? 0), skus };
}
