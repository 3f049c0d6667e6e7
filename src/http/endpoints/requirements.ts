/** GET /requirements/upcoming, /requirements/upcoming/{requirement_id}/offers, /requirements/changes: announced changes of requirements. */
import { OneOf, Text } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { listAnnouncedChanges } from '../../operations/review/announced-changes.ts';
import type { AnnouncedChange } from '../../store/port/settings.ts';
import { foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { LIST_LIMIT, limitParameter, readQuery } from '../query.ts';

const changeSchemas = {
  id: Type.Integer({ description: 'Id of the change.' }),
  rule: Type.String({ description: 'What changes.' }),
  enforced_from: Type.String({ format: 'date-time', description: 'When the change applies.' }),
  announced: Type.String({ format: 'date-time', description: 'When it was announced.' }),
};

const UpcomingAnswer = Type.Object({
  changes: Type.Array(
    Type.Object({
      ...changeSchemas,
      offers: Type.Integer({ description: 'Your offers that would fail, as of their last review.' }),
      url: Type.String({ description: 'Path of the list of these offers.' }),
    }),
    { description: 'Announced changes, next first.' },
  ),
});

const OffersAnswer = Type.Object({
  offers: Type.Array(
    Type.Object({
      merchant_sku: Type.String({ description: 'Id of the SKU.' }),
      url: Type.String({ description: 'Path of its review, whose `upcoming` says what to do.' }),
    }),
    { description: 'Offers that would fail, in order of their ids.' },
  ),
  next: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Send it as `after` to read the next page. Null on the last page.',
  }),
});

const ChangesAnswer = Type.Object({
  changes: Type.Array(
    Type.Object({
      ...changeSchemas,
      state: OneOf(['announced', 'applied', 'cancelled'], {
        description: 'Whether the change is still announced, was applied or was cancelled.',
      }),
    }),
    { description: 'Announced changes, next first; then those of the past, newest first.' },
  ),
});

const shared = { access: 'merchant', needs: SCOPE.read, tag: 'Requirements' } as const;

export const requirementEndpoints = endpointsOf(shared, {
  'GET /requirements/upcoming': {
    id: 'listUpcomingRequirements',
    summary: 'List announced changes of requirements, with the number of your offers that would fail',
    description: 'Shows from when each change applies, and links to the offers that would fail.',
    answer: UpcomingAnswer,
    async handle({ services, account: { accountId } }) {
      const { announced = [] } = services.context.rules.policies;
      const counts = announced.length === 0 ? undefined : await services.context.store.review.countUpcoming(accountId);
      const answer: Static<typeof UpcomingAnswer> = {
        changes: announced.map(({ change }) => {
          const { announcedId } = change;
          const url = `/requirements/upcoming/${announcedId}/offers`;
          return { ...changeFields(change), offers: counts?.get(announcedId) ?? 0, url };
        }),
      };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
  'GET /requirements/upcoming/{requirement_id}/offers': {
    id: 'listUpcomingFailures',
    summary: 'List your offers that would fail under an announced change',
    description: 'Fix these offers before the date: from then on they are not live.',
    query: {
      after: { description: 'The `next` of the previous page.', schema: Text(LIMITS.sku_id_characters_max) },
      limit: limitParameter(LIST_LIMIT),
    },
    answer: OffersAnswer,
    failures: [404],
    async handle({ services, account: { accountId }, targetId, query }) {
      const { announced = [] } = services.context.rules.policies;
      const found = announced.find(({ change }) => String(change.announcedId) === targetId);
      if (found === undefined) {
        return { problems: [requestProblem('change_unknown', 'No announced change with this id.')] };
      }
      const asked = readQuery(query, (reading) => ({
        after: reading.searchText('after', LIMITS.sku_id_characters_max),
        limit: reading.wholeNumber('limit', LIST_LIMIT),
      }));
      if ('problems' in asked) return asked;
      const { after, limit } = asked;
      const { review } = services.context.store;
      // One more than requested shows whether there is another page.
      const skuIds = await review.listUpcoming(accountId, found.change.announcedId, after, limit + 1);
      const page = skuIds.slice(0, limit);
      const answer: Static<typeof OffersAnswer> = {
        offers: page.map((id) => ({ merchant_sku: id, url: `/merchant-skus/${encodeURIComponent(id)}/review` })),
        next: skuIds.length > limit ? (page.at(-1) ?? null) : null,
      };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
  'GET /requirements/changes': {
    id: 'listRequirementChanges',
    summary: 'List the schedule of requirement changes',
    description: `Includes changes that were applied or cancelled in the last ${LIMITS.announced_change_retention_days} days.`,
    concerns: 'no_offers',
    answer: ChangesAnswer,
    async handle({ services }) {
      return foundAnswer(await listAnnouncedChanges(services.ruleChanges), (listed) => {
        const changes = listed.map((change) => ({ ...changeFields(change), state: change.state }));
        return JSON.stringify({ changes } satisfies Static<typeof ChangesAnswer>);
      });
    },
  },
});

function changeFields({ announcedId, rule, enforcedFromMs, atMs }: AnnouncedChange) {
  return { id: announcedId, rule, enforced_from: isoTime(enforcedFromMs), announced: isoTime(atMs) };
}
