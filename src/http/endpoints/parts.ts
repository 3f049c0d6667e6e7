/** The calls that read and write one part of an offer: their texts and answers. Everything else is derived from the table of parts. */
import { whenThere } from '../../domain/awaitable.ts';
import { PART_BODIES } from '../../domain/bodies/part-bodies.ts';
import { ShoeSkuBody, StoredSku } from '../../domain/bodies/sku.ts';
import { type TObject, type TSchema, Type } from '../../domain/check/type.ts';
import type { InventoryReading, Part, ReadingOf } from '../../domain/offers/part.ts';
import { PLAIN_SKU, SHOE_SKU } from '../../domain/offers/parts/sku.ts';
import { groupFields } from '../../domain/offers/parts/variation.ts';
import { PART } from '../../domain/offers/parts.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { CLEARABLE_PARTS, type OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import { dryRunPart } from '../../operations/offers/dry-run.ts';
import { type PartReading, readExcluded, readPart } from '../../operations/offers/read.ts';
import { writePart } from '../../operations/offers/write.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Documentation, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';
import { returnsFields, returnsJson } from './get-sku.ts';

const PATH = '/merchant-skus/{user_defined_sku_id}';
const updateTime = { format: 'date-time' } as const;

/** The values of each part in the history, in the format of `json` of the part. */
export const PART_VALUES: Readonly<Record<OfferPart, TSchema>> = {
  ...PART_BODIES,
  sku: StoredSku,
  price: Type.Required(PART_BODIES.price),
  inventory: Type.Unsafe<Record<string, number>>({
    type: 'object',
    description: 'Quantities by fulfillment node id, for changed nodes only.',
    additionalProperties: { type: 'integer' },
  }),
  ...Object.fromEntries(
    CLEARABLE_PARTS.map((part) => [part, Type.Required(PART_BODIES[part] as TObject<Record<string, TSchema>>)]),
  ),
};

export const skuUploadEndpoints: readonly MerchantEndpoint[] = [
  write(PLAIN_SKU, {
    id: 'putSku',
    tag: 'SKUs',
    summary: 'Upload the data of a SKU',
    description:
      'Replaces the data of the SKU. Price, inventory, exceptions, variation group and archive flag do not change.',
  }),
  write(SHOE_SKU, {
    id: 'putShoeSku',
    path: '/v2',
    tag: 'SKUs',
    summary: 'Upload the data of a shoe SKU',
    description: 'Works like the SKU upload. The shoe product type becomes the category of the SKU.',
    requestBody: ShoeSkuBody,
  }),
];

export const partEndpoints: readonly MerchantEndpoint[] = [
  write(PART.price, {
    id: 'putPrice',
    tag: 'Price',
    summary: 'Set the price of a SKU',
    description: 'Replaces the whole price, including the prices of individual nodes.',
  }),
  read(PART.price, {
    id: 'getPrice',
    tag: 'Price',
    summary: 'Read the price of a SKU',
    description:
      'Returns the price with all prices of individual nodes, as they were sent. 404 `price_unset` before the first price.',
    answer: Type.Object({
      ...Type.Required(PART_BODIES.price).properties,
      price_last_update: Type.String({ ...updateTime, description: 'When this price was accepted.' }),
    }),
    json({ price, nodes, updatedMs }) {
      const nodesJson = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
      return `{"price":${price},"fulfillment_nodes":${nodesJson},"price_last_update":"${isoTime(updatedMs)}"}`;
    },
  }),
  write(PART.inventory, {
    id: 'patchInventory',
    method: 'PATCH',
    tag: 'Inventory',
    summary: 'Set the quantity of a SKU at fulfillment nodes',
    description: 'Updates only the nodes in the body. Send quantity 0 to set a node to zero.',
  }),
  read(PART.inventory, {
    id: 'getInventory',
    tag: 'Inventory',
    summary: 'Read the quantities of a SKU',
    description: 'Returns the quantities you sent last. Sales do not change them.',
    answer: Type.Object({
      fulfillment_nodes: Type.Array(
        Type.Object({
          fulfillment_node_id: Type.String({ description: 'Id of the fulfillment node.' }),
          quantity: Type.Integer({ description: 'Items in stock at the node.' }),
          inventory_last_update: Type.String({ ...updateTime, description: 'When this quantity was accepted.' }),
        }),
        { description: 'Nodes with a quantity.' },
      ),
      inventory_last_update: Type.Optional(
        Type.String({
          ...updateTime,
          description:
            'When the SKU was first uploaded, or last archived or unarchived. Present only if no quantity was ever sent.',
        }),
      ),
    }),
    json: inventoryJson,
  }),
  write(PART.variation, {
    id: 'putVariation',
    tag: 'Variation',
    summary: 'Group SKUs as variations of one product',
    description:
      'Send the group to its parent SKU. The call replaces the group of that SKU. A SKU belongs to at most one group: if you list a SKU of another group, it moves to this group.',
  }),
  read(PART.variation, {
    id: 'getVariation',
    tag: 'Variation',
    summary: 'Read the variation group of a parent SKU',
    description:
      'Returns the group with the SKUs that are excluded from it. 404 `variation_unset` for children and for SKUs without a group.',
    answer: Type.Object({
      ...PART_BODIES.variation.properties,
      children_skus: Type.Array(Type.String(), { description: 'Ids of the other members.' }),
      excluded_skus: Type.Array(Type.String(), {
        description:
          'SKU ids excluded from the group because their values repeat those of an earlier member, or because they no longer match the parent.',
      }),
    }),
    async json(group, { services, account, skuId }) {
      const excluded = await readExcluded(services.context, account, skuId, group);
      return spliceJson('{}', { ...groupFields(group), excluded_skus: JSON.stringify(excluded) });
    },
  }),
  write(PART.shipping_exception, {
    id: 'putShippingException',
    tag: 'Exceptions',
    summary: 'Set or clear the shipping exceptions of a SKU',
    description: 'Replaces all shipping exceptions of the SKU. Send `{}` to clear them.',
  }),
  read(PART.shipping_exception, {
    id: 'getShippingException',
    tag: 'Exceptions',
    summary: 'Read the shipping exceptions of a SKU',
    description:
      'Returns all exceptions of the SKU, as they were sent. 404 `shipping_exception_unset` if there are none.',
  }),
  write(PART.returns_exception, {
    id: 'putReturnsException',
    tag: 'Exceptions',
    summary: 'Set or clear the returns exception of a SKU',
    description: 'Sets the locations to which customers return the SKU. Send `{}` to clear the exception.',
  }),
  read(PART.returns_exception, {
    id: 'getReturnsException',
    tag: 'Exceptions',
    summary: 'Read the returns exception of a SKU',
    description:
      'Returns the return locations of the SKU. 404 `returns_exception_unset` if your account settings apply.',
    answer: Type.Object(returnsFields),
    json: (locationIds, { services, account }) => {
      return spliceJson('{}', returnsJson(locationIds, account, services.context.names));
    },
  }),
  write(PART.archive, {
    id: 'putArchive',
    path: '/status/archive',
    tag: 'SKUs',
    summary: 'Archive or unarchive a SKU',
    description:
      'Archiving and unarchiving set the stock at every node to zero. An archived SKU rejects all other updates. ' +
      "Send the SKU's `ETag` as `If-Match`; archiving does not change it.",
  }),
];

interface WriteTexts extends Documentation {
  readonly method?: 'PUT' | 'PATCH';
  /** By default the path of the read. */
  readonly path?: string;
  /** By default the body of the part. */
  readonly requestBody?: TSchema;
}

/** Only the upload can add a SKU, so every other write returns 404 for an unknown one. */
function write(part: Part, { method = 'PUT', path = part.path, ...texts }: WriteTexts): MerchantEndpoint {
  const [dryRun, operation] = [dryRunPart(part), writePart(part)];
  return {
    requestBody: PART_BODIES[part.name],
    ...texts,
    method,
    path: `${PATH}${path}`,
    access: 'merchant',
    needs: SCOPE[part.scope],
    ...(part.checkMembers === undefined ? {} : { concerns: 'several_skus' }),
    ...(part.name === 'sku' ? {} : { failures: [404] }),
    dryRun: (call) => writeDryRun(call, dryRun),
    versioned: true,
    storesKey: true,
    handle: (call) => writeAnswer(call, operation),
  };
}

interface ReadTexts<Name extends OfferPart> extends Documentation {
  /** By default the JSON of the part. */
  readonly json?: (value: ReadingOf<Name>, call: MerchantCall) => string | Promise<string>;
}

function read<Name extends OfferPart>(part: Part<Name>, { json, ...texts }: ReadTexts<Name>): MerchantEndpoint {
  return {
    answer: PART_VALUES[part.name],
    ...texts,
    method: 'GET',
    path: `${PATH}${part.path}`,
    access: 'merchant',
    needs: SCOPE.read,
    failures: [404],
    versioned: true,
    handle(call) {
      const { services, account, skuId } = call;
      return whenThere(readPart(services.context, account, skuId, part), (outcome) => {
        if (!outcome.ok) return outcome;
        const { value, tag } = outcome.value as PartReading<Name>;
        const text = json?.(value, call) ?? part.json(value, services.context.names);
        return whenThere(text, (body) =>
          foundAnswer(
            outcome,
            () => body,
            () => tag,
          ),
        );
      });
    },
  };
}

function inventoryJson({ nodes, stampMs }: InventoryReading): string {
  if (stampMs !== null) return `{"fulfillment_nodes":[],"inventory_last_update":"${isoTime(stampMs)}"}`;
  let list = '';
  for (const node of nodes) list += list === '' ? nodeJson(node) : `,${nodeJson(node)}`;
  return `{"fulfillment_nodes":[${list}]}`;
}

/** Concatenates the JSON, because only the id needs escaping. */
function nodeJson({ fulfillment_node_id: id, quantity, updatedMs }: InventoryReading['nodes'][number]): string {
  const time = isoTime(updatedMs);
  return `{"fulfillment_node_id":${JSON.stringify(id)},"quantity":${quantity},"inventory_last_update":"${time}"}`;
}
