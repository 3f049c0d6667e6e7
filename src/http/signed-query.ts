/** The query of every signed address, for the documentation; signed-links.ts is in charge of what it means. */
import Type from 'typebox';
import type { Documentation, Parameter } from './endpoint.ts';

const PART: Parameter = Object.freeze({
  description: 'Part of the signed address. Use the address as you received it.',
  schema: Type.String(),
  required: true,
});

export const SIGNED_QUERY: NonNullable<Documentation['query']> = Object.freeze({
  account: PART,
  expires: PART,
  key: PART,
  signature: PART,
});
