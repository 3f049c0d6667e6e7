/** Form for the product data of an existing offer. */
import { Stack } from '@mantine/core';
import { type Offer, pathOf } from '../../../api/offer.ts';
import type { ConflictWords } from '../../../ui/forms/conflict-table.tsx';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { type Fields, SaveBar, SavingRow, useSaving } from '../../../ui/forms/saving.tsx';
import { CategoryPath } from './category-field.tsx';
import { DataSections } from './data-sections.tsx';
import { type DataValues, dataFieldName, dataFieldNames, shoeTypeOf, valuesOf } from './data-values.ts';
import { useAttributeNames } from './history/attribute-names.ts';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';
import { saveData } from './save-data.ts';

interface DataFormProps extends OfferPartProps {
  readonly offer: Offer;
}

export function DataForm({ offerKey, mayChange, offer }: DataFormProps) {
  const held = useHeldForm<DataValues>(valuesOf(offer), offer.etag);
  const { form } = held;
  const fields: Fields = {
    names: () => dataFieldNames(form.values),
    nameOf: (pointer) => dataFieldName(pointer, form.values),
  };
  const attributeName = useAttributeNames(offerKey, offer);
  const words: ConflictWords = {
    label: ({ name, entry }) => (name === 'attributes' ? attributeName(entry) : undefined),
    value: ({ name }, id) => name === 'category' && <CategoryPath id={id} />,
  };
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    save: (values, header) => saveData({ path: pathOf(offerKey), header }, offer, values),
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack>
        <DataSections form={form} shoeType={shoeTypeOf(offer)} readOnly={!mayChange} />
        <SaveBar mayChange={mayChange}>
          <SavingRow saving={saving} held={held} fields={fields} mayChange={mayChange} words={words} />
        </SaveBar>
      </Stack>
    </form>
  );
}
