/** Form for stored data: follows changes on the server until the user edits it, then keeps the edits. */
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { stringifyExact } from '../../api/exact-json.ts';

export interface HeldForm<Values extends object> {
  readonly form: UseFormReturnType<Values>;
  readonly isDirty: boolean;
  /** True if the stored data changed after the user started to edit. */
  readonly isBehind: boolean;
  /** Discards the edits and shows the stored data. */
  readonly discard: () => void;
}

/** `held` contains the stored values. `check` returns an error message for each field that cannot be submitted. */
export function useHeldForm<Values extends object>(
  held: Values,
  check: (values: Values) => Readonly<Record<string, string>> = () => ({}),
): HeldForm<Values> {
  const form = useForm<Values>({ initialValues: held, validate: check });
  const text = stringifyExact(held);
  const [followed, setFollowed] = useState(text);
  const hasMoved = text !== followed;
  const isDirty = form.isDirty();
  const follow = () => {
    form.setValues(held);
    form.resetDirty(held);
    setFollowed(text);
  };
  useEffect(() => {
    if (hasMoved && !isDirty) follow();
  });
  return { form, isDirty, isBehind: hasMoved && isDirty, discard: follow };
}
