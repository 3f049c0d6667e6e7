/** Describes the settings of the request log. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { type Static, Type } from '../check/type.ts';
import type { Names } from '../names.ts';

export const RequestLogBody = Type.Object({
  keep_bodies: Type.Boolean({ description: 'Whether the log keeps the bodies of failed requests.' }),
});

export function createRequestLogCheck(names: Names): BodyCheck<Static<typeof RequestLogBody>> {
  return createBodyCheck(RequestLogBody, names);
}
