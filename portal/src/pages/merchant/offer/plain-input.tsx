/** Input for a single-value field, chosen by the field's kind. */
import { Checkbox, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { withCurrent } from '../../../ui/forms/choices.ts';
import { NumberField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { isRequired, type PlainField } from '../../../ui/forms/offer-fields.ts';
import { ImageInput } from './image-input.tsx';

interface PlainInputProps {
  readonly field: PlainField;
  readonly readOnly: boolean;
  // These props come from the form's `getInputProps`. They are untyped, because it serves all kinds of inputs.
  readonly value?: unknown;
  readonly defaultValue?: unknown;
  readonly error?: React.ReactNode;
  readonly onChange: (value: unknown) => void;
  readonly onFocus?: unknown;
  readonly onBlur?: unknown;
  /** The form finds the input by this attribute to focus it. */
  readonly 'data-path'?: string;
}

export function PlainInput({
  field: { name, label, kind, isWhole, unit },
  readOnly,
  value,
  error,
  onChange,
  ...props
}: PlainInputProps) {
  const marks = isRequired(name) && !readOnly ? { withAsterisk: true, 'aria-required': true } : {};
  const shared = { label, readOnly, error, 'data-path': props['data-path'], ...marks };
  switch (kind) {
    case 'text':
      return <TextInput {...shared} value={value as string} onChange={onChange} />;
    case 'image':
      return <ImageInput {...shared} value={value as string} onChange={onChange} />;
    case 'long_text':
    case 'lines':
      return <Textarea {...shared} autosize minRows={2} maxRows={12} value={value as string} onChange={onChange} />;
    case 'number':
      return <NumberField {...shared} isWhole={isWhole} unit={unit} value={value as NumberValue} onChange={onChange} />;
    case 'flag':
      // HTML has no read-only checkbox.
      if (readOnly) return <TextInput {...shared} value={value === true ? 'Yes' : 'No'} />;
      return <Checkbox {...shared} mt="lg" checked={value === true} onChange={onChange} />;
    default:
      if ('oneOf' in kind)
        return (
          <Select
            {...shared}
            searchable
            clearable
            // A stored value may be missing from the choices.
            data={withCurrent(kind.oneOf, value as string | null).map((one) => ({
              value: one,
              label: kind.labels?.[one] ?? one,
            }))}
            value={value as string | null}
            onChange={onChange}
          />
        );
      if (readOnly) return <TextInput {...shared} value={(value as string[]).join(', ')} />;
      return (
        <Checkbox.Group {...shared} value={value as string[]} onChange={onChange}>
          <Stack gap={6} mt={6}>
            {kind.someOf.map((one) => (
              <Checkbox key={one} value={one} label={one} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
  }
}
