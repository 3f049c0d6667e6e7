/** Helpers for lists that are read page by page. */

/** A refetch reads every loaded page again, so only single-page lists refetch when the window gets the focus. */
export function isOnePage({ state }: { readonly state: { readonly data: unknown } }): boolean {
  const data = state.data as { readonly pages: readonly unknown[] } | undefined;
  return (data?.pages.length ?? 0) <= 1;
}
