/** Number input with thousands separators; reports the number at every keystroke. */
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/** The value is '' for an empty field. Text that is not a number yet, such as "-", is passed on for the server to refuse. */
export type NumberValue = number | string;

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange'> {
  readonly value?: NumberValue;
  readonly onChange?: (value: NumberValue) => void;
}

export function NumberField({ value = '', onChange, ...props }: NumberFieldProps) {
  // Keeps trailing zeros while the user types; the number does not have them.
  const [typed, setTyped] = useState<NumberValue>(value);
  return (
    <NumberInput
      thousandSeparator=","
      allowedDecimalSeparators={['.']}
      // Out-of-range values are refused with a message instead of being changed silently.
      clampBehavior="none"
      {...props}
      value={numberIn(typed) === value ? typed : value}
      onChange={(next) => {
        setTyped(next);
        onChange?.(numberIn(next));
      }}
    />
  );
}

export function MoneyField(props: NumberFieldProps) {
  return <NumberField prefix="$" decimalScale={2} fixedDecimalScale min={0} {...props} />;
}

function numberIn(typed: NumberValue): NumberValue {
  return typeof typed === 'string' && /\d/.test(typed) ? Number(typed) : typed;
}
