/** The shoe product types that the shoe SKU upload accepts. Each is its own category. */
export const SHOE_PRODUCT_TYPES = Object.freeze([
  { id: 37_005_005_000, name: 'Boots' },
  { id: 37_005_013_000, name: 'Clogs' },
  { id: 37_005_030_000, name: 'Mules' },
  { id: 37_005_023_000, name: 'Flats' },
  { id: 37_005_031_001, name: 'Boat Shoes' },
  { id: 37_005_031_000, name: 'Loafers' },
  { id: 37_005_032_000, name: 'Oxfords' },
  { id: 37_005_027_007, name: 'Pumps' },
  { id: 37_005_027_000, name: 'Heels' },
  { id: 37_005_037_000, name: 'Sandals' },
  { id: 37_005_043_000, name: 'Slippers' },
  { id: 37_005_045_000, name: 'Casual & Fashion Sneakers' },
  { id: 37_005_046_000, name: 'Athletic Shoes' },
] as const);
