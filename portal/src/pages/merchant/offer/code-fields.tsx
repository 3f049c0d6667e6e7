/** Product code fields of an offer. */
import { Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { PRODUCT_CODE_DIGITS, PRODUCT_CODE_TYPES } from '#domain/vocabulary/product-codes.ts';
import { checkDigitFault } from './add/product-start.ts';
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
      {(code, place) => (
        <>
          <Select
            label="Type"
            w={120}
            data={[...PRODUCT_CODE_TYPES]}
            allowDeselect={false}
            readOnly={readOnly}
            {...form.getInputProps(`codes.${place}.type`)}
          />
          <TextInput
            label="Code"
            readOnly={readOnly}
            {...form.getInputProps(`codes.${place}.code`)}
            // This is not an error: the server accepts the code, and the review reports it.
            description={typoIn(code)}
            descriptionProps={{ c: 'var(--mantine-color-orange-text)' }}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
        </>
      )}
    </ListFields>
  );
}

function typoIn({ code, type }: DataValues['codes'][number]): string | undefined {
  const known = PRODUCT_CODE_TYPES.find((one) => one === type);
  const isWhole = known !== undefined && /^\d+$/.test(code) && code.length === PRODUCT_CODE_DIGITS[known];
  return isWhole ? checkDigitFault(known, code) : undefined;
}
