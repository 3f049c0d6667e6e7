/** In charge of a new password, which is typed twice: its fields, and what a form holds and checks of them. */
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSession } from '../../api/session.ts';

interface NewPassword {
  readonly password: string;
  readonly again: string;
}

/** To be copied: a form writes into what it begins with. */
export const NO_PASSWORD: NewPassword = Object.freeze({ password: '', again: '' });

export const TYPED_TWICE = Object.freeze({
  again: (again: string, { password }: NewPassword) => (again === password ? null : 'The two are not the same.'),
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
        label="The same again"
        autoComplete="new-password"
        required
        key={form.key('again')}
        {...form.getInputProps('again')}
      />
    </>
  );
}
