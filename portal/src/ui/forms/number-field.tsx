/** Number input for either decimal separator; asks if a number has two meanings, and reports the number at every keystroke. */
import { Anchor, TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { decimalText, priceText } from '../numbers.ts';
import { readNumber } from './read-number.ts';

/** The value is '' for an empty field. Text that is not one number, such as "-" or "1,234", is kept and blocks the form's submit. */
export type NumberValue = number | string;

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  readonly value?: NumberValue;
  readonly onChange?: (value: NumberValue) => void;
  readonly unit?: '$' | '%' | undefined;
  readonly isWhole?: boolean | undefined;
}

export function NumberField({ value = '', onChange, unit, isWhole, error, ...props }: NumberFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  // The text is kept as typed until the field is left.
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: NumberValue }>();
  const [isRefused, setRefused] = useState(false);
  const format = (number: number) => (unit === '$' ? priceText(number) : `${decimalText(number)}${unit ?? ''}`);
  const set = (next: NumberValue, text?: string) => {
    setTyped(text === undefined ? undefined : { text, value: next });
    setRefused(false);
    onChange?.(next);
  };
  const read = typeof value === 'number' ? value : readNumber(value, { sign: unit, isWhole });
  const fault = read === 'unclear' ? (isWhole ? 'Enter a whole number.' : 'Enter a number, such as 18.50.') : undefined;
  const question = typeof read === 'object' && (
    <>
      Did you mean{' '}
      {read.ambiguous.map((number, at) => (
        <span key={format(number)}>
          {at > 0 && ' or '}
          <Anchor component="button" type="button" inherit underline="always" onClick={() => set(number)}>
            {format(number)}
          </Anchor>
        </span>
      ))}
      ?
    </>
  );
  useEffect(() => input.current?.setCustomValidity(fault ?? (question ? 'Choose one of the two numbers.' : '')));
  const isStarted = typeof value === 'string' && !/\d/.test(value) && !isRefused;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      {...props}
      ref={input}
      classNames={{ input: 'number' }}
      error={question || (!isStarted && fault) || error}
      value={typed?.value === value ? typed.text : typeof value === 'number' ? format(value) : value}
      onChange={({ currentTarget: { value: text } }) => {
        const next = readNumber(text, { sign: unit, isWhole });
        set(next === 'empty' ? '' : typeof next === 'number' ? next : text, text);
      }}
      onBlur={(event) => {
        setTyped(undefined);
        props.onBlur?.(event);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') setTyped(undefined);
      }}
      onInvalid={(event) => {
        if (!fault && !question) return;
        // The message below the field replaces the browser's.
        event.preventDefault();
        setRefused(true);
        if (event.currentTarget.form?.querySelector('input:invalid') === event.currentTarget)
          event.currentTarget.focus();
      }}
    />
  );
}

export function MoneyField(props: NumberFieldProps) {
  return <NumberField unit="$" {...props} />;
}
