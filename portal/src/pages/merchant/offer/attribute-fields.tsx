/** Attribute fields of an offer; suggests the category's attributes with their values and units. */
import { Autocomplete, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Attribute } from '../../../api/categories.ts';
import type { AttributeRow, DataValues } from './data-values.ts';
import { ListFields } from './list-fields.tsx';

interface AttributeFieldsProps {
  readonly form: UseFormReturnType<DataValues>;
  /** Attributes of the offer's category. */
  readonly known: readonly Attribute[];
  readonly readOnly: boolean;
}

export function AttributeFields({ form, known, readOnly }: AttributeFieldsProps) {
  const { attributes } = form.values;
  const byId = new Map(known.map((attribute) => [String(attribute.attribute_id), attribute]));
  const unused = known.filter(({ attribute_id: id }) => !attributes.some((row) => row.attribute_id === String(id)));
  // Suggest required attributes first.
  const next = unused.find(({ required }) => required) ?? unused[0];
  return (
    <ListFields
      legend="Category attributes"
      rows={attributes}
      readOnly={readOnly}
      adding={next?.required ? `Add ${next.attribute_description} (required)` : 'Add attribute'}
      add={next && (() => form.insertListItem('attributes', newRow(next)))}
      remove={(place) => form.removeListItem('attributes', place)}
    >
      {(row, place) => {
        const attribute = byId.get(row.attribute_id);
        return (
          <>
            <Select
              label="Attribute"
              searchable
              allowDeselect={false}
              data={choices(known, row)}
              readOnly={readOnly}
              {...form.getInputProps(`attributes.${place}.attribute_id`)}
            />
            <Autocomplete
              label="Value"
              data={attribute?.values ?? []}
              readOnly={readOnly}
              {...form.getInputProps(`attributes.${place}.attribute_value`)}
            />
            {(attribute?.units.length ?? 0) > 0 || attribute === undefined ? (
              <Autocomplete
                label="Unit"
                w={110}
                data={attribute?.units ?? []}
                readOnly={readOnly}
                {...form.getInputProps(`attributes.${place}.attribute_value_unit`)}
              />
            ) : (
              row.attribute_value_unit !== '' && (
                <TextInput
                  label="Unit"
                  w={110}
                  readOnly={readOnly}
                  {...form.getInputProps(`attributes.${place}.attribute_value_unit`)}
                />
              )
            )}
          </>
        );
      }}
    </ListFields>
  );
}

function newRow(attribute: Attribute): AttributeRow {
  return {
    attribute_id: String(attribute.attribute_id),
    attribute_value: '',
    attribute_value_unit: attribute.units[0] ?? '',
  };
}

/** Keeps the row's attribute even if the category does not have it. */
function choices(known: readonly Attribute[], row: AttributeRow): { value: string; label: string }[] {
  const offered = known.map((attribute) => ({
    value: String(attribute.attribute_id),
    label: attribute.required ? `${attribute.attribute_description} *` : attribute.attribute_description,
  }));
  const isKnown = offered.some(({ value }) => value === row.attribute_id);
  return isKnown ? offered : [...offered, { value: row.attribute_id, label: row.attribute_id }];
}
