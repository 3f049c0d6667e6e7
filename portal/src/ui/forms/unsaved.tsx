/** Tracks forms with unsaved changes, and asks once, in a dialog, before the user leaves the page. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { Confirm } from '../confirm.tsx';

/** Resolves the open question; undefined while none is open. */
let answer: ((mayLeave: boolean) => void) | undefined;

const unsaved = new Set<symbol>();
const listeners = new Set<() => void>();

/** Marks the calling form as unsaved. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const form = Symbol('form');
    change(() => unsaved.add(form));
    return () => change(() => unsaved.delete(form));
  }, [isUnsaved]);
}

export function isAnythingUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Asks for confirmation if there are unsaved changes. */
export async function mayLeave(): Promise<boolean> {
  if (!isAnythingUnsaved()) return true;
  // If the user tries to leave another way while the question is open, the new attempt replaces the first.
  answer?.(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  change(() => {
    answer = resolve;
  });
  return promise;
}

/** Mounted once for all pages. */
export function AskBeforeLeaving() {
  const isAny = useSyncExternalStore(subscribe, isAnythingUnsaved);
  const reply = useSyncExternalStore(subscribe, () => answer);
  useBlocker({
    shouldBlockFn: async () => !(await mayLeave()),
    enableBeforeUnload: isAny,
    disabled: !isAny,
  });
  const close = (isLeaving: boolean) => {
    reply?.(isLeaving);
    change(() => {
      answer = undefined;
    });
  };
  return (
    <Confirm
      isOpen={reply !== undefined}
      close={() => close(false)}
      title="Discard unsaved changes?"
      action="Discard"
      dismiss="Keep editing"
      confirm={() => close(true)}
      isPending={false}
      error={null}
    >
      If you leave this page, your changes are lost.
    </Confirm>
  );
}

function change(apply: () => void): void {
  apply();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
