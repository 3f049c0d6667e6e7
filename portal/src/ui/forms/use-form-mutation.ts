/** In charge of sending a form: what the server refuses goes to the fields, and what belongs to none of them is told above. */
import type { UseFormReturnType } from '@mantine/form';
import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { Problem } from '../../api/problem.ts';
import { type FieldNames, sortProblems } from './field-problems.ts';

interface FormMutation<Answer, Sent> extends Omit<UseMutationOptions<Answer, Error, Sent>, 'onError'> {
  readonly form: Pick<UseFormReturnType<object>, 'setErrors'>;
  /** Names of the fields that can show a problem. */
  readonly fields: readonly string[];
  readonly nameOf?: FieldNames;
}

interface Refused {
  /** Those that belong to no field; none unless the last sending failed. */
  readonly problems: readonly Problem[];
}

export function useFormMutation<Answer, Sent>({
  form,
  fields,
  nameOf,
  ...options
}: FormMutation<Answer, Sent>): UseMutationResult<Answer, Error, Sent> & Refused {
  const mutation = useMutation({
    ...options,
    onError: (error) => form.setErrors(sortProblems(error, fields, nameOf).atFields),
  });
  return { ...mutation, problems: mutation.isError ? sortProblems(mutation.error, fields, nameOf).above : [] };
}
