/** Writes the HTTP requests of a load. Each request is for another SKU, and sends a value that this SKU does not have. */
import type { Clients } from './clients.ts';

/** Scatters the requests over the SKUs; a prime, so that every SKU has its turn. */
const STEP = 7919;
/** Values have five digits, so that the bodies of a load have the same length. */
const VALUES = 90_000;
const VALUE_MIN = 10_000;
/** Distance between two values that the same SKU gets one after the other. */
const VALUE_STEP = 37;

/**
 * Returns a function that writes the request with the given number. Bodies are ASCII. `keyPrefix` distinguishes the idempotency
 * keys of this run from those of others.
 */
export function requestWriter(
  load: Pick<Clients, 'server' | 'token' | 'method' | 'path' | 'body' | 'hasKeys' | 'firstSku' | 'skus'>,
  keyPrefix: string,
  skuId: (n: number) => string,
): (number: number) => string {
  const { method, body: template, hasKeys, firstSku = 0, skus } = load;
  const [before = '', after = ''] = load.path.split('{sku}');
  const fields = `host: ${new URL(load.server.url).host}\r\nauthorization: Bearer ${load.token}\r\n`;
  return (number) => {
    const place = (number * STEP) % skus;
    const id = skuId(firstSku + place);
    const key = hasKeys ? `idempotency-key: ${keyPrefix}-${number}\r\n` : '';
    const path = load.path === before ? before : before + encodeURIComponent(id) + after;
    const head = `${method} ${path} HTTP/1.1\r\n${fields}${key}`;
    if (template === undefined) return `${head}\r\n`;
    const value = VALUE_MIN + ((place + VALUE_STEP * Math.floor(number / skus)) % VALUES);
    const body = template.replaceAll('{sku}', id).replaceAll('{value}', String(value));
    return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}
