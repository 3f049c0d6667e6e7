/** In charge of what lists of choices have in common. */

/** One that is in use is shown even where it is not among those that are offered. */
export function withCurrent(offered: readonly string[], current: string | null | undefined): string[] {
  return current === null || current === undefined || offered.includes(current) ? [...offered] : [...offered, current];
}
