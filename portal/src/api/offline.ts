/** Keeps changes that are made while the browser is offline until it is online again, or until the user cancels them. */
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from './problem.ts';

const NOT_SENT = [{ code: 'not_sent', field: '', message: 'The change was not sent.' }];

const kept = new Set<PromiseWithResolvers<void>>();
const listeners = new Set<() => void>();

/** Resolves when the change can be sent. Rejects with an ApiError if the user cancels it. */
export async function whenOnline(): Promise<void> {
  if (onlineManager.isOnline()) return;
  const change = Promise.withResolvers<void>();
  kept.add(change);
  notify();
  await change.promise;
}

/** All changes that are kept end with an error, so that their forms can be edited again. */
export function cancelKept(): void {
  settle(({ reject }) => reject(new ApiError(0, NOT_SENT)));
}

onlineManager.subscribe((isOnline) => {
  if (isOnline) settle(({ resolve }) => resolve());
  else notify();
});

function settle(end: (change: PromiseWithResolvers<void>) => void): void {
  for (const change of kept) end(change);
  kept.clear();
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** Returns how many changes are kept; undefined while the browser is online. */
export function useKeptChanges(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (onlineManager.isOnline() ? undefined : kept.size),
  );
}
