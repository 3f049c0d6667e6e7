/** Dialog that Escape or a click outside closes, unless that would lose something, and its buttons. */
import { Button, type ButtonProps, Group, Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps extends Pick<ModalProps, 'size' | 'zIndex' | 'onExitTransitionEnd'> {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  /**
   * Why the dialog must not close by accident: a request is in flight (`busy`), it shows a value that cannot be shown again (`secret`), or
   * closing discards unsaved input on the page below (`typed`).
   */
  readonly hold?: 'busy' | 'secret' | 'typed' | undefined;
  readonly children: ReactNode;
}

export function Dialog({ isOpen, close, title, hold, children, ...props }: DialogProps) {
  const closesEasily = hold === undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeOnEscape={closesEasily}
      closeOnClickOutside={closesEasily}
      closeButtonProps={{ 'aria-label': 'Close', disabled: hold === 'busy' }}
      {...props}
    >
      {children}
    </Modal>
  );
}

interface DialogButtonsProps extends ButtonProps {
  readonly close: () => void;
  /** Label of the button that closes the dialog. */
  readonly dismiss?: string;
  /** Disables the button that closes the dialog, and shows a loader in the other one. */
  readonly isPending: boolean;
  /** Called by the main button, which submits the form without it. */
  readonly confirm?: () => void;
  /** Label of the main button. */
  readonly children: ReactNode;
}

/** The button that closes the dialog, and the main button, which gets the other properties. */
export function DialogButtons({ close, dismiss = 'Cancel', isPending, confirm, ...main }: DialogButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={close} disabled={isPending}>
        {dismiss}
      </Button>
      <Button loading={isPending} {...(confirm ? { onClick: confirm } : { type: 'submit' })} {...main} />
    </Group>
  );
}
