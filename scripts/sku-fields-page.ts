/** Writes the page on the fields of request bodies, from the schemas that check them. */

import { ArchiveBody } from '../src/domain/bodies/archive.ts';
import { InventoryBody } from '../src/domain/bodies/inventory.ts';
import { PriceBody } from '../src/domain/bodies/price.ts';
import { ReturnsExceptionBody } from '../src/domain/bodies/returns-exception.ts';
import { ShippingExceptionBody } from '../src/domain/bodies/shipping-exception.ts';
import { ShoeSkuBody, SkuBody } from '../src/domain/bodies/sku.ts';
import { VariationBody } from '../src/domain/bodies/variation.ts';
import type { BodySchema } from '../src/domain/check/schema.ts';
import { type TSchema, Type } from '../src/domain/check/type.ts';
import { page, table } from './markdown.ts';

/** Longer lists of values are left out, because `/docs/api` shows them. */
const VALUES_SHOWN_MAX = 12;

const shown = (value: number) => value.toLocaleString('en-US');
const upTo = (min: number | undefined, max: number) => `${min === undefined ? 'up' : min} to ${shown(max)}`;

export function skuFieldsPage(): string {
  return page(
    '# Fields of request bodies',
    'This page lists the fields of every call that writes a part of a SKU, and of the rows of a [bulk file](../guides/bulk-files.md). ' +
      '`a[].b` is the field `b` of each entry of the list `a`; if it is required, every entry must have it. ' +
      'Characters are Unicode code points. A field with `null` counts as absent. Prices and charges are in US dollars, ' +
      'with any number of decimals; send at most two. The API reference at `/docs/api` describes the fields of responses.',
    '## SKU',
    '`PUT /merchant-skus/{sku}`. An upload replaces all fields.',
    fieldsTable(SkuBody),
    '## Shoe SKU',
    '`PUT /merchant-skus/{sku}/v2`: all fields of a SKU, and this one.',
    fieldsTable(Type.Object({ product_type_id: ShoeSkuBody.properties.product_type_id })),
    '## Price',
    '`PUT /merchant-skus/{sku}/price`',
    fieldsTable(PriceBody),
    '## Inventory',
    '`PATCH /merchant-skus/{sku}/inventory`. Before the first quantity is sent, a read returns an empty list, and the time of the first upload as ' +
      '`inventory_last_update`; the report leaves that time empty.',
    fieldsTable(InventoryBody),
    '## Variation group',
    '`PUT /merchant-skus/{sku}/variation`, to the parent. [Variations](../guides/variations.md) shows how.',
    fieldsTable(VariationBody),
    '## Shipping exceptions',
    '`PUT /merchant-skus/{sku}/shippingexception`. [Exceptions](../guides/exceptions.md) shows how; ' +
      '[shipping](shipping.md) lists methods and levels.',
    fieldsTable(ShippingExceptionBody),
    '## Returns exception',
    '`PUT /merchant-skus/{sku}/returnsexception`',
    fieldsTable(ReturnsExceptionBody),
    '## Archive flag',
    '`PUT /merchant-skus/{sku}/status/archive`',
    fieldsTable(ArchiveBody),
  );
}

function fieldsTable(body: TSchema): string {
  return table(['field', 'type', 'required', 'allowed', 'meaning'], rowsOf(body as BodySchema, ''));
}

function rowsOf({ properties = {}, required = [] }: BodySchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [
      `\`${prefix}${name}\``,
      typeOf(schema),
      required.includes(name) ? 'yes' : '',
      allowed(schema),
      schema.description ?? '',
    ],
    ...rowsOf(schema.items ?? {}, `${prefix}${name}[].`),
  ]);
}

function typeOf({ type, items }: BodySchema): string {
  if (items !== undefined) return `list of ${items.type === 'object' ? 'objects' : `${typeOf(items)}s`}`;
  return [type].flat().join(', ');
}

function allowed(schema: BodySchema): string {
  if (schema.items !== undefined) {
    const entries = `${upTo(schema.minItems, schema.maxItems ?? 0)} entries`;
    const each = schema.items.properties === undefined ? allowed(schema.items) : '';
    return each === '' ? entries : `${entries}, each ${each}`;
  }
  if (schema.enum !== undefined) {
    if (schema.enum.length > VALUES_SHOWN_MAX) return `one of ${schema.enum.length} values, listed at \`/docs/api\``;
    return schema.enum.map((value) => `\`${value}\``).join(', ');
  }
  if (schema['x-pattern-text'] !== undefined) return schema['x-pattern-text'].replace(/^must consist of /, '');
  if (schema.format === 'int64') return '1 to 2^63 - 1';
  if (schema.minimum !== undefined) return `${shown(schema.minimum)} to ${shown(schema.maximum ?? 0)}`;
  if (schema.maxLength === undefined) return '';
  const url = schema.format === 'uri' ? '`http` or `https` URL, ' : '';
  return `${url}${upTo(schema.minLength, schema.maxLength)} characters`;
}
