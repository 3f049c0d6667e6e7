/** GET /events */
import { OneOf, Whole } from '../../../domain/check/schema.ts';
import { type TSchema, Type } from '../../../domain/check/type.ts';
import { cursorText } from '../../../domain/event-cursor.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Names } from '../../../domain/names.ts';
import { EVENT_TYPES, type EventType } from '../../../domain/vocabulary/event-types.ts';
import { HISTORY_PARTS } from '../../../domain/vocabulary/history-parts.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../../domain/vocabulary/statuses.ts';
import { contentJson, eventId } from '../../../operations/events/event-json.ts';
import { LATEST, readEvents } from '../../../operations/events/read-events.ts';
import { isoTime } from '../../answers/iso-time.ts';
import type { Answer, Endpoint, MerchantCall } from '../../endpoint.ts';
import { QueryReading } from '../../query.ts';

const LIMIT = { min: 1, max: LIMITS.event_page_max, fallback: LIMITS.event_page_default };
const WAIT = { min: 0, max: LIMITS.event_wait_seconds_max, fallback: 0 };

const OrNull = (schema: TSchema, description: string) => Type.Union([schema, Type.Null()], { description });
const Sku = Type.String({ description: 'Id of the SKU.' });
const Url = Type.String({ description: 'Path to read the rest, relative to the API.' });

function eventOf(type: EventType, fields: Record<string, TSchema>) {
  return Type.Object({
    id: Type.String({ description: 'Unique and stable. Also a cursor: events after this one.' }),
    type: OneOf([type], { description: 'What happened.' }),
    at: Type.String({ format: 'date-time', description: 'Time of the change.' }),
    ...fields,
  });
}

const EventsAnswer = (names: Names) => {
  const statuses = (Object.keys(STATUSES) as Status[]).map((status) => names.status(status));
  const issues = (description: string) =>
    Type.Array(OneOf(SUB_STATUSES, { description: 'A sub-status.' }), { description });
  const author = Type.Object({
    kind: OneOf(['key', 'person', 'file'], { description: 'API keys, a user of the portal, or a bulk file.' }),
    name: Type.String({ description: 'User of the keys, email address, or file id.' }),
  });
  return Type.Object({
    events: Type.Array(
      Type.Union([
        eventOf('offer.updated', {
          merchant_sku: Sku,
          part: OneOf(HISTORY_PARTS, { description: 'The changed part of the offer.' }),
          by: OrNull(author, 'Who changed it; null if unknown.'),
          url: Url,
        }),
        eventOf('offer.status_changed', {
          merchant_sku: Sku,
          before: OrNull(OneOf(statuses), 'Status before; null for the first review.'),
          after: OneOf(statuses, { description: 'Status now.' }),
          issues_added: issues('Sub-statuses that the offer did not have before.'),
          issues_removed: issues('Sub-statuses that the offer no longer has.'),
          url: Url,
        }),
        eventOf('file.finished', {
          file_id: Type.String({ description: 'Id of the file.' }),
          file_type: Type.String({ description: 'Type of the file.' }),
          status: Type.String({ description: 'How the file ended.' }),
          url: Url,
        }),
        eventOf('report.ready', {
          report_id: Type.String({ description: 'Id of the report.' }),
          status: OneOf(['Ready', 'Failed'], { description: 'Whether the report can be downloaded.' }),
          url: Url,
        }),
        eventOf('key.rolled', {
          user: OrNull(Type.String(), 'User of the rolled keys; null if all keys were rolled.'),
          new_user: Type.String({ description: 'User of the new keys.' }),
          old_keys_end: Type.String({ format: 'date-time', description: 'When the old keys stop working.' }),
        }),
      ]),
      { description: 'In the order of the feed.' },
    ),
    next: Type.String({ description: 'Cursor for the next request: send it as `after`.' }),
    more: Type.Boolean({ description: 'Whether there are more events now.' }),
  });
};

export const eventEndpoints: readonly Endpoint[] = [
  {
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    access: 'merchant',
    tag: 'Events',
    summary: 'Read changes to offers, files, reports and keys, in order',
    description:
      'Send the `next` of each response as `after` of the next request. Every event appears once, in the same order for every ' +
      `reader, and is kept for ${LIMITS.event_days} days. With \`wait\`, the response comes as soon as there is an event.`,
    query: {
      after: {
        description: `The \`next\` of the last response, or the id of an event. \`${LATEST}\`: the end of the feed. Absent: the oldest event.`,
        schema: Type.String(),
      },
      types: {
        description: `Types to read, separated by commas: ${EVENT_TYPES.join(', ')}. Absent: all.`,
        schema: Type.String(),
      },
      limit: { description: `How many to read; ${LIMIT.fallback} when absent.`, schema: Whole(LIMIT.min, LIMIT.max) },
      wait: {
        description: 'How many seconds to wait for an event, if there is none yet; 0 when absent.',
        schema: Whole(WAIT.min, WAIT.max),
      },
    },
    answer: EventsAnswer,
    unhurried: true,
    handle: eventsAnswer,
  },
];

async function eventsAnswer({ services, account, query, whenClosed }: MerchantCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const after = reading.filledText('after');
  const types = readTypes(reading);
  const limit = reading.wholeNumber('limit', LIMIT);
  const wait_seconds = reading.wholeNumber('wait', WAIT);
  if (reading.problems.length > 0) return { problems: reading.problems };
  const outcome = await readEvents(services.events, account, { after, types, limit, wait_seconds, whenClosed });
  if (!outcome.ok) return outcome;
  const { events, next, more, tag } = outcome.value;
  const json = JSON.stringify({
    events: events.map((event) => ({
      id: eventId(event, tag),
      type: event.type,
      at: isoTime(event.atMs),
      ...contentJson(event, services.context.names),
    })),
    next: cursorText({ tag, ...next }),
    more,
  });
  return { status: 200, json, headers: { 'cache-control': 'no-store' } };
}

function readTypes(reading: QueryReading): readonly EventType[] {
  const text = reading.filledText('types');
  if (text === undefined) return EVENT_TYPES;
  const asked = text.split(',');
  const known = EVENT_TYPES.filter((type) => asked.includes(type));
  if (asked.some((type) => !(known as readonly string[]).includes(type))) {
    reading.refuse(`types: must be one or more of ${EVENT_TYPES.join(', ')}, separated by commas.`);
  }
  return known;
}
