/** The shoe of the examples, whose size has its unit in the wrong place. */
const SHOE_SIZE = { attribute_id: 121, attribute_value: '9 US' };
export const LOAFER = {
  product_type_id: 37_005_031_000,
  product_title: 'Suede loafer, size 9, brown',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code_type: 'EAN', standard_product_code: '4006381333931' }],
  brand: 'Potter & Sons',
  main_image_url: '{images}/mug.jpg',
  attributes_node_specific: [
    { attribute_id: 123, attribute_value: 'Harbour' },
    { attribute_id: 124, attribute_value: 'Penny loafer' },
    SHOE_SIZE,
  ],
};

/** The size after the fix that the review offers. */
export const REPAIRED_SIZE = { ...SHOE_SIZE, attribute_value: '9', attribute_value_unit: 'US' };
