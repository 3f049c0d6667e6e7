/** Portal: GET /{env}/overview and /overview/held-back */
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { readFirstSteps } from '../../operations/portal/first-steps.ts';
import { readHeldBack } from '../../operations/portal/read-held-back.ts';
import type { RequestMinute } from '../../operations/portal/read-overview.ts';
import { readOverview } from '../../operations/portal/read-overview.ts';
import type { Held } from '../../operations/portal/view-context.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import type { AccountEndpoint } from '../endpoint.ts';
import { Count, Time } from './answer-schemas.ts';
import { StatusName } from './offers.ts';

/** Request counts of one interval. */
export const RequestSpan = Type.Object({
  at: Time('Start of the interval.'),
  requests: Count('All requests with a response, including the two below.'),
  errors: Count('Requests with status 400 or above, except 429.'),
  refused: Count('Requests over the rate limit, with status 429.'),
});

const AT_LAST_REVIEW = 'Number of offers, by the result of their last review.';

const OverviewAnswer = (names: Names) =>
  Type.Object({
    offers: Type.Object({
      total: Count('All offers, including offers that wait for their first review.'),
      for_sale: Count('Offers that are available and in stock.'),
      out_of_stock: Count('Offers that are available, but have stock 0 at every location.'),
      stock_is_estimated: Type.Boolean({
        description: '`for_sale` and `out_of_stock` are estimated from a sample of up to 20,000 available offers.',
      }),
      with_issues: Count('Offers that are not available because of an issue; archived offers do not count.'),
      in_review: Count('Offers in review, including offers that wait for their first review.'),
      archived: Count('Archived offers.'),
      by_status: Type.Array(Type.Object({ status: StatusName(names), offers: Count(AT_LAST_REVIEW) }), {
        description: 'Number of offers by status, with all statuses.',
      }),
      by_sub_status: Type.Array(Type.Object({ sub_status: OneOf(SUB_STATUSES), offers: Count(AT_LAST_REVIEW) }), {
        description: 'Issues of offers that are not archived, most frequent first.',
      }),
    }),
    waiting_for_review: Count('Offers that are due for review.'),
    waiting_is_more: Type.Boolean({
      description: 'More offers are due than were counted: `waiting_for_review` and `total` are lower bounds.',
    }),
    first_steps: Type.Object(
      {
        keys: Type.Boolean({ description: 'A key was created, or the first one was used.' }),
        location: Type.Boolean(),
        offer: Type.Boolean(),
        price: Type.Boolean(),
        stock: Type.Boolean(),
        live: Type.Boolean({ description: 'An offer of the live environment is available.' }),
      },
      { description: 'Steps a new merchant has completed. All refer to this environment, except `live`.' },
    ),
    files: Type.Array(FileRecord, { description: 'Bulk files in progress, oldest first.' }),
    requests: Type.Object({
      limit_per_minute: Count(`Requests allowed in ${LIMITS.request_window_seconds} seconds.`),
      minutes: Type.Array(RequestSpan, {
        description: 'The last 60 minutes, oldest first, including idle ones; up to 10 seconds late.',
      }),
      hours: Type.Array(RequestSpan, { description: 'The last 24 hours, oldest first, including idle ones.' }),
    }),
  });

export const overviewEndpoint: AccountEndpoint = {
  id: 'getOverview',
  method: 'GET',
  path: '/overview',
  access: 'account',
  tag: 'Overview',
  summary: 'Read the overview of offers, files and requests',
  answer: OverviewAnswer,
  async handle({ services, account }) {
    const { names } = services.context;
    const merchant = await services.portal.directory.merchant(account.merchantId);
    if (merchant === undefined) throw new Error('The merchant of the account does not exist.');
    const [found, first_steps] = await Promise.all([
      readOverview(services.views, account),
      readFirstSteps(services.views, account, merchant),
    ]);
    const overview: Omit<Static<ReturnType<typeof OverviewAnswer>>, 'files'> = {
      offers: {
        total: found.offers,
        for_sale: found.forSale,
        out_of_stock: found.outOfStock,
        stock_is_estimated: found.stockIsEstimated,
        with_issues: found.withIssues,
        in_review: found.inReview,
        archived: found.archived,
        by_status: found.byStatus.map(([status, offers]) => ({ status: names.status(status), offers })),
        by_sub_status: found.bySubStatus.map(([sub_status, offers]) => ({ sub_status, offers })),
      },
      waiting_for_review: found.waitingForReview,
      waiting_is_more: found.waitingIsMore,
      first_steps,
      requests: {
        limit_per_minute: services.views.requestsPerMinute,
        minutes: found.minutes.map(spanJson),
        hours: found.hours.map(spanJson),
      },
    };
    const files = await Promise.all(found.files.map((file) => fileRecord(services, file)));
    return { status: 200, json: JSON.stringify({ ...overview, files }), headers: NOT_KEPT };
  },
};

const heldFields = {
  units: Count('Stock of these offers, at all locations.'),
  list_value: Type.Number({ description: 'Sum of price times stock. Offers without a price count as 0.' }),
};

const HeldBackAnswer = (names: Names) =>
  Type.Object({
    by_status: Type.Array(Type.Object({ status: StatusName(names), ...heldFields })),
    by_sub_status: Type.Array(Type.Object({ sub_status: OneOf(SUB_STATUSES), ...heldFields }), {
      description: 'An offer with several issues counts for each of them.',
    }),
    is_more: Type.Boolean({
      description: 'More offers are held back than were read, so all figures are lower bounds.',
    }),
  });

export const heldBackEndpoint: AccountEndpoint = {
  id: 'getHeldBack',
  method: 'GET',
  path: '/overview/held-back',
  access: 'account',
  tag: 'Overview',
  summary: 'Read how many units each issue keeps from being sold',
  description: 'The figures may be 30 seconds old.',
  answer: HeldBackAnswer,
  async handle({ services, account }) {
    const { names } = services.context;
    const { byStatus, bySubStatus, isMore } = await readHeldBack(services.views, account);
    const found: Static<ReturnType<typeof HeldBackAnswer>> = {
      by_status: Array.from(byStatus, ([status, held]) => ({ status: names.status(status), ...heldJson(held) })),
      by_sub_status: Array.from(bySubStatus, ([sub_status, held]) => ({ sub_status, ...heldJson(held) })),
      is_more: isMore,
    };
    return { status: 200, json: JSON.stringify(found), headers: NOT_KEPT };
  },
};

function heldJson({ units, listValue }: Held) {
  return { units, list_value: Math.round(listValue * 100) / 100 };
}

export function spanJson({ atMs, requests, errors, refused }: RequestMinute): Static<typeof RequestSpan> {
  return { at: isoTime(atMs), requests, errors, refused };
}
