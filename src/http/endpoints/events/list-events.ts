/** GET /events */
import { OneOf, Whole } from '../../../domain/check/schema.ts';
import { type TSchema, Type } from '../../../domain/check/type.ts';
import { CHANGES_OMITTED, INCLUDED } from '../../../domain/event-changes.ts';
import { cursorText } from '../../../domain/events.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Names } from '../../../domain/names.ts';
import { SCOPE } from '../../../domain/setup/key-scopes.ts';
import { EVENT_TYPES, type EventType } from '../../../domain/vocabulary/event-types.ts';
import { OFFER_PARTS } from '../../../domain/vocabulary/offer-parts.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../../domain/vocabulary/statuses.ts';
import { LATEST, readEvents } from '../../../operations/events/read-events.ts';
import { NOT_KEPT } from '../../answers/answers.ts';
import { changedValue } from '../../dry-run.ts';
import type { MerchantEndpoint } from '../../endpoint.ts';
import { limitParameter, type QueryReading, readQuery } from '../../query.ts';
import { authorFields } from '../history.ts';

const LIMIT = { min: 1, max: LIMITS.event_page_max, fallback: LIMITS.event_page_default };
const WAIT = { min: 0, max: LIMITS.event_wait_seconds_max, fallback: 0 };

const OrNull = (schema: TSchema, description: string) => Type.Union([schema, Type.Null()], { description });
const Sku = Type.String({ description: 'Id of the SKU.' });
const Url = Type.String({ description: 'Path of the changed resource, relative to the base URL of the API.' });

const AnnouncedFields = {
  change_id: Type.Integer({ description: 'Id of the announced change, as in `GET /requirements/upcoming`.' }),
  enforced_from: Type.String({ format: 'date-time', description: 'When the change applies.' }),
};

const ChangesFields = {
  changes: Type.Optional(
    OrNull(
      Type.Array(changedValue('The value before the change', 'The value after the change')),
      'Only with `include=changes`: the fields that changed, even if they have changed again since; null if they cannot be shown.',
    ),
  ),
  changes_omitted: Type.Optional(
    OneOf(CHANGES_OMITTED, {
      description:
        'Why `changes` is null. `not_recorded`: the history of the offer does not contain the change, or no longer does. ' +
        `\`too_long\`: the part has more than ${LIMITS.event_value_characters_max.toLocaleString('en')} characters, or more ` +
        `than ${LIMITS.event_change_nodes_max} fulfillment nodes changed, or too many later stock changes of the SKU had to be read. Read the part at \`url\`.`,
    }),
  ),
};

function eventOf(type: EventType, fields: Record<string, TSchema>) {
  return Type.Object({
    id: Type.String({ description: 'Unique and stable. Send it as `after` to read the events that follow.' }),
    type: OneOf([type], { description: 'What happened.' }),
    at: Type.String({ format: 'date-time', description: 'Time of the change.' }),
    ...fields,
  });
}

const EventsAnswer = (names: Names) => {
  const statuses = (Object.keys(STATUSES) as Status[]).map((status) => names.status(status));
  const issues = (description: string) =>
    Type.Array(OneOf(SUB_STATUSES, { description: 'A sub-status.' }), { description });
  return Type.Object({
    events: Type.Array(
      Type.Union([
        eventOf('offer.updated', {
          merchant_sku: Sku,
          part: OneOf(OFFER_PARTS, { description: 'The part of the offer that changed.' }),
          by: OrNull(Type.Object(authorFields), 'Who made the change; null if unknown.'),
          url: Url,
          ...ChangesFields,
        }),
        eventOf('offer.status_changed', {
          merchant_sku: Sku,
          before: OrNull(OneOf(statuses), 'Status before the change; null for the first review.'),
          after: OneOf(statuses, { description: 'Status after the change.' }),
          issues_added: issues('Sub-statuses that the offer did not have before.'),
          issues_removed: issues('Sub-statuses that the offer no longer has.'),
          url: Url,
          ...ChangesFields,
        }),
        eventOf('offer.position_changed', {
          merchant_sku: Sku,
          before: Type.Integer({ description: 'Rank before the change, as in `GET …/position`.' }),
          after: Type.Integer({ description: 'Rank after the change.' }),
          rank_of: Type.Integer({ description: 'Number of offers that are compared.' }),
          url: Url,
        }),
        ...(['offer.will_fail', 'offer.will_pass'] as const).map((type) =>
          eventOf(type, {
            merchant_sku: Sku,
            ...AnnouncedFields,
            url: Url,
          }),
        ),
        eventOf('requirement.reminder', {
          ...AnnouncedFields,
          days: Type.Integer({ description: 'Days before the change: 30, 7 or 1.' }),
          offers: Type.Integer({ description: 'Your offers that would fail.' }),
          url: Url,
        }),
        eventOf('file.finished', {
          file_id: Type.String({ description: 'Id of the file.' }),
          file_type: Type.String({ description: 'Type of the file.' }),
          status: Type.String({ description: 'Final status of the file.' }),
          validate_only: Type.Optional(
            Type.Boolean({ description: 'True if rows were only checked; otherwise absent.' }),
          ),
          url: Url,
        }),
        eventOf('report.ready', {
          report_id: Type.String({ description: 'Id of the report.' }),
          status: OneOf(['Ready', 'Failed'], { description: 'Whether the report can be downloaded.' }),
          url: Url,
        }),
        eventOf('key.rolled', {
          user: OrNull(Type.String(), 'User name of the API key that was rolled; null if all keys were rolled.'),
          new_user: Type.String({ description: 'User name of the new API key.' }),
          old_keys_end: Type.String({ format: 'date-time', description: 'When the replaced keys stop working.' }),
        }),
      ]),
      { description: 'Events, oldest first.' },
    ),
    next: Type.String({ description: 'Cursor for the next request: send it as `after`.' }),
    more: Type.Boolean({ description: 'Whether more events are already available.' }),
  });
};

export const listEventsEndpoint: MerchantEndpoint = {
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'Events',
  summary: 'Read changes to offers, files, reports and keys, in order',
  description:
    'Send the `next` of each response as `after` in the next request. Every event appears once, in the same order for every ' +
    `reader, and is kept for ${LIMITS.event_days} days. With \`wait\`, the response comes as soon as there is an event.`,
  query: {
    after: {
      description: `The \`next\` of the last response, or the id of an event. With \`${LATEST}\`, only new events are read. If absent, reading starts with the oldest event.`,
      schema: Type.String(),
    },
    types: {
      description: 'Types to read. Repeat the parameter, or separate the types with commas. The default is all types.',
      schema: Type.Array(OneOf(EVENT_TYPES)),
    },
    limit: limitParameter(LIMIT),
    include: {
      description:
        '`changes`: events of offers show which fields changed, with the values before and after. A page then has at most ' +
        `${LIMITS.event_changes_page_max} events, and fewer if the values are large.`,
      schema: Type.Array(OneOf(INCLUDED)),
    },
    wait: {
      description: 'How long to wait for an event if none is available, in seconds. The default is 0.',
      schema: Whole(WAIT.min, WAIT.max),
    },
  },
  answer: EventsAnswer,
  unhurried: true,
  async handle({ services, account, query, whenClosed }) {
    const asked = readQuery(query, (reading) => ({
      after: reading.filledText('after'),
      types: readTypes(reading),
      limit: reading.wholeNumber('limit', LIMIT),
      wait_seconds: reading.wholeNumber('wait', WAIT),
      withChanges: readList(reading, 'include', INCLUDED).length > 0,
    }));
    if ('problems' in asked) return asked;
    const { settings: names } = services.context.names;
    const outcome = await readEvents(services.events, account, { ...asked, names, whenClosed });
    if (!outcome.ok) return outcome;
    const { text, next, more, tag } = outcome.value;
    const json = `{"events":[${text}],"next":"${cursorText({ tag, ...next })}","more":${more}}`;
    return { status: 200, json, headers: NOT_KEPT };
  },
};

function readTypes(reading: QueryReading): readonly EventType[] {
  const asked = readList(reading, 'types', EVENT_TYPES);
  return asked.length === 0 ? EVENT_TYPES : asked;
}

/** Returns the requested values in the order of `values`. */
function readList<T extends string>(reading: QueryReading, name: string, values: readonly T[]): readonly T[] {
  const asked = reading.list(name);
  const known = values.filter((value) => asked.includes(value));
  if (asked.some((value) => !(known as readonly string[]).includes(value))) {
    reading.refuse(`${name}: must be one or more of ${values.join(', ')}, separated by commas.`);
  }
  return known;
}
