/** Tests that the schema of a category, the attributes and fields of the portal's form, and the columns of sheets agree in every category. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { categorySchema } from '../../src/domain/review/category-schema.ts';
import { isShoeCategory } from '../../src/domain/review/shoe-group.ts';
import { NAMES } from '../../src/domain/review/testing/good-offer.ts';
import { columnsOf } from '../../src/domain/sheets/columns.ts';
import { attributeFields } from '../../src/domain/taxonomy/node-fields.ts';
import { readStarter } from '../../src/taxonomy/read-stored.ts';
import '../harness/portal-alias.ts';

const { isRequired, SECTIONS } = await import('../../portal/src/ui/forms/offer-fields.ts');

interface AttributeRule {
  readonly properties: {
    readonly attributes_node_specific: {
      readonly items: {
        readonly if: { readonly properties: { readonly attribute_id: { readonly const: unknown } } };
        readonly then: { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
      };
      readonly contains?: object;
    };
  };
}

interface Schema {
  readonly properties: object;
  readonly required: readonly string[];
  readonly allOf: readonly { readonly allOf?: readonly AttributeRule[] }[];
}

const { tree } = readStarter();
const CATEGORIES = tree.nodes.filter(({ isLeaf, active }) => isLeaf && active);
const schemas = CATEGORIES.map((node) => {
  const schema = categorySchema(node, { taxonomy: tree, newProductData: [] }, [], NAMES) as unknown as Schema;
  return { node, schema };
});

it('the schema has the attributes that the form shows', () => {
  let attributes = 0;
  for (const { node, schema } of schemas) {
    const stated = (schema.allOf.at(-1)?.allOf ?? []).map(({ properties: { attributes_node_specific: list } }) => {
      const { attribute_value, attribute_value_unit } = list.items.then.properties;
      return [
        list.items.if.properties.attribute_id.const,
        list.contains !== undefined,
        attribute_value?.enum ?? [],
        attribute_value_unit?.enum ?? [],
      ];
    });
    const shown = tree.attributes(node.id).map((attribute) => {
      const { attribute_id, required, values, units } = attributeFields(attribute);
      return [attribute_id, required, values, units];
    });
    assert.deepEqual(stated, shown, node.name);
    attributes += shown.length;
  }
  assert.ok(CATEGORIES.length > 500 && attributes > 2000, `${CATEGORIES.length} ${attributes}`);
});

it('the schema has the fields of the form and the columns of a sheet, and requires the same', () => {
  const columns = columnsOf('MerchantSKUs').filter(({ field }) => field !== '');
  const fields = [...new Set(columns.map(({ field }) => field))];
  const required = columns.flatMap(({ field, isRequired: must }) => (must ? field : []));
  const inForm = SECTIONS.flatMap((section) => section.fields.map(({ name }) => name));
  for (const { node, schema } of schemas) {
    const isShoe = isShoeCategory(node.id);
    const own = isShoe ? fields : fields.filter((field) => field !== 'product_type_id');
    assert.deepEqual(Object.keys(schema.properties).toSorted(), own.toSorted(), node.name);
    const always = schema.required.filter((field) => field !== 'product_type_id');
    assert.deepEqual(always.toSorted(), required.toSorted(), node.name);
    assert.deepEqual(
      inForm.filter((field) => !(field in schema.properties)),
      [],
      node.name,
    );
    assert.deepEqual(inForm.filter(isRequired).toSorted(), required.toSorted(), node.name);
  }
});
