/** In charge of the product codes of an offer in its form. */
import { Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { PRODUCT_CODE_TYPES } from '../../../../../src/domain/vocabulary/product-codes.ts';
import type { DataValues } from './data-values.ts';
import { ListFields } from './list-fields.tsx';

interface CodeFieldsProps {
  readonly form: UseFormReturnType<DataValues>;
  readonly disabled: boolean;
}

export function CodeFields({ form, disabled }: CodeFieldsProps) {
  return (
    <ListFields
      legend="Product codes"
      rows={form.values.codes}
      disabled={disabled}
      adding="Add a product code"
      add={() => form.insertListItem('codes', { code: '', type: 'UPC' })}
      remove={(place) => form.removeListItem('codes', place)}
    >
      {(_code, place) => (
        <>
          <Select
            label="Type"
            w={120}
            data={[...PRODUCT_CODE_TYPES]}
            allowDeselect={false}
            disabled={disabled}
            {...form.getInputProps(`codes.${place}.type`)}
          />
          <TextInput label="Code" disabled={disabled} {...form.getInputProps(`codes.${place}.code`)} />
        </>
      )}
    </ListFields>
  );
}
