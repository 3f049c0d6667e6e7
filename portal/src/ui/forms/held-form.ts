/** Form for stored data: follows changes on the server until the user edits it, then keeps the edits. */
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { stringifyExact } from '../../api/exact-json.ts';
import { type Difference, differencesOf } from './differences.ts';

export interface HeldForm<Values extends object> {
  readonly form: UseFormReturnType<Values>;
  readonly isDirty: boolean;
  /** True if the stored data changed after the user started to edit. */
  readonly isBehind: boolean;
  /** `ETag` of the stored data that the edits started from; null if it was not set. */
  readonly editedEtag: string | null;
  /** `ETag` of the stored data as last read. */
  readonly storedEtag: string | null;
  /** Where the form differs from the stored data as last read. */
  readonly differences: () => readonly Difference[];
  /** Discards the edits and shows the stored data. */
  readonly discard: () => void;
  /** Notes that these values were saved. Edits made after the submit stay unsaved. */
  readonly noteSaved: (values: Values) => void;
}

/** The version that the form shows, or showed before the edits. */
interface Followed {
  readonly text: string;
  readonly etag: string | null;
  /** The values that were saved since. */
  readonly saved?: string;
}

/** `held` contains the stored values. `check` returns an error message for each field that cannot be submitted. */
export function useHeldForm<Values extends object>(
  held: Values,
  etag: string | null = null,
  check: (values: Values) => Readonly<Record<string, string>> = () => ({}),
): HeldForm<Values> {
  const form = useForm<Values>({ initialValues: held, validate: check });
  const text = stringifyExact(held);
  const [followed, setFollowed] = useState<Followed>({ text, etag });
  const hasMoved = text !== followed.text || etag !== followed.etag;
  /** The edits apply to this version too: it shows the same values, or was saved by this form. */
  const isOwn = text === followed.text || text === followed.saved;
  const isDirty = form.isDirty();
  const follow = () => {
    form.setValues(held);
    form.resetDirty(held);
    setFollowed({ text, etag });
  };
  useEffect(() => {
    if (hasMoved && !isDirty) follow();
    else if (hasMoved && isOwn) setFollowed({ text, etag });
  });
  return {
    form,
    isDirty,
    isBehind: isDirty && !isOwn && etag !== followed.etag,
    editedEtag: followed.etag,
    storedEtag: etag,
    differences: () => differencesOf(form.values, held),
    discard: follow,
    noteSaved: (values) => {
      form.resetDirty(values);
      setFollowed((before) => ({ ...before, saved: stringifyExact(values) }));
    },
  };
}
