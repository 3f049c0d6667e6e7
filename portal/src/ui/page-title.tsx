/** In charge of the title of the page that is shown: in the browser's tab, and told to people who do not see it change. */
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

/** Stands beside all pages: a text is told when it changes, not when it comes with its element. */
export function PageTitleTeller() {
  const title = useSyncExternalStore(subscribe, () => shown);
  return <VisuallyHidden role="status">{title}</VisuallyHidden>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
