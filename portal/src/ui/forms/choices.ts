/** Adds the current value to the choices if they do not contain it. */
export function withCurrent(offered: readonly string[], current: string | null | undefined): string[] {
  return current === null || current === undefined || offered.includes(current) ? [...offered] : [...offered, current];
}
