/** Describes a placeholder: an image that stands for a missing one. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { Pattern } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';

export const PlaceholderBody = Type.Object({
  note: Type.String({
    minLength: 1,
    maxLength: LIMITS.placeholder_note_characters_max,
    pattern: '\\S',
    'x-pattern-text': 'must not be blank',
    description: 'A note about the image.',
  }),
  hash: Type.Optional(
    Pattern('^[0-9a-f]{128}$', 'must be 128 hexadecimal digits', {
      description: 'Hash of the placeholder. If absent, it is computed from the image in the body.',
    }),
  ),
});

export type PlaceholderUpload = Static<typeof PlaceholderBody>;

export function createPlaceholderCheck(names: Names): BodyCheck<PlaceholderUpload> {
  return createBodyCheck(PlaceholderBody, names);
}
