/** The types of events in the change feed. */
export const EVENT_TYPES = Object.freeze([
  'offer.updated',
  'offer.status_changed',
  'file.finished',
  'report.ready',
  'key.rolled',
] as const);

export type EventType = (typeof EVENT_TYPES)[number];
