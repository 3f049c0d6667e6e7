/** The service levels of a shipping exception. None belongs to a carrier. */
export const SERVICE_LEVELS = Object.freeze([
  'Second Day',
  'Next Day',
  'Priority',
  'Expedited',
  'Standard',
  'Scheduled (freight)',
  '5 to 10 Day',
  '11 to 20 Day',
  '21 to 30 Day',
  'Scheduled (freight 11 to 20 day)',
  'Scheduled (freight 21 to 30 day)',
] as const);

export type ServiceLevel = (typeof SERVICE_LEVELS)[number];
