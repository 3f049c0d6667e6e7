/** The query of every signed address, for the documentation; signed-links.ts is in charge of what it means. */
import Type from 'typebox';
import type { Documentation } from './endpoint.ts';

export const SIGNED_QUERY: NonNullable<Documentation['query']> = Object.freeze({
  account: { description: 'Part of the address as it was given out.', schema: Type.String() },
  expires: { description: 'Part of the address as it was given out.', schema: Type.String() },
  key: { description: 'Part of the address as it was given out.', schema: Type.String() },
  signature: { description: 'Part of the address as it was given out.', schema: Type.String() },
});
