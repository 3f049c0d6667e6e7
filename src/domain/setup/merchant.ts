/** Describes a new merchant, and the settings that can change later. */
import { FilledText, List, OneOf, Pattern, Text, Whole } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import {
  DEFAULT_RETURN_SHIPPING_METHOD,
  DEFAULT_TIME_TO_RETURN_DAYS,
  RETURN_SHIPPING_METHODS,
  TIME_TO_RETURN_DAYS_MAX,
} from '../vocabulary/shipping-methods.ts';

const ID_MAX = LIMITS.merchant_id_characters_max;

function ReturnMethods(description: string) {
  const method = OneOf(RETURN_SHIPPING_METHODS, { 'x-carrier-names': true });
  return List(method, RETURN_SHIPPING_METHODS.length, { min: 1, description });
}

export const MerchantBody = Type.Object({
  merchant_id: Pattern(
    `^[a-z][a-z0-9-]{0,${ID_MAX - 1}}$`,
    `must be 1 to ${ID_MAX} lower-case letters, digits or hyphens, a letter first`,
  ),
  name: FilledText(LIMITS.merchant_name_characters_max),
  time_to_return: Type.Optional(
    Whole(1, TIME_TO_RETURN_DAYS_MAX, {
      description: `Return window in days. The default is ${DEFAULT_TIME_TO_RETURN_DAYS}.`,
    }),
  ),
  return_shipping_methods: Type.Optional(
    ReturnMethods(`Return shipping methods. The default is ${DEFAULT_RETURN_SHIPPING_METHOD}.`),
  ),
});

export const MerchantNameBody = Type.Object({ name: MerchantBody.properties.name });

export const MerchantNoteBody = Type.Object({
  note: Text(LIMITS.merchant_note_characters_max, { description: 'Note of operators, which merchants do not see.' }),
});

export const MerchantReturnsBody = Type.Object({
  time_to_return_days: Whole(1, TIME_TO_RETURN_DAYS_MAX, { description: 'Return window in days.' }),
  return_shipping_methods: ReturnMethods('Return shipping methods.'),
});

/** The settings of the request log. */
export const RequestLogBody = Type.Object({
  keep_bodies: Type.Boolean({ description: 'Whether the log keeps the bodies of failed requests.' }),
});
