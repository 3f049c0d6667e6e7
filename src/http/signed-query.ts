/** Documents the query of every signed URL; signed-links.ts defines its meaning. */
import { Type } from '../domain/check/type.ts';
import type { Documentation, Parameter } from './endpoint.ts';

const PART: Parameter = Object.freeze({
  description: 'Part of the signed URL. Use the URL as you received it.',
  schema: Type.String(),
  required: true,
});

export const SIGNED_QUERY: NonNullable<Documentation['query']> = Object.freeze({
  account: PART,
  expires: PART,
  key: PART,
  signature: PART,
});
