/** Names the states of plans and the limits of keys. */
import type { Plan } from '../../../api/files.ts';

export const STATE_NAMES: Readonly<Record<Plan['state'], string>> = {
  planned: 'Ready to apply',
  awaiting_approval: 'Waiting for approval',
  refused: 'Refused',
  expired: 'Expired',
  applying: 'Being applied',
  applied: 'Applied',
};

export const LIMIT_NAMES: Readonly<Record<Plan['needs_approval'][number], string>> = {
  offers: 'more offers than the key may change',
  price_change: 'a larger price change than the key may make',
  hours: 'made outside the hours of the key',
};
