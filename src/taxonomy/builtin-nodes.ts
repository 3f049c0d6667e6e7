/**
 * The built-in taxonomy: the thirteen shoe product types and a few leaves of other departments, enough to list real
 * offers from the first minute. The ids are fixed: offers that name them must keep their category.
 */

import { SHOE_PRODUCT_TYPES } from '../domain/vocabulary/product-types.ts';
import type { ProductTaxCode } from '../domain/vocabulary/tax-codes.ts';

export interface BuiltinNode {
  readonly id: number;
  readonly name: string;
  readonly suggestedTaxCode?: ProductTaxCode;
  readonly children?: readonly BuiltinNode[];
}

const GENERIC: ProductTaxCode = 'Generic Taxable Product';

export const BUILTIN_DEPARTMENTS: readonly BuiltinNode[] = [
  {
    id: 1_000_000,
    name: 'Clothing',
    children: [
      { id: 1_000_100, name: 'T-Shirts', suggestedTaxCode: 'General Clothing' },
      { id: 1_000_200, name: 'Jeans', suggestedTaxCode: 'General Clothing' },
      { id: 1_000_300, name: 'Swimwear', suggestedTaxCode: 'Bathing Suits' },
      { id: 1_000_400, name: 'Baby Clothing', suggestedTaxCode: 'Infant Clothing' },
    ],
  },
  {
    id: 37_005_000_000,
    name: 'Shoes',
    children: SHOE_PRODUCT_TYPES.map((type) => ({ ...type, suggestedTaxCode: 'General Clothing' as const })),
  },
  {
    id: 1_010_000,
    name: 'Home & Kitchen',
    children: [
      { id: 1_010_100, name: 'Cookware', suggestedTaxCode: GENERIC },
      { id: 1_010_200, name: 'Bedding', suggestedTaxCode: GENERIC },
      { id: 1_010_300, name: 'Storage & Organization', suggestedTaxCode: GENERIC },
      { id: 1_010_400, name: 'Paper Towels', suggestedTaxCode: 'Paper Products' },
    ],
  },
  {
    id: 1_020_000,
    name: 'Electronics',
    children: [
      { id: 1_020_100, name: 'Headphones', suggestedTaxCode: GENERIC },
      { id: 1_020_200, name: 'Chargers & Cables', suggestedTaxCode: GENERIC },
      { id: 1_020_300, name: 'Cameras', suggestedTaxCode: GENERIC },
    ],
  },
  {
    id: 1_030_000,
    name: 'Grocery',
    children: [
      { id: 1_030_100, name: 'Coffee', suggestedTaxCode: 'General Grocery Items' },
      { id: 1_030_200, name: 'Candy', suggestedTaxCode: 'Candy' },
      { id: 1_030_300, name: 'Bottled Water', suggestedTaxCode: 'Bottled Water Plain' },
    ],
  },
  {
    id: 1_040_000,
    name: 'Pets',
    children: [
      { id: 1_040_100, name: 'Dog Food', suggestedTaxCode: 'Pet Foods' },
      { id: 1_040_200, name: 'Cat Litter', suggestedTaxCode: GENERIC },
    ],
  },
  {
    id: 1_050_000,
    name: 'Toys & Books',
    children: [
      { id: 1_050_100, name: 'Building Toys', suggestedTaxCode: GENERIC },
      { id: 1_050_200, name: 'Board Games', suggestedTaxCode: GENERIC },
      { id: 1_050_300, name: 'Books', suggestedTaxCode: GENERIC },
    ],
  },
  {
    id: 1_060_000,
    name: 'Sports',
    children: [
      { id: 1_060_100, name: 'Bicycle Helmets', suggestedTaxCode: 'Helmets' },
      { id: 1_060_200, name: 'Kayaks', suggestedTaxCode: 'Non-Motorized Boats' },
    ],
  },
];
