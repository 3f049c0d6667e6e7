/**
 * Writes the lines of an export: one JSON object each, with neutral names and fields in a fixed order, so that exports
 * of equal merchants have equal bytes. docs/reference/export-format.md describes them.
 */
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import type { CredentialRecord, GroupRecord, MerchantRecord, OfferRecord } from '../../domain/export/records.ts';
import { CLEARABLE } from '../../domain/offers/parts.ts';
import { planLimitFields } from '../../domain/setup/credential-roll.ts';
import { scopesIn } from '../../domain/setup/key-scopes.ts';

export const EXPORT_KIND = 'offerbook_export';
export const EXPORT_VERSION = 1;

export interface ExportCounts {
  merchants: number;
  skus: number;
  /** Number of all lines, including the first and the last. */
  lines: number;
}

export function headerLine(): string {
  return JSON.stringify({ kind: EXPORT_KIND, version: EXPORT_VERSION });
}

export function merchantLine(merchant: MerchantRecord): string {
  return JSON.stringify({
    kind: 'merchant',
    merchant_id: merchant.merchantId,
    name: merchant.name,
    created: time(merchant.createdMs),
    suspended: merchant.suspended,
    time_to_return: merchant.timeToReturnDays,
    return_shipping_methods: merchant.returnShippingMethods,
  });
}

export function environmentLine(environment: Environment): string {
  return JSON.stringify({ kind: 'environment', environment });
}

export function credentialLine(credential: CredentialRecord): string {
  return JSON.stringify({
    kind: 'credential',
    user: credential.user,
    salt: Buffer.from(credential.salt).toString('base64'),
    secret_sha256: Buffer.from(credential.secretHash).toString('base64'),
    created: time(credential.createdMs),
    ...(credential.endsMs === null ? {} : { ends: time(credential.endsMs) }),
    ...(credential.name === '' ? {} : { name: credential.name }),
    scopes: scopesIn(credential.scopes),
    ...(credential.skuPrefix === '' ? {} : { sku_prefix: credential.skuPrefix }),
    ...Object.fromEntries(Object.entries(planLimitFields(credential.planLimits)).filter(([, limit]) => limit !== null)),
  });
}

export function nodeLine(node: FulfillmentNode): string {
  return JSON.stringify({
    kind: 'fulfillment_node',
    fulfillment_node_id: node.id,
    rate_kind: node.rateKind,
    shipping_methods: node.methods,
    service_levels: node.levels,
  });
}

export function returnLocationLine(locationId: string): string {
  return JSON.stringify({ kind: 'return_location', return_location_id: locationId });
}

/** Concatenates stored JSON texts unchanged, which keeps large integers exact and needs no parsing. */
export function skuLine(offer: OfferRecord): string {
  const { price, inventory } = offer;
  const parts = [
    `{"kind":"sku","sku_id":${JSON.stringify(offer.skuId)}`,
    `"first_upload":"${time(offer.firstUploadMs)}"`,
    `"archived":${offer.archived}`,
    `"data":${offer.document}`,
    `"data_updated":"${time(offer.documentUpdatedMs)}"`,
  ];
  if (price !== null) {
    const nodes = JSON.stringify(price.nodes);
    parts.push(`"price":{"price":${price.price},"fulfillment_nodes":${nodes},"updated":"${time(price.updatedMs)}"}`);
  }
  if (inventory.nodes.length > 0) {
    const nodes = inventory.nodes.map(({ fulfillment_node_id, quantity, updatedMs }) => {
      return { fulfillment_node_id, quantity, updated: time(updatedMs) };
    });
    parts.push(`"inventory":${JSON.stringify(nodes)}`);
  }
  parts.push(`"inventory_stamp":"${time(inventory.stampMs)}"`);
  for (const { name, stored } of CLEARABLE) {
    const text = offer.clearable[name];
    if (text !== null) parts.push(`"${stored.exportField}":${text}`);
  }
  return `${parts.join(',')}}`;
}

export function groupLine({ skuId, refinements, title, childrenSkus }: GroupRecord): string {
  return [
    `{"kind":"variation_group","sku_id":${JSON.stringify(skuId)}`,
    `"variation_refinements":${refinements}`,
    ...(title === null ? [] : [`"group_title":${JSON.stringify(title)}`]),
    `"children_skus":${JSON.stringify(childrenSkus)}}`,
  ].join(',');
}

export function endLine({ merchants, skus, lines }: ExportCounts): string {
  return JSON.stringify({ kind: 'end', merchants, skus, lines });
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
