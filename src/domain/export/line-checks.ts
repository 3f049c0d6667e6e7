/** Describes the fields of each kind of line in an export, with neutral names. */
import { ENVIRONMENTS } from '../account.ts';
import { ANY_NODES, createBodyChecks } from '../bodies/all-bodies.ts';
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { Id, List, OneOf, Pattern, Text, Whole } from '../check/schema.ts';
import { type Static, type TSchema, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { NewCredentialBody } from '../setup/credential-roll.ts';
import { MerchantBody } from '../setup/merchant.ts';
import { NodeBody, ReturnLocationBody } from '../setup/node.ts';

const NAMES = new Names(NEUTRAL_NAMES);
const Time = Pattern(
  '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  'must be a time such as 2026-01-31T09:30:00.000Z',
);
const Base64 = Pattern('^[A-Za-z0-9+/]{2,128}={0,2}$', 'must be base64');
const Count = Whole(0, Number.MAX_SAFE_INTEGER);

/** Checks the parts of a SKU line like the bodies of their calls. */
export const PART_CHECKS = createBodyChecks(NAMES, ANY_NODES);

const check = <S extends TSchema>(schema: S): BodyCheck<Static<S>> => createBodyCheck(schema, NAMES);

/** One check per kind of line. */
export const LINE_CHECKS = Object.freeze({
  header: check(Type.Object({ version: Whole(1, LIMITS.count_max) })),
  merchant: check(Type.Object({ ...MerchantBody.properties, created: Time, suspended: Type.Boolean() })),
  environment: check(Type.Object({ environment: OneOf(ENVIRONMENTS) })),
  credential: check(
    Type.Object({
      user: Text(LIMITS.text_characters_max, { min: 1 }),
      salt: Base64,
      secret_sha256: Base64,
      created: Time,
      ends: Type.Optional(Time),
      ...Type.Partial(NewCredentialBody).properties,
    }),
  ),
  node: check(NodeBody),
  returnLocation: check(ReturnLocationBody),
  sku: check(
    Type.Object({
      sku_id: Type.String(),
      first_upload: Time,
      archived: Type.Boolean(),
      data_updated: Time,
      inventory_stamp: Time,
    }),
  ),
  updated: check(Type.Object({ updated: Time })),
  group: check(
    Type.Object({
      sku_id: Type.String(),
      variation_refinements: List(Id(), LIMITS.variation_refinements_max, { min: 1 }),
      group_title: Type.Optional(Text(LIMITS.text_characters_max)),
      // Empty when every child has moved to another group.
      children_skus: List(Text(LIMITS.sku_id_characters_max, { min: 1 }), LIMITS.children_skus_max),
    }),
  ),
  end: check(Type.Object({ merchants: Count, skus: Count, lines: Count })),
});
