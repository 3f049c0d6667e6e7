/** Describes the body that applies fixes of the review. */
import { List, Text } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const FixesBody = Type.Object({
  fixes: List(Text(LIMITS.fix_id_characters_max, { min: 1 }), LIMITS.fixes_applied_max, {
    min: 1,
    description: 'Ids of fixes, as in `GET …/review`.',
  }),
});
