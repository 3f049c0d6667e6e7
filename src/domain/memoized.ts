/** Keeps the results of a function by its argument. */

interface Kept<Key, T> {
  get(key: Key): T | undefined;
  set(key: Key, value: T): unknown;
}

/** `kept`: a WeakMap for results that are kept only as long as their argument. */
export function memoized<Key, T>(make: (key: Key) => T, kept: Kept<Key, T> = new Map()): (key: Key) => T {
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    kept.set(key, made);
    return made;
  };
}
