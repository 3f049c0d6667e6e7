/** Describes the body of a returns exception. */
import { List, Text } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const ReturnsExceptionBody = Type.Object({
  return_location_ids: Type.Optional(
    List(Text(LIMITS.text_characters_max), LIMITS.return_location_ids_max, {
      description:
        'Ids of your return locations for this product. An empty list, or {} as the body, clears the exception.',
    }),
  ),
});
