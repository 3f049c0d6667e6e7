/** Checks the name of a node, and formats the names of a path as one line. */
import { LIMITS } from '../limits.ts';
import { hasAtMost } from '../text/text-rules.ts';

export const PATH_SEPARATOR = ' > ';

/** Returns undefined for a valid name. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (!hasAtMost(name, LIMITS.taxonomy_name_characters_max)) {
    return `must have at most ${LIMITS.taxonomy_name_characters_max} characters`;
  }
  if (name.trim() !== name) return 'must not start or end with a space';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'must not contain line breaks or other control characters';
  if (name.includes('>')) return 'must not contain ">", which separates the names of a path';
  return undefined;
}
