/** Describes the body of a token request. */
import { Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const TokenBody = Type.Object({
  user: Text(LIMITS.text_characters_max, { description: "Your API key's user name." }),
  pass: Text(LIMITS.text_characters_max, { description: "Your API key's secret." }),
});

export type TokenRequest = Static<typeof TokenBody>;

export function createTokenCheck(names: Names): BodyCheck<TokenRequest> {
  return createBodyCheck(TokenBody, names);
}
