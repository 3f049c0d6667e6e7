/** Submits a form; shows the server's problems at their fields and returns those without a field. */
import type { UseFormReturnType } from '@mantine/form';
import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { Problem } from '../../api/problem.ts';
import { type FieldNames, sortProblems } from './field-problems.ts';

interface FormMutation<Answer, Sent> extends Omit<UseMutationOptions<Answer, Error, Sent>, 'onError'> {
  readonly form: Pick<UseFormReturnType<object>, 'setErrors'>;
  /** Fields that can show a problem. */
  readonly fields: readonly string[];
  readonly nameOf?: FieldNames;
}

interface Refused {
  /** Problems without a field; empty unless the last submit failed. */
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
