/** Sets the browser tab's title, and announces page changes to screen readers. */
import { VisuallyHidden } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';

let shown = '';
const listeners = new Set<() => void>();

export function usePageTitle(title: string): void {
  useEffect(() => {
    shown = title;
    document.title = `${title} · Offerbook`;
    for (const listener of listeners) listener();
  }, [title]);
}

/** Mounted once for all pages: screen readers announce a status that changes, not one that is added with its text. */
export function PageTitleAnnouncer() {
  const title = useSyncExternalStore(subscribe, () => shown);
  return <VisuallyHidden role="status">{title}</VisuallyHidden>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
