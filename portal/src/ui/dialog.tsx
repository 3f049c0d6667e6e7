/** Dialog that Escape or a click outside closes, unless that would lose something. */
import { Modal, type ModalProps } from '@mantine/core';
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
