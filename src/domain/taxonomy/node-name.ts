/** In charge of what a node may be called, and of how the names of a path are written in one line. */
import { LIMITS } from '../limits.ts';
import { hasAtMost } from '../text.ts';

export const PATH_SEPARATOR = ' > ';

/** Undefined for a good name. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (!hasAtMost(name, LIMITS.taxonomy_name_characters_max)) {
    return `must have at most ${LIMITS.taxonomy_name_characters_max} characters`;
  }
  if (name.trim() !== name) return 'must not begin or end with a blank';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'must not hold line breaks or other control characters';
  if (name.includes('>')) return 'must not hold ">", which stands between the names of a path';
  return undefined;
}
