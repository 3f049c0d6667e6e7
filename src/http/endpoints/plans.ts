/** POST and GET /plans, GET /plans/{plan_id}, POST /plans/{plan_id}/apply and /undo */
import { PlanBody } from '../../domain/bodies/plan.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { authorJson } from '../../domain/events.ts';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { differencesOf } from '../../domain/offers/part-changes.ts';
import { PARTS } from '../../domain/offers/parts.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import type { Outcome } from '../../domain/outcome.ts';
import {
  APPROVAL_REASONS,
  PLAN_LIFETIME_MS,
  PLAN_STATES,
  type PlanTotals,
  type WholePlan,
} from '../../domain/plans.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import {
  applyPlan,
  leftParts,
  listPlans,
  type PlanReading,
  readPlan,
  undoPlan,
} from '../../operations/plans/apply-plan.ts';
import { makePlan, type TriedOffer } from '../../operations/plans/make-plan.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import { changedValue } from '../dry-run.ts';
import { type Answer, endpointsOf, type MerchantCall } from '../endpoint.ts';
import { OrNull } from '../portal/answer-schemas.ts';
import type { Services } from '../services.ts';
import { Undone, undoneJson } from './files.ts';
import { statusFields } from './get-sku.ts';
import { authorFields } from './history.ts';
import { positionFields } from './position.ts';
import { TriedPosition } from './storefront-schemas.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Time = (description: string) => Type.String({ format: 'date-time', description });

const Totals = Type.Object(
  {
    offers: Count('Offers that the plan changes.'),
    unchanged: Count('Offers that already have these values.'),
    refused: Count('Offers whose change is refused.'),
    skipped: Count('Offers that match a price change that cannot apply to them, such as offers without a price.'),
    archived: Count('Offers that the plan archives or unarchives: all that it changes, or none.'),
    price_change_percent_max: OrNull(Type.Number(), 'The largest change of a price in percent, up or down.'),
    price_min: OrNull(Type.Number(), 'The lowest new price.'),
  },
  { title: 'PlanTotals', description: 'What the plan changes in all.' },
);

const TriedOffers = (names: Names) =>
  Type.Array(
    Type.Object(
      {
        merchant_sku: Type.String({ description: 'Id of the SKU.' }),
        accepted: Type.Boolean({ description: 'False if the change is refused. The plan leaves the offer out.' }),
        problems: Type.Array(
          Type.Object({
            code: Type.String({ description: 'Stable code of the problem.' }),
            field: Type.String({ description: 'JSON pointer to the field; empty if no single field is wrong.' }),
            message: Type.String({ description: 'The problem.' }),
          }),
          { description: 'Why the change is refused.' },
        ),
        changes: Type.Array(changedValue('The stored value', 'The value after the plan'), {
          description: 'What the plan changes. Empty if the offer already has these values.',
        }),
        status: Type.Optional(statusFields(names).status),
        sub_status: Type.Optional(statusFields(names).sub_status),
        position: Type.Optional(TriedPosition),
      },
      { title: 'PlannedOffer', description: 'A change that was tried, with the status of the offer right after it.' },
    ),
    { description: 'The offers of the plan.' },
  );

const madeFields = {
  state: OneOf(PLAN_STATES, {
    description:
      '`planned`: can be applied. `awaiting_approval`: beyond the guard rails of the key; a user of the merchant can approve it in the ' +
      'portal. `refused`: by a user. `expired`: was not applied in time. `applying`, `applied`: follow `file`.',
  }),
  by: Type.Object(authorFields, { description: 'Who made the plan.' }),
  created: Time('When the plan was made.'),
  expires: Time(`Until when the plan can be applied: ${LIMITS.plan_minutes} minutes after it was made.`),
  totals: Totals,
  needs_approval: Type.Array(OneOf(APPROVAL_REASONS), {
    description: 'The guard rails of the key that the plan exceeds.',
  }),
  decided_by: OrNull(Type.String(), 'Email address of the user who approved or refused the plan.'),
};

export const PlanAnswer = Type.Object(
  { id: Type.String({ description: 'Id of the plan.' }), ...madeFields, file: Type.Optional(FileRecord) },
  {
    title: 'Plan',
    description:
      'Changes to many offers that were tried. `file` is the bulk file that applies them; absent before that, and once it is deleted.',
  },
);

const MadePlan = (names: Names) =>
  Type.Object({
    id: OrNull(Type.String(), 'Id of the plan. Null if no offer would change: there is nothing to apply.'),
    ...madeFields,
    offers: TriedOffers(names),
  });

const WholePlanAnswer = (names: Names) =>
  Type.Object({
    ...PlanAnswer.properties,
    left_alone: Type.Optional(
      Type.Array(
        Type.Object({
          merchant_sku: Type.String({ description: 'Id of the SKU.' }),
          part: OneOf(
            PARTS.flatMap(({ name }) => (name === 'variation' ? [] : name)),
            { description: 'The part that kept its value.' },
          ),
        }),
        {
          description:
            'Parts that the applied plan did not write, because they were changed after the plan was made. Absent before the plan is ' +
            'applied, and once the history of that time is deleted.',
        },
      ),
    ),
    offers: TriedOffers(names),
  });

const shared = { access: 'merchant', needs: SCOPE.read, concerns: 'several_skus', tag: 'Plans' } as const;

export const planEndpoints = endpointsOf(shared, {
  'POST /plans': {
    id: 'makePlan',
    summary: 'Plan changes to many offers',
    description:
      `Tries changes to up to ${LIMITS.plan_offers_max} offers like dry runs, and stores nothing on the offers. Send parts, fixes or archive flags by SKU, or ` +
      'one change to the prices of all offers that match. The key also needs the scopes of the parts. Apply the plan with its `id`.',
    requestBody: PlanBody,
    answer: MadePlan,
    failures: [429],
    unhurried: true,
    async handle(call) {
      const { services, account, body, by } = call;
      const { names } = services.context;
      const made = await makePlan(services, account, plannerOf(call), body, (offers) => offersJson(offers, names));
      if (!made.ok) return made;
      const { plan, totals, offers } = made.value;
      const createdMs = plan?.createdMs ?? services.context.nowMs();
      const { reasons = [], planId = null } = plan ?? {};
      const json = spliceJson(
        JSON.stringify({
          id: planId,
          state: reasons.length > 0 ? 'awaiting_approval' : 'planned',
          ...timesJson({ by, createdMs }),
          totals: totalsJson(totals),
          needs_approval: reasons,
          decided_by: null,
        }),
        { offers },
      );
      return { status: 200, json, headers: NOT_KEPT, ignored: made.ignored };
    },
  },
  'GET /plans': {
    id: 'listPlans',
    summary: 'List the plans of the account, newest first',
    description: `Lists the newest ${LIMITS.plans_kept_max} plans of all keys and users, made in the last ${LIMITS.file_retention_days} days.`,
    answer: Type.Object({ plans: Type.Array(PlanAnswer, { description: 'Plans, newest first.' }) }),
    async handle({ services, account }) {
      const plans = await listPlans(services, account);
      const list = await Promise.all(plans.map((reading) => planJson(services, reading)));
      return { status: 200, json: JSON.stringify({ plans: list }), headers: NOT_KEPT };
    },
  },
  'GET /plans/{plan_id}': {
    id: 'getPlan',
    summary: 'Read a plan with its offers',
    description:
      'After the plan was applied, `left_alone` names the parts that were changed meanwhile and kept their values.',
    answer: WholePlanAnswer,
    failures: [404],
    async handle({ services, account, targetId: planId }) {
      const read = await readPlan(services, account, planId);
      if (!read.ok) return read;
      const { plan } = read.value;
      const left = await leftParts(services, account, read.value, changedIn(plan));
      const leftAlone = left?.map(({ skuId, part }) => ({ merchant_sku: skuId, part }));
      const own = { ...(await planJson(services, read.value)), ...(leftAlone && { left_alone: leftAlone }) };
      return { status: 200, json: spliceJson(JSON.stringify(own), { offers: plan.offers }), headers: NOT_KEPT };
    },
  },
  'POST /plans/{plan_id}/apply': {
    id: 'applyPlan',
    summary: 'Apply a plan',
    description:
      'Send no body. A bulk file writes exactly what the plan shows. Parts that were changed after the plan was made keep their values, and ' +
      '`GET /plans/{plan_id}` names them. Only the key that made the plan can apply it, with the scopes that it needed. Repeating the ' +
      'call changes nothing.',
    answer: PlanAnswer,
    failures: [404],
    handle: async (call) =>
      planAnswer(call.services, await applyPlan(call.services, call.account, plannerOf(call), call.targetId)),
  },
  'POST /plans/{plan_id}/undo': {
    id: 'undoPlan',
    summary: 'Undo an applied plan',
    description:
      'Send no body. Creates a bulk file with the values from before the plan, and submits it. Offers that were changed since, and SKUs that ' +
      'the plan added, are skipped. Any key of the merchant that has the scopes of the plan can undo it.',
    answer: Undone,
    failures: [404],
    unhurried: true,
    async handle(call) {
      const { services, account, targetId } = call;
      const undone = await undoPlan(services, account, plannerOf(call), targetId);
      return undone.ok ? { status: 200, json: await undoneJson(services, undone.value), headers: NOT_KEPT } : undone;
    },
  },
});

function plannerOf({ by, key }: MerchantCall) {
  return { by, key };
}

export async function planAnswer(services: Services, outcome: Outcome<PlanReading>): Promise<Answer> {
  if (!outcome.ok) return outcome;
  return { status: 200, json: JSON.stringify(await planJson(services, outcome.value)), headers: NOT_KEPT };
}

async function planJson(services: Services, { plan, state, file }: PlanReading) {
  return {
    id: plan.planId,
    state,
    ...timesJson(plan),
    totals: totalsJson(plan.totals),
    needs_approval: plan.reasons,
    decided_by: plan.decidedBy,
    ...(file === undefined ? {} : { file: await fileRecord(services, file) }),
  };
}

function timesJson({ by, createdMs }: Pick<WholePlan, 'by' | 'createdMs'>) {
  return { by: authorJson(by), created: isoTime(createdMs), expires: isoTime(createdMs + PLAN_LIFETIME_MS) };
}

function totalsJson({ percentMax, lowestPrice, ...counts }: PlanTotals) {
  return { ...counts, price_change_percent_max: percentMax, price_min: lowestPrice };
}

function offersJson(offers: readonly TriedOffer[], names: Names): string {
  return stringifyExactJson(
    offers.map(({ skuId, tried, problems, position }) => ({
      merchant_sku: skuId,
      accepted: tried !== undefined,
      problems: problems.map(({ code, field, message }) => ({ code, field, message })),
      changes: tried?.changes.flatMap((change) => differencesOf(change, names)) ?? [],
      ...(tried && { status: names.status(tried.status), sub_status: tried.subStatuses }),
      ...(position && { position: positionFields(position) }),
    })),
  );
}

interface StoredOffer {
  readonly merchant_sku: string;
  readonly changes: readonly { readonly pointer: string }[];
}

/** Returns the parts that the plan changes, by SKU. */
function changedIn({ offers }: WholePlan): ReadonlyMap<string, ReadonlySet<string>> {
  const changed = (parseExactJson(offers) as readonly StoredOffer[]).map(({ merchant_sku, changes }) => {
    return [merchant_sku, new Set(changes.map(({ pointer }) => pointer.split('/')[1] ?? ''))] as const;
  });
  return new Map(changed.filter(([, parts]) => parts.size > 0));
}
