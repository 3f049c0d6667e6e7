/** In charge of forms of what the server holds: they follow it until somebody types, and then keep what was typed. */
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { stringifyExact } from '../../api/exact-json.ts';

export interface HeldForm<Values extends object> {
  readonly form: UseFormReturnType<Values>;
  readonly isDirty: boolean;
  /** Somebody else has changed it since the typing began. */
  readonly isBehind: boolean;
  /** Takes back what was typed, and shows what the server holds. */
  readonly undo: () => void;
}

/** `held`: the values that the form would have if nobody had typed. `check` says at which fields nothing can be sent. */
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
  return { form, isDirty, isBehind: hasMoved && isDirty, undo: follow };
}
