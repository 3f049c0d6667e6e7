/** Fields for a new password and its confirmation, with the check that both match. */
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSession } from '../../api/session.ts';

interface NewPassword {
  readonly password: string;
  readonly again: string;
}

/** Copy this object into a form, because forms modify their initial values. */
export const NO_PASSWORD: NewPassword = Object.freeze({ password: '', again: '' });

export const TYPED_TWICE = Object.freeze({
  again: (again: string, { password }: NewPassword) => (again === password ? null : "Passwords don't match."),
});

interface NewPasswordFieldsProps {
  readonly form: Pick<UseFormReturnType<NewPassword>, 'key' | 'getInputProps'>;
  readonly label: string;
}

export function NewPasswordFields({ form, label }: NewPasswordFieldsProps) {
  const { limits } = useSession();
  return (
    <>
      <PasswordInput
        label={label}
        description={`At least ${limits.password_characters_min} characters.`}
        autoComplete="new-password"
        required
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label="Confirm password"
        autoComplete="new-password"
        required
        key={form.key('again')}
        {...form.getInputProps('again')}
      />
    </>
  );
}
