/** In charge of the frame of a dialog: how it is closed, and when it is not closed by accident. */
import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps extends Pick<ModalProps, 'size' | 'zIndex' | 'onExitTransitionEnd'> {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  /**
   * `busy`: it stays until the server has answered. `secret`: it shows what cannot be shown again. `typed`: closed, it takes
   * what was typed below it along.
   */
  readonly hold?: 'busy' | 'secret' | 'typed' | undefined;
  readonly children: ReactNode;
}

export function Dialog({ isOpen, close, title, hold, children, ...props }: DialogProps) {
  const isLoose = hold === undefined;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      closeOnEscape={isLoose}
      closeOnClickOutside={isLoose}
      closeButtonProps={{ 'aria-label': 'Close', disabled: hold === 'busy' }}
      {...props}
    >
      {children}
    </Modal>
  );
}
