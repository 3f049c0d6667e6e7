/** Alternate image fields of an offer. */
import type { UseFormReturnType } from '@mantine/form';
import { NumberField } from '../../../ui/forms/number-field.tsx';
import type { DataValues } from './data-values.ts';
import { ImageInput } from './image-input.tsx';
import { ListFields } from './list-fields.tsx';

interface ImageFieldsProps {
  readonly form: UseFormReturnType<DataValues>;
  readonly readOnly: boolean;
}

export function ImageFields({ form, readOnly }: ImageFieldsProps) {
  const { images } = form.values;
  return (
    <ListFields
      legend="Alternate images"
      rows={images}
      readOnly={readOnly}
      adding="Add image"
      add={() => form.insertListItem('images', { slot: freeSlot(images), url: '' })}
      remove={(place) => form.removeListItem('images', place)}
    >
      {(_image, place) => (
        <>
          <NumberField
            label="Slot"
            w={80}
            isWhole
            readOnly={readOnly}
            {...form.getInputProps(`images.${place}.slot`)}
          />
          <ImageInput label="Image URL" readOnly={readOnly} {...form.getInputProps(`images.${place}.url`)} />
        </>
      )}
    </ListFields>
  );
}

function freeSlot(images: DataValues['images']): number {
  return Math.max(0, ...images.map(({ slot }) => Number(slot))) + 1;
}
