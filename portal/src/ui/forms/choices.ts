/** Prepares the choices of selects, and names shipping methods. */

/** Adds the current value to the choices if they do not contain it. */
export function withCurrent(offered: readonly string[], current: string | null | undefined): string[] {
  return current === null || current === undefined || offered.includes(current) ? [...offered] : [...offered, current];
}

/** A carrier that the marketplace has not named reads as "Carrier 2: Ground", not as `<carrier_2> Ground`. */
export function methodName(method: string): string {
  return method.replace(/<carrier_(\d)>/g, 'Carrier $1:');
}

export function methodChoices(methods: readonly string[]): { value: string; label: string }[] {
  return methods.map((method) => ({ value: method, label: methodName(method) }));
}
