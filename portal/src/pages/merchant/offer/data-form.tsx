/** Form for an offer's product data. */
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { attributesQuery } from '../../../api/categories.ts';
import { api, ask } from '../../../api/client.ts';
import { type Offer, type OfferKey, offerQuery, pathOf } from '../../../api/offer.ts';
import { CategoryPicker } from '../../../ui/forms/category-picker.tsx';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { AttributeFields } from './attribute-fields.tsx';
import { CodeFields } from './code-fields.tsx';
import { SECTIONS } from './data-fields.ts';
import { bodyOf, type DataValues, dataFieldName, dataFieldNames, valuesOf } from './data-values.ts';
import { ImageFields } from './image-fields.tsx';
import { PlainInput } from './plain-input.tsx';
import { type Fields, type OfferPartProps, SavingRow, useSaving } from './saving.tsx';

interface DataFormProps extends OfferPartProps {
  readonly offer: Offer;
}

export function DataForm({ offerKey, mayChange, offer }: DataFormProps) {
  const held = useHeldForm<DataValues>(valuesOf(offer));
  const { form } = held;
  const shoeType = offer.product_type_id;
  const category = shoeType === undefined ? form.values.category : String(shoeType);
  const attributes = useQuery({
    ...attributesQuery(offerKey.environment, category ?? ''),
    enabled: category !== null,
  });
  const fields: Fields = { names: () => dataFieldNames(form.values), nameOf: dataFieldName };
  const saving = useSaving({
    offerKey,
    part: offerQuery(offerKey).queryKey,
    // Leaves out the status, which changes without edits. Includes the product type, which the form shows and sends.
    shownOf: (shown) => ({ ...valuesOf(shown), product_type_id: shown.product_type_id }),
    held,
    fields,
    save: (values, present) => save(offerKey, present, values),
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack>
        {SECTIONS.map((section) => (
          <Card key={section.title} withBorder component="section" aria-label={section.title}>
            <Stack>
              <Title order={2} size="h4">
                {section.title}
              </Title>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {section.fields.map((field) => (
                  <PlainInput
                    key={field.name}
                    field={field}
                    readOnly={!mayChange}
                    {...form.getInputProps(`plain.${field.name}`)}
                  />
                ))}
              </SimpleGrid>
              {section.title === 'Images' && <ImageFields form={form} readOnly={!mayChange} />}
              {section.title === 'Identity and category' && (
                <>
                  <CodeFields form={form} readOnly={!mayChange} />
                  {shoeType === undefined ? (
                    <CategoryPicker
                      value={form.values.category}
                      onChange={(value) => form.setFieldValue('category', value)}
                      error={form.errors.category}
                      readOnly={!mayChange}
                    />
                  ) : (
                    <Text>Shoe product type {String(shoeType)} (also its category)</Text>
                  )}
                  <AttributeFields form={form} known={attributes.data ?? []} readOnly={!mayChange} />
                </>
              )}
            </Stack>
          </Card>
        ))}
        <SavingRow saving={saving} held={held} fields={fields} mayChange={mayChange} />
      </Stack>
    </form>
  );
}

/** Shoes have their own call, which also takes the product type. */
function save(offerKey: OfferKey, offer: Offer, values: DataValues): Promise<unknown> {
  const body = bodyOf(values, offer);
  const params = { path: pathOf(offerKey) };
  const { product_type_id } = offer;
  return product_type_id === undefined
    ? ask(api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}', { params, body }))
    : ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/v2', {
          params,
          body: { ...body, product_type_id },
        }),
      );
}
