/** Tracks forms with unsaved changes, and asks once before the user leaves the page. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';

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
export function mayLeave(): boolean {
  return !isAnythingUnsaved() || window.confirm('Discard unsaved changes?');
}

/** Mounted once for all pages. */
export function AskBeforeLeaving() {
  const isAny = useSyncExternalStore(subscribe, isAnythingUnsaved);
  useBlocker({
    shouldBlockFn: () => !mayLeave(),
    enableBeforeUnload: isAny,
    disabled: !isAny,
  });
  return null;
}

function change(apply: () => void): void {
  apply();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
