/** The types of events in the change feed, each with the number under which it is stored: never reuse one. */
export const EVENT_CODES = Object.freeze({
  'offer.updated': 1,
  'offer.status_changed': 2,
  'file.finished': 3,
  'report.ready': 4,
  'key.rolled': 5,
  'offer.will_fail': 6,
  'offer.will_pass': 7,
  'requirement.reminder': 8,
  'offer.recategorized': 9,
  'offer.position_changed': 10,
});

export type StoredEventType = keyof typeof EVENT_CODES;

/** Merchants do not see `offer.recategorized`: only the storefront follows it. */
export type EventType = Exclude<StoredEventType, 'offer.recategorized'>;

export const EVENT_TYPES = Object.freeze(
  (Object.keys(EVENT_CODES) as StoredEventType[]).filter((type) => type !== 'offer.recategorized'),
);
