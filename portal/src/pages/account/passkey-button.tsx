/** Button that asks for a passkey, with the error if that fails. */
import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Failed } from '../../ui/states.tsx';

interface PasskeyButtonProps extends ButtonProps {
  readonly ask: () => Promise<unknown>;
}

export function PasskeyButton({ ask, ...button }: PasskeyButtonProps) {
  const asking = useMutation({ mutationFn: ask });
  return (
    <>
      {asking.isError && <Failed error={asking.error} />}
      <Button {...button} loading={asking.isPending} onClick={() => asking.mutate()} />
    </>
  );
}
