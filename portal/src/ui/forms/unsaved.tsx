/** In charge of what was typed and is not saved: forms say that they hold some, and whoever leaves is asked once for all. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';

const unsaved = new Set<symbol>();
const listeners = new Set<() => void>();

/** For any form of any page. */
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

/** Asks, where something would be lost. */
export function mayLeave(): boolean {
  return !isAnythingUnsaved() || window.confirm('What you typed is not saved. Leave the page all the same?');
}

/** Stands once, beside all pages. */
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
