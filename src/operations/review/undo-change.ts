/** Use cases: an operator lists the latest changes to the review's rules, sees the progress of their re-review, and undoes a change. */
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, type Refused, refuseRequest } from '../../domain/outcome.ts';
import { policyKey, replacePolicy } from '../../domain/review/policies.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import { ReadsByAccount } from '../../store/port/reads-by-account.ts';
import type { ReplacedRule, RuleChange } from '../../store/port/settings.ts';
import type { Store } from '../../store/port.ts';
import type { ChangeGate, Proposal } from './rule-change.ts';

export interface RuleChanges {
  readonly store: Pick<Store, 'policies' | 'catalog' | 'review' | 'offerList'>;
  readonly nowMs: () => number;
}

/**
 * Offers are counted for at most this many changed products. Operators correct products one by one, so there are few, each with the products
 * that were merged into it.
 */
const NEWS_MAX = 10 * (1 + LIMITS.merged_products_max);

/** Lists the changes that can still be undone, newest first, and counts the offers that are not re-reviewed yet. */
export async function listRuleChanges({ store, nowMs }: RuleChanges) {
  const changes = (await store.policies.listRuleChanges(LIMITS.rule_changes_max))
    .map((change) => ({ ...change, undoUntilMs: undoUntilMs(change) }))
    .filter((change) => change.undoUntilMs > nowMs());
  // In this order, an offer that is being marked as due may be counted twice, and is never missed.
  let offersLeft = 0;
  for (const { environment, code } of await store.catalog.readCatalogNews(NEWS_MAX)) {
    offersLeft += await store.catalog.countCatalogUsers(environment, code);
  }
  const reads = new ReadsByAccount();
  for (const { accountId, filter } of await store.review.listSweeps()) {
    if (filter !== null) continue;
    const counts = await reads.read(() => store.offerList.readOfferCounts(accountId));
    offersLeft += counts?.byStatus.values().reduce((sum, each) => sum + each, 0) ?? 0;
  }
  offersLeft += (await store.review.readReviewFigures()).due;
  return accept({ changes, offersLeft });
}

/** Restores what the change replaced, through the same gate as the change itself. */
export async function undoRuleChange(
  { store, nowMs }: RuleChanges,
  changeId: number,
  gate: ChangeGate,
): Promise<Outcome<RuleChange>> {
  const found = await store.policies.readRuleChange(changeId);
  if (found === undefined || undoUntilMs(found) <= nowMs()) return refuseUndo('unknown', changeId);
  const { replaced, ...change } = found;
  if (change.undoneMs !== null) return refuseUndo('undone', changeId);
  const proposal = await proposalOf(store, replaced);
  if (proposal === undefined) return refuseUndo('overtaken', changeId);
  const passed = await gate.pass('undoChange', change.subject, proposal);
  if (!passed.ok) return passed;
  if (passed.value === 'preview') return accept(change);
  const outcome = await store.policies.undoRuleChange(changeId, passed.value);
  return outcome === 'stored' ? accept(change) : refuseUndo(outcome, changeId);
}

function undoUntilMs({ atMs }: RuleChange): number {
  return atMs + LIMITS.rule_change_undo_days * DAY_MS;
}

/** Returns undefined if the policy that the change added no longer exists. */
async function proposalOf(store: RuleChanges['store'], replaced: ReplacedRule): Promise<Proposal | undefined> {
  switch (replaced.rule) {
    case 'policy': {
      const {
        key: [kind, key],
        value: policy,
      } = replaced;
      const listed = await store.policies.listPolicies();
      const touched = policy ?? listed.find((other) => other.kind === kind && policyKey(other) === key);
      return touched && { kind: 'policies', policies: replacePolicy(listed, kind, key, policy), touched };
    }
    case 'placeholder': {
      const {
        key: [hash],
        value: placeholder,
      } = replaced;
      const others = (await store.policies.listPlaceholders()).filter((other) => other.hash !== hash);
      return { kind: 'placeholders', placeholders: placeholder === null ? others : [...others, placeholder] };
    }
    case 'taxonomy':
      return { kind: 'taxonomy', taxonomy: replaced.value };
    case 'product': {
      const {
        key: [environment, code],
        value: corrected,
      } = replaced;
      const { catalog } = store;
      const [ofOffers] = corrected === null ? await catalog.readProducts(environment, [code], 'offers') : [];
      const [other] = corrected?.sameAs ? await catalog.readProducts(environment, [corrected.sameAs]) : [];
      const codes = [code, ...(await catalog.listMergedProducts(environment, code))];
      return { kind: 'product', environment, codes, product: other ?? corrected ?? ofOffers ?? null };
    }
  }
}

function refuseUndo(outcome: 'unknown' | 'undone' | 'overtaken', changeId: number): Refused {
  if (outcome === 'unknown') return refuseRequest('change_unknown', `No change ${changeId} that can be undone.`);
  return refuseRequest(`change_${outcome}`);
}
