/** In charge of what lists that are read page by page have in common. */

/** Reading such a list again reads each of its pages again: when the window is looked at anew, only for a short list. */
export function isOnePage({ state }: { readonly state: { readonly data: unknown } }): boolean {
  const data = state.data as { readonly pages: readonly unknown[] } | undefined;
  return (data?.pages.length ?? 0) <= 1;
}
