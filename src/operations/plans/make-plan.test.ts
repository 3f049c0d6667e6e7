/** Tests the limits of the work of a plan at their bounds. test/api/plans.test.ts tests everything else about plans. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, refuseRequest } from '../../domain/outcome.ts';
import { NO_POLICIES } from '../../domain/review/policies.ts';
import { KNOWLEDGE } from '../../domain/review/testing/good-offer.ts';
import { type ReviewRules, reviewKnowledge } from '../review-knowledge.ts';
import { makePlan, type PlanContext } from './make-plan.ts';

const NO_BODY = { value: {}, problems: [] };
const PLANNER = { by: 'key:agent', key: undefined } as const;
/** Its id is not valid, so that its change is refused without a database. */
const REFUSED = { merchant_sku: '..' };

/** The process counts the attempts of each account. */
let nextAccountId = 1;

function newAccount(): Account {
  return { ...KNOWLEDGE.account, accountId: nextAccountId++ } as Account;
}

/** `offers`: how many offers without a price the account has. */
function contextsOf(account: Account, sent: object, offers = 0) {
  const rules = {
    taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } },
    policies: { current: NO_POLICIES },
    ...({ imageCheck: 'on', newProductData: [], code: 'as it is' } as const),
  } as unknown as ReviewRules;
  const verdict = { rules: reviewKnowledge(rules, account).tag, status: 'available', subStatuses: [] };
  const offer = { skuId: 'a', archived: false, price: null, priceNodes: [], verdict };
  const listOffers = async (_: number, { after = 0, limit }: { after?: number; limit: number }) => {
    const read = Math.min(limit, offers - after);
    return { offers: Array(read).fill(offer), next: after + read < offers ? after + read : undefined };
  };
  return {
    context: { bodies: { plan: () => accept({ bodies: [], ...sent }) }, nowMs: () => 1 },
    views: { rules, store: { offerList: { listOffers } } },
    files: { store: { files: { drawNumber: async () => 1, hasEarlierSince: async () => false } } },
    plans: { countPlans: async () => 0 },
  } as unknown as PlanContext;
}

it('reads at most 20,000 offers to find those whose price changes', async () => {
  const make = (offers: number) => {
    const account = newAccount();
    return makePlan(
      contextsOf(account, { price_change: { percent: 5 } }, offers),
      account,
      PLANNER,
      NO_BODY,
      () => '[]',
    );
  };
  const made = await make(LIMITS.plan_examined_max);
  assert.deepEqual(made.ok && made.value.totals.skipped, LIMITS.plan_examined_max);
  assert.deepEqual(await make(LIMITS.plan_examined_max + 1), refuseRequest('plan_too_large'));
});

it('shows at most 8 MB of offers, which it counts in groups', async () => {
  const make = (bytes: number) => {
    const account = newAccount();
    let left = bytes;
    const shown = (group: readonly unknown[]) => {
      const own = group.length < 20 ? left : Math.floor(bytes / 2);
      left -= own;
      return `["${'é'.repeat((own - 2) / 2)}${'-'.repeat(own % 2)}"]`;
    };
    return makePlan(contextsOf(account, { offers: Array(21).fill(REFUSED) }), account, PLANNER, NO_BODY, shown);
  };
  const made = await make(LIMITS.plan_bytes_max);
  assert.ok(made.ok);
  assert.equal(made.value.totals.refused, 21);
  assert.equal(Buffer.byteLength(made.value.offers), LIMITS.plan_bytes_max + '[,]'.length);
  assert.deepEqual(await make(LIMITS.plan_bytes_max + 1), refuseRequest('plan_too_large'));
});

it('refuses more than 100 attempts of an account in an hour, even if they change nothing', async () => {
  const [account, other] = [newAccount(), newAccount()];
  const make = (own: Account, nowMs = 1) => {
    const contexts = contextsOf(own, { offers: [REFUSED] });
    const context = { ...contexts.context, nowMs: () => nowMs };
    return makePlan({ ...contexts, context }, own, PLANNER, NO_BODY, () => '[]');
  };
  for (let made = 0; made < LIMITS.plans_per_hour_max; made++) assert.ok((await make(account)).ok);
  assert.deepEqual(await make(account), refuseRequest('plans_too_many'));
  assert.ok((await make(other)).ok);
  assert.ok((await make(account, 1 + LIMITS.plan_minutes * 60_000)).ok);
});
