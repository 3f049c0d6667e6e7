/** Shows all fields of an offer's product data in sections, for new and existing offers. */
import { SimpleGrid, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { attributesQuery } from '../../../api/categories.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { SECTIONS } from '../../../ui/forms/offer-fields.ts';
import { Panel } from '../../../ui/panel.tsx';
import { AttributeFields } from './attribute-fields.tsx';
import { CategoryField, ShoeType } from './category-field.tsx';
import { CodeFields } from './code-fields.tsx';
import type { DataValues } from './data-values.ts';
import { ImageFields } from './image-fields.tsx';
import { PlainInput } from './plain-input.tsx';

interface DataSectionsProps {
  readonly form: UseFormReturnType<DataValues>;
  /** Digits; null if the offer is not a shoe. */
  readonly shoeType: string | null;
  readonly readOnly: boolean;
}

export function DataSections({ form, shoeType, readOnly }: DataSectionsProps) {
  return (
    <>
      {!readOnly && (
        <Text size="sm" c="dimmed">
          Fields marked with * are required. An offer also needs a product code or an ASIN.
        </Text>
      )}
      {SECTIONS.map((section) => (
        <Panel key={section.title} title={section.title}>
          {section.title === 'Identity and category' && (
            <IdentityFields form={form} shoeType={shoeType} readOnly={readOnly} />
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {section.fields.map((field) => (
              <PlainInput
                key={field.name}
                field={field}
                readOnly={readOnly}
                {...form.getInputProps(`plain.${field.name}`)}
              />
            ))}
          </SimpleGrid>
          {section.title === 'Images' && <ImageFields form={form} readOnly={readOnly} />}
        </Panel>
      ))}
    </>
  );
}

/** Category, its attributes, and product codes. */
export function IdentityFields({ form, shoeType, readOnly }: DataSectionsProps) {
  const category = shoeType ?? form.values.category;
  const attributes = useQuery({
    ...attributesQuery(useEnvironment(), category ?? ''),
    enabled: category !== null,
  });
  return (
    <>
      {shoeType === null ? (
        <CategoryField
          value={form.values.category}
          title={String(form.values.plain.product_title ?? '')}
          onChange={(value) => form.setFieldValue('category', value)}
          error={form.errors.category}
          readOnly={readOnly}
        />
      ) : (
        <ShoeType id={shoeType} />
      )}
      {/* The fields need the names of the attributes, which load with the category. */}
      {!attributes.isLoading && <AttributeFields form={form} known={attributes.data ?? []} readOnly={readOnly} />}
      <CodeFields form={form} readOnly={readOnly} />
    </>
  );
}
