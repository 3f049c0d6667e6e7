/** In charge of fields for numbers, with commas between thousands: a form has the number that is read in them, at every key. */
import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

/** '' where the field is empty; a text that is no number yet, such as a lone minus, is left to the server to refuse. */
export type NumberValue = number | string;

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'defaultValue' | 'onChange'> {
  readonly value?: NumberValue;
  readonly onChange?: (value: NumberValue) => void;
}

export function NumberField({ value = '', onChange, ...props }: NumberFieldProps) {
  // While somebody types, zeros at the end belong to what is shown, not to the number.
  const [typed, setTyped] = useState<NumberValue>(value);
  return (
    <NumberInput
      thousandSeparator=","
      allowedDecimalSeparators={['.']}
      // What is out of bounds is refused with a reason, and not changed under the hands of whoever presses Save.
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
