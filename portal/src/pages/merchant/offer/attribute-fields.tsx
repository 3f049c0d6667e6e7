/** Attribute fields of an offer, labeled with their names. Required attributes of the category are always shown. */
import { Autocomplete, Button, Fieldset, Group, Select, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Attribute } from '../../../api/categories.ts';
import { withCurrent } from '../../../ui/forms/choices.ts';
import { keyed } from '../../../ui/forms/keyed.ts';
import type { AttributeRow, DataValues } from './data-values.ts';

interface AttributeFieldsProps {
  readonly form: UseFormReturnType<DataValues>;
  /** Attributes of the offer's category. */
  readonly known: readonly Attribute[];
  readonly readOnly: boolean;
}

/** A field of the form. `place` is undefined for a required attribute that has no value yet. */
interface Entry {
  readonly id: string;
  readonly attribute: Attribute | undefined;
  readonly row: AttributeRow;
  readonly place: number | undefined;
}

export function AttributeFields({ form, known, readOnly }: AttributeFieldsProps) {
  const entries = entriesOf(form.values.attributes, known, readOnly);
  const unused = known.filter(({ attribute_id: id }) => !entries.some((entry) => entry.id === String(id)));
  if (readOnly && entries.length === 0) return null;
  return (
    <Fieldset legend="Category attributes">
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {known.length === 0
            ? 'Attributes appear here if you choose a category that has any.'
            : 'This category has no required attributes.'}
        </Text>
      )}
      {keyed(entries, ({ id }) => id).map(([key, entry]) => (
        <AttributeField key={key} form={form} entry={entry} readOnly={readOnly} />
      ))}
      {!readOnly && unused.length > 0 && (
        <Select
          aria-label="Add attribute"
          placeholder="Add attribute"
          searchable
          maw={320}
          data={unused.map(({ attribute_id: id, attribute_description: label }) => ({ value: String(id), label }))}
          value={null}
          onChange={(id) => {
            const chosen = unused.find((attribute) => String(attribute.attribute_id) === id);
            if (chosen !== undefined) form.insertListItem('attributes', newRow(chosen));
          }}
        />
      )}
    </Fieldset>
  );
}

interface AttributeFieldProps {
  readonly form: UseFormReturnType<DataValues>;
  readonly entry: Entry;
  readonly readOnly: boolean;
}

function AttributeField({ form, entry: { id, attribute, row, place }, readOnly }: AttributeFieldProps) {
  const name = attribute?.attribute_description ?? `Attribute ${id} (not in this category)`;
  const isRequired = attribute?.required === true;
  const path = `attributes.${place}`;
  const set = (changed: Partial<AttributeRow>) => {
    const next = { ...row, ...changed };
    if (place === undefined) form.insertListItem('attributes', next);
    // A required attribute without a value is shown, but not sent.
    else if (isRequired && next.attribute_value === '') form.removeListItem('attributes', place);
    else form.setFieldValue(path, next);
    for (const field of Object.keys(changed)) form.clearFieldError(`${path}.${field}`);
  };
  const shared = {
    label: name,
    flex: 1,
    miw: 180,
    maw: 420,
    readOnly,
    value: row.attribute_value,
    error: form.errors[`${path}.attribute_value`] ?? form.errors[`${path}.attribute_id`],
    onChange: (value: string | null) => set({ attribute_value: value ?? '' }),
    'data-path': `${path}.attribute_value`,
    'data-attribute': id,
    ...(isRequired && !readOnly ? { withAsterisk: true, 'aria-required': true } : {}),
  };
  const values = attribute?.values ?? [];
  const units = withCurrent(attribute?.units ?? [], row.attribute_value_unit || null);
  return (
    <Group align="flex-end" mb="xs">
      {values.length > 0 && attribute?.free_text === false ? (
        <Select
          {...shared}
          searchable
          clearable
          value={row.attribute_value || null}
          data={withCurrent(values, row.attribute_value || null)}
        />
      ) : (
        <Autocomplete {...shared} data={values} />
      )}
      {units.length > 0 && (
        <Select
          label={`Unit for ${name}`}
          w={130}
          data={units}
          readOnly={readOnly}
          value={row.attribute_value_unit || null}
          error={form.errors[`${path}.attribute_value_unit`]}
          data-path={`${path}.attribute_value_unit`}
          onChange={(unit) => set({ attribute_value_unit: unit ?? '' })}
        />
      )}
      {!readOnly && place !== undefined && !isRequired && (
        <Button
          variant="subtle"
          color="red"
          aria-label={`Remove ${name}`}
          onClick={() => form.removeListItem('attributes', place)}
        >
          Remove
        </Button>
      )}
    </Group>
  );
}

/** Sorts attributes by the order of the category, required ones first, so that no field moves while the user types. */
function entriesOf(rows: readonly AttributeRow[], known: readonly Attribute[], readOnly: boolean): readonly Entry[] {
  const sorted = known.toSorted((one, other) => Number(other.required) - Number(one.required));
  const ofCategory = sorted.flatMap((attribute): Entry[] => {
    const id = String(attribute.attribute_id);
    const given = rowsOf(rows, (row) => row.attribute_id === id, attribute);
    if (given.length > 0 || !attribute.required || readOnly) return given;
    return [{ id, attribute, row: newRow(attribute), place: undefined }];
  });
  const ids = new Set(known.map(({ attribute_id: id }) => String(id)));
  return [...ofCategory, ...rowsOf(rows, (row) => !ids.has(row.attribute_id), undefined)];
}

function rowsOf(
  rows: readonly AttributeRow[],
  matches: (row: AttributeRow) => boolean,
  attribute: Attribute | undefined,
): Entry[] {
  return rows.flatMap((row, place) => (matches(row) ? [{ id: row.attribute_id, attribute, row, place }] : []));
}

function newRow(attribute: Attribute): AttributeRow {
  return {
    attribute_id: String(attribute.attribute_id),
    attribute_value: '',
    attribute_value_unit: attribute.units[0] ?? '',
  };
}
