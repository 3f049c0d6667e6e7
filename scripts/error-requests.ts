/** Lists requests that a healthy server refuses, one for each error code, and captures each with its response. */
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { PARTS } from '../src/domain/offers/parts.ts';
import { type Capture, type Code, type Fields, PATIENCE_MS, spaced } from './error-capture.ts';

export const SKU: Fields = {
  product_title: 'Stoneware mug',
  brand: 'Potter & Sons',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
  main_image_url: 'https://images.example/mug.jpg',
};
export const COLOR = 119;

/** Needs a demo server with the SKUs MUG-300, MUG-500, OTHER-1 and OLD-1, which is archived. */
export async function captureRefusals(api: Capture): Promise<void> {
  await captureRequests(api);
  await captureKeys(api);
  await captureBodies(api);
  await captureFields(api);
  await captureShipping(api);
  await captureStored(api);
  await captureFiles(api);
  await captureTooManyReports(api);
  await captureEvents(api);
}

async function captureBodies(api: Capture): Promise<void> {
  const price = '/merchant-skus/MUG-300/price';
  await api.refused('body_missing', 'PUT', price, undefined, 'without a body');
  await api.refused('body_too_large', 'POST', '/token', 'x'.repeat(9000), 'with 9,000 bytes');
  const encoded = { 'content-encoding': 'gzip' };
  await api.refused('body_encoded', 'PUT', price, '{}', 'with the header `Content-Encoding: gzip`', encoded);
  const latin1 = Buffer.from('{"price": "é"}', 'latin1');
  await api.refused('body_not_utf8', 'PUT', price, latin1, 'with a body in Latin-1');
  await api.refused('body_not_json', 'PUT', price, '{"price": 9.95,}');
  await api.refused('body_too_deep', 'PUT', price, '['.repeat(40), 'with 40 opening brackets');
  const values = `{"price": [${'1,'.repeat(50_001)}1]}`;
  await api.refused('body_too_complex', 'PUT', price, values, 'with a list of 50,002 numbers');
  await api.refused('body_not_object', 'PUT', price, '[]');
}

async function captureKeys(api: Capture): Promise<void> {
  const price = '/merchant-skus/OTHER-1/price';
  const key = (value: string) => ({ 'idempotency-key': value });
  const empty = 'with an empty `Idempotency-Key` header';
  await api.refused('idempotency_key_invalid', 'PUT', price, { price: 9.95 }, empty, key(''));
  await api.send('PUT', price, { price: 9.95 }, key('8e1f6a2c'));
  const reused = 'with an `Idempotency-Key` that was sent with another price';
  await api.refused('idempotency_key_reused', 'PUT', price, { price: 8.95 }, reused, key('8e1f6a2c'));
}

async function captureFields(api: Capture): Promise<void> {
  const sku = (code: Code, fields: Fields, shown?: string) =>
    api.refused(
      code,
      'PUT',
      '/merchant-skus/MUG-300',
      { ...SKU, ...fields },
      shown ?? `with \`${spaced(fields).slice(1, -1)}\``,
    );
  await api.refused('required', 'PUT', '/merchant-skus/MUG-300/price', {});
  await api.refused('wrong_type', 'PUT', '/merchant-skus/MUG-300/price', { price: '9.95' });
  await api.refused('too_small', 'PUT', '/merchant-skus/MUG-300/price', { price: 0 });
  await sku('too_large', { multipack_quantity: 129 });
  await sku('too_short', { product_title: 'Mug' });
  await sku('too_long', { brand: 'x'.repeat(101) }, 'with a `brand` of 101 characters');
  await sku('too_few', { attributes_node_specific: [] });
  await sku('too_many', { bullets: ['1', '2', '3', '4', '5', '6'] });
  await sku('not_allowed', { product_tax_code: 'Mugs' });
  await sku('bad_format', { ASIN: 'B00-ABC-12' });
  await sku('bad_url', { main_image_url: 'mug.jpg' });
  await sku('forbidden_character', { brand: 'Potter\u0000' });
  await sku('product_code_required', { standard_product_codes: null });
  const code = { standard_product_code_type: 'UPC', standard_product_code: '12345678905' };
  await sku('product_code_length', { standard_product_codes: [code] });
  await sku('map_price_required', { map_implementation: '102' });
  const image = { image_slot_id: 1, image_url: 'https://images.example/side.jpg' };
  await sku('image_slot_repeated', { alternate_images: [image, image] });
  const attribute = { attribute_id: COLOR, attribute_value: 'https://images.example/red.jpg' };
  await sku('image_url_as_value', { attributes_node_specific: [attribute] });
  const cautions = ['no warning applicable', 'choking hazard balloon'];
  await sku('caution_contradiction', { cpsia_cautionary_statements: cautions });
  await sku('browse_node_unknown', { marketplace_browse_node_id: 1 });
  const nodes = Array.from({ length: 101 }, () => ({}));
  await api.refused(
    'more_problems',
    'PATCH',
    '/merchant-skus/MUG-300/inventory',
    { fulfillment_nodes: nodes },
    'with 101 empty objects in `fulfillment_nodes`',
  );
}

async function captureShipping(api: Capture): Promise<void> {
  const target = '/merchant-skus/MUG-300/shippingexception';
  const east = (code: Code, ...exceptions: Fields[]) =>
    api.refused(code, 'PUT', target, {
      fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', shipping_exceptions: exceptions }],
    });
  const exclusive = { shipping_exception_type: 'exclusive', service_level: 'Standard' };
  const include = { shipping_exception_type: 'include', service_level: 'Expedited' };
  const restricted = { shipping_exception_type: 'restricted', service_level: 'Expedited' };
  await east('service_required', { shipping_exception_type: 'include' });
  await east('charge_required', { ...include, override_type: 'Override charge' });
  await east('charge_on_restricted', { ...restricted, shipping_charge_amount: 5 });
  await east('exclusive_repeated', exclusive, { ...exclusive, service_level: 'Expedited' });
  await east('exclusive_with_include', exclusive, include);
  await east('exclusive_with_restricted', exclusive, restricted);
  await east('restricted_not_enabled', { ...restricted, service_level: 'Next Day' });
  const type = { shipping_exception_type: 'restricted' };
  const methods = ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'];
  await east('all_restricted', ...methods.map((shipping_method) => ({ ...type, shipping_method })));
  await east('additional_charge_not_enabled', {
    ...include,
    service_level: 'Next Day',
    override_type: 'Additional charge',
    shipping_charge_amount: 5,
  });
  await api.refused('list_required_to_clear', 'PUT', target, { fulfilment_nodes: [] });
}

async function captureStored(api: Capture): Promise<void> {
  const mug = '/merchant-skus/MUG-300';
  await api.refused('sku_id_invalid', 'GET', `/merchant-skus/${'x'.repeat(65)}`);
  await api.refused('sku_unknown', 'GET', '/merchant-skus/NONE');
  await api.refused('sku_archived', 'PUT', '/merchant-skus/OLD-1/price', { price: 9.95 });
  const conditional = { 'if-match': '"abc"' };
  const flag = { is_archived: true };
  await api.refused('precondition_failed', 'PUT', `${mug}/status/archive`, flag, 'with `If-Match: "abc"`', conditional);
  for (const { unset, path } of PARTS) {
    if (unset !== undefined) await api.refused(unset[0] as Code, 'GET', `${mug}${path}`);
  }
  const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'NONE', quantity: 12 }] };
  await api.refused('fulfillment_node_unknown', 'PATCH', `${mug}/inventory`, stock);
  await api.refused('return_location_unknown', 'PUT', `${mug}/returnsexception`, { return_location_ids: ['NONE'] });
  await api.refused('taxonomy_node_not_found', 'GET', '/taxonomy/nodes/1');
  await api.refused('fulfillment_node_not_found', 'GET', '/fulfillment-nodes/NONE');
  const group = (code: Code, child: string, refinement = COLOR) =>
    api.refused(code, 'PUT', `${mug}/variation`, {
      relationship: 'Variation',
      variation_refinements: [refinement],
      children_skus: [child],
    });
  await group('child_unknown', 'NONE');
  await group('child_archived', 'OLD-1');
  await group('brand_differs', 'OTHER-1');
  await group('refinement_missing', 'MUG-500', 120);
  const fixes = `${mug}/review/fixes`;
  await api.refused('fix_unknown', 'POST', fixes, { fixes: ['4711'] });
  await api.refused('fix_stale', 'POST', fixes, { fixes: ['pHiVpR0nYg.mCkV0dx2Lw'] });
  await api.refused('change_unknown', 'POST', `${mug}/history/999999/restore`);
  await api.refused('version_empty', 'POST', `${mug}/history/1/restore`);
}

async function captureRequests(api: Capture): Promise<void> {
  const large = { 'x-note': 'x'.repeat(20_000) };
  await api.refused('request_malformed', 'GET', '/authcheck', undefined, 'with 20,000 bytes of headers', large);
  await api.refused('route_not_found', 'GET', '/nowhere');
  await api.refused('method_not_allowed', 'DELETE', '/merchant-skus/MUG-300');
  await api.refused('query_invalid', 'GET', '/merchant-skus?limit=0');
  const malformed = { 'if-match': 'abc' };
  await api.refused(
    'header_invalid',
    'PUT',
    '/merchant-skus/MUG-300/price',
    { price: 9.95 },
    'with `If-Match: abc`',
    malformed,
  );
  await api.refused('after_unknown', 'GET', '/merchant-skus?after=NONE');
  await api.refused('token_missing', 'GET', '/authcheck', undefined, 'without a token', { authorization: '' });
  const wrong = { authorization: 'Bearer abc' };
  await api.refused('token_invalid', 'GET', '/authcheck', undefined, 'with the token `abc`', wrong);
  const keys = { user: 'demo-live-user', pass: 'wrong' };
  await api.refused('credentials_wrong', 'POST', '/token', keys);
  for (let failures = 1; failures < 20; failures++) await api.send('POST', '/token', keys);
  await api.refused('too_many_failures', 'POST', '/token', keys, 'with a wrong secret, for the 21st time in a minute');
}

async function captureFiles(api: Capture): Promise<void> {
  await api.fileFault('file_empty', ' ', 'only a space');
  await api.fileFault('file_truncated', '{"MUG-300": {"price": 9.95}');
  await api.fileFault('file_not_object', '[]');
  await api.fileFault('file_not_json', '{"MUG-300": {"price": 9.95} "MUG-500": {}}');
  await api.fileFault('file_header_invalid', 'sku,amount\nMUG-300,9.95\n', 'the header `sku,amount`');
  await api.fileFault('file_column_unknown', 'sku,price,prize\nMUG-300,9.95,8\n', 'the header `sku,price,prize`');
  const csv = (row: string) => `the header \`sku,price\` and the row \`${row}\``;
  await api.fileFault('file_row_unending', 'sku,price\n"MUG-300,9.95\n', csv('"MUG-300,9.95'));
  await api.fileFault('cell_invalid', 'sku,price\nMUG-300,"9,95"\n', csv('MUG-300,"9,95"'), 'MUG-300');
  const packed = gzipSync('{}');
  await api.fileFault(
    'file_gzip_damaged',
    Buffer.concat([packed.subarray(0, 10), Buffer.alloc(20, 255)]),
    'damaged gzip data',
  );
  await api.fileFault(
    'file_unpacked_too_large',
    gzipSync(' '.repeat(1_000_001)),
    'more bytes after decompression than allowed',
  );
  const rows = Array.from({ length: 4000 }, (_none, place) => `"NONE-${place}":{}`);
  await api.fileFault('file_errors_too_many', gzipSync(`{${rows.join()}}`), '4,000 wrong rows');

  const { url } = await api.done('GET', '/files/uploadToken');
  const link = String(url);
  const short = '/uploads/{id}?…';
  const capture = async (code: Code, target: string, bytes: string, what: string) => {
    const { status, body } = await api.send('PUT', target, bytes);
    api.add(code, `\`PUT ${short}\` ${what}`, status, body);
  };
  await capture('link_invalid', `${link}0`, '{}', 'with one character of the URL changed');
  await capture('file_too_large', link, 'x'.repeat(1_000_001), 'with more bytes than allowed');
  await api.done('PUT', link, '{}');
  await capture('file_uploaded_before', link, '{}', 'to a URL that already has a file');
  const other = { url: 'https://shop.example/uploads/1', file_type: 'Price', file_name: 'prices.json' };
  await api.refused('file_not_uploaded', 'POST', '/files/uploaded', other);
  await api.refused('file_not_found', 'GET', `/files/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`);
  await api.refused('report_not_found', 'GET', `/reports/state/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`);
  await captureTooManyUploads(api, capture);
}

async function captureTooManyUploads(
  api: Capture,
  capture: (code: Code, target: string, bytes: string, what: string) => Promise<void>,
): Promise<void> {
  const ends: (() => void)[] = [];
  const uploads: Promise<unknown>[] = [];
  for (let count = 0; count < 10; count++) {
    const { url } = await api.done('GET', '/files/uploadToken');
    const slow = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{'));
        ends.push(() => {
          controller.enqueue(Buffer.from('}'));
          controller.close();
        });
      },
    });
    uploads.push(api.send('PUT', String(url), slow));
  }
  const { url } = await api.done('GET', '/files/uploadToken');
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await pause(20)) {
    const { status } = await api.send('PUT', String(url), '');
    if (status === 429) break;
  }
  await capture('uploads_too_many', String(url), '{}', 'while 10 uploads are in flight');
  for (const end of ends) end();
  await Promise.all(uploads);
}

async function captureTooManyReports(api: Capture): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; ) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.send('POST', '/reports/ProductStatus')));
    const refusal = answers.find(({ status }) => status === 429);
    if (refusal === undefined) continue;
    api.add('reports_too_many', '`POST /reports/ProductStatus` while 5 reports are pending', 429, refusal.body);
    return;
  }
  throw new Error('no report was refused');
}

async function captureEvents(api: Capture): Promise<void> {
  await api.refused('cursor_unknown', 'GET', '/events?after=1');
  const waits = Array.from({ length: 11 }, () => api.send('GET', '/events?after=latest&types=key.rolled&wait=2'));
  const { status, body } = await Promise.race(waits);
  api.add('event_waits_too_many', '`GET /events?wait=2` while 10 requests are waiting', status, body);
  await Promise.all(waits);
  const none = `/webhooks/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
  await api.refused('webhook_not_found', 'GET', none);
  await api.refused('url_not_public', 'POST', '/webhooks', { url: 'http://127.0.0.1:9000/hook' });
  const ids: unknown[] = [];
  const url = 'https://hooks.example/offerbook';
  for (let count = 0; count < 10; count++) ids.push((await api.done('POST', '/webhooks', { url })).webhook_id);
  await api.refused('webhooks_full', 'POST', '/webhooks', { url }, 'for the 11th time');
  const missing = { event_id: '000000000000-1-1' };
  const replay = await api.send('POST', `/webhooks/${ids[0]}/replay`, missing);
  api.add(
    'event_not_found',
    '`POST /webhooks/{webhook_id}/replay` with an unknown `event_id`',
    replay.status,
    replay.body,
  );
  for (let count = 0; count < 4; count++) await api.done('POST', `/webhooks/${ids[0]}/secret`, {});
  const full = await api.send('POST', `/webhooks/${ids[0]}/secret`, {});
  api.add(
    'webhook_secrets_full',
    '`POST /webhooks/{webhook_id}/secret` for the 5th time within a day',
    full.status,
    full.body,
  );
  for (const id of ids.slice(1)) await api.send('DELETE', `/webhooks/${id}`);
  const types = { types: ['report.ready'] };
  const changes = await Promise.all(Array.from({ length: 100 }, () => api.send('PATCH', `/webhooks/${ids[0]}`, types)));
  const late = changes.find(({ status }) => status === 429);
  api.add(
    'webhook_changes_too_many',
    '`PATCH /webhooks/{webhook_id}` as the 101st change in an hour',
    late?.status ?? 0,
    late?.body,
  );
}
