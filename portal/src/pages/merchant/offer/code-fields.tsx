/** Product code fields of an offer. */
import { Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { PRODUCT_CODE_TYPES } from '../../../../../src/domain/vocabulary/product-codes.ts';
import type { DataValues } from './data-values.ts';
import { ListFields } from './list-fields.tsx';

interface CodeFieldsProps {
  readonly form: UseFormReturnType<DataValues>;
  readonly readOnly: boolean;
}

export function CodeFields({ form, readOnly }: CodeFieldsProps) {
  return (
    <ListFields
      legend="Product codes"
      rows={form.values.codes}
      readOnly={readOnly}
      adding="Add product code"
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
            readOnly={readOnly}
            {...form.getInputProps(`codes.${place}.type`)}
          />
          <TextInput label="Code" readOnly={readOnly} {...form.getInputProps(`codes.${place}.code`)} />
        </>
      )}
    </ListFields>
  );
}
